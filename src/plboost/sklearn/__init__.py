"""Estimators that follow scikit-learn."""

from __future__ import annotations

from plboost.sklearn.classifier import PLBoostClassifier
from plboost.sklearn.ranker import PLBoostRanker
from plboost.sklearn.regressor import PLBoostRegressor

__all__ = ["PLBoostClassifier", "PLBoostRanker", "PLBoostRegressor"]
