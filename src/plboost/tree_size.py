"""The size of trees of a user who sets none."""

from __future__ import annotations

__all__ = ["FIRST_LEAVES", "automatic_max_leaves"]

FIRST_LEAVES = 48

# Chosen on validation rows (docs/adr/0016, docs/adr/0025).
_SMALL_ROWS = 20_000
_ROWS_PER_LEAF = 350
_MOST_LEAVES = 1024


def automatic_max_leaves(n_rows: int) -> int:
    """Choose by the size of the data how many leaves a tree may have at most.

    Trees begin with 48 leaves. They become larger from round to round, up to this number, as long
    as rows that they do not know of confirm their later splits, and smaller where these do not.

    Parameters
    ----------
    n_rows : int
        Number of training rows.

    Returns
    -------
    int
        ``(n_rows - 20000) / 350``, at least 48 and at most 1024.

    Examples
    --------
    >>> automatic_max_leaves(10_000), automatic_max_leaves(100_000), automatic_max_leaves(10**7)
    (48, 228, 1024)
    """
    return min(_MOST_LEAVES, max(FIRST_LEAVES, (n_rows - _SMALL_ROWS) // _ROWS_PER_LEAF))
