"""Arrays between canaries: a kernel that writes beside its output is found out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from plboost._core import stages

MARGIN = 40  # elements: more than the widest vector on either side
CANARY = 0xA5


class Guarded:
    """An array of any length that starts `offset` elements behind an aligned address."""

    def __init__(self, size: int, dtype: DTypeLike, offset: int = 0) -> None:
        item = np.dtype(dtype).itemsize
        raw = np.full((size + 2 * MARGIN + offset) * item + 64, CANARY, dtype=np.uint8)
        aligned = raw[-raw.ctypes.data % 64 :]
        self._whole = aligned[: len(aligned) // item * item].view(dtype)
        self._first = MARGIN + offset
        self.array: NDArray[Any] = self._whole[self._first : self._first + size]

    def check(self) -> None:
        """Assert that only the array itself was written."""
        around = np.delete(
            self._whole.view(np.uint8).reshape(-1, self._whole.itemsize),
            np.arange(self._first, self._first + len(self.array)),
            axis=0,
        )
        assert (around == CANARY).all(), "written outside of the output"


def guarded_copy(values: NDArray[Any], offset: int = 0) -> Guarded:
    """Return the values at an odd address, between canaries."""
    result = Guarded(len(values), values.dtype, offset)
    result.array[:] = values
    return result


def same_bits(run: Callable[[Any], list[Guarded]], expected: list[NDArray[Any]]) -> None:
    """Assert that every table of kernels writes the expected bits and nothing else."""
    for table in stages.all_kernels():
        for output, values in zip(run(table), expected, strict=True):
            output.check()
            assert output.array.dtype == values.dtype
            assert output.array.tobytes() == values.tobytes(), table.name
