"""What holds of every loss: weights are copies, scale of y, exposure, slopes that pay."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from plboost import Dataset, train

RESIDUAL_LOSSES = ["absolute_error", "huber", "quantile", "mape"]
COUNT_LOSSES = ["poisson", "gamma", "tweedie"]


def rows(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    f = np.nan_to_num(np.sin(3 * X[:, 0]) + X[:, 1] ** 2)
    return X, np.exp(f + 0.2 * rng.normal(size=n))


def fit(X, y, weight=None, *, n_jobs=1, **params):
    data = Dataset(X, y, sample_weight=weight, random_state=0)
    settings = {"n_estimators": 8, "max_leaves": 6, "split_sample": None, **params}
    return train(settings, data, n_jobs=n_jobs)


@pytest.mark.parametrize("loss", RESIDUAL_LOSSES + COUNT_LOSSES)
def test_weight_two_is_a_row_twice(loss):
    X, y = rows(300)
    times = np.random.default_rng(1).integers(0, 4, size=300)
    weighted = fit(X, y, times.astype(float), loss=loss)
    repeated = fit(np.repeat(X, times, axis=0), np.repeat(y, times), loss=loss)
    # Sums in another order; the splits are the same.
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-3)


@pytest.mark.parametrize("loss", RESIDUAL_LOSSES)
@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_of_y(loss, scale):
    X, y = rows()
    plain, scaled = fit(X, y, loss=loss), fit(X, y * scale, loss=loss)
    assert_allclose(scaled.predict(X), plain.predict(X) * scale, rtol=1e-4)


@pytest.mark.parametrize("loss", COUNT_LOSSES)
@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_scale_of_positive_y(loss, scale):
    X, y = rows()
    plain, scaled = fit(X, y, loss=loss), fit(X, y * scale, loss=loss)
    assert_allclose(scaled.predict(X), plain.predict(X) * scale, rtol=1e-4)


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "poisson"])
def test_number_of_threads(loss):
    X, y = rows(3000)
    assert fit(X, y, loss=loss, n_jobs=1).to_bytes() == fit(X, y, loss=loss, n_jobs=3).to_bytes()


def test_poisson_rates_with_exposure_are_counts():
    # Rows observed for k years are k rows of a year with the same mean.
    X, y = rows(400)
    rng = np.random.default_rng(2)
    years = rng.integers(1, 4, size=400)
    yearly = rng.poisson(np.repeat(y, years)).astype(float)
    claims = np.add.reduceat(yearly, np.concatenate([[0], np.cumsum(years)[:-1]]))
    model = fit(X, claims / years, years.astype(float), loss="poisson", n_estimators=30)
    predicted = np.sum(model.predict(X) * years)
    assert predicted == pytest.approx(claims.sum(), rel=0.02)


@pytest.mark.parametrize(
    ("loss", "alpha", "level"),
    [
        ("absolute_error", None, 0.5),
        ("quantile", 0.1, 0.1),
        ("quantile", 0.9, 0.9),
        ("mape", None, None),
    ],
)
def test_lines_beat_constants_on_smooth_data(loss, alpha, level):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, size=(3000, 3))
    y = 3 + np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=3000)

    def test_loss(**params):
        model = fit(X[:1500], y[:1500], loss=loss, alpha=alpha, n_estimators=60, **params)
        r = y[1500:] - model.predict(X[1500:])
        if level is None:
            return np.mean(np.abs(r) / y[1500:])
        return np.mean(np.maximum(level * r, (level - 1) * r))

    assert test_loss() < 0.97 * test_loss(max_regressors=0)


@pytest.mark.parametrize("seed", range(4))
def test_quantiles_never_cross(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4))
    y = rng.normal(size=300)  # nothing to learn: unsorted levels cross often
    levels = [0.2, 0.4, 0.45, 0.5, 0.9]
    model = fit(X, y, loss="quantile", alpha=levels, n_estimators=30, min_samples_leaf=5)
    far = rng.normal(size=(500, 4)) * 10
    raw = model.predict(far, raw_score=True)
    assert (np.diff(raw, axis=1) < 0).any()
    assert (np.diff(model.predict(far), axis=1) >= 0).all()


def test_each_level_is_the_model_of_that_level_alone():
    X, y = rows(400)
    levels = [0.1, 0.5, 0.9]
    together = fit(X, y, loss="quantile", alpha=levels).predict(X, raw_score=True)
    alone = [fit(X, y, loss="quantile", alpha=level).predict(X) for level in levels]
    assert together.T.tolist() == [column.tolist() for column in alone]


def test_the_metric_of_several_levels_is_their_mean():
    X, y = rows(400)
    levels = [0.1, 0.9]
    data = Dataset(X, y, random_state=0)
    params = {"loss": "quantile", "alpha": levels, "n_estimators": 5}
    model = train(params, data, eval_sets={"train": (X, y)}, n_jobs=1)
    r = y[:, None] - model.predict(X)
    expected = np.mean(np.maximum(np.array(levels) * r, (np.array(levels) - 1) * r))
    assert model.history["train"]["pinball"][-1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"loss": "poisson", "alpha": 0.5}, "alpha=0.5 has no meaning for loss='poisson'"),
        ({"loss": "huber", "alpha": [0.5, 0.9]}, "loss='huber' takes a single alpha"),
        ({"loss": "gamma", "power": 1.5}, "power=1.5 has no meaning for loss='gamma'"),
        ({"loss": "quantile", "alpha": [0.9, 0.1]}, "alpha must be None or a number between 0"),
        ({"loss": "quantile", "alpha": 1.0}, "alpha must be None or a number between 0"),
        ({"loss": "quantile", "alpha": []}, "alpha must be None or a number between 0"),
        ({"loss": "tweedie", "power": 2.0}, "power must be None or a finite number > 1 and < 2"),
    ],
)
def test_parameters_that_have_no_meaning(params, message):
    X, y = rows(50)
    with pytest.raises(ValueError, match=message):
        fit(X, y, **params)


def test_quantiles_of_several_targets_are_refused():
    X, y = rows(50)
    with pytest.raises(ValueError, match="loss='quantile' takes one column of y, got 2"):
        fit(X, np.column_stack([y, y]), loss="quantile")
