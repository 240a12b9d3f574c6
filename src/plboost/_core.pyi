from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Dataset:
    def __init__(
        self,
        X: NDArray[Any],
        y: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        *,
        max_bins: int,
        seed: int,
        n_threads: int,
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_features(self) -> int: ...

class TrainingOptions:
    loss: str
    n_rounds: int
    learning_rate: float
    max_leaves: int
    max_depth: int
    min_samples_leaf: float
    min_hessian: float
    min_gain: float
    l2: float
    l2_slopes: float
    max_regressors: int
    fitting: str
    regressors: str
    repeated: str
    penalty: str
    refit_leaves: bool
    extrapolation: str
    def __init__(self) -> None: ...

class EvaluationSet:
    def __init__(
        self, X: NDArray[Any], y: NDArray[np.float64], weight: NDArray[np.float64] | None
    ) -> None: ...

class Forest:
    @property
    def n_trees(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def loss(self) -> str: ...
    @property
    def base_score(self) -> float: ...
    def predict(
        self, X: NDArray[Any], *, n_threads: int, first_tree: int = 0, last_tree: int
    ) -> NDArray[np.float64]: ...
    def to_arrays(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(loss: str, arrays: dict[str, NDArray[Any]]) -> Forest: ...
    def importance(self, kind: str) -> NDArray[np.float64]: ...

def train(
    dataset: Dataset,
    options: TrainingOptions,
    evaluation_sets: list[EvaluationSet],
    *,
    n_threads: int,
    on_round: Callable[[int, list[float]], None] | None,
) -> Forest: ...
def apply_link(loss: str, scores: NDArray[np.float64]) -> NDArray[np.float64]: ...
def loss_names() -> list[str]: ...
def metric_name(loss: str) -> str: ...
