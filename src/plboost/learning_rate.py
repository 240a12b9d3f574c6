"""The learning rate of a user who sets none."""

from __future__ import annotations

__all__ = ["LARGEST_RATE", "automatic_learning_rate"]

LARGEST_RATE = 0.1

# Sum of the rates of all rounds that large data bears without overfitting, and the number of rows
# from which on data is large; chosen on validation rows of many sets (docs/adr/0011).
_MOST_STEPS = 35.0
_FEWEST_STEPS = 3.5
_LARGE = 60_000
# Log-odds overfit sooner than means: their loss has no lower limit on the training rows.
_EXPONENTS = {"log_loss": 0.6, "cross_entropy": 0.6}
_OTHER_EXPONENT = 0.4


def automatic_learning_rate(loss: str, total_weight: float, n_estimators: int) -> float:
    """Choose the learning rate by the size of the data and the number of rounds.

    Parameters
    ----------
    loss : str
        Name of the loss.
    total_weight : float
        Sum of the weights of the training rows: their number where there are no weights.
    n_estimators : int
        Number of rounds.

    Returns
    -------
    float
        ``min(0.1, steps / n_estimators)`` with ``steps = 35 min(1, total_weight / 60000)^q``, at
        least 3.5; q is 0.6 for classes and 0.4 for everything else.

    Examples
    --------
    >>> automatic_learning_rate("squared_error", 100_000, 500)
    0.07
    >>> round(automatic_learning_rate("log_loss", 3000, 500), 4)
    0.0116
    >>> automatic_learning_rate("log_loss", 3000, 20)
    0.1
    """
    exponent = _EXPONENTS.get(loss, _OTHER_EXPONENT)
    steps: float = max(_FEWEST_STEPS, _MOST_STEPS * min(1.0, total_weight / _LARGE) ** exponent)
    return min(LARGEST_RATE, steps / n_estimators)
