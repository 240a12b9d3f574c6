"""Words of four codes each."""

from __future__ import annotations

import numpy as np


def words(rng, n):
    """Four codes in a word, with the first and the last code more often than others."""
    codes = rng.integers(0, 256, size=(n, 4)).astype(np.uint8)
    codes[rng.random((n, 4)) < 0.2] = 0
    codes[rng.random((n, 4)) < 0.2] = 255
    return codes.view(np.uint32).reshape(n)


def code_of(word, shift):
    return (word >> np.uint32(shift)) & np.uint32(255)
