from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from .categories import category_bins
from .options import Options
from .problem import Problem, make_problem, root_state
from .split import best_candidate, evaluate, fit_node, order_in

PLAIN = Options(
    min_samples_leaf=1.0,
    min_hessian=0.0,
    l2=0.0,
    l2_slopes=0.0,
    max_regressors=0,
    min_samples_category=0.0,
    category_smoothing=0.0,
)


def one_feature(
    codes: Sequence[float],
    g: Sequence[float],
    w: Sequence[float] | None = None,
    options: Options = PLAIN,
) -> Problem:
    """Return rows of one categorical feature with h = w."""
    x = np.array(codes)
    weights = np.ones(len(x)) if w is None else np.array(w)
    n_categories = int(np.nanmax(x)) + 1
    bins = category_bins(x, weights, n_categories)
    places = np.where(np.isnan(x), n_categories, x).astype(np.int64)[:, None]
    return make_problem([bins], places, weights * np.array(g), weights, weights, options)


def test_a_split_worked_by_hand() -> None:
    # Means of g: code 0: 1, code 1: -2, code 2: 1.5, code 3: -1. The best cut parts the signs.
    problem = one_feature([0, 0, 1, 1, 2, 2, 3, 3], [1, 1, -2, -2, 1, 2, -1, -1])
    order = order_in(problem, root_state(problem), 0)
    assert order.codes == [1, 3, 0, 2]
    assert order.ratios.tolist() == pytest.approx([-1.875, -0.875, 1.125, 1.625])
    best = best_candidate(problem, root_state(problem))
    assert best is not None
    assert best.threshold == frozenset({1, 3})
    # Sums of g: -6 and 5 over four rows each, -1 over all eight.
    assert best.gain == pytest.approx((6**2 + 5**2) / 8 - 1 / 16)
    assert best.left_rows.tolist() == [2, 3, 6, 7]


def test_smoothing_draws_small_categories_to_the_mean() -> None:
    codes, g = [0] + [1] * 10 + [2] * 9, [-3.0] + [-1.0] * 10 + [1.0] * 9
    plain = one_feature(codes, g)
    assert order_in(plain, root_state(plain), 0).codes == [0, 1, 2]
    smooth = one_feature(codes, g, options=Options(min_samples_category=0.0))
    assert order_in(smooth, root_state(smooth), 0).codes == [1, 0, 2]


def test_rare_categories_go_with_the_missing() -> None:
    options = Options(
        min_samples_leaf=1.0, min_samples_category=2.0, category_smoothing=0.0, max_regressors=0
    )
    problem = one_feature([0, 0, 0, 1, 1, 1, 2, np.nan], [-1, -1, -1, 1, 1, 1, 1, 1], None, options)
    order = order_in(problem, root_state(problem), 0)
    assert order.codes == [0, 1]
    assert order.rest.tolist() == [6, 7]
    best = best_candidate(problem, root_state(problem))
    assert best is not None
    assert (best.threshold, best.missing_left) == (frozenset({0}), False)
    assert best.right_rows.tolist() == [3, 4, 5, 6, 7]


@pytest.mark.parametrize("seed", range(20))
def test_no_subset_is_better_than_the_best_prefix(seed: int) -> None:
    """Fisher (1958): for squared error and constant leaves the order of the means is enough."""
    rng = np.random.default_rng(seed)
    n_categories = int(rng.integers(2, 7))
    codes = np.concatenate([np.arange(n_categories), rng.integers(0, n_categories, size=40)])
    g = rng.normal(size=n_categories)[codes] + rng.normal(size=len(codes))
    w = rng.integers(1, 5, size=len(codes)) / 2
    problem = one_feature(codes.tolist(), g.tolist(), w.tolist())
    state = root_state(problem)
    best = best_candidate(problem, state)
    assert best is not None
    node = fit_node(problem, state)
    gains = [
        evaluate(problem, state, node, 0, frozenset(subset), False).gain
        for size in range(1, n_categories)
        for subset in combinations(range(n_categories), size)
    ]
    assert len(gains) == 2**n_categories - 2
    assert best.gain == pytest.approx(max(gains), rel=1e-12)
