"""A loss that the user gives as a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost import _core
from plboost.dataset import Dataset

__all__ = ["CustomLoss"]

FloatArray = npt.NDArray[np.float64]


class CustomLoss:
    """Asks the user's function for gradients before every round.

    Parameters
    ----------
    function : callable
        ``function(y_true, raw_score) -> (gradient, hessian)``, both of the shape of `raw_score`:
        (n_rows,), or (n_rows, n_outputs) for several outputs. Rows are in the user's order, without
        those of weight 0; weights are multiplied in afterwards. Its attribute ``n_outputs``, if it
        has one, is the number of outputs, by default that of the columns of y; its attribute
        ``initial_score``, a number or one for each output, is where scores start, by default 0.
    dataset : Dataset
        The training data.

    Examples
    --------
    >>> from plboost import train
    >>> def half_squares(y_true, raw_score):
    ...     return raw_score - y_true, np.ones_like(raw_score)
    >>> X = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> booster = train({"loss": half_squares, "n_estimators": 20}, Dataset(X, X[:, 0] ** 2))
    >>> booster.loss
    'custom'
    """

    def __init__(self, function: Callable[..., Any], dataset: Dataset) -> None:
        self._function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        order = dataset._core.row_order()
        # The core shuffles the rows; this brings back the user's order.
        self._place_of_row = np.argsort(order)
        self._targets = self._by_row(dataset._core.targets(), dataset.target_shape)
        self._targets.flags.writeable = False
        self.base_score = self._initial_scores(dataset)

    def give_gradients(self, trainer: _core.Trainer) -> None:
        """Compute the gradients of the present scores and hand them to the trainer.

        Parameters
        ----------
        trainer : _core.Trainer
            A trainer of loss "custom".
        """
        n_outputs = len(self.base_score)
        scores = self._by_row(trainer.scores(), () if n_outputs == 1 else (n_outputs,))
        result = self._function(self._targets, scores)
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise TypeError(
                f"the loss {self.name} must return a tuple (gradient, hessian), got "
                f"{type(result).__name__}. Return two arrays of the shape of raw_score."
            )
        gradient = self._checked("gradient", result[0], scores.shape)
        hessian = self._checked("hessian", result[1], scores.shape)
        if (hessian < 0).any():
            row = int(np.argwhere(hessian < 0)[0][0])
            raise ValueError(
                f"the hessian of the loss {self.name} must not be negative, got "
                f"{float(hessian[row].min())!r} in row {row}. Return an upper bound of the second "
                "derivative where the loss is not convex."
            )
        if (hessian < np.finfo(np.float32).tiny).all() and gradient.any():
            raise ValueError(
                f"the hessian of the loss {self.name} is 0 in all rows, which leaves steps without "
                "a size. Return the second derivative or an upper bound of it, such as ones."
            )
        trainer.set_gradients(self._in_core_order(gradient), self._in_core_order(hessian))

    def _checked(self, what: str, values: object, shape: tuple[int, ...]) -> FloatArray:
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"the {what} of the loss {self.name} must be an array of numbers, got "
                f"{type(values).__name__} ({error})."
            ) from error
        if array.shape != shape:
            raise ValueError(
                f"the {what} of the loss {self.name} must have the shape {shape} of raw_score, "
                f"got {array.shape}."
            )
        wrong = ~np.isfinite(array)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise ValueError(
                f"the {what} of the loss {self.name} must be finite, got {float(array[place])!r} "
                f"in row {place[0]}. Clip what overflows."
            )
        return array

    def _initial_scores(self, dataset: Dataset) -> list[float]:
        n_outputs = getattr(self._function, "n_outputs", None)
        if n_outputs is None:
            n_outputs = dataset.target_shape[0] if dataset.target_shape else 1
        if isinstance(n_outputs, bool) or not isinstance(n_outputs, (int, np.integer)):
            raise TypeError(
                f"n_outputs of the loss {self.name} must be an int, got {n_outputs!r} "
                f"({type(n_outputs).__name__})."
            )
        if not 1 <= n_outputs <= 2**16:
            raise ValueError(
                f"n_outputs of the loss {self.name} must be between 1 and {2**16}, got {n_outputs}."
            )
        given = np.asarray(getattr(self._function, "initial_score", 0.0), dtype=np.float64)
        if given.shape not in ((), (n_outputs,)) or not np.isfinite(given).all():
            raise ValueError(
                f"initial_score of the loss {self.name} must be a finite number, or one for each "
                f"of its {n_outputs} outputs, got {given.tolist()!r}."
            )
        return [float(score) for score in np.broadcast_to(given, (int(n_outputs),))]

    def _by_row(self, columns: FloatArray, shape: tuple[int, ...]) -> FloatArray:
        n_columns = shape[0] if shape else 1
        rows = columns.reshape(n_columns, -1)[:, self._place_of_row].T
        return np.ascontiguousarray(rows.reshape((-1, *shape)))

    def _in_core_order(self, rows: FloatArray) -> FloatArray:
        columns = np.empty((rows.shape[1] if rows.ndim == 2 else 1, len(rows)))
        columns[:, self._place_of_row] = rows.T
        return columns.ravel()
