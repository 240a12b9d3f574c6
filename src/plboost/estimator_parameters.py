"""The rows of the table of parameters that only estimators have."""

from __future__ import annotations

from plboost.parameter_rules import Choice, Flag, Fraction, Integer, Parameter, Real

__all__ = ["ESTIMATOR_PARAMETERS"]

ESTIMATOR_PARAMETERS = (
    Parameter(
        "early_stopping",
        False,
        Flag(),
        "True stops when the metric of the evaluation set no longer improves.",
        belongs_to="estimator",
    ),
    Parameter(
        "validation_fraction",
        0.1,
        Fraction(),
        "It is the part of the rows that early stopping holds back when there is no eval_set.",
        belongs_to="estimator",
    ),
    Parameter(
        "validation_split",
        "random",
        Choice(("random", "time")),
        "Use 'time' to hold back the last rows.",
        belongs_to="estimator",
    ),
    Parameter(
        "n_iter_no_change",
        10,
        Integer(1),
        "It is the number of rounds without an improvement after which training stops.",
        belongs_to="estimator",
    ),
    Parameter(
        "tol",
        0.0,
        Real(0.0),
        "It is how much better than the best so far a metric must be to count.",
        belongs_to="estimator",
    ),
    Parameter(
        "warm_start",
        False,
        Flag(),
        "True adds rounds to the fitted model up to n_estimators.",
        belongs_to="estimator",
    ),
    Parameter(
        "intervals",
        False,
        Flag(),
        "True keeps what PLBoostRegressor.predict_interval() needs.",
        belongs_to="estimator",
    ),
)
