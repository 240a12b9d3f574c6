"""Exceptions of plboost.

Wrong arguments raise :class:`ValueError` or :class:`TypeError`, as everywhere in Python. A class of
its own exists only where a caller may want to catch exactly that case.
"""

from __future__ import annotations

from typing import NoReturn

__all__ = [
    "CheckpointError",
    "MissingDependencyError",
    "ModelFileError",
    "PLBoostError",
    "damaged_model_file",
]


class PLBoostError(Exception):
    """Base class of the exceptions that plboost defines."""


class ModelFileError(PLBoostError, ValueError):
    """A model file is damaged, hostile, or written by a newer version of plboost."""


class CheckpointError(PLBoostError, ValueError):
    """A checkpoint is damaged, or belongs to another training."""


class MissingDependencyError(PLBoostError, ImportError):
    """A feature needs an optional package that is not installed."""


def damaged_model_file(what: str) -> NoReturn:
    """Raise ModelFileError, saying what is wrong with the file."""
    raise ModelFileError(
        f"the model file is damaged or was not written by plboost: {what}. "
        "See docs/model-format.md for the format."
    )
