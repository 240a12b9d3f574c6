"""Gradients and metrics of rankings against a double loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from plboost import _core
from plboost._core import stages
from tests.reference import ranking

Problem = tuple[np.ndarray, np.ndarray, np.ndarray, list[int]]


@st.composite
def ranked_documents(draw: st.DrawFn, shortest: int = 1) -> Problem:
    """Grades, scores with ties, weights, and the sizes of the queries."""
    sizes = draw(st.lists(st.integers(shortest, 12), min_size=1, max_size=5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = sum(sizes)
    grades = rng.integers(0, draw(st.integers(1, 5)), n).astype(float)
    scores = rng.normal(size=n) * draw(st.sampled_from([0.0, 1.0, 30.0]))
    if draw(st.booleans()):
        scores = np.round(scores)
    return grades, scores, rng.uniform(0.5, 2.0, n), sizes


@pytest.mark.parametrize("loss", ["lambdarank", "listnet"])
@given(problem=ranked_documents(), is_weighted=st.booleans(), truncation=st.integers(1, 13))
def test_gradients_are_those_of_the_double_loop(
    loss: str, problem: Problem, is_weighted: bool, truncation: int
) -> None:
    grades, scores, weights, sizes = problem
    known = weights if is_weighted else None
    g, h = stages.ranking_gradients(loss, grades, known, scores, np.array(sizes), truncation)
    expected = ranking.gradients(loss, grades, scores, sizes, known, truncation)
    # float32 results; sums of pairs in another order, and 1 - p where p is nearly 1.
    for value, known_value in zip((g, h), expected, strict=True):
        np.testing.assert_allclose(value, known_value, rtol=1e-6, atol=1e-6 * abs(known_value).max() + 1e-12)


@given(problem=ranked_documents(shortest=2), k=st.integers(1, 14))
def test_ndcg_is_that_of_scikit_learn(problem: Problem, k: int) -> None:
    grades, scores, _, sizes = problem
    ends = np.cumsum(sizes)[:-1]
    expected = [
        ndcg_score([2.0**y - 1.0], [s], k=k)
        for y, s in zip(np.split(grades, ends), np.split(scores, ends), strict=True)
    ]
    value = _core.ranking_metric(f"ndcg@{k}", scores, grades, None, np.array(sizes))
    assert value == pytest.approx(np.mean(expected), abs=1e-12)


@given(problem=ranked_documents(), k=st.integers(1, 14))
def test_map_is_the_mean_average_precision(problem: Problem, k: int) -> None:
    grades, scores, weights, sizes = problem
    ends = np.cumsum(sizes)[:-1]
    queries = list(zip(*(np.split(a, ends) for a in (grades, scores, weights)), strict=True))
    expected = np.average(
        [ranking.average_precision(y, s, k) for y, s, _ in queries],
        weights=[w.mean() for _, _, w in queries],
    )
    value = _core.ranking_metric(f"map@{k}", scores, grades, weights, np.array(sizes))
    assert value == pytest.approx(expected, abs=1e-12)


@given(problem=ranked_documents(shortest=2))
def test_documents_of_weight_0_are_not_measured(problem: Problem) -> None:
    grades, scores, weights, sizes = problem
    weights = weights.copy()
    weights[0] = 0.0
    rest = np.array([sizes[0] - 1, *sizes[1:]])
    for metric in ("ndcg@5", "map@5"):
        value = _core.ranking_metric(metric, scores, grades, weights, np.array(sizes))
        without = _core.ranking_metric(metric, scores[1:], grades[1:], weights[1:], rest)
        assert value == pytest.approx(without, abs=1e-12)
