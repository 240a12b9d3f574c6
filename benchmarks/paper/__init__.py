"""The paper's experiments: GBDT-PL, IJCAI 2019, section 6."""
