"""Boosting of several outputs, with a structure for each or one for all of them."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.outputs.sets import Parts
from benchmarks.outputs.trees import Bins, Cost, Setting, grow

__all__ = ["Result", "boost"]

Array = npt.NDArray[np.float64]
PATIENCE = 20
"""Rounds without gain on the validation rows."""


@dataclass(frozen=True)
class Result:
    """Of the round with the smallest validation error."""

    rmse: Array  # of each output, by its standard deviation on the training rows
    n_rounds: int
    n_grown: int  # rounds that the cost is of
    cost: Cost
    seconds: float  # of growing, processor


def boost(parts: Parts, setting: Setting, *, is_shared: bool, n_rounds: int, rate: float) -> Result:
    """Train on standardised targets: every output counts alike, in gains and in validation."""
    centre, spread = parts.Y[0].mean(axis=0), parts.Y[0].std(axis=0)
    targets = [(Y - centre) / spread for Y in parts.Y]
    bins = Bins(parts.X[0])
    codes = [bins.encode(X) for X in parts.X]
    u = [bins.training_values(codes[0]), *(bins.standardised(X) for X in parts.X[1:])]
    n_outputs = targets[0].shape[1]
    every = list(range(n_outputs))
    groups = [every] if is_shared else [[k] for k in every]
    scores = [np.zeros_like(Y) for Y in targets]
    cost, seconds, best, chosen = Cost(), 0.0, np.inf, (np.zeros(n_outputs), 0)
    for number in range(1, n_rounds + 1):
        g = scores[0] - targets[0]
        for group in groups:
            begin = time.process_time()
            tree, out = grow(bins, codes[0], u[0], g[:, group], setting, cost)
            seconds += time.process_time() - begin
            scores[0][:, group] += rate * out
            for i in (1, 2):
                scores[i][:, group] += rate * tree.outputs(codes[i], u[i], len(group))
        valid, test = (((scores[i] - targets[i]) ** 2).mean(axis=0) for i in (1, 2))
        if valid.mean() < best:
            best, chosen = valid.mean(), (np.sqrt(test), number)
        elif number - chosen[1] >= PATIENCE:
            break
    return Result(*chosen, number, cost, seconds)
