"""A pytest plugin for instrumented code, which is several times slower."""

from __future__ import annotations

import os
import re
from pathlib import Path

from hypothesis import HealthCheck, settings

settings.register_profile(
    "sanitize",
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("sanitize")

# polars crashes while it is imported beside the run-time library of the thread sanitizer.
LEAVES_OUT_POLARS = os.environ["PLBOOST_SANITIZER"] == "thread"


def pytest_report_header() -> str | None:
    return "left out: test files that import polars" if LEAVES_OUT_POLARS else None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if not LEAVES_OUT_POLARS or collection_path.suffix != ".py":
        return None
    imports = re.search(r"^(import|from) polars\b", collection_path.read_text(), re.MULTILINE)
    return True if imports else None
