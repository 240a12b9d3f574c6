"""Boosting and prediction from raw values (docs/algorithm.md, section 6)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .binning import Bins, encode, find_bins
from .categories import category_bins
from .grow import LeafModel, Node, Options, Tree, grow_tree, tree_output
from .outputs import Outputs, outputs_of
from .problem import Confirmed
from .split import goes_left
from .weighted import Array

LARGEST_STANDARDISED = 1e15


@dataclass(frozen=True, eq=False)
class Forest:
    outputs: Outputs
    bins: Sequence[Bins]
    trees: Sequence[Tree]  # leaf models multiplied by learning_rate * unit; round by round

    @property
    def initial_score(self) -> Array:
        return self.outputs.initial_scores

    @property
    def unit(self) -> float:
        (unit,) = self.outputs.units_at(self.initial_score[None, :])
        return float(unit)

    def predict_score(self, X: ArrayLike) -> Array:
        """Scores of shape (n,) or, for several outputs, (n, n_outputs)."""
        raw = np.asarray(X, dtype=np.float64)
        scores = np.tile(self.initial_score, (len(raw), 1))
        for i, tree in enumerate(self.trees):
            output = np.array([_raw_output(tree, self.bins, row) for row in raw])
            scores[:, i % self.outputs.n_outputs] += output
        return scores[:, 0] if self.outputs.n_outputs == 1 else scores

    def predict(self, X: ArrayLike) -> Array:
        """Prediction after the link: probabilities for log_loss."""
        return self.outputs.link(self.predict_score(X))


def train(
    X: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None,
    loss: str,
    n_rounds: int,
    learning_rate: float,
    max_bins: int,
    options: Options,
    n_categories: Sequence[int] = (),
) -> Forest:
    """Train a forest; options.min_gain is in the user's units (relative to the variance of y)."""
    target = np.asarray(y, dtype=np.float64)
    w = np.ones(len(target)) if weights is None else np.asarray(weights, dtype=np.float64)
    present = w > 0
    raw, target, w = np.asarray(X, dtype=np.float64)[present], target[present], w[present]
    bins = [
        category_bins(column, w, count) if count else find_bins(column, w, max_bins)
        for column, count in zip(raw.T, n_categories or [0] * raw.shape[1], strict=True)
    ]
    codes = np.array([encode(raw[:, j], b) for j, b in enumerate(bins)]).T.reshape(raw.shape)

    outputs = outputs_of(loss, target, w)
    scores = np.tile(outputs.initial_scores, (len(target), 1))
    trees = []
    slopes = [Confirmed()] * outputs.n_outputs
    for _ in range(n_rounds):
        # All trees of a round see the scores with which it begins.
        g, h = outputs.gradients(scores)
        units, renewals = outputs.units_at(scores), outputs.renewals(scores)
        for k in range(outputs.n_outputs):
            own = dataclasses.replace(options, min_gain=options.min_gain * outputs.gain_units[k])
            tree = grow_tree(
                bins, codes, g[:, k], h[:, k], w, own, renewals[k], slopes_before=slopes[k]
            )
            slopes[k] = tree.slopes
            tree = scale_tree(tree, learning_rate * units[k])
            scores[:, k] += tree_output(tree, bins, codes)
            trees.append(tree)
    return Forest(outputs, bins, trees)


def scale_tree(tree: Tree, factor: float) -> Tree:
    """Multiply intercept, slopes and range of every leaf."""

    def scale(node: Node) -> Node:
        if node.leaf is None:
            return node
        model = node.leaf
        scaled = LeafModel(
            regressors=model.regressors,
            slopes=model.slopes * factor,
            intercept=model.intercept * factor,
            low=model.low * factor,
            high=model.high * factor,
        )
        return dataclasses.replace(node, leaf=scaled)

    return Tree([scale(node) for node in tree.nodes])


def standardise(x: float, bins: Bins, *, clips: bool) -> float:
    if np.isnan(x):
        return 0.0
    if clips or np.isinf(x):
        x = min(max(x, bins.low), bins.high)
    with np.errstate(over="ignore"):
        u = (np.float64(x) - bins.mu) / bins.sigma
    return float(np.clip(u, -LARGEST_STANDARDISED, LARGEST_STANDARDISED))


def _raw_output(tree: Tree, bins: Sequence[Bins], row: Array) -> float:
    node = tree.nodes[0]
    while node.leaf is None:
        x, edges = row[node.feature], bins[node.feature].edges
        if isinstance(node.threshold, int):
            edge = edges[node.threshold] if node.threshold < len(edges) else np.inf
            left = node.missing_left if np.isnan(x) else x <= edge
        else:
            code, n_bins = encode([x], bins[node.feature])[0], bins[node.feature].n_bins
            left = bool(goes_left(code, n_bins, node.threshold, node.missing_left))
        node = tree.nodes[node.left if left else node.right]
    model = node.leaf
    value = model.intercept
    clips = bool(np.isfinite([model.low, model.high]).all())
    for feature, slope in zip(model.regressors, model.slopes, strict=True):
        value += slope * standardise(row[feature], bins[feature], clips=clips)
    return float(min(max(value, model.low), model.high))
