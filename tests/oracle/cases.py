"""What the oracle tests draw: binned problems with gradients, and options of a tree."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.problems import COLUMN_KINDS, FloatArray, Problem, small_problems
from tests.reference.binning import Bins, encode, find_bins
from tests.reference.categories import category_bins
from tests.reference.options import ALLOWED, Options
from tests.reference.verify import Report, verify_tree

from . import fast

# Columns about 1 in size.
SANE_KINDS = tuple(kind for kind in COLUMN_KINDS if kind not in ("huge", "tiny"))


@dataclass(frozen=True, eq=False)
class Case:
    """Rows with gradients; those without weight are there for the core alone."""

    problem: Problem
    g: NDArray[np.float32]
    h: NDArray[np.float32]
    max_bins: int
    n_categories: tuple[int, ...] = ()  # by column, 0 for numbers; empty: all are numbers

    def __repr__(self) -> str:
        return f"Case({self.problem}, g={self.g.tolist()}, h={self.h.tolist()}, {self.max_bins})"

    @property
    def counted(self) -> NDArray[np.bool_]:
        """The rows that the reference sees."""
        return self.problem.weights > 0

    def bins(self) -> list[Bins]:
        rows = self.counted
        weights = self.problem.weights[rows]
        columns = self.problem.X[rows].T
        return [
            category_bins(column, weights, count)
            if count
            else find_bins(column, weights, self.max_bins)
            for column, count in zip(columns, self.n_categories or (0,) * len(columns), strict=True)
        ]

    def check(
        self,
        options: Options,
        *,
        n_threads: int = 1,
        columns: Mapping[str, Collection[int]] | None = None,
        **more: float,
    ) -> Report:
        """Grow a tree with the core and verify it by the reference.

        `columns` are the features that its nodes may be cut by, `more` options of the core alone.
        """
        bins = self.bins()
        problem, rows = self.problem, self.counted
        tree = fast.grow(
            problem.X, problem.weights, self.g, self.h, bins, options,
            max_bins=self.max_bins, n_threads=n_threads, n_categories=self.n_categories, **more,
        )  # fmt: skip
        X = problem.X[rows]
        codes = np.column_stack([encode(x, b) for x, b in zip(X.T, bins, strict=True)])
        return verify_tree(
            tree, bins, codes, self.g[rows], self.h[rows], problem.weights[rows], options, columns
        )


def gradients(kind: str, problem: Problem, rng: np.random.Generator) -> tuple[FloatArray, ...]:
    """Return g and h as a loss may give them."""
    y, w = problem.y, problem.weights
    if kind == "first_round":
        return w * (np.average(y, weights=w) - y), w
    if kind == "later_round":
        return w * (0.9 * rng.normal(size=len(y)) - 0.2 * y), w
    if kind == "integers":  # ties of gains, sums without rounding
        return rng.integers(-2, 3, size=len(y)).astype(float), np.ones(len(y))
    p = 1 / (1 + np.exp(-4 * rng.normal(size=len(y)) - 2 * y))
    if kind == "sure":
        # Most hessians nearly vanish. Not more than nearly: of a row of hessian 1e-20 beside one of
        # 1 it is chance whether a centred moment is 0, that is whether its column is dropped; and
        # that matters under the paper's penalty, where a column bears a part of the intercept.
        p = np.maximum(p**6, 1e-5)
    return w * (p - (rng.random(len(y)) < p)), w * p * (1 - p)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    kinds: tuple[str, ...] = COLUMN_KINDS,
    min_rows: int = 1,
    max_rows: int = 60,
    max_features: int = 5,
) -> Case:
    problem = draw(
        small_problems(min_rows=min_rows, max_rows=max_rows, max_features=max_features, kinds=kinds)
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="gradients"))
    kind = draw(
        st.sampled_from(["first_round", "later_round", "integers", "probabilities", "sure"])
    )
    g, h = gradients(kind, problem, rng)
    max_bins = draw(st.sampled_from([255, 2, 3, 5, 16, 40]), label="max_bins")
    return Case(problem, g.astype(np.float32), h.astype(np.float32), max_bins)


@st.composite
def tree_options(draw: st.DrawFn, **fixed: object) -> Options:
    """Draw every option that is not given."""
    choices = {name: st.sampled_from(values) for name, values in ALLOWED.items()} | {
        "max_leaves": st.integers(1, 9),
        "max_depth": st.none() | st.integers(1, 4),
        "min_samples_leaf": st.sampled_from([1.0, 0.0, 2.0, 2.5, 10.0]),
        "min_hessian": st.sampled_from([1e-3, 0.0, 0.5]),
        "min_gain": st.sampled_from([0.0, 0.0, 0.3]),
        "l2": st.sampled_from([0.1, 0.0, 1.0, 20.0]),
        "l2_slopes": st.sampled_from([0.1, 0.0, 1.0, 20.0]),
        "max_regressors": st.integers(0, 7),
        "refit_leaves": st.booleans(),
        "slope_shrinkage": st.sampled_from([0.0, 0.1, 1.0]),
        "mean_shrinkage": st.sampled_from([0.0, 0.3, 3.0]),
    }
    values = {name: draw(choice) for name, choice in choices.items() if name not in fixed} | fixed
    if values["fitting"] != "fully_corrective":
        values["regressors"] = "path"
    # Each value is drawn for its own field; their common type is object.
    return Options(**values)  # type: ignore[arg-type]
