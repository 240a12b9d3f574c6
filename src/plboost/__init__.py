"""Gradient boosting with piecewise linear trees.

The estimators :class:`PLBoostRegressor`, :class:`PLBoostClassifier` and :class:`PLBoostRanker`
follow scikit-learn. Below them, :class:`Dataset` bins the data once, :func:`train` makes a :class:`Booster` of it, and the
booster predicts, explains itself and goes to a file and back.
"""

from __future__ import annotations

from plboost import callbacks, errors
from plboost.booster import Booster
from plboost.dataset import Dataset
from plboost.errors import (
    CheckpointError,
    MissingDependencyError,
    ModelFileError,
    PLBoostError,
)
from plboost.sklearn import PLBoostClassifier, PLBoostRanker, PLBoostRegressor
from plboost.training import train
from plboost.versions import own_version, show_versions

__all__ = [
    "Booster",
    "CheckpointError",
    "Dataset",
    "MissingDependencyError",
    "ModelFileError",
    "PLBoostClassifier",
    "PLBoostError",
    "PLBoostRanker",
    "PLBoostRegressor",
    "__version__",
    "callbacks",
    "errors",
    "show_versions",
    "train",
]

__version__ = own_version()
