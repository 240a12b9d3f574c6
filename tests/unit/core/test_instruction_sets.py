"""PLBOOST_ISA chooses the kernels, and no model depends on them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from plboost._core import stages
from tests.meta.repository import ROOT

NAMES = [table.name for table in stages.all_kernels()]
# Enough of everything that kernels see: missing values, columns of few values that share a code,
# both losses, weights, and nodes of more than one block of rows.
MODELS = """
import hashlib
import numpy as np
from plboost import _core
from tests.rounds import train_rounds

rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 7))
X[:, 4:6] = rng.integers(0, 3, size=(len(X), 2))
X[:, 6] = np.round(X[:, 6])
X[rng.random(X.shape) < 0.05] = np.nan
y = np.nan_to_num(X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + X[:, 4]) + 0.1 * rng.normal(size=len(X))
weight = rng.integers(1, 5, size=len(X)) / 4
settings = [
    {"fitting": "half_additive"},
    {"fitting": "additive", "repeated": "refit"},
    {"fitting": "fully_corrective", "max_leaves": 4},
    {"max_regressors": 0, "split_sample": 0.3},
    {"penalty": "paper", "refit_leaves": False},
    {"max_regressors": 12, "max_leaves": 40, "split_sample_rows": 5000},
]
digest = hashlib.sha256()
for loss in ("squared_error", "log_loss"):
    target = y if loss == "squared_error" else (y > y.mean()).astype(float)
    data = _core.Dataset(X, target, weight, max_bins=200, seed=1, n_threads=2)
    for values in settings:
        options = _core.TrainingOptions()
        for name, value in {"loss": loss, "max_leaves": 12, **values}.items():
            setattr(options, name, value)
        forest = train_rounds(data, options, n_rounds=2, n_threads=2)
        for name, array in sorted(forest.to_arrays().items()):
            digest.update(name.encode() + array.tobytes())
        assert forest.n_trees == 2 and len(forest.to_arrays()["node_feature"]) > 8
        digest.update(forest.predict(X[:500], n_threads=1, last_tree=2).tobytes())
print(_core.stages.active_kernels(), digest.hexdigest())
"""


def run(program: str, isa: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PLBOOST_ISA"}
    if isa is not None:
        environment["PLBOOST_ISA"] = isa
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)


ACTIVE = "from plboost._core import stages; print(stages.active_kernels())"


@pytest.mark.parametrize("name", NAMES)
def test_a_forced_set_is_the_active_one(name):
    assert run(ACTIVE, name).stdout == f"{name}\n"


@pytest.mark.parametrize("unset", [None, ""])
def test_the_best_set_is_active_by_default(unset):
    assert run(ACTIVE, unset).stdout == f"{NAMES[-1]}\n"


@pytest.mark.parametrize("name", ["sse9", "AVX2", "avx2 ", "baseline,avx2"])
def test_an_unknown_set_is_refused_by_name(name):
    finished = run(ACTIVE, name)
    assert finished.returncode != 0
    known = ", ".join(NAMES)
    last = finished.stderr.strip().splitlines()[-1]
    assert last == (
        f"ValueError: PLBOOST_ISA must be one of {known} on this machine; got '{name}'."
    )


@pytest.mark.parametrize(
    "call",
    [
        "stages.partition(np.zeros(3, np.uint32), np.ones(3, bool))",
        "Trainer(data(np.arange(99.0)), _core.TrainingOptions(), [], n_threads=2).round(0.1)",
    ],
)
def test_an_unknown_set_does_not_bring_the_program_down(call):
    # The library loads; whatever first needs a kernel says what is wrong, on any thread.
    program = f"""
import numpy as np
from plboost import _core

def data(x):
    X, y = x.reshape(-1, 1), np.arange(float(len(x)))
    return _core.Dataset(X, y, None, max_bins=255, seed=0, n_threads=2)

try:
    _core.{call}
except ValueError as error:
    assert "PLBOOST_ISA must be one of" in str(error)
    print("refused")
"""
    assert run(program, "sse9").stdout == "refused\n"


def test_models_are_the_same_bits_for_every_set():
    finished = [run(MODELS, name) for name in NAMES]
    assert [result.stderr for result in finished] == [""] * len(NAMES)
    names, digests = zip(*(result.stdout.split() for result in finished), strict=True)
    assert list(names) == NAMES
    assert len(set(digests)) == 1
