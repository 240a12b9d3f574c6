"""The settings that are compared, and the sets they are compared on."""

from __future__ import annotations

from typing import Any

__all__ = ["SETTINGS", "TASKS"]

# Set and the largest number of training rows: small data is as common as large data.
TASKS: tuple[tuple[str, int], ...] = (
    ("casp", 60_000),
    ("kin40k", 60_000),
    ("gas_turbine", 60_000),
    ("california", 60_000),
    ("energy", 60_000),
    ("superconductor", 60_000),
    ("bike", 60_000),
    ("kc_house", 60_000),
    ("diamonds", 60_000),
    ("higgs", 60_000),
    ("log_sgemm", 60_000),
    ("beijing_air", 60_000),
    ("covtype-2", 60_000),
    ("casp", 3_000),
    ("california", 3_000),
    ("superconductor", 3_000),
    ("kc_house", 3_000),
    ("bike", 3_000),
    ("higgs", 3_000),
    ("gas_turbine", 3_000),
    ("california", 600),
    ("energy", 600),
    ("higgs", 600),
)

_BASE: dict[str, Any] = {
    "learning_rate": 0.1,
    "n_estimators": 400,
    "max_leaves": 31,
    "slope_shrinkage": 0.0,
}
_REFIT = {"repeated": "refit", "max_regressors": 10}


def _with(**parameters: Any) -> dict[str, Any]:
    return _BASE | parameters


SETTINGS: dict[str, dict[str, Any]] = {
    "base": _with(),
    "constant leaves": _with(max_regressors=0),
    "shrink 1": _with(slope_shrinkage=1.0),
    "shrink 2": _with(slope_shrinkage=2.0),
    "refit 10": _with(**_REFIT),
    "refit 10, shrink 1": _with(slope_shrinkage=1.0, **_REFIT),
    "64 leaves, shrink 1": _with(slope_shrinkage=1.0, max_leaves=64),
    "shrink 1, l2 1": _with(slope_shrinkage=1.0, l2=1.0),
}
