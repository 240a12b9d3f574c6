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

_BASE: dict[str, Any] = {"learning_rate": 0.05, "n_estimators": 1000}


def _with(**parameters: Any) -> dict[str, Any]:
    return _BASE | parameters


# One change at a time from the first.
SETTINGS: dict[str, dict[str, Any]] = {
    "base": _with(),
    "constant leaves": _with(max_regressors=0),
    "repeated refit": _with(repeated="refit"),
    "refit, 10 regressors": _with(repeated="refit", max_regressors=10),
    "3 regressors": _with(max_regressors=3),
    "16 leaves": _with(max_leaves=16),
    "64 leaves": _with(max_leaves=64),
    "min 10 rows": _with(min_samples_leaf=10),
    "min 40 rows": _with(min_samples_leaf=40),
    "l2 1": _with(l2=1.0, l2_slopes=1.0),
    "l2 5": _with(l2=5.0, l2_slopes=5.0),
    "slopes l2 1": _with(l2_slopes=1.0),
    "slopes l2 10": _with(l2_slopes=10.0),
    "linear": _with(extrapolation="linear"),
    "rate 0.1": _with(learning_rate=0.1),
}
