"""The files of the repository, as the meta tests see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE_FOLDERS = ("cpp", "src", "tests", "benchmarks", "examples")
CPP_SUFFIXES = {".cpp", ".hpp"}


def files_under(*folders: str, suffixes: set[str]) -> Iterator[Path]:
    """Yield the files in these folders of the repository; a folder may be absent."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and "__pycache__" not in path.parts:
                yield path


def relative(path: Path) -> str:
    """Return the path as it is written in a message."""
    return path.relative_to(ROOT).as_posix()
