"""Versions of plboost and of what it runs on, for bug reports."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

import joblib

from plboost import _core

__all__ = ["own_version", "show_versions"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "joblib", "pandas", "polars", "matplotlib")


def own_version() -> str:
    """Return the version of the installed plboost.

    Examples
    --------
    >>> own_version().count(".") >= 2
    True
    """
    return importlib.metadata.version("plboost")


def show_versions() -> None:
    """Print what a bug report should contain.

    Examples
    --------
    >>> from plboost import show_versions
    >>> show_versions()
    plboost       ...
    Python        ...
    system        ...
    processors    ...
    kernels       ...
    numpy         ...
    """
    rows = [
        ("plboost", own_version()),
        ("Python", sys.version.split()[0]),
        ("system", platform.platform()),
        ("processors", f"{joblib.cpu_count()} available of {os.cpu_count()}"),
        ("kernels", _kernels()),
    ]
    for package in _PACKAGES:
        try:
            rows.append((package, importlib.metadata.version(package)))
        except importlib.metadata.PackageNotFoundError:
            rows.append((package, "not installed"))
    for name, value in rows:
        print(f"{name:<14}{value}")


def _kernels() -> str:
    try:
        return f"{_core.stages.active_kernels()} (PLBOOST_ISA forces another)"
    except ValueError as error:
        return f"none: {error}"
