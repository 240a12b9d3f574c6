"""A plain tree of constant leaves, grown by trying every cut of every feature over and over.

Written from docs/algorithm.md sections 4 and 5 for the case without regressors, and for features
with so few values that each is a bin.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tests.problems import FloatArray

Mask = NDArray[np.bool_]
FLOOR = 1e-6


@dataclass(frozen=True)
class Cut:
    """A candidate."""

    feature: int
    threshold: float
    missing_left: bool
    gain: float
    left: Mask
    right: Mask


@dataclass
class ConstantTree:
    """What to grow, and the splits made so far: (node, cut), and the rows of every node."""

    X: FloatArray
    g: FloatArray
    h: FloatArray
    w: FloatArray
    l2: float
    min_samples_leaf: float
    min_hessian: float = 1e-3
    splits: list[tuple[int, Cut]] = field(default_factory=list)
    rows: list[Mask] = field(default_factory=list)

    def loss(self, rows: Mask) -> float:
        """Smallest loss of a constant: -G^2 / 2 (H + l2)."""
        total = self.h[rows].sum() + self.l2
        return float(-(self.g[rows].sum() ** 2) / (2 * total)) if total > 0 else 0.0

    def value(self, rows: Mask) -> float:
        """The output where that loss is taken."""
        return float(-self.g[rows].sum() / (self.h[rows].sum() + self.l2))

    def grow(self, max_leaves: int) -> ConstantTree:
        """Split the leaf of the largest gain until there are enough or none is left."""
        self.rows = [np.ones(len(self.g), dtype=bool)]
        open_leaves = {0: self.best_cut(self.rows[0])}
        while len(self.splits) + 1 < max_leaves:
            found = {node: cut for node, cut in open_leaves.items() if cut is not None}
            if not found:
                break
            node = max(found, key=lambda leaf: (found[leaf].gain, -leaf))
            cut = found[node]
            self.splits.append((node, cut))
            del open_leaves[node]
            for side in (cut.left, cut.right):
                open_leaves[len(self.rows)] = self.best_cut(side)
                self.rows.append(side)
        return self

    def best_cut(self, rows: Mask) -> Cut | None:
        """Return the first candidate of the largest gain."""
        best: Cut | None = None
        floor = FLOOR * abs(self.loss(rows))
        for feature in range(self.X.shape[1]):
            for threshold, missing_left in self.cuts(rows, feature):
                cut = self.judge(rows, feature, threshold, missing_left)
                if cut is not None and cut.gain > (floor if best is None else best.gain):
                    best = cut
        return best

    def cuts(self, rows: Mask, feature: int) -> list[tuple[float, bool | None]]:
        """Return thresholds and sides of the missing; None: no row is missing here."""
        column = self.X[:, feature]
        # Thresholds lie between values of the whole column: a node may lack some of them.
        values = np.unique(column[np.isfinite(column)])
        middles = values[:-1] + (values[1:] - values[:-1]) / 2
        if not np.isnan(column[rows]).any():
            return [(float(middle), None) for middle in middles]
        both: list[tuple[float, bool | None]] = [
            (float(middle), side) for middle in middles for side in (False, True)
        ]
        return [*both, (np.inf, False)] if len(values) else []

    def judge(
        self, rows: Mask, feature: int, threshold: float, missing_left: bool | None
    ) -> Cut | None:
        column = self.X[:, feature]
        missing = np.isnan(column)
        goes_left = np.where(missing, bool(missing_left), column <= threshold)
        left, right = rows & goes_left, rows & ~goes_left
        for side in (left, right):
            hessian = self.h[side].sum()
            if self.w[side].sum() < self.min_samples_leaf or hessian < self.min_hessian:
                return None
            if hessian <= 0:
                return None
        if missing_left is None:
            missing_left = bool(self.w[left].sum() >= self.w[right].sum())
        gain = self.loss(rows) - self.loss(left) - self.loss(right)
        return Cut(feature, threshold, missing_left, gain, left, right)
