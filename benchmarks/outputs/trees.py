"""Trees of one structure and a line per output in every leaf, in NumPy.

The default setting of plboost, plainly: half-additive search on five sums, the paper's rule for
repeated features, leaves that are fitted again and shrunk (docs/algorithm.md), squared error. With
one output it is the usual tree, so a forest per output and a forest of all outputs are the same
code.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array

__all__ = ["Bins", "Cost", "Setting", "Tree", "grow"]

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Setting:
    max_leaves: int = 16
    min_samples_leaf: int = 20
    max_regressors: int = 5
    l2: float = 0.1
    slope_shrinkage: float = 0.3


@dataclass
class Cost:
    """What growing took and what it made."""

    searches: int = 0  # nodes
    codes: int = 0  # read for histograms
    sums: int = 0  # updated in histograms
    numbers: int = 0  # that the model holds


class Bins:
    """Codes and standardised values of features without missing values."""

    def __init__(self, X: Array, n_bins: int = 32) -> None:
        edges = [np.unique(np.quantile(c, np.arange(1, n_bins) / n_bins)) for c in X.T]
        self.edges = [e[:-1] if e[-1] == c.max() else e for e, c in zip(edges, X.T, strict=True)]
        self.n_bins = n_bins
        codes = self.encode(X)
        self.values = np.zeros((X.shape[1], n_bins))
        self.low, self.high = X.min(axis=0), X.max(axis=0)
        self.centre, self.spread = np.zeros(X.shape[1]), np.ones(X.shape[1])
        for j, column in enumerate(X.T):
            count = np.bincount(codes[:, j], minlength=n_bins)
            mean = np.bincount(codes[:, j], column, n_bins) / np.maximum(count, 1)
            self.centre[j] = np.average(mean, weights=count)
            spread = np.sqrt(np.average((mean - self.centre[j]) ** 2, weights=count))
            self.spread[j] = spread if spread > 0 else 1.0
            self.values[j] = (mean - self.centre[j]) / self.spread[j]

    def encode(self, X: Array) -> npt.NDArray[np.int32]:
        columns = [np.searchsorted(e, c) for e, c in zip(self.edges, X.T, strict=True)]
        return np.column_stack(columns).astype(np.int32)

    def training_values(self, codes: npt.NDArray[np.int32]) -> Array:
        """Return the standardised means of the bins."""
        return self.values[np.arange(codes.shape[1]), codes]

    def standardised(self, X: Array) -> Array:
        """Return the values themselves, as prediction sees them."""
        return np.asarray((np.clip(X, self.low, self.high) - self.centre) / self.spread)


@dataclass(eq=False)
class Node:
    rows: Rows
    regressors: list[int] = field(default_factory=list)
    z: Array | None = None  # linear part [rows, outputs]; None without regressors
    slopes: Array | None = None  # [regressors, outputs]
    gain: float = -np.inf
    feature: int = -1
    threshold: int = -1
    children: tuple[Node, Node] | None = None
    line: tuple[Array, Array, Array, Array, Array] | None = None


@dataclass
class Tree:
    root: Node

    def outputs(self, codes: npt.NDArray[np.int32], u: Array, n_outputs: int) -> Array:
        out = np.empty((len(codes), n_outputs))
        stack = [(self.root, np.arange(len(codes)))]
        while stack:
            node, rows = stack.pop()
            if node.children is not None:
                left = codes[rows, node.feature] <= node.threshold
                stack += [(node.children[0], rows[left]), (node.children[1], rows[~left])]
                continue
            assert node.line is not None
            mean, centre, slopes, low, high = node.line
            line = mean + (u[np.ix_(rows, node.regressors)] - centre) @ slopes
            out[rows] = np.clip(line, low, high)
        return out


def grow(
    bins: Bins, codes: npt.NDArray[np.int32], u: Array, g: Array, setting: Setting, cost: Cost
) -> tuple[Tree, Array]:
    """Grow a tree on gradients [rows, outputs] best first; return it and its outputs."""
    root = Node(np.arange(len(g)))
    search(root, bins, codes, g, setting, cost)
    leaves = [root]
    while len(leaves) < setting.max_leaves:
        best = max(leaves, key=lambda leaf: leaf.gain)
        if not best.gain > 0:
            break
        leaves.remove(best)
        best.children = split(best, bins, codes, u, g, setting)
        for child in best.children:
            search(child, bins, codes, g, setting, cost)
            leaves.append(child)
    out = np.empty_like(g)
    fitted = [fit_leaf(leaf, u, g, setting) for leaf in leaves]
    parts = believed_parts(fitted, setting.slope_shrinkage)
    for leaf, fit, part in zip(leaves, fitted, parts, strict=True):
        out[leaf.rows] = fit.outputs(u, part)
        cost.numbers += g.shape[1] * (1 + len(leaf.regressors))
    cost.numbers += 2 * (len(leaves) - 1)
    return Tree(root), out


def search(
    node: Node, bins: Bins, codes: npt.NDArray[np.int32], g: Array, setting: Setting, cost: Cost
) -> None:
    """Find the best cut of a node: the sum over the outputs of what it gains for each."""
    n, k = len(node.rows), g.shape[1]
    if n < 2 * setting.min_samples_leaf:
        return
    p, b = bins.values.shape
    z = np.zeros((n, k)) if node.z is None else node.z
    gr = g[node.rows]
    statistics = np.hstack([np.ones((n, 1)), gr, z, gr * z, z * z])
    cost.searches += 1
    cost.codes += n * p
    cost.sums += n * p * statistics.shape[1]
    at = (codes[node.rows] + np.arange(p, dtype=np.int32) * b).ravel()
    one = csc_array((np.ones(n * p), at, np.arange(0, n * p + 1, p)), shape=(p * b, n))
    histogram = (one @ statistics).reshape(p, b, -1)
    totals = statistics.sum(axis=0)
    ridge_z = np.zeros(k) if node.slopes is None else (node.slopes**2).sum(axis=0)
    brings = np.array([may_bring(node, j, setting) for j in range(p)])
    below = sums_below(histogram, bins.values, k)
    sides = np.stack([below[:, :-1], below[:, -1:] - below[:, :-1]])
    parent = loss_of(totals[None], None, np.zeros(1, bool), ridge_z, setting)[0]
    sums, with_x = sides[..., : 4 * k + 1], sides[..., 4 * k + 1 :]
    gain = parent - loss_of(sums, with_x, brings[:, None], ridge_z, setting).sum(axis=0)
    n_left = below[:, :-1, 0]
    m = setting.min_samples_leaf
    gain[(n_left < m) | (n - n_left < m)] = -np.inf
    best = int(np.argmax(gain))
    if gain.flat[best] > 1e-6 * abs(parent):
        node.gain = float(gain.flat[best])
        node.feature, node.threshold = divmod(best, b - 1)


def may_bring(node: Node, feature: int, setting: Setting) -> bool:
    return feature not in node.regressors and len(node.regressors) < setting.max_regressors


def sums_below(histogram: Array, values: Array, k: int) -> Array:
    """Return the sums of the bins up to each, and behind them those with the cut feature x."""
    v = values[:, :, None]
    count, g, z = np.split(histogram[:, :, : 2 * k + 1], [1, k + 1], axis=2)
    with_x = [v * count, v * v * count, v * g, v * z]
    return np.cumsum(np.concatenate([histogram, *with_x], axis=2), axis=1)


def loss_of(
    sums: Array, x: Array | None, brings: npt.NDArray[np.bool_], ridge_z: Array, s: Setting
) -> Array:
    """Return the loss of fits with columns z and x, summed over the outputs."""
    k = len(ridge_z)
    n, g, z, gz, zz = sums[..., :1], *(sums[..., i * k + 1 : (i + 1) * k + 1] for i in range(4))
    safe = np.maximum(n, 1e-9)
    loss = -0.5 * g * g / np.maximum(n + s.l2, 1e-9)
    czz, cz = zz - z * z / safe, gz - g * z / safe
    has_z = czz > 1e-6 * np.maximum(zz, 1e-30)
    pz = np.where(has_z, czz + s.l2 * ridge_z, 1.0)
    cz = np.where(has_z, cz, 0.0)
    loss = loss - 0.5 * cz * cz / pz
    if x is not None:
        sx, sxx, sgx, sxz = x[..., :1], x[..., 1:2], x[..., 2 : k + 2], x[..., k + 2 :]
        cxx, cx, cxz = sxx - sx * sx / safe, sgx - g * sx / safe, sxz - sx * z / safe
        cxz = np.where(has_z, cxz, 0.0)
        px = cxx + s.l2 - cxz * cxz / pz
        rest = cx - cxz * cz / pz
        ok = (cxx > 1e-6 * sxx) & (px > 1e-6 * (cxx + s.l2)) & brings[..., None]
        loss = loss - np.where(ok, 0.5 * rest * rest / np.where(ok, px, 1.0), 0.0)
    return np.asarray(loss.sum(axis=-1))


def split(
    node: Node, bins: Bins, codes: npt.NDArray[np.int32], u: Array, g: Array, setting: Setting
) -> tuple[Node, Node]:
    """Cut a node; where its cut brings a column, the children get z and slopes of their own."""
    left = codes[node.rows, node.feature] <= node.threshold
    children = []
    for side in (left, ~left):
        child = Node(node.rows[side], node.regressors)
        if node.z is not None:
            child.z, child.slopes = node.z[side], node.slopes
        if may_bring(node, node.feature, setting):
            bring(child, node.feature, u, g[child.rows], setting)
        children.append(child)
    return children[0], children[1]


def bring(child: Node, feature: int, u: Array, g: Array, setting: Setting) -> None:
    """Fit (z, u_q) to the rows of a child, output by output."""
    x = u[child.rows, feature]
    if np.ptp(x) == 0:
        return
    k = g.shape[1]
    new = np.empty((len(child.regressors) + 1, k))
    z = np.empty((len(x), k))
    for o in range(k):
        if child.z is None or child.slopes is None:
            columns, ridge = x[:, None], np.array([setting.l2])
        else:
            columns = np.column_stack([child.z[:, o], x])
            ridge = np.array([setting.l2 * (child.slopes[:, o] ** 2).sum(), setting.l2])
        s = solve(columns, g[:, o : o + 1], ridge)[:, 0]
        if child.slopes is not None:
            new[:-1, o] = s[0] * child.slopes[:, o]
        new[-1, o] = s[-1]
        z[:, o] = columns @ s
    child.regressors = [*child.regressors, feature]
    child.z, child.slopes = z, new


def solve(columns: Array, g: Array, ridge: Array) -> Array:
    """Return the slopes of a ridge fit around the means; columns that vanish get 0."""
    centred = columns - columns.mean(axis=0)
    moments = centred.T @ centred + np.diag(np.maximum(ridge, 1e-9))
    return np.asarray(-np.linalg.solve(moments, centred.T @ g))


@dataclass
class Fitted:
    """A leaf's lines, one per output, and what rows left out of their fits say of them."""

    leaf: Node
    mean: Array
    centre: Array
    slopes: Array
    agreement: Array
    size: Array

    def outputs(self, u: Array, parts: Array) -> Array:
        """Give the leaf its lines with these parts of their slopes, and return its outputs."""
        slopes = self.slopes * parts
        columns = u[np.ix_(self.leaf.rows, self.leaf.regressors)]
        out = self.mean + (columns - self.centre) @ slopes
        self.leaf.line = (self.mean, self.centre, slopes, out.min(axis=0), out.max(axis=0))
        return np.asarray(out)


def fit_leaf(leaf: Node, u: Array, g: Array, setting: Setting) -> Fitted:
    gr = g[leaf.rows]
    mean = -gr.sum(axis=0) / (len(gr) + setting.l2)
    columns = u[np.ix_(leaf.rows, leaf.regressors)]
    centre = columns.mean(axis=0)
    none = np.zeros(g.shape[1])
    if not leaf.regressors:
        return Fitted(leaf, mean, centre, np.zeros((0, g.shape[1])), none, none)
    x = columns - centre
    slopes = solve(columns, gr, np.full(x.shape[1], setting.l2))
    inverse = np.linalg.inv(x.T @ x + setting.l2 * np.eye(x.shape[1]))
    leverage = np.einsum("ij,jk,ik->i", x, inverse, x)[:, None]
    said = x @ slopes
    rest = (-gr - mean - said) / np.maximum(0.01, 1 - leverage)
    left_out = said - leverage * rest
    agreement = ((-gr - mean) * left_out).sum(axis=0)
    return Fitted(leaf, mean, centre, slopes, agreement, (left_out**2).sum(axis=0))


def believed_parts(fitted: list[Fitted], slope_shrinkage: float) -> Array:
    """Return what the leaves keep of their slopes: [leaf, output], by the rule of ADR 18."""
    agreement = np.array([leaf.agreement for leaf in fitted])
    size = np.array([leaf.size for leaf in fitted])
    mean_size = np.where(size.mean(axis=0) > 0, size.mean(axis=0), 1.0)
    of_tree = np.clip(agreement.mean(axis=0) / mean_size, 0.05, 1.0)
    confirmed = (agreement + agreement.mean(axis=0)) / (size + mean_size)
    parts = 1 - slope_shrinkage / of_tree * (1 - np.minimum(confirmed, 1.0))
    return np.asarray(np.maximum(parts, 0.0))
