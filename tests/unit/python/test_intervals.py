"""Intervals: what they promise, where they are wide, and what is refused."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from plboost import PLBoostClassifier, PLBoostRegressor
from plboost.intervals import LEVELS, Intervals
from plboost.sklearn.holdout import held_back_rows
from tests.reference import intervals as reference

SMALL = {"n_estimators": 8, "max_leaves": 5, "min_samples_leaf": 5, "random_state": 0}
COVERAGES = [0.5, 0.8, 0.9, 0.95]
N_ROWS, N_NEW = 4000, 20000


def noisy_problem(n_rows, seed):
    """Noise of size 1 where the second feature is positive, and a fifth of that elsewhere."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n_rows, 3))
    is_noisy = X[:, 1] > 0
    y = np.sin(3 * X[:, 0]) + np.where(is_noisy, 1.0, 0.2) * rng.normal(size=n_rows)
    return X, y, is_noisy


def held(model, X, y, coverage):
    low, high = model.predict_interval(X, coverage).T
    return (low <= y) & (y <= high)


def allowed_error(coverage, n_new):
    """Return four standard deviations: chance of the calibration rows and of the new ones."""
    return 4 * np.sqrt(coverage * (1 - coverage) * (1 / (N_ROWS / 5) + 1 / n_new))


@pytest.fixture(scope="module")
def model():
    X, y, _ = noisy_problem(N_ROWS, seed=0)
    return PLBoostRegressor(intervals=True, n_estimators=40, max_leaves=8, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def new_rows():
    return noisy_problem(N_NEW, seed=1)


@pytest.fixture
def small_problem():
    X, y, _ = noisy_problem(300, seed=2)
    return X, y


@pytest.mark.parametrize("coverage", COVERAGES)
def test_intervals_hold_the_part_of_the_targets_asked_for(model, new_rows, coverage):
    X, y, is_noisy = new_rows
    inside = held(model, X, y, coverage)
    assert abs(inside.mean() - coverage) < allowed_error(coverage, len(y))
    # Halves are not promised: the quantiles of 3200 rows are themselves uncertain.
    for half in (is_noisy, ~is_noisy):
        assert abs(inside[half].mean() - coverage) < 0.03 + allowed_error(coverage, half.sum())


def test_model_that_overfits_holds_its_promise_too(new_rows):
    X, y, _ = noisy_problem(N_ROWS, seed=0)
    wild = PLBoostRegressor(
        intervals=True, n_estimators=40, learning_rate=0.4, min_samples_leaf=5, random_state=0
    ).fit(X, y)
    raw = wild.intervals_.booster.predict(new_rows[0])
    assert np.mean((raw[:, 1] <= new_rows[1]) & (new_rows[1] <= raw[:, -2])) < 0.7  # asked: 0.8
    for coverage in (0.8, 0.95, 0.99):
        part = held(wild, *new_rows[:2], coverage).mean()
        assert abs(part - coverage) < allowed_error(coverage, N_NEW)


def test_width_follows_the_noise(model, new_rows):
    X, _, is_noisy = new_rows
    width = np.diff(model.predict_interval(X), axis=1)[:, 0]
    # Of standard deviations 1 and 0.2 the widths of 0.9 are 3.29 and 0.66.
    assert 2.6 < width[is_noisy].mean() < 3.9
    assert 0.5 < width[~is_noisy].mean() < 1.0


def test_they_are_better_than_intervals_of_one_width(model, new_rows):
    X, y, is_noisy = new_rows
    known, target, _ = noisy_problem(N_ROWS, seed=3)
    rest = N_ROWS * 4 // 5
    plain = PLBoostRegressor(n_estimators=40, max_leaves=8, random_state=0)
    plain.fit(known[:rest], target[:rest])
    distances = np.sort(np.abs(target[rest:] - plain.predict(known[rest:])))
    one_width = distances[int(np.ceil(0.9 * (len(distances) + 1))) - 1]
    inside_one_width = np.abs(y - plain.predict(X)) <= one_width
    inside = held(model, X, y, 0.9)

    def unfairness(inside):
        return abs(inside[is_noisy].mean() - inside[~is_noisy].mean())

    assert unfairness(inside) < 0.6 * unfairness(inside_one_width)
    assert np.diff(model.predict_interval(X), axis=1).mean() < 0.9 * 2 * one_width


def test_ends_never_cross_and_larger_coverage_holds_smaller(model, new_rows):
    X = new_rows[0][:2000].copy()
    X[::5, 0] = np.nan
    X[1::5] *= 100
    ends = [model.predict_interval(X, coverage) for coverage in (0.01, 0.3, 0.5, 0.9, 0.97, 0.998)]
    for inner, outer in itertools.pairwise(ends):
        assert np.all(inner[:, 0] <= inner[:, 1])
        assert np.all(outer[:, 0] <= inner[:, 0])
        assert np.all(inner[:, 1] <= outer[:, 1])
    assert np.isfinite(ends).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("split", ["random", "time"])
def test_same_as_the_reference(small_problem, weighted, split):
    X, y = small_problem
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], len(y)) if weighted else None
    model = PLBoostRegressor(intervals=True, validation_split=split, **SMALL)
    model.fit(X, y, sample_weight=weight)
    counted = np.ones(len(y), bool) if weight is None else weight > 0
    held_back = held_back_rows(counted, fraction=0.2, split=split, seed=0, classes=None)
    if split == "time":
        assert held_back[counted].tolist() == sorted(held_back[counted])
    booster = model.intervals_.booster
    least = reference.least_pace(booster.predict(X[~held_back]))
    rows = zip(booster.predict(X[held_back]), y[held_back], strict=True)
    reaches = [reference.reach(quantiles, target, least) for quantiles, target in rows]
    weights = np.ones(held_back.sum()) if weight is None else weight[held_back]
    for coverage in (0.1, 0.5, 0.77, 0.9, 0.95):
        reach = reference.needed_reach(reaches, weights, coverage)
        expected = [reference.band(row, reach, least) for row in booster.predict(X)]
        np.testing.assert_allclose(model.predict_interval(X, coverage), expected, atol=1e-9)


class GivenQuantiles:
    """A model whose features are the quantiles that it predicts."""

    def predict(self, X, *, n_jobs):
        return X


def test_narrow_bands_and_equal_quantiles_as_in_the_reference():
    assert LEVELS == reference.LEVELS
    rng = np.random.default_rng(0)
    # Whole numbers: many quantiles of a row are the same, and targets lie on them. Every third row
    # is narrower than the least pace, and every sixth has no width at all.
    rows = np.sort(rng.integers(0, 8, size=(120, len(LEVELS))), axis=1).astype(float)
    rows[::3] /= 100
    rows[::6] = 4
    y = rng.integers(-4, 12, size=120).astype(float)
    intervals = Intervals.calibrated(
        GivenQuantiles(), rows, y, None, trained_on=rows[:50], limits=(-np.inf, np.inf), n_jobs=1
    )
    least = reference.least_pace(rows[:50])
    reaches = [reference.reach(row, target, least) for row, target in zip(rows, y, strict=True)]
    np.testing.assert_allclose(intervals.reaches, np.sort(reaches), atol=1e-9)
    for coverage in (0.3, 0.6, 0.9, 0.99):
        reach = reference.needed_reach(reaches, np.ones(120), coverage)
        expected = [reference.band(row, reach, least) for row in rows]
        np.testing.assert_allclose(intervals.predict(rows, coverage=coverage), expected, atol=1e-9)


@pytest.mark.parametrize("factor", [1.0, 1e-3, 7.0])
def test_size_of_the_weights_does_not_matter(factor):
    reaches = np.arange(20.0)
    weights = np.linspace(1, 2, 20)
    a, b = (Intervals(None, reaches, w, least_pace=1.0) for w in (weights, factor * weights))
    for coverage in (0.05, 0.5, 0.7, 0.95):
        assert a.reach_of(coverage) == b.reach_of(coverage)


def test_heavy_rows_count_more():
    reaches = np.array([1.0, 2.0, 3.0, 4.0])
    heavy_near = Intervals(None, reaches, np.array([9.0, 1, 1, 1]), least_pace=1.0)
    heavy_far = Intervals(None, reaches, np.array([1.0, 1, 1, 9]), least_pace=1.0)
    assert (heavy_near.reach_of(0.5), heavy_far.reach_of(0.5)) == (1.0, 4.0)


def test_weighted_intervals_hold_the_weighted_part(new_rows):
    X, y, is_noisy = noisy_problem(N_ROWS, seed=0)
    # Nearly all weight on the noisy half: there the coverage is to hold.
    model = PLBoostRegressor(intervals=True, n_estimators=20, max_leaves=4, random_state=0)
    model.set_params(max_regressors=0, max_depth=1, split_features=[2])  # blind to the noise
    weight = np.where(is_noisy, 1.0, 0.01)
    T, t, new_is_noisy = new_rows
    part = held(model.fit(X, y, sample_weight=weight), T, t, 0.9)[new_is_noisy].mean()
    # Half of the calibration rows have weight.
    assert abs(part - 0.9) < np.sqrt(2) * allowed_error(0.9, new_is_noisy.sum())
    assert held(model.fit(X, y), T, t, 0.9)[new_is_noisy].mean() < 0.85


def test_row_of_weight_0_is_not_there(small_problem):
    X, y = small_problem
    weight = np.ones(len(y))
    weight[::3] = 0
    model = PLBoostRegressor(intervals=True, **SMALL).fit(X, y, sample_weight=weight)
    spoilt = np.where(weight > 0, y, 1e6)
    other = clone(model).fit(X, spoilt, sample_weight=weight)
    np.testing.assert_array_equal(model.predict_interval(X), other.predict_interval(X))
    assert len(model.intervals_.reaches) == 40


def test_point_predictions_are_those_without_intervals(small_problem):
    X, y = small_problem
    plain = PLBoostRegressor(**SMALL).fit(X, y)
    model = PLBoostRegressor(intervals=True, **SMALL).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert plain.intervals_ is None


def test_thread_count_does_not_matter(small_problem):
    X, y = small_problem
    X[::4, 0] = np.nan
    one, two = (PLBoostRegressor(intervals=True, n_jobs=n, **SMALL).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict_interval(X), two.predict_interval(X))


def test_copies(small_problem):
    X, y = small_problem
    model = PLBoostRegressor(intervals=True, **SMALL).fit(X, y)
    expected = model.predict_interval(X, 0.8)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_interval(X, 0.8), expected)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict_interval(X, 0.8), expected)


def test_warm_start_gives_the_intervals_of_one_training(small_problem):
    X, y = small_problem
    whole = PLBoostRegressor(intervals=True, **SMALL).fit(X, y)
    model = clone(whole).set_params(warm_start=True, n_estimators=3).fit(X, y)
    model.set_params(n_estimators=SMALL["n_estimators"]).fit(X, y)
    np.testing.assert_array_equal(model.predict_interval(X), whole.predict_interval(X))


def test_quantiles_stop_early_on_rows_of_their_own(small_problem):
    X, y = small_problem
    model = PLBoostRegressor(
        intervals=True, early_stopping=True, n_iter_no_change=2, **SMALL | {"n_estimators": 300}
    ).fit(X, y)
    booster = model.intervals_.booster
    assert booster.n_rounds < 300
    assert booster.best_round is not None
    assert list(booster.history["validation"]) == ["pinball"]
    assert len(model.intervals_.reaches) == 60


def squared(y_true, raw_score):
    return raw_score - y_true, np.ones_like(y_true)


@pytest.mark.parametrize(
    "setting",
    [
        {"loss": "huber", "alpha": 0.8},
        {"loss": "quantile", "alpha": 0.3},
        {"loss": "tweedie", "power": 1.2},
        {"loss": "poisson"},
        {"loss": squared},
        {"monotonic_cst": [1, 0, 0]},
        {"subsample": 0.5, "subsample_method": "goss"},
        {"max_regressors": 0},
    ],
    ids=str,
)
def test_intervals_of_other_settings(small_problem, setting):
    X, y = small_problem
    y = np.abs(y)
    model = PLBoostRegressor(intervals=True, **setting, **SMALL).fit(X, y)
    ends = model.predict_interval(X)
    assert np.mean((ends[:, 0] <= y) & (y <= ends[:, 1])) > 0.8


@pytest.mark.parametrize(
    ("loss", "lowest", "highest"),
    [("poisson", 0.0, np.inf), ("tweedie", 0.0, np.inf), ("cross_entropy", 0.0, 1.0)],
)
def test_intervals_end_where_targets_do(small_problem, loss, lowest, highest):
    X, y = small_problem
    y = np.clip(0.5 + y / 2, 0, 1)
    free = PLBoostRegressor(intervals=True, **SMALL).fit(X, y).predict_interval(X, 0.97)
    model = PLBoostRegressor(intervals=True, loss=loss, **SMALL).fit(X, y)
    assert free.min() < 0.0
    assert free.max() > 1.0
    np.testing.assert_array_equal(model.predict_interval(X, 0.97), np.clip(free, lowest, highest))


def test_intervals_of_zeros_and_ones_are_probabilities(small_problem):
    X, y = small_problem
    model = PLBoostRegressor(intervals=True, loss="log_loss", **SMALL).fit(X, y > 0)
    ends = model.predict_interval(X)
    assert (ends.min(), ends.max()) == (0.0, 1.0)


def test_constant_target(small_problem):
    X, _ = small_problem
    model = PLBoostRegressor(intervals=True, **SMALL).fit(X, np.full(len(X), 7.5))
    np.testing.assert_allclose(model.predict_interval(X), 7.5, rtol=1e-12)


def test_too_few_calibration_rows(small_problem):
    X, y = small_problem
    model = PLBoostRegressor(intervals=True, **SMALL).fit(X[:45], y[:45])
    assert np.isfinite(model.predict_interval(X, 0.9)).all()  # nine rows: just enough
    with pytest.raises(ValueError, match=r"coverage=0\.95 needs at least 19 .* rows, got 9"):
        model.predict_interval(X, 0.95)


@pytest.mark.parametrize("coverage", [0, 1, 1.5, -0.1, float("nan"), "0.9", None, [0.5, 0.9]])
def test_coverage_must_be_a_part(model, new_rows, coverage):
    with pytest.raises((ValueError, TypeError), match="coverage must be a number > 0 and < 1"):
        model.predict_interval(new_rows[0][:3], coverage)


def test_intervals_must_be_asked_for(small_problem):
    X, y = small_problem
    model = PLBoostRegressor(**SMALL).fit(X, y)
    with pytest.raises(ValueError, match="fitted with intervals=True"):
        model.predict_interval(X)
    model.set_params(intervals=True).fit(X, y).set_params(intervals=False).fit(X, y)
    with pytest.raises(ValueError, match="fitted with intervals=True"):
        model.predict_interval(X)
    with pytest.raises(TypeError, match=r"intervals must be True or False, got 0\.9"):
        PLBoostRegressor(intervals=0.9).fit(X, y)
    assert "intervals" not in PLBoostClassifier().get_params()


@pytest.mark.parametrize(
    ("setting", "arguments", "message"),
    [
        ({"loss": "quantile", "alpha": [0.1, 0.9]}, {}, r"intervals=True .* alpha=\[0.1, 0.9\]"),
        ({}, {"y": np.ones((300, 2))}, "intervals=True needs y of one column, got 2"),
        ({}, {"init_score": np.ones(300)}, "intervals=True .* init_score"),
        ({}, {"sample_weight": np.eye(300)[0]}, "intervals=True needs rows .* got n_samples=1 "),
        ({}, {"init_model": "old"}, "intervals=True .* init_model"),
    ],
)
def test_what_has_no_interval_is_refused(small_problem, setting, arguments, message):
    X, y = small_problem
    model = PLBoostRegressor(intervals=True, **setting, **SMALL)
    with pytest.raises(ValueError, match=message):
        model.fit(**{"X": X, "y": y} | arguments)
    assert not hasattr(model, "booster_")


def test_categories(small_problem):
    pandas = pytest.importorskip("pandas")
    X, y = small_problem
    kind = np.random.default_rng(3).choice(["a", "b", "c"], len(y))
    y = y + 10 * (kind == "b")
    frame = pandas.DataFrame({"x": X[:, 0], "kind": pandas.Categorical(kind)})
    model = PLBoostRegressor(intervals=True, **SMALL | {"n_estimators": 40}).fit(frame, y)
    middle = model.predict_interval(frame, 0.5).mean(axis=1)
    assert middle[kind == "b"].min() > middle[kind != "b"].max()
