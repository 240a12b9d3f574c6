"""All candidates of a node and the best of them (docs/algorithm.md, section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from . import constraints
from .binning import Bins
from .categories import Order, category_cuts, category_order
from .linear import SEARCH, Column, Fit, Rows, fit, hessian_means, moments
from .options import Options
from .problem import NodeState, Problem

GAIN_FLOOR = 1e-6
# Features of no more bins keep them all in every node.
FEW_BINS = 16
# What joining bins may take from the variance of their values.
LOST_VARIANCE = 0.01

# What goes left: codes up to a number, or the codes of a set.
Cut = int | frozenset[int]


def feature_column(problem: Problem, feature: int) -> Column:
    bins = problem.bins[feature]
    ridge = 1.0 if problem.options.penalty == "centred" else 1.0 / bins.sigma**2
    return Column(problem.u[:, feature], ridge, bins.mu / bins.sigma)


def joined_bins(problem: Problem, rows: Rows, feature: int) -> int:
    """Return how many neighbouring bins of a numeric feature count as one."""
    n_bins = problem.bins[feature].n_bins
    present = problem.codes[rows, feature]
    present = present[present < n_bins]
    if n_bins <= FEW_BINS or len(present) == 0:
        return 1
    occupied = int(present.max() - present.min() + 1)
    most = 0.500005 * problem.options.min_samples_leaf * occupied
    weight = np.sum(problem.w[rows])
    joined = 1
    for m in (2, 4, 8):
        if m * weight > most or lost_variance(problem.bins[feature], m) > LOST_VARIANCE:
            break
        joined = m
    return joined


def middle_codes(codes: NDArray[np.int64], joined: int, n_bins: int) -> NDArray[np.int64]:
    """Return the bins whose values stand for those that they are joined with."""
    middle = np.minimum(codes // joined * joined + joined // 2, n_bins - 1)
    return np.where(codes == n_bins, codes, middle)


def lost_variance(bins: Bins, joined: int) -> float:
    """Return how far the values of joined bins are from their own, on average, squared."""
    codes = np.arange(bins.n_bins)
    return float(np.mean((bins.u[codes] - bins.u[middle_codes(codes, joined, bins.n_bins)]) ** 2))


def searched_column(problem: Problem, state: NodeState, feature: int) -> Column:
    """Return the column that a split brings: a joined bin has the value of its middle."""
    joined = joined_bins(problem, state.rows, feature)
    bins, codes = problem.bins[feature], problem.codes[:, feature]
    values = bins.u[middle_codes(codes, joined, bins.n_bins)]
    return replace(feature_column(problem, feature), values=values)


def linear_part(problem: Problem, state: NodeState) -> Column:
    """Return the column z; in additive fitting its slope is fixed at 1."""
    z = np.zeros(len(problem.g))
    origin = 0.0
    for feature, slope in zip(state.regressors, state.slopes, strict=True):
        z = z + slope * problem.u[:, feature]
        origin += slope * problem.bins[feature].mu / problem.bins[feature].sigma
    fixed = problem.options.fitting == "additive"
    sigmas = np.array([problem.bins[feature].sigma for feature in state.regressors])
    if problem.options.penalty == "centred":
        ridge = float(np.sum(state.slopes**2))
    elif fixed:
        ridge = float(np.sum((state.slopes / sigmas) ** 2))
    else:
        ridge = 1.0
    return Column(z, ridge, origin, fixed)


def node_columns(problem: Problem, state: NodeState) -> list[Column]:
    """Columns of the node itself, and of the children of a redundant split."""
    if problem.options.fitting == "fully_corrective":
        return [feature_column(problem, feature) for feature in state.regressors]
    return [linear_part(problem, state)] if state.regressors else []


def child_columns(problem: Problem, state: NodeState, feature: int) -> list[Column]:
    """Columns of the children of a split by `feature` that is not redundant."""
    columns = node_columns(problem, state)
    if problem.options.fitting == "fully_corrective" and feature in state.regressors:
        return columns
    return [*columns, searched_column(problem, state, feature)]


def is_redundant(problem: Problem, state: NodeState, feature: int) -> bool:
    options = problem.options
    if options.regressors == "all" or not constraints.may_regress(problem, feature):
        return True
    if feature in state.regressors:
        return options.repeated == "redundant"
    return len(state.regressors) >= options.max_regressors


def split_columns(problem: Problem, state: NodeState, feature: int) -> list[Column]:
    if is_redundant(problem, state, feature):
        return node_columns(problem, state)
    return child_columns(problem, state, feature)


def fit_for_search(problem: Problem, columns: Sequence[Column], rows: Rows, node_rows: Rows) -> Fit:
    centres = hessian_means(columns, problem.h, node_rows)
    sums = moments(columns, problem.g, problem.h, rows, centres)
    return fit(sums, columns, problem.penalty, SEARCH)


def fit_within(
    problem: Problem, state: NodeState, feature: int, parts: Sequence[Rows], order: int
) -> tuple[list[Fit], float]:
    """Fit the parts of a node under the signs and within the bounds, and what parts them.

    One part is the node itself; two are the children of a split by the feature.
    """
    splits = len(parts) == 2
    columns = split_columns(problem, state, feature) if splits else node_columns(problem, state)
    new = splits and not is_redundant(problem, state, feature)
    if problem.options.fitting == "fully_corrective":
        new = new and feature not in state.regressors
        features = (*state.regressors, feature) if new else state.regressors
        signs = constraints.signs_of_features(problem, features)
    else:
        signs = constraints.signs_of_path(problem, state, feature if new else None)
    centres = hessian_means(columns, problem.h, state.rows)
    sums = [moments(columns, problem.g, problem.h, rows, centres) for rows in parts]
    fits = [constraints.signed_fit(s, columns, problem.penalty, SEARCH, signs)[0] for s in sums]
    outputs = [constraints.outputs_of(s, f) for s, f in zip(sums, fits, strict=True)]
    bounds, bound = [state.bounds], 0.0
    if splits:
        bound = constraints.dividing_bound(outputs[0], outputs[1], state.bounds)
        bounds = list(constraints.child_bounds(state.bounds, bound, order))
    fits = [
        constraints.limited(s, columns, problem.penalty, f, b)
        for s, f, b in zip(sums, fits, bounds, strict=True)
    ]
    return fits, bound


@dataclass(frozen=True, eq=False)
class Candidate:
    feature: int
    threshold: Cut
    missing_left: bool
    redundant: bool
    left_rows: Rows
    right_rows: Rows
    node: Fit
    left: Fit
    right: Fit
    sure: bool = True  # that rounding does not keep others from finding it
    order: int = 0  # of the outputs on its sides
    bound: float = 0.0  # that parts them

    def in_order(self, bounds: constraints.Bounds) -> bool:
        left, right = (constraints.clip(fit.mean, bounds) for fit in (self.left, self.right))
        return not self.order * (right - left) < 0.0

    @property
    def gain(self) -> float:
        return self.node.loss - self.left.loss - self.right.loss


def partition(
    problem: Problem, rows: Rows, feature: int, threshold: Cut, missing_left: bool
) -> tuple[Rows, Rows]:
    code = problem.codes[rows, feature]
    left = goes_left(code, problem.bins[feature].n_bins, threshold, missing_left)
    return rows[left], rows[~left]


def goes_left(
    code: NDArray[np.int64], n_bins: int, threshold: Cut, missing_left: bool
) -> NDArray[np.bool_]:
    is_left = code <= threshold if isinstance(threshold, int) else np.isin(code, list(threshold))
    return np.where(code == n_bins, missing_left, is_left)


def has_missing_rows(problem: Problem, rows: Rows, feature: int) -> bool:
    return bool(np.any(problem.codes[rows, feature] == problem.bins[feature].n_bins))


def thresholds(problem: Problem, rows: Rows, feature: int) -> range:
    """Return where a numeric feature may be cut; the last bin's is for missing values alone."""
    joined = joined_bins(problem, rows, feature)
    return range(joined - 1, problem.bins[feature].n_bins - 1, joined)


def splits_in_order(
    problem: Problem, state: NodeState, feature: int
) -> Iterator[tuple[Cut, bool, bool]]:
    """Yield (threshold, missing_left, sure) in the order in which equals are preferred."""
    rows, n_bins = state.rows, problem.bins[feature].n_bins
    codes = problem.codes[:, feature]
    if problem.bins[feature].categorical:
        order = order_in(problem, state, feature)
        yield from category_cuts(order, problem.w, rows, codes, n_bins)
        return
    missing = has_missing_rows(problem, rows, feature)
    for threshold in thresholds(problem, rows, feature):
        if missing:
            yield threshold, False, True
            yield threshold, True, True
        else:
            left, right = partition(problem, rows, feature, threshold, missing_left=False)
            yield threshold, bool(np.sum(problem.w[left]) >= np.sum(problem.w[right])), True
    if missing:
        yield n_bins - 1, False, True


def order_in(problem: Problem, state: NodeState, feature: int) -> Order:
    """Return the order of the categories of a feature in a node."""
    return category_order(
        problem.codes[:, feature],
        problem.g,
        problem.h,
        problem.w,
        state.rows,
        node_columns(problem, state),
        # Whatever constraints there are, the order is that of the free fit.
        fit_for_search(problem, node_columns(problem, state), state.rows, state.rows),
        problem.bins[feature].n_bins,
        problem.options,
    )


def children_allowed(problem: Problem, left: Rows, right: Rows) -> bool:
    for rows in (left, right):
        hessian = float(np.sum(problem.h[rows]))
        if np.sum(problem.w[rows]) < problem.options.min_samples_leaf:
            return False
        if hessian < problem.options.min_hessian or hessian <= 0.0:
            return False
    return True


def evaluate(
    problem: Problem,
    state: NodeState,
    node: Fit,
    feature: int,
    threshold: Cut,
    missing_left: bool,
    sure: bool = True,
) -> Candidate:
    left, right = partition(problem, state.rows, feature, threshold, missing_left)
    if problem.options.has_signs:
        # Between values and missing ones there is no order.
        last = threshold == problem.bins[feature].n_bins - 1
        order = 0 if last else constraints.order_of(problem.options, feature)
        fits, bound = fit_within(problem, state, feature, (left, right), order)
        redundant = is_redundant(problem, state, feature)
        if problem.options.fitting == "fully_corrective" and feature in state.regressors:
            redundant = True
        return Candidate(
            feature=feature,
            threshold=threshold,
            missing_left=missing_left,
            redundant=redundant,
            left_rows=left,
            right_rows=right,
            node=node,
            left=fits[0],
            right=fits[1],
            order=order,
            bound=bound,
            sure=sure,
        )
    columns = split_columns(problem, state, feature)
    return Candidate(
        feature=feature,
        threshold=threshold,
        missing_left=missing_left,
        redundant=is_redundant(problem, state, feature),
        left_rows=left,
        right_rows=right,
        node=node,
        left=fit_for_search(problem, columns, left, state.rows),
        right=fit_for_search(problem, columns, right, state.rows),
        sure=sure,
    )


def fit_node(problem: Problem, state: NodeState) -> Fit:
    if problem.options.has_signs:
        return fit_within(problem, state, -1, (state.rows,), 0)[0][0]
    return fit_for_search(problem, node_columns(problem, state), state.rows, state.rows)


def candidates(problem: Problem, state: NodeState) -> list[Candidate]:
    """Every candidate whose children are heavy enough, whatever its gain."""
    node = fit_node(problem, state)
    found = []
    for feature, bins in enumerate(problem.bins):
        if not bins.usable or not constraints.may_cut(problem, state, feature):
            continue
        for threshold, missing_left, sure in splits_in_order(problem, state, feature):
            left, right = partition(problem, state.rows, feature, threshold, missing_left)
            if not children_allowed(problem, left, right):
                continue
            candidate = evaluate(problem, state, node, feature, threshold, missing_left, sure)
            if candidate.in_order(state.bounds):
                found.append(candidate)
    return found


def gain_floor(options: Options, node: Fit) -> float:
    return max(options.min_gain, GAIN_FLOOR * abs(node.loss))


# Gains closer than this, relative, are equal: float32 sums carry about 1e-7.
EQUAL_GAINS = 1e-5


def best_candidate(problem: Problem, state: NodeState) -> Candidate | None:
    best: dict[int, Candidate] = {}  # by feature
    for candidate in candidates(problem, state):
        if not candidate.gain > gain_floor(problem.options, candidate.node):
            continue
        # Strictly larger: the first of equals stays.
        known = best.get(candidate.feature)
        if known is None or candidate.gain > known.gain:
            best[candidate.feature] = candidate
    largest = max((candidate.gain for candidate in best.values()), default=0.0)
    equals = [f for f, candidate in best.items() if candidate.gain >= largest * (1 - EQUAL_GAINS)]
    return best[min(equals)] if equals else None


def child_state(
    problem: Problem, state: NodeState, feature: int, rows: Rows, child: Fit, redundant: bool
) -> NodeState:
    """Regressors and slopes of a child after a split by `feature`."""
    path = (*state.path, feature)
    if redundant:
        return replace(state, rows=rows, path=path)
    regressors = list(state.regressors)
    slopes = list(state.slopes)
    fitted = list(child.slopes)
    if problem.options.fitting == "fully_corrective":
        slopes = fitted[: len(regressors)]
    elif regressors:
        slopes = [fitted[0] * slope for slope in slopes]
    if feature not in regressors:
        if child.kept[-1]:
            regressors.append(feature)
            slopes.append(fitted[-1])
    elif problem.options.fitting != "fully_corrective":
        slopes[regressors.index(feature)] += fitted[-1]
    return replace(
        state, rows=rows, path=path, regressors=tuple(regressors), slopes=np.array(slopes)
    )
