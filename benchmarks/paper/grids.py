"""The paper's data sizes (appendix C), parameter grids (appendix E) and results (Table 2).

The full grids are the tables of appendix E, every combination. The thinned ones keep all sizes of
trees and both values of hessian and ridge, at 255 bins and rate 0.1: 16 settings of every library,
8 of CatBoost's symmetric trees. LightGBM's table has 288 combinations where the text says 144:
min_data_in_leaf doubles them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = [
    "BIG_SETS",
    "LIBRARIES",
    "SIZES",
    "Library",
    "paper_result",
    "relative_work",
    "settings_of",
    "trees_of",
]

# Rows of the training and the test part. The folder has 54 422 rows of HIGGS: split 80/20.
SIZES: dict[str, tuple[int, int]] = {
    "casp": (30_000, 15_730),
    "sgemm": (193_280, 48_320),
    "superconductor": (17_008, 4_255),
    "energy": (15_788, 3_947),
    "ct": (42_941, 10_559),
    "year": (412_206, 103_139),
    "full_higgs": (10_000_000, 500_000),
    "hepmass": (7_000_000, 3_500_000),
    "epsilon": (400_000, 100_000),
    "susy": (4_000_000, 1_000_000),
}
# Only the rate 0.1 was tried on them.
BIG_SETS = frozenset({"higgs", "full_higgs", "hepmass", "epsilon", "susy"})

_RATES = (0.01, 0.05, 0.1)
_SIZES_OF_TREES = (16, 64, 256, 1024)
Grid = dict[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Library:
    """A contestant of the paper: a library in one of its modes."""

    trainer: str
    """Its name in benchmarks.leaderboard.curves."""
    table_2: str
    """Its row in Table 2."""
    grid: Grid
    thinned: Grid
    """What replaces rows of the grid."""
    fixed: dict[str, Any] = field(default_factory=dict)
    rate: str = "learning_rate"
    size: str = "num_leaves"
    trees_times_rate: float = 50.0


_CATBOOST_FIXED = {
    "leaf_estimation_method": "Newton",
    "random_strength": 0.0,
    "bootstrap_type": "No",
}
_CATBOOST_GRID: Grid = {
    "border_count": (63, 128, 255),
    "min_data_in_leaf": (1, 100),
    "l2_leaf_reg": (0.01, 10.0),
    "learning_rate": _RATES,
}
_CATBOOST_THINNED: Grid = {"border_count": (255,), "learning_rate": (0.1,)}

LIBRARIES: dict[str, Library] = {
    "plboost": Library(
        "plboost",
        "GBDT-PL",
        grid={
            "max_leaves": _SIZES_OF_TREES,
            "min_hessian": (1.0, 100.0),
            "l2": (0.01, 10.0),
            "max_bins": (63, 255),
            "learning_rate": _RATES,
        },
        thinned={"max_bins": (255,), "learning_rate": (0.1,)},
        # The paper limits leaves by hessians alone. Of 20 rows at least, 1.0 would limit nothing.
        fixed={"max_regressors": 5, "fitting": "half_additive", "min_samples_leaf": 1},
        size="max_leaves",
    ),
    "lightgbm": Library(
        "lightgbm",
        "LightGBM",
        grid={
            "num_leaves": _SIZES_OF_TREES,
            "min_sum_hessian_in_leaf": (1.0, 100.0),
            "lambda_l2": (0.01, 10.0),
            "max_bin": (63, 255, 1024),
            "learning_rate": _RATES,
            "min_data_in_leaf": (0, 20),
        },
        thinned={"max_bin": (255,), "learning_rate": (0.1,), "min_data_in_leaf": (20,)},
    ),
    "xgboost": Library(
        "xgboost",
        "XGBoost",
        grid={
            "max_leaves": _SIZES_OF_TREES,
            "min_child_weight": (1.0, 100.0),
            "lambda": (0.01, 10.0),
            "max_bin": (63, 255, 1024),
            "eta": _RATES,
        },
        thinned={"max_bin": (255,), "eta": (0.1,)},
        # Without max_depth=0 no tree would have more than 64 leaves.
        fixed={"grow_policy": "lossguide", "tree_method": "hist", "max_depth": 0},
        rate="eta",
        size="max_leaves",
    ),
    "catboost-symmetric": Library(
        "catboost",
        "CatBoost",
        grid={"depth": (4, 6, 8, 10), **_CATBOOST_GRID},
        # It has no effect on symmetric trees, which are the slowest of all.
        thinned={**_CATBOOST_THINNED, "min_data_in_leaf": (1,)},
        fixed={**_CATBOOST_FIXED, "grow_policy": "SymmetricTree", "boosting_type": "Ordered"},
        size="depth",
        trees_times_rate=200.0,
    ),
    "catboost-lossguide": Library(
        "catboost",
        "CatBoost",
        grid={"max_leaves": _SIZES_OF_TREES, **_CATBOOST_GRID},
        thinned=_CATBOOST_THINNED,
        # Its largest depth; trees that are not symmetric know no ordered boosting.
        fixed={**_CATBOOST_FIXED, "grow_policy": "Lossguide", "depth": 16},
        size="max_leaves",
    ),
}

_TABLE_2_SETS = "full_higgs hepmass casp epsilon susy ct sgemm year superconductor energy"
_TABLE_2 = {
    "LightGBM": "0.854025 0.95563 3.4961 0.951422 0.878112 1.30902 4.61431 8.38817 8.80776 64.256",
    "XGBoost": "0.854147 0.95567 3.4939 0.948292 0.877825 1.34131 4.37929 8.37935 8.91063 64.780",
    "CatBoost": "0.851590 0.95554 3.5183 0.957327 0.878206 1.36937 4.41177 8.42593 8.78452 65.761",
    "GBDT-PL": "0.860198 0.95652 3.4574 0.957894 0.878287 1.23753 4.16871 8.37233 8.79527 65.462",
}


def paper_result(library: Library, data: str) -> str:
    """Return the figure of Table 2 as printed; for "higgs" that of the whole HIGGS."""
    column = _TABLE_2_SETS.split().index("full_higgs" if data == "higgs" else data)
    return _TABLE_2[library.table_2].split()[column]


def settings_of(library: Library, data: str, *, full: bool) -> list[dict[str, Any]]:
    """Return the settings in a fixed random order, in which sizes of trees take turns.

    So the first few are spread as well. Grids name their parameters in the same order: with grids
    of one size the settings at one place correspond.
    """
    grid = library.grid | ({} if full else library.thinned)
    if data in BIG_SETS:
        grid = grid | {library.rate: (0.1,)}
    rows = itertools.product(*grid.values())
    combinations = [dict(zip(grid, row, strict=True)) for row in rows]
    order = np.random.default_rng(0).permutation(len(combinations))
    of_size: dict[Any, list[dict[str, Any]]] = {value: [] for value in grid[library.size]}
    for i in order:
        of_size[combinations[i][library.size]].append(library.fixed | combinations[i])
    return [setting for turn in zip(*of_size.values(), strict=True) for setting in turn]


def trees_of(library: Library, setting: dict[str, Any]) -> int:
    """Return the number of trees of section 6: rate times trees is constant."""
    return round(library.trees_times_rate / float(setting[library.rate]))


def relative_work(library: Library, setting: dict[str, Any], trees: int) -> float:
    """Guess how work grows within a library, for the estimate of the time left."""
    leaves = float(2 ** setting["depth"] if library.size == "depth" else setting[library.size])
    return float(trees * leaves**0.75 / 10_000)
