"""A progress display on stderr, for ``verbose``."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from typing import TextIO

__all__ = ["Progress"]


class Progress:
    """Shows the round, the metrics and the time left.

    On a terminal one line is written over and over; elsewhere, as in a log file, about ten
    lines appear in all. ``verbose=n`` with n > 1 gives a line of its own every n rounds.

    Parameters
    ----------
    n_rounds : int
        The number of rounds to come.
    names : sequence of str
        A name for each metric value, for example ``"valid rmse"``.
    verbose : int
        1 or larger.
    stream : text stream, optional
        Where to write, by default ``sys.stderr``.
    """

    _SECONDS_BETWEEN_UPDATES = 0.1

    def __init__(
        self, n_rounds: int, names: Sequence[str], *, verbose: int, stream: TextIO | None = None
    ) -> None:
        self._n_rounds = n_rounds
        self._names = list(names)
        self._stream = sys.stderr if stream is None else stream
        self._every = verbose if verbose > 1 else max(1, n_rounds // 10)
        self._overwrites = verbose == 1 and self._stream.isatty()
        self._start = time.monotonic()
        self._last_update = float("-inf")
        self._line_is_open = False

    def update(self, round_index: int, values: Sequence[float]) -> None:
        """Show that a round is finished.

        Parameters
        ----------
        round_index : int
            Number of the round, from 0.
        values : sequence of float
            One value for each name.
        """
        done = round_index + 1
        last = done == self._n_rounds
        now = time.monotonic()
        if self._overwrites:
            if last or now - self._last_update >= self._SECONDS_BETWEEN_UPDATES:
                self._last_update = now
                width = shutil.get_terminal_size().columns
                self._stream.write("\r\x1b[K" + self._line(done, values, now)[: width - 1])
                self._stream.flush()
                self._line_is_open = True
        elif last or done % self._every == 0:
            self._stream.write(self._line(done, values, now) + "\n")
            self._stream.flush()

    def close(self) -> None:
        """End the line, so that what follows starts on a new one."""
        if self._line_is_open:
            self._stream.write("\n")
            self._stream.flush()
            self._line_is_open = False

    def _line(self, done: int, values: Sequence[float], now: float) -> str:
        parts = [f"round {done:>{len(str(self._n_rounds))}}/{self._n_rounds}"]
        parts += [f"{name} {value:.6g}" for name, value in zip(self._names, values, strict=True)]
        elapsed = now - self._start
        if done == self._n_rounds:
            parts.append(f"{elapsed:.1f} s")
        else:
            parts.append(f"{elapsed / done * (self._n_rounds - done):.1f} s left")
        return "  ".join(parts)
