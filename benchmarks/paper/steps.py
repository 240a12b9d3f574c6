"""The rungs of the ladder (Figure 3) and the rows of Table 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["LADDER", "LARGE", "TABLE_1", "Step"]

ALL_ROWS = {"split_sample": None, "split_sample_rows": None}
CORRECTIVE = {"fitting": "fully_corrective", **ALL_ROWS}


@dataclass(frozen=True)
class Step:
    """A rung of the ladder or a row of the table."""

    label: str
    parameters: dict[str, Any]
    environment: dict[str, str] = field(default_factory=dict)


# Rows beyond the caches of a core: only there the layout matters.
LARGE = "synthetic-2000000"
ROW_ORDER = {"PLBOOST_LAYOUT": "row_order"}
LOOPED_ORDER = {"PLBOOST_LAYOUT": "looped_order"}
LADDER = (
    Step("row order, fully corrective", CORRECTIVE, {"PLBOOST_ISA": "baseline", **ROW_ORDER}),
    Step("+ SIMD", CORRECTIVE, ROW_ORDER),
    Step("+ leaf order", CORRECTIVE, LOOPED_ORDER),
    Step("+ bit manipulation", CORRECTIVE),
    Step("+ half-additive fitting", ALL_ROWS),
    Step("+ sampled split search", {}),
)
TABLE_1 = (
    Step("a. no feature selection, no half-additive", {**CORRECTIVE, "regressors": "all"}),
    Step("b. feature selection, no half-additive", CORRECTIVE),
    Step("c. feature selection, half-additive", ALL_ROWS),
)
