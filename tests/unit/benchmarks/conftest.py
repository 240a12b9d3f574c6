from __future__ import annotations

from tests.meta.repository import ROOT

# The source distribution has the tests, but not the benchmarks.
collect_ignore_glob = [] if (ROOT / "benchmarks").exists() else ["test_*.py"]
