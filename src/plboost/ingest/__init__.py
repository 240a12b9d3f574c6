"""From what users have (arrays, frames, lists) to what the core reads."""

from __future__ import annotations

from plboost.ingest.categories import (
    Categories,
    Category,
    categorical_columns,
    learn_categories,
)
from plboost.ingest.category_means import CategoryMeans, learn_means, means_of_training_rows
from plboost.ingest.features import column_names, feature_matrix, reject_text_columns
from plboost.ingest.queries import query_sizes
from plboost.ingest.rounds import round_count
from plboost.ingest.scores import score_array
from plboost.ingest.targets import check_classes, one_column, target_array
from plboost.ingest.weights import weight_vector

__all__ = [
    "Categories",
    "Category",
    "CategoryMeans",
    "categorical_columns",
    "check_classes",
    "column_names",
    "feature_matrix",
    "learn_categories",
    "learn_means",
    "means_of_training_rows",
    "one_column",
    "query_sizes",
    "reject_text_columns",
    "round_count",
    "score_array",
    "target_array",
    "weight_vector",
]
