from __future__ import annotations

import itertools

import pytest

from benchmarks.paper.steps import LADDER
from plboost import Dataset, train

PAIRS = list(itertools.pairwise(LADDER))
# How a rung is told from the one before: by its fitting, its rows, its kernels or its layout.
SWITCHES = ({"fitting"}, {"split_sample", "split_sample_rows"}, {"PLBOOST_ISA"}, {"PLBOOST_LAYOUT"})


@pytest.mark.parametrize(("lower", "upper"), PAIRS, ids=[upper.label for _, upper in PAIRS])
def test_every_rung_turns_one_switch(lower, upper):
    before = {**lower.parameters, **lower.environment}
    after = {**upper.parameters, **upper.environment}
    changed = {name for name in before | after if before.get(name, ...) != after.get(name, ...)}
    assert changed in SWITCHES


def test_rungs_of_the_same_fitting_and_rows_give_the_same_model(monkeypatch):
    # The instruction set is chosen once in a process; tests/unit/core/test_instruction_sets.py
    # compares the models of each.
    rows = [[i % 37, (i * i) % 101, (7 * i) % 53] for i in range(3000)]
    data = Dataset(rows, [a * b / 100 - c for a, b, c in rows])
    models: dict[str, set[str]] = {}
    for step in LADDER:
        monkeypatch.setenv("PLBOOST_LAYOUT", step.environment.get("PLBOOST_LAYOUT", ""))
        model = train({"n_estimators": 3, **step.parameters}, data, n_jobs=1)
        models.setdefault(str(step.parameters), set()).add(str(model.predict(rows).tolist()))
    assert [len(found) for found in models.values()] == [1, 1, 1]
