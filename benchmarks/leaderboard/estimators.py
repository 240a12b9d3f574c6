"""Every contestant as a user gets it: the scikit-learn estimator with nothing set.

Only threads, seed and silence are given, and for LightGBM's linear trees the switch itself.
Libraries are imported only when their estimator is made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.contestants import contestant

__all__ = ["ESTIMATORS", "build_of", "default_estimator"]


def _plboost(kind: str, seed: int, threads: int) -> Any:
    import plboost

    return getattr(plboost, f"PLBoost{kind}")(random_state=seed, n_jobs=threads)


def _lightgbm(kind: str, seed: int, threads: int, **parameters: Any) -> Any:
    import lightgbm

    made = getattr(lightgbm, f"LGBM{kind}")
    return made(random_state=seed, n_jobs=threads, verbosity=-1, **parameters)


def _lightgbm_linear(kind: str, seed: int, threads: int) -> Any:
    return _lightgbm(kind, seed, threads, linear_tree=True)


def _xgboost(kind: str, seed: int, threads: int) -> Any:
    import xgboost

    return getattr(xgboost, f"XGB{kind}")(random_state=seed, n_jobs=threads, verbosity=0)


def _catboost(kind: str, seed: int, threads: int) -> Any:
    import catboost

    return getattr(catboost, f"CatBoost{kind}")(
        random_seed=seed, thread_count=threads, logging_level="Silent", allow_writing_files=False
    )


def _hist_gradient_boosting(kind: str, seed: int, threads: int) -> Any:
    import sklearn.ensemble

    # It takes no number of threads: OMP_NUM_THREADS of the process says it.
    return getattr(sklearn.ensemble, f"HistGradientBoosting{kind}")(random_state=seed)


def _perpetual(kind: str, seed: int, threads: int) -> Any:
    import perpetual

    return getattr(perpetual, f"Perpetual{kind}")(seed=seed, num_threads=threads)


ESTIMATORS: dict[str, Callable[[str, int, int], Any]] = {
    "plboost": _plboost,
    "lightgbm": _lightgbm,
    "lightgbm-linear": _lightgbm_linear,
    "xgboost": _xgboost,
    "catboost": _catboost,
    "hist-gradient-boosting": _hist_gradient_boosting,
    "perpetual": _perpetual,
}


def default_estimator(name: str, task: str, seed: int, threads: int) -> Any:
    """Make the estimator of a contestant for "regression" or "binary"."""
    kind = "Regressor" if task == "regression" else "Classifier"
    return ESTIMATORS[name](kind, seed, threads)


def build_of(name: str) -> str:
    """Return a library's version; for plboost with a digest of the package.

    Its defaults live in Python as well as in the core, so both decide whether a stored run may
    be kept.
    """
    library = contestant(name)
    if library.package != "plboost":
        return library.version()
    import plboost

    digest = hashlib.sha256()
    for path in sorted(Path(plboost.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return f"{library.version()}, Python {digest.hexdigest()[:8]}"
