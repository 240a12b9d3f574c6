"""The learning rate of a user who sets none."""

from __future__ import annotations

__all__ = ["LARGEST_RATE", "LOSSES_OF_CLASSES", "automatic_learning_rate"]

LARGEST_RATE = 0.1

# Log-odds overfit sooner than means: their loss has no lower limit on the training rows.
LOSSES_OF_CLASSES = frozenset({"log_loss", "cross_entropy"})

# Sum of the rates of all rounds that large data bears without overfitting; chosen on many sets
# (docs/adr/0011, docs/adr/0025).
_MOST_STEPS = 35.0


def automatic_learning_rate(
    loss: str, total_weight: float, n_estimators: int, *, judged: bool
) -> float:
    """Choose the learning rate by the size of the data and the number of rounds.

    Parameters
    ----------
    loss : str
        Name of the loss.
    total_weight : float
        Sum of the weights of the training rows: their number where there are no weights.
    n_estimators : int
        Number of rounds.
    judged : bool
        Whether steps become shorter when rows that trees do not know of do not confirm them.

    Returns
    -------
    float
        ``min(0.1, steps / n_estimators)`` with ``steps = 35 min(1, total_weight / n)^q``. For
        classes n is 60000 and q 0.6, or 10000 and 0.5 with at least 10 steps if they are judged;
        for everything else n is 60000 and q 0.3. There are at least 3.5 steps.

    Examples
    --------
    >>> automatic_learning_rate("squared_error", 100_000, 500, judged=False)
    0.07
    >>> round(automatic_learning_rate("log_loss", 2500, 500, judged=True), 4)
    0.035
    >>> automatic_learning_rate("log_loss", 2500, 20, judged=True)
    0.1
    """
    large, exponent, fewest = 60_000, 0.3, 3.5
    if loss in LOSSES_OF_CLASSES:
        large, exponent, fewest = (10_000, 0.5, 10.0) if judged else (60_000, 0.6, 3.5)
    steps: float = max(fewest, _MOST_STEPS * min(1.0, total_weight / large) ** exponent)
    return min(LARGEST_RATE, steps / n_estimators)
