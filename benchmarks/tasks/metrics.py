"""What is measured on the test rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn import metrics

__all__ = ["MORE_IS_BETTER", "measured"]

Floats = npt.NDArray[np.float64]
MORE_IS_BETTER = ("ndcg@5", "ndcg@10")
SMALLEST_MEAN = 1e-9


def measured(
    name: str,
    y: Floats,
    prediction: Floats,
    *,
    alpha: float | None = None,
    sizes: npt.NDArray[np.intp] | None = None,
) -> float:
    """Return a metric; `prediction` holds probabilities for those of classes."""
    if name.startswith("ndcg@"):
        assert sizes is not None
        return _ndcg(y, prediction, sizes, int(name.removeprefix("ndcg@")))
    if name == "log_loss":
        return float(metrics.log_loss(y, prediction, labels=np.arange(prediction.shape[1])))
    if name == "error":
        return float(np.mean(y != prediction.argmax(axis=1)))
    if name == "pinball":
        return float(metrics.mean_pinball_loss(y, prediction, alpha=alpha))
    if name == "mae":
        return float(metrics.mean_absolute_error(y, prediction))
    if name == "rmse":
        return float(metrics.root_mean_squared_error(y, prediction))
    # A prediction that underflows is a bad one, not an error of the benchmark.
    mean = np.maximum(prediction, SMALLEST_MEAN)
    deviances = {
        "gamma_deviance": metrics.mean_gamma_deviance,
        "poisson_deviance": metrics.mean_poisson_deviance,
    }
    return float(deviances[name](y, mean))


def _ndcg(grades: Floats, scores: Floats, sizes: npt.NDArray[np.intp], k: int) -> float:
    """Return the mean over the queries; those in which nothing is relevant are left out."""
    ends = np.cumsum(sizes)[:-1]
    queries = zip(np.split(2.0**grades - 1.0, ends), np.split(scores, ends), strict=True)
    return float(
        np.mean([metrics.ndcg_score([gains], [s], k=k) for gains, s in queries if gains.any()])
    )
