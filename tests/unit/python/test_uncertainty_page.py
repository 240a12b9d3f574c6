"""The examples of docs/uncertainty.md run, and come out as their comments say."""

from __future__ import annotations

import re

from tests.meta.repository import ROOT


def test_the_examples_run_one_after_another():
    text = (ROOT / "docs" / "uncertainty.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {}
    compared = []
    for block in blocks:
        exec(compile(block, "docs/uncertainty.md", "exec"), names)
        compared += [eval(line, names) for line in re.findall(r"^(\S.*)  # True$", block, re.M)]
    assert compared == [True, True]
