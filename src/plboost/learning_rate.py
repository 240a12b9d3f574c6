"""The learning rate of a user who sets none."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

__all__ = ["LARGEST_RATE", "LOSSES_OF_CLASSES", "automatic_learning_rate", "balance_of_classes"]

LARGEST_RATE = 0.1

# Log-odds overfit sooner than means: their loss has no lower limit on the training rows.
LOSSES_OF_CLASSES = frozenset({"log_loss", "cross_entropy"})

# Sum of the rates of all rounds that large data bears without overfitting; chosen on many sets
# (docs/adr/0011, docs/adr/0025).
_MOST_STEPS = 35.0


def balance_of_classes(scores: npt.ArrayLike) -> float:
    """Tell how evenly rows are shared out among classes.

    Parameters
    ----------
    scores : array-like of shape (n_outputs,)
        Scores whose probabilities are the shares: one of two classes, else one for each class.

    Returns
    -------
    float
        How often two rows are of different classes, by how often they would be if all classes had
        as many rows: 1 for these, near 0 where one class has nearly all of them.

    Examples
    --------
    >>> [round(balance_of_classes([score]), 3) for score in (0.0, -2.0, 4.6)]
    [1.0, 0.42, 0.039]
    >>> round(balance_of_classes([0.0, 0.0, 0.0]), 3)
    1.0
    """
    given = np.asarray(scores, np.float64)
    shares = softmax(given) if len(given) > 1 else expit(np.array([-given[0], given[0]]))
    return float(np.sum(shares * (1.0 - shares)) * len(shares) / (len(shares) - 1))


def automatic_learning_rate(
    loss: str, total_weight: float, n_estimators: int, *, judged: bool, balance: float = 1.0
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
    balance : float
        Of the classes (:func:`balance_of_classes`): a rare class needs more rows to be learned.

    Returns
    -------
    float
        ``min(0.1, steps / n_estimators)`` with ``steps = 35 min(1, total_weight / n)^q``, where n
        is 60000 and q 0.3. For classes total_weight is multiplied by their balance, n is 60000 and
        q 0.6 or, if steps are judged, n is 10000, q 0.5, and there are at least
        ``10 sqrt(balance)`` of them. There are at least 3.5 steps.

    Examples
    --------
    >>> automatic_learning_rate("squared_error", 100_000, 500, judged=False)
    0.07
    >>> round(automatic_learning_rate("log_loss", 2500, 500, judged=True), 4)
    0.035
    >>> round(automatic_learning_rate("log_loss", 2500, 500, judged=True, balance=0.1), 4)
    0.0111
    >>> automatic_learning_rate("log_loss", 2500, 20, judged=True)
    0.1
    """
    large, exponent, fewest, rows = 60_000, 0.3, 3.5, total_weight
    if loss in LOSSES_OF_CLASSES:
        large, exponent = (10_000, 0.5) if judged else (60_000, 0.6)
        rows *= balance
        if judged:
            fewest = max(fewest, 10.0 * balance**exponent)
    steps: float = max(fewest, _MOST_STEPS * min(1.0, rows / large) ** exponent)
    return min(LARGEST_RATE, steps / n_estimators)
