from __future__ import annotations

import math

import pytest

from benchmarks.paper.grids import LIBRARIES, paper_result, settings_of, trees_of
from benchmarks.paper.protocol_choice import choose, digest


def test_the_tree_is_chosen_on_validation_and_read_on_test() -> None:
    found = digest([3.0, 1.0, 2.0], [9.0, 8.0, 7.0], [6.0, 5.0, 4.0], "rmse")
    assert found == {
        "trees": 2,
        "validation": 1.0,
        "honest_part": 8.0,
        "honest_whole": 5.0,
        "best_test": 4.0,
        "best_test_trees": 3,
    }


def test_larger_is_better_for_auc() -> None:
    found = digest([0.5, 0.7, 0.6], [0.1, 0.2, 0.3], [0.4, 0.3, 0.2], "auc")
    assert (found["trees"], found["honest_whole"], found["best_test"]) == (2, 0.3, 0.4)


def test_a_training_that_ended_early_gives_its_last_tree() -> None:
    assert digest([3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [6.0, 5.0], "rmse")["honest_whole"] == 5.0


def _result(validation: float, test: float, best_test: float) -> dict[str, object]:
    return {
        "failure": None,
        "trees": 7,
        "validation": validation,
        "honest_part": test + 1,
        "honest_whole": test,
        "best_test": best_test,
        "best_test_trees": 9,
    }


def test_the_honest_choice_does_not_look_at_the_test_part() -> None:
    results = {
        "good on validation": _result(1.0, 5.0, 4.5),
        "good on test": _result(2.0, 3.0, 2.5),
        "failed": {"failure": "crashed"},
    }
    choice = choose(results, "rmse")
    assert (choice.setting, choice.honest_whole, choice.honest_part) == (
        "good on validation",
        5.0,
        6.0,
    )
    assert (choice.best_test_setting, choice.best_test) == ("good on test", 2.5)


def test_without_a_model_there_is_no_figure() -> None:
    choice = choose({"a": {"failure": "crashed"}}, "rmse")
    assert math.isnan(choice.honest_whole)
    assert math.isnan(choice.best_test)


@pytest.mark.parametrize(
    ("name", "full", "thinned"),
    [
        ("plboost", 96, 16),
        ("xgboost", 144, 16),
        ("catboost-symmetric", 144, 8),
        ("catboost-lossguide", 144, 16),
        ("lightgbm", 288, 16),
    ],
)
def test_grids_have_the_size_of_appendix_e(name: str, full: int, thinned: int) -> None:
    library = LIBRARIES[name]
    whole = settings_of(library, "casp", full=True)
    assert len(whole) == full
    few = settings_of(library, "casp", full=False)
    assert len(few) == thinned
    assert all(setting in whole for setting in few)
    assert len({setting[library.size] for setting in few[:4]}) == 4
    assert len(settings_of(library, "susy", full=True)) == full // 3


def test_numbers_of_trees_are_those_of_appendix_e() -> None:
    trees = {trees_of(LIBRARIES["xgboost"], {"eta": rate}) for rate in (0.1, 0.05, 0.01)}
    assert trees == {500, 1000, 5000}
    assert trees_of(LIBRARIES["catboost-symmetric"], {"learning_rate": 0.01}) == 20_000


def test_table_2_is_read_by_set() -> None:
    assert paper_result(LIBRARIES["plboost"], "casp") == "3.4574"
    assert paper_result(LIBRARIES["catboost-lossguide"], "energy") == "65.761"
    assert paper_result(LIBRARIES["lightgbm"], "higgs") == "0.854025"
