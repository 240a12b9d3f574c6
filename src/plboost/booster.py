"""A trained model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from plboost import _core
from plboost.atomic_file import read_regular_file, write_atomically
from plboost.errors import ModelFileError
from plboost.ingest import Categories, Category, round_count
from plboost.model_file import PREAMBLE, Model, check_preamble, decode, encode
from plboost.threads import resolve_threads
from plboost.tree import Tree, read_tree
from plboost.tree_frame import frame_of_nodes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Booster"]

FloatArray = npt.NDArray[np.float64]


class Booster:
    """A trained model: predicts, explains itself, and goes to a file and back unchanged.

    Made by :func:`plboost.train`, by an estimator (``booster_``), or by :meth:`load`.

    Parameters
    ----------
    forest : plboost._core.Forest
        The trees.
    feature_names : sequence of str, optional
        A name for each feature.
    categories : Categories, optional
        The values of the categorical features.
    history : mapping, optional
        ``{set: {metric: [value of each round]}}``.
    best_round : int, optional
        How many of the rounds to predict with unless told otherwise; None for all.
    parameters : mapping, optional
        The training parameters, for the record.
    created_by : str
        The program that trained the model, for the record.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> booster = train({"n_estimators": 20}, Dataset(X, X[:, 0] * X[:, 1]))
    >>> booster
    Booster(loss='squared_error', n_trees=20, n_features=2)
    >>> booster.predict(X[:2]).shape
    (2,)
    """

    def __init__(
        self,
        forest: _core.Forest,
        *,
        feature_names: Sequence[str] | None = None,
        categories: Categories | None = None,
        history: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
        best_round: int | None = None,
        parameters: Mapping[str, Any] | None = None,
        created_by: str = "",
    ) -> None:
        self._forest = forest
        self._given_names = None if feature_names is None else list(feature_names)
        self._categories = Categories() if categories is None else categories
        self._arrays_cache: dict[str, npt.NDArray[Any]] | None = None
        self.history = {
            name: {metric: list(values) for metric, values in metrics.items()}
            for name, metrics in (history or {}).items()
        }
        self.best_round = best_round
        self.parameters = dict(parameters or {})
        self.created_by = created_by

    @property
    def loss(self) -> str:
        """Name of the loss."""
        return str(self._forest.loss)

    @property
    def n_trees(self) -> int:
        """Number of trees: one for each round and output."""
        return int(self._forest.n_trees)

    @property
    def n_outputs(self) -> int:
        """Number of outputs; tree i belongs to output ``i % n_outputs``."""
        return int(self._forest.n_outputs)

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return self.n_trees // self.n_outputs

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self._forest.n_features) - self._categories.n_means

    @property
    def base_score(self) -> float | FloatArray:
        """The score before the first tree: a number, or an array of one for each output."""
        scores = self._forest.base_score
        return float(scores[0]) if self.n_outputs == 1 else scores

    @property
    def feature_names(self) -> list[str]:
        """Names of the features: those of the training data, or x0, x1, and so on."""
        if self._given_names is None:
            return [f"x{i}" for i in range(self.n_features)]
        return list(self._given_names)

    @property
    def categories(self) -> dict[str, list[Category]]:
        """The categories that the model knows, by feature; all others are missing values."""
        return self._categories.by_name(self.feature_names)

    def predict(
        self,
        X: object,
        *,
        raw_score: bool = False,
        n_rounds: int | Literal["all"] | None = None,
        n_jobs: int | None = None,
    ) -> FloatArray:
        """Predict one number for each row, or one for each output.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            The features, in the order of the training data. The columns of a frame are compared
            with the names of the training data, if there were any.
        raw_score : bool, default=False
            True for the score before the link: the log-odds for ``loss="log_loss"``.
        n_rounds : int or "all", optional
            Use only the trees of the first rounds. By default those up to ``best_round``, which
            early stopping sets, or all if there is none; "all" for all in any case.
        n_jobs : int, optional
            Number of threads; None and -1 mean all available.

        Returns
        -------
        ndarray of float64, shape (n_rows,) or, for several outputs, (n_rows, n_outputs)
            Predictions: values for ``squared_error``; for ``log_loss`` probabilities of class 1, or
            of every class if there are more than two.
        """
        threads, last = resolve_threads(n_jobs), self._n_trees_of(n_rounds)
        matrix = self._matrix(X)
        scores = self._forest.predict(matrix, n_threads=threads, first_tree=0, last_tree=last)
        return scores if raw_score else _core.apply_link(self.loss, scores)

    def staged_predict(
        self, X: object, *, raw_score: bool = False, n_jobs: int | None = None
    ) -> Iterator[FloatArray]:
        """Predict after each round, at the cost of one prediction in all.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            The features.
        raw_score : bool, default=False
            True for the scores before the link.
        n_jobs : int, optional
            Number of threads; None and -1 mean all available.

        Yields
        ------
        ndarray of float64, shape (n_rows,) or (n_rows, n_outputs)
            What ``predict(X, n_rounds=k)`` returns, for k = 1, 2, ...
        """
        matrix = self._matrix(X)
        threads = resolve_threads(n_jobs)
        # Without its base score the forest returns the outputs of a single round exactly, so that
        # adding them up repeats the additions of predict() bit for bit.
        n = self.n_outputs
        arrays = {**self._arrays, "base_score": np.zeros(n)}
        trees = _core.Forest.from_arrays(self.loss, arrays)
        scores = self._forest.predict(matrix, n_threads=threads, first_tree=0, last_tree=0)
        for i in range(0, self.n_trees, n):
            scores += trees.predict(matrix, n_threads=threads, first_tree=i, last_tree=i + n)
            yield scores.copy() if raw_score else _core.apply_link(self.loss, scores)

    def feature_importance(self, kind: Literal["gain", "split"] = "gain") -> FloatArray:
        """Measure how much each feature is used, in the rounds that predict by default.

        Parameters
        ----------
        kind : {"gain", "split"}
            The sum of the gains of a feature's splits, or their number.

        Returns
        -------
        ndarray of float64, shape (n_features,)
            One number for each feature, not normalised.
        """
        if kind not in ("gain", "split"):
            raise ValueError(
                f"kind must be 'gain' or 'split', got {kind!r}. "
                "Use 'gain' for how much a feature lowered the loss."
            )
        by_column = self._forest.first(self._n_trees_of(None)).importance(kind)
        return self._categories.by_feature(by_column)

    def feature_ranges(self) -> dict[str, tuple[float, float]]:
        """Return the smallest and the largest finite training value of each feature.

        Returns
        -------
        dict of str to (float, float)
            (0, 0) for a feature without finite values.
        """
        low, high = self._arrays["feature_min"].tolist(), self._arrays["feature_max"].tolist()
        return dict(zip(self.feature_names, zip(low, high, strict=True), strict=False))

    def tree(self, index: int) -> Tree:
        """Return one tree with splits and leaf lines in the user's units.

        Parameters
        ----------
        index : int
            Number of the tree, from 0; negative numbers count from the end.

        Returns
        -------
        Tree
            ``print(tree)`` shows all of it.
        """
        if not -self.n_trees <= index < self.n_trees:
            raise IndexError(
                f"index must be between {-self.n_trees} and {self.n_trees - 1}, got {index}: "
                f"the model has {self.n_trees} trees."
            )
        names = self._categories.column_names(self.feature_names)
        return read_tree(index % self.n_trees, self._arrays, names, self.categories)

    def dump(self) -> dict[str, Any]:
        """Return the whole model as plain lists, dicts, strings and numbers.

        Returns
        -------
        dict
            The trees in the user's units; None stands for an infinite threshold or limit. To store
            a model use :meth:`save`, which keeps every bit.
        """
        return {
            "loss": self.loss,
            "n_outputs": self.n_outputs,
            "base_score": np.asarray(self.base_score).tolist(),
            "feature_names": self.feature_names,
            "parameters": dict(self.parameters),
            "trees": [self.tree(i).to_dict() for i in range(self.n_trees)],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with one row for each node.

        Returns
        -------
        pandas.DataFrame
            Columns: tree, node, depth, kind, feature, threshold, categories, missing, left, right,
            gain, weight, leaf, intercept, slopes, low, high. What a node does not have is missing.

        Raises
        ------
        MissingDependencyError
            When pandas is not installed.
        """
        return frame_of_nodes(self.tree(i) for i in range(self.n_trees))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, as a whole or not at all.

        Parameters
        ----------
        path : path-like
            Where to write; an existing file is replaced. The format is open, see
            docs/model-format.md.

        Examples
        --------
        >>> import os, tempfile
        >>> import numpy as np
        >>> from plboost import Booster, Dataset, train
        >>> X = np.arange(100.0).reshape(-1, 1)
        >>> booster = train({"n_estimators": 5}, Dataset(X, X[:, 0] ** 2))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "model.plb")
        ...     booster.save(path)
        ...     loaded = Booster.load(path)
        >>> loaded.to_bytes() == booster.to_bytes()
        True
        """
        write_atomically(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Booster:
        """Read a model from a file written by :meth:`save`.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        Booster
            The same model, bit for bit.

        Raises
        ------
        ModelFileError
            When the file is damaged, hostile, or of a newer version.
        OSError
            When the file cannot be read.
        """
        data = read_regular_file(path, first_bytes=PREAMBLE.size, check=check_preamble)
        return cls.from_bytes(data)

    def to_bytes(self) -> bytes:
        """Return the content of a model file; the same model always gives the same bytes."""
        return encode(
            Model(
                loss=self.loss,
                forest=self._forest.to_arrays(),
                feature_names=self._given_names,
                categories=self._categories,
                history=self.history,
                best_round=self.best_round,
                parameters=self.parameters,
                created_by=self.created_by,
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Booster:
        """Read a model from the content of a model file.

        Parameters
        ----------
        data : bytes-like
            What :meth:`to_bytes` returned.

        Returns
        -------
        Booster
            The same model, bit for bit.

        Raises
        ------
        ModelFileError
            When the data are damaged, hostile, or of a newer version.
        """
        model = decode(data)
        try:
            forest = _core.Forest.from_arrays(model.loss, model.forest)
        except ValueError as error:
            raise ModelFileError(f"the trees of the model file are not valid: {error}") from error
        return cls(
            forest,
            feature_names=model.feature_names,
            categories=model.categories,
            history=model.history,
            best_round=model.best_round,
            parameters=model.parameters,
            created_by=model.created_by,
        )

    def __reduce__(self) -> tuple[Callable[[bytes], Booster], tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"Booster(loss={self.loss!r}, n_trees={self.n_trees}, n_features={self.n_features})"

    @property
    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        if self._arrays_cache is None:
            self._arrays_cache = self._forest.to_arrays()
        return self._arrays_cache

    def _matrix(self, X: object) -> npt.NDArray[Any]:
        return self._categories.matrix(
            X, n_features=self.n_features, feature_names=self._given_names
        )

    def _n_trees_of(self, n_rounds: object) -> int:
        rounds = round_count(n_rounds, total=self.n_rounds, best=self.best_round)
        return rounds * self.n_outputs
