from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.meta.repository import ROOT


def test_stub_of_the_extension_is_current(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    command = [
        sys.executable,
        "-m",
        "nanobind.stubgen",
        "-q",
        "-m",
        "plboost._core",
        "-o",
        str(fresh),
    ]
    subprocess.run(command, check=True, cwd=tmp_path)
    committed = ROOT / "src/plboost/_core.pyi"
    assert fresh.read_text() == committed.read_text(), "the bindings changed: run `make stubs`."
