"""The cases: each plants one kind of trouble in a training and a test part, or sets a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

__all__ = ["CASES", "Case", "Part"]

REGRESSION = ("synthetic", "california", "casp", "energy")
CLASSES = ("synthetic-2", "higgs", "covtype-2")
SETS = (*REGRESSION, "higgs")

Array = npt.NDArray[np.float64]


@dataclass
class Part:
    """Training and test part of a set, which a case changes in place."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array
    loss: str
    weight: Array | None = None
    test_weight: Array | None = None
    params: dict[str, Any] = field(default_factory=dict)

    def change_features(self, change: Callable[[Array], Array]) -> None:
        """Replace the features of both parts by a function of theirs."""
        both = change(np.vstack([self.X, self.X_test]))
        self.X, self.X_test = both[: len(self.X)], both[len(self.X) :]

    def change_targets(self, change: Callable[[Array], Array]) -> None:
        """Replace the targets of both parts."""
        self.y, self.y_test = change(self.y), change(self.y_test)

    def strongest(self) -> int:
        """Return the column whose ranks follow the target most."""
        moments = (ranks(self.X) - 0.5).T @ (self.y - self.y.mean())
        return int(np.argmax(np.abs(moments) * (np.std(self.X, axis=0) > 0)))


Plant = Callable[[Part, np.random.Generator], None]


@dataclass(frozen=True)
class Case:
    name: str
    plant: Plant
    sets: tuple[str, ...] = SETS
    n_rows: int = 2000


CASES: list[Case] = []


def case(
    name: str, sets: tuple[str, ...] = SETS, n_rows: int = Case.n_rows
) -> Callable[[Plant], Plant]:
    """Add a function to the cases."""

    def add(plant: Plant) -> Plant:
        CASES.append(Case(name, plant, sets, n_rows))
        return plant

    return add


def setting(
    name: str, sets: tuple[str, ...] = SETS, n_rows: int = Case.n_rows, **params: Any
) -> None:
    """Add a case of certain parameters, or of few rows, that leaves the data as they are."""
    CASES.append(Case(name, lambda part, rng: part.params.update(params), sets, n_rows))


def standardised(X: Array) -> Array:
    spread = np.std(X, axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def ranks(X: Array) -> Array:
    """Return where in its column a value stands, between 0 and 1; equals stay equal."""
    return np.column_stack([(np.searchsorted(np.sort(c), c) + 0.5) / len(c) for c in X.T])


def heavy_noise(rng: np.random.Generator, y: Array) -> Array:
    """Noise of Student's t with 2 degrees of freedom: its variance is infinite."""
    return np.std(y) * rng.standard_t(2, size=len(y))


setting("as it is", (*SETS, "kin40k", "superconductor", "synthetic-2", "covtype-2"))
setting("min_samples_leaf=1", (*SETS, "superconductor"), min_samples_leaf=1)
setting("min_samples_leaf=1, l2=0", min_samples_leaf=1, l2=0.0)
setting("max_leaves=255, min_samples_leaf=2", max_leaves=255, min_samples_leaf=2)
setting("learning_rate=0.5", learning_rate=0.5)
setting("30 rows", n_rows=30)
setting("30 rows, min_samples_leaf=1", n_rows=30, min_samples_leaf=1)
setting("100 rows", n_rows=100)
setting("100 rows, min_samples_leaf=1", n_rows=100, min_samples_leaf=1)
setting("300 rows", (*SETS, "synthetic-2"), n_rows=300)


@case("t(2) noise in y", REGRESSION)
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_targets(lambda y: y + heavy_noise(rng, y))


@case("t(2) noise in y of the training rows", REGRESSION)
def _(part: Part, rng: np.random.Generator) -> None:
    part.y = part.y + heavy_noise(rng, part.y)


@case("t(2) noise in y of the training rows, min_samples_leaf=1", REGRESSION)
def _(part: Part, rng: np.random.Generator) -> None:
    part.y = part.y + heavy_noise(rng, part.y)
    part.params["min_samples_leaf"] = 1


@case("features of a t(2) distribution")
def _(part: Part, rng: np.random.Generator) -> None:
    def stretch(X: Array) -> Array:
        p = ranks(X)
        return np.asarray((2 * p - 1) / np.sqrt(2 * p * (1 - p)))

    part.change_features(stretch)


@case("features plus t(2) noise")
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(lambda X: standardised(X) + rng.standard_t(2, size=X.shape))


@case("features that grow exponentially")
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(lambda X: np.exp(5 * ndtri(ranks(X))))


@case("one cell of 1e30 in the training rows")
def _(part: Part, rng: np.random.Generator) -> None:
    part.X[rng.integers(len(part.X)), part.strongest()] = 1e30


@case("one cell of 1e30 in the training and in the test rows")
def _(part: Part, rng: np.random.Generator) -> None:
    j = part.strongest()
    for X in (part.X, part.X_test):
        X[rng.integers(len(X)), j] = 1e30


@case("one cell of 1e30 in every training column")
def _(part: Part, rng: np.random.Generator) -> None:
    for column in part.X.T:
        column[rng.integers(len(column))] = 1e30


@case("cells of 1e30 in 1 % of the test rows")
def _(part: Part, rng: np.random.Generator) -> None:
    part.X_test[rng.random(len(part.X_test)) < 0.01, part.strongest()] = 1e30


@case("infinite cells, 1 % of all")
def _(part: Part, rng: np.random.Generator) -> None:
    for X in (part.X, part.X_test):
        X[rng.random(X.shape) < 0.01] = np.inf


@case("missing cells, half of all")
def _(part: Part, rng: np.random.Generator) -> None:
    for X in (part.X, part.X_test):
        X[rng.random(X.shape) < 0.5] = np.nan


@case("outliers of 100 sd, 2 % of all cells")
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(standardised)
    for X in (part.X, part.X_test):
        X += 100 * rng.normal(size=X.shape) * (rng.random(X.shape) < 0.02)


@case("outliers of 100 sd, 2 % of the training cells")
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(standardised)
    part.X += 100 * rng.normal(size=part.X.shape) * (rng.random(part.X.shape) < 0.02)


@case("test cells times 1000, 10 % of all")
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(standardised)
    part.X_test[rng.random(part.X_test.shape) < 0.1] *= 1000


@case("test rows beyond the training range")
def _(part: Part, rng: np.random.Generator) -> None:
    j = part.strongest()
    limit = np.quantile(part.X[:, j], 0.8)
    inside, outside = part.X[:, j] <= limit, part.X_test[:, j] > limit
    part.X, part.y = part.X[inside], part.y[inside]
    part.X_test, part.y_test = part.X_test[outside], part.y_test[outside]


@case("duplicated columns")
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(lambda X: np.hstack([X, X, X]))


@case("collinear columns")
def _(part: Part, rng: np.random.Generator) -> None:
    def add_sums(X: Array) -> Array:
        X = standardised(X)
        sums = X @ rng.normal(size=(X.shape[1], X.shape[1]))
        return np.hstack([X, sums + 1e-6 * rng.normal(size=sums.shape)])

    part.change_features(add_sums)


@case("more features than rows", n_rows=100)
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(lambda X: np.hstack([X, rng.normal(size=(len(X), 120))]))


@case("more features than rows, min_samples_leaf=1", n_rows=100)
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(lambda X: np.hstack([X, rng.normal(size=(len(X), 120))]))
    part.params["min_samples_leaf"] = 1


@case("binary features only")
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(lambda X: (np.median(X, axis=0) < X).astype(float))


@case("200 rare binary features", ("synthetic", "california", "higgs"))
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(lambda X: np.hstack([X, rng.random((len(X), 200)) < 0.01]))


@case("features as dates in seconds")
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(lambda X: 1.7e9 + 3600 * standardised(X))


@case("constant target", REGRESSION)
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_targets(lambda y: np.full(len(y), 0.1))


@case("target of scale 1e-12", REGRESSION)
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_targets(lambda y: y * 1e-12)


@case("target of scale 1e12", REGRESSION)
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_targets(lambda y: y * 1e12)


@case("target of noise alone", (*SETS, "synthetic-2"))
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_targets(rng.permutation)


@case("noise of 3 sd in y of the training rows", REGRESSION)
def _(part: Part, rng: np.random.Generator) -> None:
    part.y = part.y + 3 * np.std(part.y) * rng.normal(size=len(part.y))


@case("target of four values", REGRESSION)
def _(part: Part, rng: np.random.Generator) -> None:
    edges = np.quantile(part.y, [0.5, 0.8, 0.95])
    part.change_targets(lambda y: np.searchsorted(edges, y).astype(float))


@case("target of steps", REGRESSION)
def _(part: Part, rng: np.random.Generator) -> None:
    columns = np.flatnonzero(np.std(part.X, axis=0) > 0)[:6]
    cuts = np.quantile(part.X[:, columns], 0.6, axis=0)
    heights = 2.0 ** -np.arange(len(columns))
    part.y, part.y_test = (
        (X[:, columns] > cuts) @ heights + 0.1 * rng.normal(size=len(X))
        for X in (part.X, part.X_test)
    )


@case("weights over six magnitudes")
def _(part: Part, rng: np.random.Generator) -> None:
    weight = 10 ** rng.uniform(-3, 3, size=len(part.y))
    part.weight = weight / weight.mean()


@case("a fifth of the training rows in the wrong class", CLASSES)
def _(part: Part, rng: np.random.Generator) -> None:
    part.y = np.where(rng.random(len(part.y)) < 0.2, 1 - part.y, part.y)


@case("0.1 % positives", CLASSES, n_rows=20_000)
def _(part: Part, rng: np.random.Generator) -> None:
    positive, negative = np.flatnonzero(part.y == 1), np.flatnonzero(part.y == 0)
    n_kept = round(0.001 * len(negative))
    rows = rng.permutation(np.r_[positive[:n_kept], negative])
    part.X, part.y = part.X[rows], part.y[rows]
    # The test rows keep their positives at a small weight: a few would say little.
    odds = np.mean(part.y_test == 1) / np.mean(part.y_test == 0)
    part.test_weight = np.where(part.y_test == 1, 0.001 / odds, 1.0)


@case("classes that a plane separates", ("synthetic-2", "higgs"))
def _(part: Part, rng: np.random.Generator) -> None:
    part.change_features(standardised)
    normal = rng.normal(size=part.X.shape[1])
    part.y, part.y_test = ((X @ normal > 0).astype(float) for X in (part.X, part.X_test))


@case("classes that one feature separates", ("synthetic-2", "higgs"))
def _(part: Part, rng: np.random.Generator) -> None:
    limit = np.quantile(part.X[:, 0], 0.3)
    part.y, part.y_test = ((X[:, 0] > limit).astype(float) for X in (part.X, part.X_test))
