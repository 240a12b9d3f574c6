from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.meta.repository import ROOT


def stubs(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.pyi")}


def test_stubs_of_the_extension_are_current(tmp_path: Path) -> None:
    stubgen = [sys.executable, "-m", "nanobind.stubgen", "-q", "-r"]
    subprocess.run([*stubgen, "-m", "plboost._core", "-O", "."], check=True, cwd=tmp_path)
    fresh = stubs(tmp_path / "_core")
    assert "__init__.pyi" in fresh
    assert fresh == stubs(ROOT / "src/plboost/_core"), "the bindings changed: run `make stubs`."
