"""Every loss by the name under which tests ask for it, with the parameters that go with it."""

from __future__ import annotations

from dataclasses import dataclass

from .losses import LOSSES, Loss
from .robust_losses import huber, pinball, relative_weight
from .tweedie_losses import tweedie


@dataclass(frozen=True)
class Case:
    """A loss and what the user says besides its name."""

    loss: Loss
    alpha: float | None = None
    power: float | None = None


CASES = {
    **{name: Case(loss) for name, loss in LOSSES.items()},
    "absolute_error": Case(pinball("absolute_error", 0.5)),
    "huber": Case(huber(0.9)),
    "huber 0.5": Case(huber(0.5), alpha=0.5),
    "quantile": Case(pinball("quantile", 0.5)),
    "quantile 0.1": Case(pinball("quantile", 0.1), alpha=0.1),
    "quantile 0.9": Case(pinball("quantile", 0.9), alpha=0.9),
    "mape": Case(pinball("mape", 0.5, relative_weight)),
    "poisson": Case(tweedie("poisson", 1.0)),
    "gamma": Case(tweedie("gamma", 2.0)),
    "tweedie": Case(tweedie("tweedie", 1.5)),
    "tweedie 1.2": Case(tweedie("tweedie", 1.2), power=1.2),
}
