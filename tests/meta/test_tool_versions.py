"""The same tool in the same version, wherever it is run from."""

from __future__ import annotations

import re

from tests.meta.repository import ROOT


def pins(file: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for tool, version in re.findall(r"([\w-]+)==([\w.]+)", (ROOT / file).read_text()):
        found.setdefault(tool, set()).add(version)
    return found


def test_tool_versions_agree() -> None:
    stated = pins("pyproject.toml")
    assert {"ruff", "mypy", "clang-format", "nanobind"} <= set(stated)
    for file in ("Makefile", ".pre-commit-config.yaml"):
        for tool, versions in pins(file).items():
            assert versions == stated[tool], f"{tool} in {file} and in pyproject.toml"
