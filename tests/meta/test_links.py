from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.meta.repository import ROOT, files_under, relative

MARKDOWN = [
    *sorted(ROOT.glob("*.md")),
    *files_under("docs", "benchmarks", "examples", suffixes={".md"}),
]
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")


def without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Return the anchors that a repository viewer gives to the headings."""
    headings = re.findall(r"^#+\s+(.*)$", without_blocks(text), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.strip().lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


def test_there_are_pages_to_check() -> None:
    pages = set(map(relative, MARKDOWN))
    assert {"ARCHITECTURE.md", "CONTRIBUTING.md", "docs/algorithm.md"} <= pages


@pytest.mark.parametrize("page", MARKDOWN, ids=relative)
def test_links_inside_the_repository_resolve(page: Path) -> None:
    for link in LINK.findall(re.sub(r"`[^`\n]*`", "", without_blocks(page.read_text()))):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{relative(page)} links to {link}, and there is no such file"
        assert target.is_relative_to(ROOT), f"{relative(page)} leaves the repository: {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text()), f"{relative(page)}: no heading for {link}"
