"""Leaves of more than 524 288 rows are summed block by block, those of fewer leaf by leaf."""

from __future__ import annotations

import numpy as np
import pytest

from plboost import Dataset, train

N_FEW, N_MANY = 263_000, 526_000


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_blocks_of_rows_sum_up_to_what_leaves_do(loss):
    rng = np.random.default_rng(0)
    # Few values, so that bins do not depend on which rows are looked at.
    X = rng.integers(24, size=(N_FEW, 3)).astype(float)
    y = np.sin(X[:, 0] / 4) + X[:, 1] * (X[:, 2] > 11) / 12 + 0.3 * rng.normal(size=N_FEW)
    if loss == "log_loss":
        y = (y > np.median(y)).astype(float)
    params = {
        "loss": loss,
        "n_estimators": 2,
        "max_leaves": 6,
        "learning_rate": 0.5,
        "split_sample": None,
        "split_sample_rows": None,
    }
    few = train(params, Dataset(X, y, sample_weight=np.full(N_FEW, 2.0)), n_jobs=2)
    twice = Dataset(np.tile(X, (2, 1)), np.tile(y, 2))
    many = train(params, twice, n_jobs=2)
    assert N_MANY > 524_288 >= N_FEW
    rows = X[:2000]
    np.testing.assert_allclose(many.predict(rows), few.predict(rows), rtol=1e-5, atol=1e-6)
    assert train(params, twice, n_jobs=1).to_bytes() == many.to_bytes()
