"""The meaning of ``n_jobs``."""

from __future__ import annotations

import os

import joblib

from plboost.parameters import check_parameter

__all__ = ["resolve_threads"]


def resolve_threads(n_jobs: int | None) -> int:
    """Turn ``n_jobs`` into a number of threads.

    Parameters
    ----------
    n_jobs : int or None
        None and -1 mean all available processors; -2 all but one, and so on as in joblib. Affinity,
        the container's quota and an enclosing joblib pool are honoured; so is ``OMP_NUM_THREADS``,
        by which joblib shares the processors between its worker processes. A positive number
        is taken as it is, except inside a pool that allows only one thread.

    Returns
    -------
    int
        At least 1. The number never changes the model.

    Examples
    --------
    >>> resolve_threads(1)
    1
    >>> resolve_threads(0)
    Traceback (most recent call last):
    ...
    ValueError: n_jobs must be None or an integer other than 0, at most 1024, got 0. Use None ...
    """
    checked = check_parameter("n_jobs", n_jobs)
    threads = int(joblib.effective_n_jobs(-1 if checked is None else checked))
    if checked is None or checked < 0:
        threads = min(threads, _openmp_limit(default=threads))
    return threads


def _openmp_limit(default: int) -> int:
    # "4,2" sets nested levels; the first is ours.
    text = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(text) if text.isdecimal() and int(text) > 0 else default
