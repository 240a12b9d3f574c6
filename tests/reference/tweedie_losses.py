"""The Tweedie family with a log link (docs/algorithm.md, section 2)."""

from __future__ import annotations

import numpy as np

from .losses import Float32, Loss, _one
from .weighted import Array, weighted_mean_std


def tweedie(name: str, power: float) -> Loss:
    def gradients(scores: Array, y: Array, w: Array, unit: float) -> tuple[Float32, Float32]:
        mean, std = weighted_mean_std(y, w)
        dispersion = max((std / mean) ** 2, 1e-6) * mean ** (2 - power)
        mu = np.exp(scores)
        t = y / mu
        newton = (2 - power) + (power - 1) * t
        # The parabola through the score whose minimum is at log y.
        with np.errstate(divide="ignore", invalid="ignore"):
            secant = np.where(t > 0, (t - 1) / np.log(t), 0.0)
        secant = np.where(np.abs(t - 1) < 1e-4, (1 + t) / 2, secant)
        scale = w * mu ** (2 - power) / (dispersion * unit)
        h = scale * np.maximum(newton, secant)
        return (scale * (1 - t)).astype(np.float32), h.astype(np.float32)

    return Loss(
        name=name,
        initial_score=lambda y, w: float(np.log(weighted_mean_std(y, w)[0])),
        unit=_one,
        gain_unit=_one,
        gradients=gradients,
        link=np.exp,
        observed=True,
    )
