"""Ranking: training, groups, early stopping, files, bad input."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from plboost import Booster, Dataset, PLBoostRanker, PLBoostRegressor, train
from tests.meta.repository import ROOT

LOSSES = ["lambdarank", "listnet"]
Problem = tuple[np.ndarray, np.ndarray, np.ndarray]


def documents(n_queries: int = 80, seed: int = 0) -> Problem:
    """Grades that follow a smooth function and, per query, an offset that no feature shows."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(5, 25, n_queries)
    X = rng.normal(size=(sizes.sum(), 4))
    quality = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * rng.normal(size=len(X))
    quality += np.repeat(rng.normal(size=n_queries), sizes)
    return X, np.digitize(quality, [0.0, 1.0, 2.0, 3.0]).astype(float), sizes


@pytest.fixture(scope="module")
def problem() -> Problem:
    return documents()


def small(**params: Any) -> PLBoostRanker:
    return PLBoostRanker(**{"n_estimators": 20, "max_leaves": 8, "random_state": 0} | params)


@pytest.mark.parametrize("loss", LOSSES)
def test_training_improves_the_ranking(loss: str, problem: Problem) -> None:
    X, y, sizes = problem
    X_new, y_new, new_sizes = documents(seed=1)
    model = small(loss=loss).fit(X, y, sizes, eval_set=(X_new, y_new), eval_group=new_sizes)
    curve = model.evals_result_["eval_0"]["ndcg@10"]
    unordered = np.mean([n.mean() for n in np.split(y_new, np.cumsum(new_sizes)[:-1])])
    assert unordered < 2.0
    assert curve[-1] > curve[0] > 0.6
    assert curve[-1] == pytest.approx(model.score(X_new, y_new, new_sizes, k=10), abs=1e-12)


def smooth_documents(seed: int) -> Problem:
    """Grades that follow a product, which constant leaves need many trees for."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3000, 4))
    quality = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.3 * rng.normal(size=len(X))
    return X, np.digitize(quality, [0.0, 1.0, 2.0, 3.0]).astype(float), np.full(200, 15)


@pytest.mark.parametrize("loss", LOSSES)
def test_lines_in_leaves_help_on_smooth_data(loss: str) -> None:
    X, y, sizes = smooth_documents(0)
    X_new, y_new, new_sizes = smooth_documents(1)
    lines, constants = (
        small(loss=loss, max_regressors=m).fit(X, y, sizes).score(X_new, y_new, new_sizes)
        for m in (5, 0)
    )
    assert lines > constants + 0.01


@pytest.mark.parametrize("loss", LOSSES)
def test_threads_do_not_change_the_model(loss: str, problem: Problem) -> None:
    X, y, sizes = problem
    one, three = (small(loss=loss, n_jobs=n).fit(X, y, sizes).predict(X) for n in (1, 3))
    assert (one == three).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_shift_of_a_querys_scores_changes_nothing(loss: str, problem: Problem) -> None:
    X, y, sizes = problem
    # Powers of two, so that no rounding tells the differences of scores apart.
    shift = np.repeat(np.arange(len(sizes)) % 4 * 2.0, sizes)
    params = {"loss": loss, "n_estimators": 1}
    plain = train(params, Dataset(X, y, group=sizes, init_score=np.zeros(len(y))))
    shifted = train(params, Dataset(X, y, group=sizes, init_score=shift))
    assert (plain.predict(X) == shifted.predict(X)).all()


def test_qid_is_another_way_to_say_group(problem: Problem) -> None:
    X, y, sizes = problem
    qid = np.repeat([f"query {i}" for i in range(len(sizes))], sizes)
    by_size, by_id = small().fit(X, y, group=sizes), small().fit(X, y, qid=qid)
    assert (by_size.predict(X) == by_id.predict(X)).all()
    assert by_size.score(X, y, group=sizes) == by_id.score(X, y, qid=qid)


def test_rows_of_weight_0_are_as_good_as_absent(problem: Problem) -> None:
    X, y, sizes = problem
    starts = np.cumsum(sizes) - sizes
    weight = np.ones(len(y))
    weight[starts] = 0.0
    weight[: sizes[0]] = 0.0  # a whole query
    keep = weight > 0
    rest = np.add.reduceat(keep, starts)
    weighted = Dataset(X, y, sample_weight=weight, group=sizes)
    absent = Dataset(X[keep], y[keep], group=rest[1:])
    assert weighted.n_queries == absent.n_queries == len(sizes) - 1
    settings = {"loss": "lambdarank", "n_estimators": 1}
    # The rows are shuffled differently, which the sums of a tree see in their last digits.
    np.testing.assert_allclose(
        train(settings, weighted).predict(X), train(settings, absent).predict(X), rtol=1e-3
    )


def test_truncation_level_is_heard(problem: Problem) -> None:
    X, y, sizes = problem
    default, thirty, one = (
        small(truncation_level=level).fit(X, y, sizes).predict(X) for level in (None, 30, 1)
    )
    assert (default == thirty).all()
    assert (default != one).any()


@pytest.mark.parametrize("split", ["random", "time"])
def test_early_stopping_holds_back_whole_queries(split: str, problem: Problem) -> None:
    X, y, sizes = problem
    model = small(
        early_stopping=True, validation_fraction=0.25, validation_split=split, n_iter_no_change=3
    )
    model.fit(X, y, sizes)
    curve = model.evals_result_["validation"]["ndcg@10"]
    assert model.best_iteration_ == int(np.argmax(curve)) + 1
    if split == "time":
        n_valid = sizes[60:].sum()
        assert curve[model.best_iteration_ - 1] == pytest.approx(
            model.score(X[-n_valid:], y[-n_valid:], sizes[60:], k=10), abs=1e-12
        )


def test_a_model_survives_its_file(tmp_path: Path, problem: Problem) -> None:
    X, y, sizes = problem
    model = small().fit(X, y, sizes)
    model.booster_.save(tmp_path / "model.plb")
    loaded = Booster.load(tmp_path / "model.plb")
    assert loaded.loss == "lambdarank"
    assert (loaded.predict(X) == model.predict(X)).all()


def test_continued_training_is_one_training(problem: Problem) -> None:
    X, y, sizes = problem
    whole = small(n_estimators=8).fit(X, y, sizes)
    part = small(n_estimators=4, warm_start=True).fit(X, y, sizes)
    part.set_params(n_estimators=8).fit(X, y, sizes)
    assert (part.predict(X) == whole.predict(X)).all()


def test_other_queries_are_other_data(problem: Problem) -> None:
    X, y, sizes = problem
    assert (
        Dataset(X, y, group=sizes).fingerprint() != Dataset(X, y, group=sizes[::-1]).fingerprint()
    )


def test_clone_keeps_the_parameters() -> None:
    model = PLBoostRanker(loss="listnet", max_leaves=5)
    assert clone(model).get_params() == model.get_params()


def test_metrics_by_name(problem: Problem) -> None:
    X, y, sizes = problem
    sets = [(X, y), (X, y, None)]
    model = small(n_estimators=2).fit(
        X, y, sizes, eval_set=sets, eval_group=[sizes, sizes], eval_metric=["ndcg@3", "map", "ndcg"]
    )
    curves = model.evals_result_["eval_1"]
    assert list(curves) == ["ndcg@3", "map", "ndcg"]
    assert curves["ndcg"][-1] == model.score(X, y, sizes, k=10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"group": None}, "neither group nor qid"),
        ({"group": [3, 4]}, "group sums to 7, but X has 10 rows"),
        ({"group": [12]}, "between 1 and the 10 rows of X, got 12 for query 0"),
        ({"group": [10, 0]}, "got 0 for query 1"),
        ({"group": [2.5, 7.5]}, "got 2.5 for query 0"),
        ({"group": [[10]]}, r"the shape \(1, 1\)"),
        ({"group": ["a"]}, "whole numbers"),
        ({"qid": np.zeros(10)}, "group and qid say the same"),
        ({"group": None, "qid": np.zeros(9)}, "one id for each of the 10 rows"),
        ({"group": None, "qid": np.arange(10) % 2}, "qid 0 again in row 2"),
        ({"group": None, "qid": np.full(10, np.nan)}, "missing"),
        ({"y": np.full(10, 0.5)}, "grades, whole numbers between 0 and 31"),
        ({"y": np.full(10, -1.0)}, "got -1"),
        ({"y": np.full(10, 32.0)}, "got 32"),
        ({"y": np.zeros((10, 2))}, "one column of grades"),
        ({"eval_set": (np.zeros((4, 2)), np.zeros(4))}, "eval set 'eval_0' must have queries"),
        (
            {"eval_set": (np.zeros((4, 2)), np.zeros(4)), "eval_group": [5]},
            r"eval_group\[0\] must hold whole numbers between 1 and the 4",
        ),
        (
            {"eval_set": (np.zeros((4, 2)), np.zeros(4)), "eval_group": [[4], [4]]},
            "one array for each of the 1 evaluation sets, got 2",
        ),
        (
            {"eval_set": (np.zeros((4, 2)), np.full(4, 0.5)), "eval_group": [4]},
            "for the metric ndcg, got 0.5",
        ),
    ],
)
def test_bad_queries_and_grades(change: dict[str, Any], message: str) -> None:
    given = {"X": np.zeros((10, 2)), "y": np.arange(10) % 3, "group": [4, 6]} | change
    with pytest.raises(ValueError, match=message):
        PLBoostRanker(n_estimators=1).fit(**given)


@pytest.mark.parametrize("metric", ["ndcg@0", "ndcg@", "ndcg@x", "ndcg@-1", "ndcg@1.5", "rmse"])
def test_bad_metrics(metric: str, problem: Problem) -> None:
    X, y, sizes = problem
    with pytest.raises(ValueError, match=metric.replace(".", r"\.")):
        small().fit(X, y, sizes, eval_set=(X, y), eval_group=sizes, eval_metric=metric)


def test_a_cutoff_is_for_rankings(problem: Problem) -> None:
    X, y, _ = problem
    with pytest.raises(ValueError, match="only ndcg and map have a cutoff"):
        PLBoostRegressor().fit(X, y, eval_set=(X, y), eval_metric="rmse@3")
    with pytest.raises(ValueError, match="ndcg does not fit loss='squared_error'"):
        PLBoostRegressor().fit(X, y, eval_set=(X, y), eval_metric="ndcg@3")


def test_losses_and_queries_must_match(problem: Problem) -> None:
    X, y, sizes = problem
    with pytest.raises(ValueError, match="loss='squared_error' does not look at"):
        small(loss="squared_error").fit(X, y, sizes)
    with pytest.raises(ValueError, match="does not look at"):
        small(loss=lambda y, s: (s - y, np.ones_like(s))).fit(X, y, sizes)
    with pytest.raises(ValueError, match="the data has no queries"):
        PLBoostRegressor(loss="lambdarank").fit(X, y)
    with pytest.raises(ValueError, match="the training data has none"):
        train({}, Dataset(X, y), eval_sets={"valid": (X, y, None, None, sizes)})
    with pytest.raises(ValueError, match="truncation_level=5 has no meaning for loss='listnet'"):
        small(loss="listnet", truncation_level=5).fit(X, y, sizes)


def test_the_example_of_the_page_runs() -> None:
    text = (ROOT / "docs" / "ranking.md").read_text()
    (example,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(compile(example, "docs/ranking.md", "exec"), names)
    first = names["y"][1600:1620][names["best_first"]]
    assert first[0] == first.max()
    assert names["curve"][-1] > names["curve"][0]


def test_queries_that_cannot_be_ranked_are_harmless() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    for loss in LOSSES:
        model = small(loss=loss).fit(X, np.zeros(60), group=[1, 29, 30])
        assert np.isfinite(model.predict(X)).all()
        assert model.score(X, np.zeros(60), group=[60]) == 0.0
