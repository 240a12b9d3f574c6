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

    On a terminal and in a notebook one line with a bar is written over and over; elsewhere, as in
    a log file, about ten lines appear in all. ``verbose=n`` with n > 1 gives a line of its own
    every n rounds.

    Parameters
    ----------
    n_rounds : int
        The number of rounds in all.
    names : sequence of str
        A name for each metric value, for example ``"valid rmse"``.
    verbose : int
        1 or larger.
    first_round : int, default=0
        The rounds that were done before, in another training.
    stream : text stream, optional
        Where to write, by default ``sys.stderr``.
    """

    _SECONDS_BETWEEN_UPDATES = 0.1
    _BAR_WIDTH = 20

    def __init__(
        self,
        n_rounds: int,
        names: Sequence[str],
        *,
        verbose: int,
        first_round: int = 0,
        stream: TextIO | None = None,
    ) -> None:
        self._n_rounds = n_rounds
        self._first_round = first_round
        self._names = list(names)
        self._stream = sys.stderr if stream is None else stream
        self._every = verbose if verbose > 1 else max(1, n_rounds // 10)
        self._overwrites = verbose == 1 and (self._stream.isatty() or _is_notebook(self._stream))
        self._start = time.monotonic()
        self._last_update = float("-inf")
        self._width_shown = 0
        self._not_shown: tuple[int, Sequence[float]] | None = None

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
        if self._overwrites:
            due = time.monotonic() - self._last_update >= self._SECONDS_BETWEEN_UPDATES
        else:
            due = done % self._every == 0
        if due or done == self._n_rounds:
            self._show(done, values)
        else:
            self._not_shown = (done, values)

    def close(self) -> None:
        """Show the last round, if it was not yet, and end the line."""
        if self._not_shown is not None:
            self._show(*self._not_shown)
        if self._width_shown:
            self._stream.write("\n")
            self._stream.flush()
            self._width_shown = 0

    def _show(self, done: int, values: Sequence[float]) -> None:
        self._not_shown = None
        self._last_update = time.monotonic()
        line = self._line(done, values, self._last_update)
        if self._overwrites:
            line = line[: shutil.get_terminal_size().columns - 1]
            # Spaces, not an escape sequence: notebooks know none that erases a line.
            self._stream.write("\r" + line.ljust(self._width_shown))
            self._width_shown = len(line)
        else:
            self._stream.write(line + "\n")
        self._stream.flush()

    def _line(self, done: int, values: Sequence[float], now: float) -> str:
        parts = [f"round {done:>{len(str(self._n_rounds))}}/{self._n_rounds}"]
        if self._overwrites:
            filled = self._BAR_WIDTH * done // self._n_rounds
            parts.append(f"[{'=' * filled}{'.' * (self._BAR_WIDTH - filled)}]")
        parts += [f"{name} {value:.6g}" for name, value in zip(self._names, values, strict=True)]
        elapsed = now - self._start
        if done == self._n_rounds:
            parts.append(f"{elapsed:.1f} s")
        else:
            pace = elapsed / (done - self._first_round)
            parts.append(f"{pace * (self._n_rounds - done):.1f} s left")
        return "  ".join(parts)


def _is_notebook(stream: TextIO) -> bool:
    """Recognise the stream that Jupyter puts in the place of stderr."""
    return type(stream).__module__.partition(".")[0] == "ipykernel"
