"""scikit-learn's own checks, without exceptions."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from plboost import PLBoostClassifier, PLBoostRegressor

# The checks use few rows. With the default min_samples_leaf=20 hardly any tree would be split, so
# the same checks run once more with trees that are.
SMALL = {"n_estimators": 8, "min_samples_leaf": 2, "max_leaves": 8, "random_state": 0}

CHECKS = parametrize_with_checks(
    [
        PLBoostRegressor(),
        PLBoostClassifier(),
        PLBoostRegressor(**SMALL),
        PLBoostClassifier(**SMALL),
        PLBoostRegressor(fitting="fully_corrective", repeated="refit", **SMALL),
        PLBoostRegressor(fitting="fully_corrective", regressors="all", **SMALL),
        PLBoostClassifier(max_regressors=0, **SMALL),
        PLBoostRegressor(intervals=True, **SMALL),
    ]
)


# Before scikit-learn 1.8 the checks are a generator, which pytest is about to refuse.
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_estimator_check(estimator, check):
    check(estimator)
