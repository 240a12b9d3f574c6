"""What a tree is grown on, and what a node of it carries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import constraints
from .binning import Bins
from .linear import Penalty, Rows
from .options import Options
from .weighted import Array


@dataclass(frozen=True, eq=False)
class Renewal:
    """A leaf's constant is the quantile of what its slopes leave of the residuals, in units."""

    level: float
    residuals: Array
    weights: Array


@dataclass(frozen=True)
class Confirmed:
    """What rows that were left out say of the slopes of some trees: sums N and D of section 5."""

    agreement: float = 0.0
    size: float = 0.0


NO_SLOPES = Confirmed()


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything that growing one tree looks at."""

    bins: Sequence[Bins]
    codes: NDArray[np.int64]  # [n_rows, n_features]
    u: Array  # [n_rows, n_features], standardised values
    g: Array
    h: Array
    w: Array
    options: Options
    renewal: Renewal | None = None
    # Features that nodes may be cut by: those of the root under "", those of its left child under
    # "L", and so on. None: all.
    columns: Mapping[str, Collection[int]] | None = None
    slopes_before: Confirmed = NO_SLOPES  # those of the trees before it

    @property
    def penalty(self) -> Penalty:
        return Penalty(self.options.penalty, self.options.l2, self.options.l2_slopes)


def make_problem(
    bins: Sequence[Bins],
    codes: NDArray[np.int64],
    g: ArrayLike,
    h: ArrayLike,
    w: ArrayLike,
    options: Options,
    renewal: Renewal | None = None,
    *,
    columns: Mapping[str, Collection[int]] | None = None,
    slopes_before: Confirmed = NO_SLOPES,
) -> Problem:
    u = np.array([b.u[codes[:, j]] for j, b in enumerate(bins)]).T.reshape(codes.shape)
    return Problem(
        bins=bins,
        codes=codes,
        u=u,
        g=np.asarray(g, dtype=np.float64),
        h=np.asarray(h, dtype=np.float64),
        w=np.asarray(w, dtype=np.float64),
        options=options,
        renewal=renewal,
        columns=columns,
        slopes_before=slopes_before,
    )


@dataclass(frozen=True, eq=False)
class NodeState:
    """What a node carries: rows, regressors R in order, and their slopes a."""

    rows: Rows
    regressors: tuple[int, ...]
    slopes: Array
    path: tuple[int, ...] = ()  # features of the cuts above it
    place: str = ""  # "LR": the right child of the root's left child
    bounds: constraints.Bounds = constraints.UNBOUNDED


def root_state(problem: Problem) -> NodeState:
    regressors = constraints.lines_only(problem)
    if problem.options.regressors == "all":
        features = range(len(problem.bins))
        regressors = tuple(j for j in features if constraints.may_regress(problem, j))
    rows = np.arange(len(problem.g), dtype=np.int64)
    return NodeState(rows, regressors, np.zeros(len(regressors)))
