"""A file from which a training goes on after it was killed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from plboost.atomic_file import write_atomically
from plboost.callbacks.callback import Callback
from plboost.checkpoint_file import encode, read_snapshot
from plboost.parameter_rules import Integer
from plboost.parameters import Parameter

if TYPE_CHECKING:
    from plboost.snapshot import Snapshot

__all__ = ["Checkpoint"]

_EVERY = Parameter("every", 10, Integer(1), "Use 1 for every round.")


class Checkpoint(Callback):
    """Saves a training every so many rounds, and goes on from there when it is started again.

    A training that was killed, at any moment, is started again by the same call and ends with the
    same model, bit for bit, as one that was never killed: scores, random numbers, trees, history
    and the state of the other callbacks are all in the file. The file is written as a whole or not
    at all, and stays when the training is over, so that the same call then returns the model at
    once. More rounds may be asked for later with a larger ``n_estimators``; a learning rate that
    was chosen for the first ones holds for those that follow. A checkpoint of other
    data, parameters, evaluation sets or callbacks raises :class:`plboost.CheckpointError`.

    Parameters
    ----------
    path : path-like
        The file, in a folder that exists.
    every : int, default=10
        Number of rounds between two writes. The end of the training is written too.
    resume : bool, default=True
        Go on from the file if there is one. False starts anew and replaces it.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> X = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> dataset = Dataset(X, X[:, 0] ** 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint = Checkpoint(os.path.join(folder, "training.ckpt"), every=5)
    ...     first = train({"n_estimators": 10}, dataset, callbacks=[checkpoint])
    ...     longer = train({"n_estimators": 20}, dataset, callbacks=[checkpoint])
    >>> longer.to_bytes() == train({"n_estimators": 20}, dataset).to_bytes()
    True
    """

    def __init__(
        self, path: str | os.PathLike[str], *, every: int = 10, resume: bool = True
    ) -> None:
        if not isinstance(resume, bool):
            raise TypeError(
                f"resume must be True or False, got {resume!r} ({type(resume).__name__})."
            )
        self.path = os.fspath(path)
        self.every = _EVERY.check(every)
        self.resume = resume

    def read(self) -> Snapshot | None:
        """Return what the file holds, or None when there is nothing to resume.

        Raises
        ------
        CheckpointError
            When the file is damaged or no checkpoint.
        """
        return read_snapshot(self.path) if self.resume and os.path.exists(self.path) else None

    def write(self, snapshot: Snapshot) -> None:
        """Replace the file.

        Parameters
        ----------
        snapshot : Snapshot
            The training after its present round.
        """
        write_atomically(self.path, encode(snapshot))
