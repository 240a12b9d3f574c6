"""Fully corrective search of one feature, cut by cut, from docs/algorithm.md sections 3 and 4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.problems import FloatArray

DROPPED = 1e-6
LANES = 8


@dataclass(frozen=True, eq=False)
class WideScanProblem:
    """One feature of a node: rows, not sums, so that nothing is shared with the kernel."""

    code: NDArray[np.int64]  # [n] its bin, the missing value's last
    values: NDArray[np.float32]  # [n_bins + 1]
    g: FloatArray
    h: FloatArray
    w: FloatArray
    x: FloatArray  # [n, k] regressors around their means in the node
    with_x: bool
    l2: float
    ridges: list[float]
    offsets: list[float]  # empty: the centred ridge
    min_weight: float
    min_hessian: float
    min_gain: float

    @property
    def centre(self) -> float:
        """The feature's mean in the node."""
        return float(np.average(self.values[self.code].astype(float), weights=self.h))

    @property
    def numbers(self) -> list[float]:
        """What the kernel takes besides arrays."""
        limits = [self.min_weight, self.min_hessian, self.min_gain, DROPPED]
        return [self.centre, self.l2, *limits]

    def panels(self) -> NDArray[np.float32]:
        """Return the sums per bin as the kernel reads them: [panel, bin, lane]."""
        k = self.x.shape[1]
        lanes = [self.w, self.h, self.g]
        lanes += [self.h * self.x[:, j] for j in range(k)]
        lanes += [self.g * self.x[:, j] for j in range(k)]
        lanes += [self.h * self.x[:, j] * self.x[:, i] for j in range(k) for i in range(j + 1)]
        # What fills up the last panel must not matter.
        lanes += [np.full(len(self.g), 1e3)] * (-len(lanes) % LANES)
        sums = np.zeros((len(self.values), len(lanes)))
        np.add.at(sums, self.code, np.stack(lanes, axis=1))
        return sums.reshape(len(sums), -1, LANES).transpose(1, 0, 2).astype(np.float32)

    def fit(self, rows: NDArray[np.bool_], with_x: bool) -> tuple[float, bool]:
        """Return the loss of the best fit of some rows, and whether the last column was kept."""
        own = self.values[self.code].astype(float) - self.centre
        columns = np.column_stack([self.x, own])[rows, : self.x.shape[1] + with_x]
        g, h = self.g[rows], self.h[rows]
        mean = h @ columns / h.sum()
        centred = columns - mean
        size = columns.shape[1] + 1
        matrix = np.zeros((size, size))
        matrix[0, 0] = h.sum()
        matrix[1:, 1:] = (centred * h[:, None]).T @ centred
        moments = np.diag(matrix).copy()
        matrix[1:, 1:] += np.diag(self.ridges[: size - 1])
        # The paper's penalty is on b = m - sum_j s_j offset_j, the centred one on m.
        b = np.zeros(size)
        b[0] = 1.0
        if self.offsets:
            b[1:] = -(mean + self.offsets[: size - 1])
        matrix += self.l2 * np.outer(b, b)
        right = np.concatenate([[g.sum()], g @ centred])
        spread = np.concatenate([[0.0], h @ columns**2])
        diagonal = np.diag(matrix).copy()
        loss, kept = 0.0, True
        for i in range(size):
            kept = i == 0 or (
                moments[i] > DROPPED * spread[i] and matrix[i, i] > DROPPED * diagonal[i]
            )
            if not kept:
                continue
            loss -= right[i] ** 2 / (2 * matrix[i, i])
            factor = matrix[i + 1 :, i] / matrix[i, i]
            right[i + 1 :] -= factor * right[i]
            matrix[i + 1 :] -= np.outer(factor, matrix[i])
        return loss, kept

    def gains(self) -> dict[tuple[int, bool], tuple[float, list[bool]]]:
        """Return gain and kept columns of every cut; without missing rows the side is False."""
        n_bins = len(self.values) - 1
        missing = self.code == n_bins
        sides = (False, True)[: 1 + missing.any()]
        cuts = [(t, side) for t in range(n_bins - 1) for side in sides]
        if missing.any():
            cuts.append((n_bins - 1, False))
        node, _ = self.fit(np.ones(len(self.g), dtype=bool), with_x=False)
        found = {}
        for threshold, missing_left in cuts:
            left = (self.code <= threshold) & ~missing | (missing & missing_left)
            children = (left, ~left)
            if any(
                not rows.any()
                or self.w[rows].sum() < self.min_weight
                or self.h[rows].sum() < self.min_hessian
                for rows in children
            ):
                continue
            fits = [self.fit(rows, self.with_x) for rows in children]
            gain = node - fits[0][0] - fits[1][0]
            found[threshold, missing_left] = gain, [kept for _, kept in fits]
        return found

    def floor(self) -> float:
        """Return what a gain must be above."""
        node, _ = self.fit(np.ones(len(self.g), dtype=bool), with_x=False)
        return max(self.min_gain, DROPPED * abs(node))
