"""The training data: binned once, used for any number of trainings."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from plboost import _core
from plboost.booster import Booster
from plboost.ingest import (
    Categories,
    Category,
    categorical_columns,
    column_names,
    learn_categories,
    learn_means,
    means_of_training_rows,
    query_sizes,
    score_array,
    target_array,
    weight_vector,
)
from plboost.ingest.tables import n_columns
from plboost.init_model import model_to_continue
from plboost.parameters import check_parameter
from plboost.threads import resolve_threads

__all__ = ["Dataset", "seed_of"]

_SEEDS = 2**32

# Beyond the categories that have bins, so many have means. More would fill the model file with
# categories of hardly any rows.
_OTHER_CATEGORIES = 2**16


class Dataset:
    """Training data, binned once so that many models can be trained on it.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_features)
        Numbers and categories; NaN and None mean missing, infinities count as very large or very
        small values. float32 and float64 arrays of any memory order are read in place, without a
        copy.
    y : array-like of shape (n_rows,) or (n_rows, n_columns)
        Targets: finite numbers, or the classes 0, 1, ... for ``loss="log_loss"``. Several columns
        give a model with several outputs.
    sample_weight : array-like of shape (n_rows,) or number, optional
        Weight 2 means a row twice, weight 0 a row left out.
    init_score : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
        Scores, before the link, at which training starts in place of a constant. They are not part
        of the model: it predicts what its trees add to them.
    group : array-like of int, optional
        For a loss that ranks: the number of rows of each query, whose rows follow one another.
    qid : array-like of shape (n_rows,), optional
        The same as one id for each row; rows of a query follow one another. Give one of the two.
    init_model : Booster, fitted estimator or path-like, optional
        A model to continue: its trees come first in the models trained on this data set, scores
        start from its predictions (added to `init_score`, if that is given), and features keep its
        units.
    max_bins : int, default=255
        The largest number of bins of a feature, between 2 and 255.
    random_state : int, RandomState or None, default=0
        Seed of the order of the rows and of the samples on which splits are searched.
    feature_names : sequence of str, optional
        Names of the columns. By default those of the frame, if X is one.
    categorical_features : "from_dtype", None, or array-like of bool, int or str
        The columns that hold categories: those of a categorical type ("from_dtype", the default),
        none, or those given by a mask, by position or by name.
    category_means : {"target", "classes"} or None, default=None
        Adds the mean target of every category as a number, which may be cut and be a line of a
        leaf: "target" the mean of every column of y, "classes" the share of every class. A training
        row has the mean of earlier rows in a random order, never its own target.
    n_jobs : int, optional
        Number of threads; None and -1 mean all available.

    Attributes
    ----------
    n_rows : int
        Number of rows of positive weight.
    n_features : int
        Number of columns.
    feature_names : list of str or None
        Names of the columns, if there are any.
    n_queries : int
        Number of queries with rows of positive weight; 0 without `group` and `qid`.
    total_weight : float
        Sum of the weights.
    init_model : Booster or None
        The model that is continued, up to its best round.
    target_shape : tuple of int
        ``()`` for one column of targets, ``(k,)`` for k of them.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> dataset = Dataset(X, X[:, 0] + X[:, 1] ** 2, feature_names=["a", "b"])
    >>> dataset
    Dataset(n_rows=300, n_features=2)
    >>> small, large = (train({"max_leaves": k}, dataset) for k in (4, 16))
    """

    def __init__(
        self,
        X: object,
        y: object,
        *,
        sample_weight: object = None,
        init_score: object = None,
        group: object = None,
        qid: object = None,
        init_model: object = None,
        max_bins: int = 255,
        random_state: int | np.random.RandomState | None = 0,
        feature_names: Sequence[str] | None = None,
        categorical_features: object = "from_dtype",
        category_means: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        bins = check_parameter("max_bins", max_bins)
        means = check_parameter("category_means", category_means)
        self.seed = seed_of(random_state)
        threads = resolve_threads(n_jobs)
        self.feature_names = _names(feature_names, X, n_columns(X))
        columns = categorical_columns(X, categorical_features, self.feature_names)
        self.init_model = None
        self._categories = Categories()
        if init_model is not None:
            self.init_model = model_to_continue(init_model, self.feature_names, columns, means)
            self._categories = self.init_model._categories
        elif columns:
            counted = weight_vector(sample_weight, n_rows=_num_samples(X))
            others = 0 if means is None else _OTHER_CATEGORIES
            self._categories = learn_categories(X, columns, counted, bins, others)
        matrix = self._categories.matrix(X)
        targets = target_array(y, n_rows=len(matrix))
        weights = weight_vector(sample_weight, n_rows=len(matrix))
        scores = score_array(init_score, n_rows=len(matrix))
        sizes = query_sizes(group, qid, n_rows=len(matrix))
        if self.init_model is not None:
            scores = _continued_scores(self.init_model, X, scores, n_jobs)
            if self.feature_names is None:
                self.feature_names = self.init_model._given_names
        if means is not None and columns:
            matrix = self._with_means(matrix, X, targets, weights, means)
        self.total_weight = float(len(matrix) if weights is None else weights.sum())
        self.target_shape: tuple[int, ...] = targets.shape[1:]
        # The core holds columns one after another.
        self._core = _core.Dataset(
            matrix,
            targets.ravel(order="F"),
            weights,
            None if scores is None else scores.ravel(order="F"),
            max_bins=bins,
            seed=self.seed,
            n_threads=threads,
            model=None if self.init_model is None else self.init_model._forest,
            n_categories=self._categories.counts(matrix.shape[1]),
            query_sizes=sizes,
        )

    @property
    def n_rows(self) -> int:
        """Number of rows of positive weight."""
        return int(self._core.n_rows)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self._core.n_features) - self._categories.n_means

    @property
    def n_queries(self) -> int:
        """Number of queries with rows of positive weight."""
        return int(self._core.n_queries)

    def fingerprint(self) -> str:
        """Return a text that tells the content from others; it costs a pass over the data."""
        return f"{self._core.fingerprint():016x}"

    @property
    def categories(self) -> dict[str, list[Category]]:
        """The categories that have bins of their own, by feature, the heaviest first."""
        names = self.feature_names or [f"x{i}" for i in range(self.n_features)]
        return self._categories.by_name(names)

    def _with_means(
        self,
        matrix: npt.NDArray[Any],
        X: object,
        y: npt.NDArray[np.float64],
        weights: npt.NDArray[np.float64] | None,
        kind: str,
    ) -> npt.NDArray[Any]:
        """Return the matrix with the columns of means of the training rows."""
        known, places = self._categories, self._categories.places(X)
        if known.means is not None:
            columns = means_of_training_rows(known.means, places, y, weights, seed=self.seed)
            return np.hstack([matrix[:, : -columns.shape[1]], columns])
        means, columns = learn_means(places, known.sizes, y, weights, kind=kind, seed=self.seed)
        self._categories = dataclasses.replace(known, means=means)
        return np.hstack([matrix, columns])

    def __repr__(self) -> str:
        return f"Dataset(n_rows={self.n_rows}, n_features={self.n_features})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Dataset cannot be pickled or copied: it shares its bins with the core. "
            "Pickle the arrays and build the Dataset again; trained models can be pickled."
        )


def _continued_scores(
    model: Booster,
    X: object,
    init_score: npt.NDArray[np.float64] | None,
    n_jobs: int | None,
) -> npt.NDArray[np.float64]:
    """Return the scores that `model` adds to `init_score`."""
    scores = model.predict(X, raw_score=True, n_jobs=n_jobs)
    if init_score is None:
        return scores
    if init_score.shape != scores.shape:
        raise ValueError(
            f"init_score has the shape {init_score.shape}, but the scores of init_model have "
            f"{scores.shape}. Pass one score for each row and output."
        )
    return scores + init_score


def seed_of(random_state: Any) -> int:
    """Turn ``random_state`` into a seed.

    Parameters
    ----------
    random_state : int, RandomState or None
        An int is the seed itself. From a RandomState, or NumPy's global one for None, a seed
        is drawn.

    Returns
    -------
    int
        Between 0 and 2**32 - 1.

    Examples
    --------
    >>> seed_of(7)
    7
    >>> seed_of(-1)
    Traceback (most recent call last):
    ...
    ValueError: random_state must be between 0 and 4294967295, got -1. ...
    """
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        seed = int(random_state)
        if not 0 <= seed < _SEEDS:
            raise ValueError(
                f"random_state must be between 0 and {_SEEDS - 1}, got {seed}. "
                "Pass another int, or None for a random seed."
            )
        return seed
    if random_state is not None and not isinstance(random_state, np.random.RandomState):
        raise TypeError(
            "random_state must be None, an int or a numpy.random.RandomState, got "
            f"{random_state!r} ({type(random_state).__name__}). Pass an int for the same model "
            "every time."
        )
    return int(check_random_state(random_state).randint(0, 2**31 - 1))


def _names(given: Sequence[str] | None, X: object, n_features: int | None) -> list[str] | None:
    if given is None:
        names = column_names(X)
    elif isinstance(given, str):
        raise TypeError(
            f"feature_names must be a sequence of strings, got the string {given!r}. "
            "Pass a list with one name for each column."
        )
    else:
        names = list(given)
    if names is None:
        return None
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                f"feature_names must be strings, got {name!r} ({type(name).__name__}). "
                "Pass str(name) instead."
            )
    if n_features is not None and len(names) != n_features:
        raise ValueError(
            f"feature_names has {len(names)} names, but X has {n_features} columns. "
            "Pass one name for each column."
        )
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"feature_names must differ from each other, got {twice!r} twice. Rename one of them."
        )
    return [str(name) for name in names]
