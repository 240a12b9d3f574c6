"""What is compiled for an instruction set stays in its own file.

An inline function or a template that two target files share has one name. The linker keeps one
copy, and if that is the AVX copy, machines without AVX run it. So a target file may define nothing
that others can see but its table of kernels.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

import pytest

from tests.meta.repository import ROOT, relative

IS_X86 = platform.machine() in {"x86_64", "AMD64"}
TARGETS = [
    path
    for path in sorted((ROOT / "cpp/core/kernels/target").glob("*.cpp"))
    if IS_X86 or path.stem == "baseline"
]


def own_options(target: str) -> list[str]:
    build = (ROOT / "CMakeLists.txt").read_text()
    match = re.search(rf"plboost_target_options\({target}\s([^)]*)\)", build)
    assert match or target == "baseline", f"CMakeLists.txt has no options for {target}.cpp"
    return match.group(1).split() if match else []


def test_there_are_targets() -> None:
    assert "baseline" in {path.stem for path in TARGETS}


# The sanitizer builds inline less than a release does.
@pytest.mark.parametrize("optimisation", ["-O1", "-O3"])
@pytest.mark.parametrize("source", TARGETS, ids=lambda path: path.stem)
def test_target_file_shows_its_table_only(source: Path, optimisation: str, tmp_path: Path) -> None:
    compiled = tmp_path / "target.o"
    options = [
        "-std=c++20",
        optimisation,
        "-fPIC",
        "-fvisibility=hidden",
        "-ffp-contract=off",
        "-w",
    ]
    subprocess.run(
        [
            *os.environ.get("CXX", "c++").split(),
            *options,
            *own_options(source.stem),
            *(f"-I{ROOT / 'cpp'}", "-c", str(source), "-o", str(compiled)),
        ],
        check=True,
    )
    listing = ["nm", "--demangle", "--defined-only", "--extern-only", str(compiled)]
    symbols = subprocess.run(listing, check=True, capture_output=True, text=True).stdout
    names = [line.split(maxsplit=2)[2] for line in symbols.splitlines()]
    assert names == [f"plboost::k{source.stem.capitalize()}Kernels"], relative(source)
