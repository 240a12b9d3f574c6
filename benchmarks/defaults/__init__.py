"""How the defaults were chosen: settings compared on validation rows of many sets."""
