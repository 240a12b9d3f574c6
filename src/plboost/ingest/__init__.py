"""From what users have (arrays, frames, lists) to what the core reads."""

from __future__ import annotations

from plboost.ingest.features import column_names, feature_matrix, reject_text_columns
from plboost.ingest.targets import binary_target, one_column, target_vector
from plboost.ingest.weights import weight_vector

__all__ = [
    "binary_target",
    "column_names",
    "feature_matrix",
    "one_column",
    "reject_text_columns",
    "target_vector",
    "weight_vector",
]
