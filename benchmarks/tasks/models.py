"""The scikit-learn estimators of a job, with equal settings or with none."""

from __future__ import annotations

from typing import Any

from benchmarks.contestants import NAMES, Settings, contestant
from benchmarks.leaderboard.estimators import ESTIMATORS

__all__ = ["model_of"]

SEED = 0
# The loss of plboost -> what LightGBM calls the same, or what comes nearest: both listnet and
# xendcg are cross entropies of the softmax over a query. Classifiers have one loss only.
OBJECTIVES = {
    "squared_error": "regression",
    "absolute_error": "regression_l1",
    "quantile": "quantile",
    "gamma": "gamma",
    "poisson": "poisson",
    "lambdarank": "lambdarank",
    "listnet": "rank_xendcg",
}
# What estimators are told and the functions below them are not.
MORE_NAMES = {"plboost": {"bins": "max_bins"}, "lightgbm": {"trees": "n_estimators"}}


def model_of(
    name: str, loss: str, alpha: float | None, settings: Settings | None, threads: int
) -> Any:
    """Make the estimator of a contestant; without settings it is told its loss alone."""
    package = contestant(name).package
    kind = {"log_loss": "Classifier", "lambdarank": "Ranker", "listnet": "Ranker"}.get(
        loss, "Regressor"
    )
    told: dict[str, Any] = {}
    if settings is not None:
        told = settings.named(NAMES[package] | MORE_NAMES[package])
        told.pop("loss", None)
    if loss != "log_loss":
        told |= {"loss": loss} if package == "plboost" else {"objective": OBJECTIVES[loss]}
    if alpha is not None:
        told["alpha"] = alpha
    return ESTIMATORS[name](kind, SEED, threads).set_params(**told)
