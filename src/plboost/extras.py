"""Optional packages, imported only by the functions that need them."""

from __future__ import annotations

import importlib
from types import ModuleType

from plboost.errors import MissingDependencyError

__all__ = ["require"]


def require(module: str, *, purpose: str, install: str) -> ModuleType:
    """Import an optional package or say how to get it.

    Parameters
    ----------
    module : str
        Name of the module, for example ``"matplotlib.pyplot"``.
    purpose : str
        What needs it, for example ``"Booster.to_frame()"``.
    install : str
        What to give to ``pip install``.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    MissingDependencyError
        If the package is not installed.

    Examples
    --------
    >>> require("json", purpose="this example", install="json").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A package that is there but lacks one of its own dependencies must not be called missing.
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise MissingDependencyError(
            f"{purpose} needs {package}, which is not installed: pip install {install!r}."
        ) from error
