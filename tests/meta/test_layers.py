"""Which stage of the core may know which: downwards only."""

from __future__ import annotations

import re

import pytest

from tests.meta.cpp_source import includes
from tests.meta.repository import CPP_SUFFIXES, ROOT, files_under, relative

CORE = ROOT / "cpp" / "core"

# Every folder may include itself and what is listed here.
MAY_INCLUDE: dict[str, set[str]] = {
    "base": set(),
    "kernels": {"base"},
    "binning": {"base", "kernels"},
    "dataset": {"base", "kernels", "binning"},
    "histogram": {"base", "kernels", "binning", "dataset"},
    "linear": {"base", "kernels", "binning"},
    "split": {"base", "kernels", "binning", "dataset", "histogram", "linear"},
    "tree": {"base", "linear"},
    "objective": {"base", "kernels"},
    "metric": {"base"},
    "predict": {"base", "kernels", "linear", "tree"},
    "serialize": {"base", "linear", "tree"},
    "explain": {"base", "linear", "tree"},
}
MAY_INCLUDE["grow"] = MAY_INCLUDE["split"] | {"split", "tree"}
MAY_INCLUDE["boost"] = MAY_INCLUDE["grow"] | {"grow", "objective", "metric", "predict"}

TRAINING = {"dataset", "histogram", "split", "objective", "metric", "grow", "boost"}
AFTER_TRAINING = ("tree", "predict", "serialize", "explain")

INTRINSICS = re.compile(r"[a-z0-9]*intrin\.h|arm_(neon|sve)\.h|x86gprintrin\.h")


def core_folders() -> list[str]:
    return sorted(path.name for path in CORE.iterdir() if path.is_dir())


def stage_of(include: str) -> str | None:
    match = re.fullmatch(r"core/([^/]+)/.+", include)
    return match.group(1) if match else None


def test_every_folder_of_the_core_has_its_place() -> None:
    assert set(core_folders()) <= set(MAY_INCLUDE)


@pytest.mark.parametrize("folder", core_folders())
def test_includes_go_downwards_only(folder: str) -> None:
    allowed = MAY_INCLUDE[folder] | {folder}
    for path in files_under(f"cpp/core/{folder}", suffixes=CPP_SUFFIXES):
        reached = {stage_of(include) for include in includes(path.read_text())} - {None}
        assert reached <= allowed, f"{relative(path)} includes {reached - allowed}"


@pytest.mark.parametrize("folder", [name for name in AFTER_TRAINING if name in core_folders()])
def test_what_follows_training_needs_nothing_of_it(folder: str) -> None:
    waiting = [
        (path, relative(path)) for path in files_under(f"cpp/core/{folder}", suffixes=CPP_SUFFIXES)
    ]
    seen = set()
    while waiting:
        path, chain = waiting.pop()
        for include in includes(path.read_text()):
            if stage_of(include) is not None and include not in seen:
                seen.add(include)
                assert stage_of(include) not in TRAINING, f"{chain} -> {include}"
                waiting.append((ROOT / "cpp" / include, f"{chain} -> {include}"))


def test_project_includes_start_at_cpp_and_exist() -> None:
    for path in files_under("cpp", suffixes=CPP_SUFFIXES):
        for include in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
            assert (ROOT / "cpp" / include).is_file(), f'{relative(path)} includes "{include}"'


def test_core_knows_nothing_of_python() -> None:
    for path in files_under("cpp/core", suffixes=CPP_SUFFIXES):
        python = [
            name for name in includes(path.read_text()) if re.match(r"nanobind|Python\.h", name)
        ]
        assert not python, f"{relative(path)} includes {python}"


def test_intrinsics_live_in_kernels_only() -> None:
    for path in files_under("cpp", suffixes=CPP_SUFFIXES):
        if path.is_relative_to(CORE / "kernels"):
            continue
        found = [name for name in includes(path.read_text()) if INTRINSICS.fullmatch(name)]
        assert not found, f"{relative(path)} includes {found}"
