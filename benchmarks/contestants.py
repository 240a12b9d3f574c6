"""One adapter per library behind one interface, and the one table of equivalent parameters.

A contestant turns arrays into the library's own data object (``prepare``), trains on it (``fit``)
and predicts what the metric needs: values, or the probability of class 1. Libraries are imported
only when their contestant is used.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["CONTESTANTS", "Contestant", "Settings", "contestant"]

Array = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Settings:
    """What all libraries are told. None leaves a library its own default."""

    loss: str = "squared_error"
    trees: int = 100
    leaves: int = 31
    bins: int = 255
    rate: float = 0.1
    min_rows: int = 20
    l2: float | None = None
    threads: int = 2

    def named(self, names: dict[str, str]) -> dict[str, Any]:
        """Translate to a library's names; what is None is left out."""
        values = ((name, getattr(self, ours)) for ours, name in names.items())
        return {name: value for name, value in values if value is not None}


# Our word -> theirs. What has no exact equal is set in the adapter, with the reason.
NAMES: dict[str, dict[str, str]] = {
    "plboost": {
        "loss": "loss",
        "trees": "n_estimators",
        "leaves": "max_leaves",
        "rate": "learning_rate",
        "min_rows": "min_samples_leaf",
        "l2": "l2",
    },
    "lightgbm": {
        "leaves": "num_leaves",
        "bins": "max_bin",
        "rate": "learning_rate",
        "min_rows": "min_data_in_leaf",
        "l2": "lambda_l2",
        "threads": "num_threads",
    },
    "xgboost": {
        "leaves": "max_leaves",
        "bins": "max_bin",
        "rate": "eta",
        "l2": "lambda",
        "threads": "nthread",
    },
    "catboost": {
        "trees": "iterations",
        "leaves": "max_leaves",
        "rate": "learning_rate",
        "min_rows": "min_data_in_leaf",
        "l2": "l2_leaf_reg",
        "threads": "thread_count",
    },
    "hist_gradient_boosting": {
        "trees": "max_iter",
        "leaves": "max_leaf_nodes",
        "bins": "max_bins",
        "rate": "learning_rate",
        "min_rows": "min_samples_leaf",
        "l2": "l2_regularization",
    },
    "perpetual": {"trees": "iteration_limit", "bins": "max_bin", "threads": "num_threads"},
}


class Contestant:
    """The interface: prepare once, then fit and predict."""

    package: str
    names: str
    prepares_apart = True
    """False when the library bins inside fit, so that preparation has no time of its own."""

    def version(self) -> str:
        return importlib.metadata.version(self.package)

    def parameters(self, settings: Settings) -> dict[str, Any]:
        return settings.named(NAMES[self.names])

    def prepare(self, X: Array, y: Array, settings: Settings) -> Any:
        raise NotImplementedError

    def fit(self, data: Any, settings: Settings) -> Any:
        raise NotImplementedError

    def predict(self, model: Any, X: Array, settings: Settings) -> Array:
        raise NotImplementedError


class PLBoost(Contestant):
    package = names = "plboost"

    def __init__(self, **parameters: Any) -> None:
        self.extra = parameters

    def version(self) -> str:
        """Tell builds of one version apart: a benchmark may be resumed after a rebuild."""
        from plboost import _core

        digest = hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()[:8]
        return f"{super().version()} (core {digest})"

    def parameters(self, settings: Settings) -> dict[str, Any]:
        return super().parameters(settings) | self.extra

    def prepare(self, X: Array, y: Array, settings: Settings) -> Any:
        import plboost

        return plboost.Dataset(X, y, max_bins=settings.bins, n_jobs=settings.threads)

    def fit(self, data: Any, settings: Settings) -> Any:
        import plboost

        return plboost.train(self.parameters(settings), data, n_jobs=settings.threads)

    def predict(self, model: Any, X: Array, settings: Settings) -> Array:
        return model.predict(X, n_jobs=settings.threads)


class LightGBM(Contestant):
    package = names = "lightgbm"

    def __init__(self, **parameters: Any) -> None:
        self.extra = parameters

    def parameters(self, settings: Settings) -> dict[str, Any]:
        objective = "regression" if settings.loss == "squared_error" else "binary"
        plain = {"objective": objective, "verbosity": -1, "seed": 0}
        return super().parameters(settings) | plain | self.extra

    def prepare(self, X: Array, y: Array, settings: Settings) -> Any:
        import lightgbm

        # The parameters are given here too: they decide the bins, and linear trees keep the matrix.
        return lightgbm.Dataset(X, y, params=self.parameters(settings)).construct()

    def fit(self, data: Any, settings: Settings) -> Any:
        import lightgbm

        return lightgbm.train(self.parameters(settings), data, num_boost_round=settings.trees)

    def predict(self, model: Any, X: Array, settings: Settings) -> Array:
        return model.predict(X, num_threads=settings.threads)


class XGBoost(Contestant):
    package = names = "xgboost"

    def parameters(self, settings: Settings) -> dict[str, Any]:
        squared = settings.loss == "squared_error"
        return super().parameters(settings) | {
            "objective": "reg:squarederror" if squared else "binary:logistic",
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_depth": 0,
            # There is no minimum of rows. A row's hessian is 1, and at most 1/4 for log loss.
            "min_child_weight": settings.min_rows * (1.0 if squared else 0.25),
            "verbosity": 0,
        }

    def prepare(self, X: Array, y: Array, settings: Settings) -> Any:
        import xgboost

        # Bins now; an ordinary DMatrix would bin in the first round.
        return xgboost.QuantileDMatrix(X, y, max_bin=settings.bins, nthread=settings.threads)

    def fit(self, data: Any, settings: Settings) -> Any:
        import xgboost

        return xgboost.train(self.parameters(settings), data, num_boost_round=settings.trees)

    def predict(self, model: Any, X: Array, settings: Settings) -> Array:
        return model.inplace_predict(X)


class CatBoost(Contestant):
    package = names = "catboost"

    def parameters(self, settings: Settings) -> dict[str, Any]:
        squared = settings.loss == "squared_error"
        return super().parameters(settings) | {
            "loss_function": "RMSE" if squared else "Logloss",
            "grow_policy": "Lossguide",
            "depth": 16,  # its largest
            "border_count": settings.bins - 1,  # borders between bins
            "boosting_type": "Plain",
            "random_seed": 0,
            "allow_writing_files": False,
            "logging_level": "Silent",
        }

    def prepare(self, X: Array, y: Array, settings: Settings) -> Any:
        import catboost

        pool = catboost.Pool(X, y, thread_count=settings.threads)
        pool.quantize(border_count=settings.bins - 1)
        return pool

    def fit(self, data: Any, settings: Settings) -> Any:
        import catboost

        return catboost.train(data, self.parameters(settings))

    def predict(self, model: Any, X: Array, settings: Settings) -> Array:
        if settings.loss == "squared_error":
            return model.predict(X, thread_count=settings.threads)
        values = model.predict(X, prediction_type="Probability", thread_count=settings.threads)
        return values[:, 1]


class HistGradientBoosting(Contestant):
    package, names = "scikit-learn", "hist_gradient_boosting"
    prepares_apart = False

    def prepare(self, X: Array, y: Array, settings: Settings) -> Any:
        return X, y

    def fit(self, data: Any, settings: Settings) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
        from threadpoolctl import threadpool_limits

        squared = settings.loss == "squared_error"
        kind = HistGradientBoostingRegressor if squared else HistGradientBoostingClassifier
        # Its estimators take no number of threads.
        with threadpool_limits(settings.threads, user_api="openmp"):
            model = kind(**self.parameters(settings), early_stopping=False, random_state=0)
            return model.fit(*data)

    def predict(self, model: Any, X: Array, settings: Settings) -> Array:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(settings.threads, user_api="openmp"):
            if settings.loss == "squared_error":
                return model.predict(X)
            return model.predict_proba(X)[:, 1]


class Perpetual(Contestant):
    """Its one dial is ``budget``, here the default: it chooses leaves, rate and trees itself.

    The number of trees is only a limit for it.
    """

    package = names = "perpetual"
    prepares_apart = False

    def prepare(self, X: Array, y: Array, settings: Settings) -> Any:
        return X, y

    def fit(self, data: Any, settings: Settings) -> Any:
        from perpetual import PerpetualBooster

        objective = "SquaredLoss" if settings.loss == "squared_error" else "LogLoss"
        X, y = data
        model = PerpetualBooster(
            objective=objective, categorical_features=None, **self.parameters(settings)
        )
        return model.fit(X, y)

    def predict(self, model: Any, X: Array, settings: Settings) -> Array:
        if settings.loss == "squared_error":
            return np.asarray(model.predict(X))
        return np.asarray(model.predict_proba(X))[:, 1]


CONTESTANTS: dict[str, Contestant] = {
    "plboost": PLBoost(),
    "plboost-all-rows": PLBoost(split_sample=None, split_sample_rows=None),
    "lightgbm": LightGBM(),
    "lightgbm-linear": LightGBM(linear_tree=True),
    "xgboost": XGBoost(),
    "catboost": CatBoost(),
    "hist-gradient-boosting": HistGradientBoosting(),
    "perpetual": Perpetual(),
}


def contestant(name: str) -> Contestant:
    """Look a contestant up by name."""
    if name not in CONTESTANTS:
        raise ValueError(
            f"contestant must be one of {', '.join(CONTESTANTS)}, got {name!r}. "
            "Add an adapter to benchmarks/contestants.py."
        )
    return CONTESTANTS[name]
