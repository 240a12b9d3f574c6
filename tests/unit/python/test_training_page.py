"""The examples of docs/training.md run, and come out as their comments say."""

from __future__ import annotations

import re

from tests.meta.repository import ROOT


def test_the_examples_run_one_after_another():
    text = (ROOT / "docs" / "training.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) > 5
    names: dict[str, object] = {}
    n_compared = 0
    for block in blocks:
        exec(compile(block, "docs/training.md", "exec"), names)
        for expression, value in re.findall(r"^(\S.*)  # (\d+|True)$", block, re.MULTILINE):
            assert eval(expression, names) == eval(value), expression
            n_compared += 1
    assert n_compared == 3
