"""The best cut of one feature, cut by cut, from docs/algorithm.md sections 3 and 4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.problems import FloatArray

DROPPED = 1e-6
G, H, GZ, HZ, HZZ, W, ROWS = range(7)


@dataclass(frozen=True, eq=False)
class ScanProblem:
    """One feature of a node: sums per bin, the missing value's last."""

    bins: NDArray[np.float32]  # [n_bins + 1, 8]
    values: NDArray[np.float32]  # [n_bins + 1]
    with_z: bool
    z_fixed: bool
    with_x: bool
    l2: float
    ridge_z: float
    ridge_x: float
    min_weight: float
    min_hessian: float
    min_gain: float
    gain_floor: float = DROPPED

    @property
    def numbers(self) -> list[float]:
        """What the kernel takes besides the flags."""
        centre_z = self.bins[:, HZ].sum(dtype=float) / self.bins[:, H].sum(dtype=float)
        ridges = [self.l2, self.ridge_z, self.ridge_x]
        return [
            centre_z,
            *ridges,
            self.min_weight,
            self.min_hessian,
            self.min_gain,
            self.gain_floor,
        ]

    def centred(self) -> FloatArray:
        """Return g, h, gz, hz, hzz, w, gx, hx, hxx, hxz per bin, around the node's means."""
        sums, x = self.bins.astype(np.float64), self.values.astype(np.float64)
        h = sums[:, H]
        z0, x0 = sums[:, HZ].sum() / h.sum(), h @ x / h.sum()
        x = x - x0
        gz = sums[:, GZ] - z0 * sums[:, G]
        hz = sums[:, HZ] - z0 * h
        hzz = sums[:, HZZ] - z0 * (sums[:, HZ] + hz)
        of_x = [x * sums[:, G], x * h, x * x * h, x * hz]
        return np.stack([sums[:, G], h, gz, hz, hzz, sums[:, W], *of_x], axis=1)

    def loss(self, s: FloatArray, with_x: bool) -> float:
        """Return the loss of the best fit of one child."""
        g, h, gz, hz, hzz, _, gx, hx, hxx, hxz = s
        loss = -g * g / (2 * (h + self.l2))
        c = np.array([gz - g * hz / h, gx - g * hx / h])
        m_xz = hxz - hx * hz / h
        m = np.array([[hzz - hz * hz / h, m_xz], [m_xz, hxx - hx * hx / h]])
        kept = []
        if self.with_z and self.z_fixed:
            loss += c[0] + (m[0, 0] + self.ridge_z) / 2
            c[1] += m_xz
        elif self.with_z and m[0, 0] > DROPPED * hzz:
            kept.append(0)
        m += np.diag([self.ridge_z, self.ridge_x])
        if with_x and m[1, 1] - self.ridge_x > DROPPED * hxx:
            pivot = m[1, 1] - (m_xz**2 / m[0, 0] if kept else 0.0)
            if pivot > DROPPED * m[1, 1]:
                kept.append(1)
        if kept:
            part = np.ix_(kept, kept)
            loss -= c[kept] @ np.linalg.solve(m[part], c[kept]) / 2
        return float(loss)

    def gain(self, threshold: int, missing_left: bool) -> float:
        """Return the gain of one cut, -inf where a child has too little."""
        rows = self.centred()
        left = np.arange(len(rows)) <= threshold
        left[-1] = missing_left
        children = rows[left].sum(axis=0), rows[~left].sum(axis=0)
        for child in children:
            enough = child[W] >= self.min_weight and child[H] >= self.min_hessian
            # Sums that are 0 in exact arithmetic: a child without rows.
            if not (enough and child[H] > 1e-12 * rows[:, H].sum()):
                return -np.inf
        node = self.loss(rows.sum(axis=0), with_x=False)
        return node - sum(self.loss(child, self.with_x) for child in children)

    def floor(self) -> float:
        """Return what a gain must be above."""
        node = self.loss(self.centred().sum(axis=0), with_x=False)
        return max(self.min_gain, self.gain_floor * abs(node))

    def gains(self) -> dict[tuple[int, bool], float]:
        """Return the gain of every cut; without missing rows the side is False."""
        n_bins = len(self.bins) - 1
        has_missing = self.bins[n_bins, ROWS] > 0
        sides = (False, True)[: 1 + has_missing]
        cuts = [(t, side) for t in range(n_bins - 1) for side in sides]
        if has_missing:
            cuts.append((n_bins - 1, False))
        return {cut: self.gain(*cut) for cut in cuts}
