"""What is read off the curves of the settings: the honest choice, and the paper's way for peers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.leaderboard.selection import Better, best_iteration, is_better

__all__ = ["Choice", "better_of", "choose", "digest"]


@dataclass(frozen=True)
class Choice:
    """The figures of one library on one set; NaN where no setting gave one."""

    setting: str
    """The run whose validation metric is best."""
    trees: int
    validation: float
    honest_part: float
    """Test metric of that model: trained on four fifths, as the paper has it for GBDT-PL."""
    honest_whole: float
    """The same setting and number of trees trained on the whole training part."""
    best_test: float
    """Best test metric of any tree of any setting: as the paper has it for the peers."""
    best_test_setting: str
    best_test_trees: int


def better_of(metric: str) -> Better:
    return "larger" if metric == "auc" else "smaller"


def digest(
    valid: Sequence[float],
    test_of_part: Sequence[float],
    test_of_whole: Sequence[float],
    metric: str,
) -> dict[str, Any]:
    """Reduce the curves of one setting to what :func:`choose` needs."""
    better = better_of(metric)
    trees, value = best_iteration(valid, better)
    best_trees, best_test = best_iteration(test_of_whole, better)
    # A library that finds no more splits ends before the number of trees it was given.
    last = min(trees, len(test_of_whole))
    return {
        "trees": trees,
        "validation": value,
        "honest_part": test_of_part[trees - 1],
        "honest_whole": test_of_whole[last - 1],
        "best_test": best_test,
        "best_test_trees": best_trees,
    }


def choose(results: Mapping[str, Mapping[str, Any]], metric: str) -> Choice:
    """Choose among the settings of a library, given by name; failed ones cannot be chosen."""
    better = better_of(metric)
    nan = float("nan")
    honest: tuple[str, Mapping[str, Any]] = ("", {"trees": 0, "validation": nan})
    best: tuple[str, Mapping[str, Any]] = ("", {"best_test": nan, "best_test_trees": 0})
    for name, result in results.items():
        if result["failure"]:
            continue
        if is_better(result["validation"], honest[1]["validation"], better):
            honest = (name, result)
        if is_better(result["best_test"], best[1]["best_test"], better):
            best = (name, result)
    return Choice(
        setting=honest[0],
        trees=honest[1]["trees"],
        validation=honest[1]["validation"],
        honest_part=honest[1].get("honest_part", nan),
        honest_whole=honest[1].get("honest_whole", nan),
        best_test=best[1]["best_test"],
        best_test_setting=best[0],
        best_test_trees=best[1]["best_test_trees"],
    )
