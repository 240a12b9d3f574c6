"""What the estimators have in common."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from plboost.callbacks import Callback, EarlyStopping
from plboost.dataset import Dataset, seed_of
from plboost.ingest import categorical_columns
from plboost.ingest.features import (
    CHECK_OPTIONS,
    column_names,
    feature_matrix,
    reject_text_columns,
)
from plboost.ingest.tables import whole_table
from plboost.parameters import PARAMETERS, check_training_parameters
from plboost.run import check_callbacks
from plboost.sklearn.training_data import TrainingData
from plboost.threads import resolve_threads
from plboost.training import open_run

if TYPE_CHECKING:
    from plboost.booster import Booster
    from plboost.snapshot import Snapshot

__all__ = ["PLBoostBase", "whole_or_not_at_all", "with_shared_parameters"]

Fit = TypeVar("Fit", bound=Callable[..., Any])


class PLBoostBase(BaseEstimator):  # type: ignore[misc]
    """Parameters, validation and training of all estimators."""

    # Of an estimator without such a parameter.
    _loss: ClassVar[str] = "squared_error"

    category_means: str | None
    max_bins: int
    n_jobs: int | None
    random_state: int | np.random.RandomState | None
    verbose: int

    booster_: Booster
    n_iter_: int
    best_iteration_: int
    evals_result_: dict[str, dict[str, list[float]]]
    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]
    _seed: int
    _snapshot: Snapshot | None
    is_categorical_: npt.NDArray[np.bool_] | None

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        learning_rate: float | None = None,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        max_bins: int = 255,
        min_samples_leaf: float = 20,
        min_hessian: float = 1e-3,
        min_gain: float = 0.0,
        categorical_features: object = "from_dtype",
        min_samples_category: float = 10.0,
        category_smoothing: float = 10.0,
        category_means: str | None = None,
        l2: float = 0.1,
        l2_slopes: float | None = None,
        max_regressors: int = 5,
        fitting: str = "half_additive",
        regressors: str = "path",
        repeated: str = "redundant",
        penalty: str = "centred",
        refit_leaves: bool = True,
        slope_shrinkage: float = 0.1,
        mean_shrinkage: float = 3.0,
        extrapolation: str = "clamp",
        split_sample: float | None = 0.6,
        split_sample_rows: int | None = 8192,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        validation_split: str = "random",
        n_iter_no_change: int = 10,
        tol: float = 0.0,
        warm_start: bool = False,
        subsample: float | None = None,
        subsample_method: str = "uniform",
        top_rate: float | None = None,
        colsample_bytree: float = 1.0,
        colsample_bylevel: float = 1.0,
        colsample_bynode: float = 1.0,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        split_features: Any = None,
        regressor_features: Any = None,
        nonnegative_slopes: Any = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        for name, value in list(locals().items()):
            if name != "self":
                setattr(self, name, value)

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """The share of each feature in the gain of all splits; all 0 if there is no split."""
        check_is_fitted(self)
        gains = self.booster_.feature_importance("gain")
        total = gains.sum()
        return gains / total if total > 0 else gains

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that missing values are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _training_features(self, X: object) -> Any:
        """Check the parameters, then the features, and remember the names of the features.

        A table with categories is returned as it is: the data set gives them their codes.
        """
        X = whole_table(X)
        check_training_parameters(self._training_parameters())
        own = self.get_params(deep=False)
        for name, parameter in PARAMETERS.items():
            if parameter.belongs_to in ("dataset", "estimator") and name in own:
                parameter.check(own[name])
        resolve_threads(self.n_jobs)
        columns = categorical_columns(X, self.categorical_features, column_names(X))
        self.is_categorical_ = None
        if columns:
            matrix: Any = validate_data(self, X, reset=True, skip_check_array=True)
            self.is_categorical_ = np.isin(np.arange(self.n_features_in_), columns)
        else:
            reject_text_columns(X)
            matrix = validate_data(self, X, reset=True, **CHECK_OPTIONS)
        hidden = _hidden_names(X)
        if hidden is not None:
            self.feature_names_in_ = np.array(hidden, dtype=object)
        return matrix

    def _features(self, X: object) -> Any:
        """Check features for a fitted model."""
        check_is_fitted(self)
        return self._known_features(X)

    def _known_features(self, X: object) -> Any:
        X = whole_table(X)
        if self.is_categorical_ is not None:
            return validate_data(self, X, reset=False, skip_check_array=True)
        if hasattr(self, "feature_names_in_") and _hidden_names(X) is not None:
            names = self.feature_names_in_.tolist()
            return feature_matrix(X, n_features=self.n_features_in_, feature_names=names)
        reject_text_columns(X)
        matrix: npt.NDArray[Any] = validate_data(self, X, reset=False, **CHECK_OPTIONS)
        return matrix

    def _train(
        self,
        X: object,
        y: object,
        sample_weight: object,
        eval_sets: dict[str, tuple[Any, ...]],
        *,
        eval_metric: object,
        init_score: object,
        callbacks: Sequence[Callback] | None = None,
        init_model: object = None,
        query_sizes: npt.NDArray[np.int64] | None = None,
    ) -> None:
        called = check_callbacks(callbacks)
        is_warm = self._is_warm(init_model)
        seed = self._seed if is_warm else seed_of(self.random_state)
        data = TrainingData.of(X, y, sample_weight, init_score, query_sizes)
        if self.early_stopping:
            called = [EarlyStopping(self.n_iter_no_change, tol=self.tol), *called]
            if not eval_sets:
                data, eval_sets = self._validated(data, seed)
        params = self._training_parameters()
        dataset = self._dataset(data, seed, init_model)
        snapshot = self._snapshot if is_warm else None
        chosen_rate = None
        if is_warm and (snapshot is None or snapshot.fingerprint["data"] != dataset.fingerprint()):
            # Other data: the model goes on, but not from the scores that it was trained to.
            snapshot = None
            dataset = self._dataset(data, seed, self.booster_)
            chosen_rate = self.booster_.parameters["learning_rate"]
            params["n_estimators"] -= self.best_iteration_
            if params["n_estimators"] == 0:
                return
        with open_run(
            params,
            dataset,
            eval_sets=eval_sets,
            eval_metric=eval_metric,
            callbacks=called,
            n_jobs=self.n_jobs,
            chosen_rate=chosen_rate,
        ) as run:
            if snapshot is not None:
                run.resume(snapshot)
            run.execute(verbose=self.verbose)
            self.booster_ = run.booster()
            self._snapshot = run.snapshot() if self.warm_start else None
        self._seed = seed
        self.n_iter_ = self.booster_.n_rounds
        self.best_iteration_ = self.booster_.best_round or self.n_iter_
        self.evals_result_ = self.booster_.history

    def _validated(
        self, data: TrainingData, seed: int
    ) -> tuple[TrainingData, dict[str, tuple[Any, ...]]]:
        """Hold rows back for early stopping."""
        rest, valid = data.split(
            fraction=self.validation_fraction,
            how=self.validation_split,
            seed=seed,
            has_classes=hasattr(self, "classes_"),
        )
        return rest, {"validation": valid.parts()}

    def _dataset(self, data: TrainingData, seed: int, init_model: object) -> Dataset:
        names = getattr(self, "feature_names_in_", None)
        return Dataset(
            data.X,
            data.y,
            sample_weight=data.weight,
            init_score=data.init_score,
            group=data.query_sizes,
            init_model=init_model,
            max_bins=self.max_bins,
            random_state=seed,
            feature_names=None if names is None else [str(name) for name in names],
            categorical_features=self.is_categorical_,
            category_means=self.category_means,
            n_jobs=self.n_jobs,
        )

    def _is_warm(self, init_model: object) -> bool:
        """Tell whether this fit goes on with the model of an earlier one."""
        if not self.warm_start or not hasattr(self, "booster_"):
            return False
        if init_model is not None:
            raise ValueError(
                "warm_start=True continues the fitted model, and init_model another one. Leave "
                "init_model out, or set warm_start=False."
            )
        if self.n_estimators < self.n_iter_:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least n_iter_={self.n_iter_} with "
                "warm_start=True, which adds rounds to the fitted model. Raise n_estimators, or "
                "set warm_start=False to train anew."
            )
        return True

    def _training_parameters(self) -> dict[str, Any]:
        own = self.get_params(deep=False)
        params = {
            name: own[name]
            for name, parameter in PARAMETERS.items()
            if parameter.belongs_to == "training" and name in own
        }
        return {"loss": self._loss, **params}

    def _scores(self, X: object) -> npt.NDArray[np.float64]:
        matrix = self._features(X)
        return self.booster_.predict(matrix, raw_score=True, n_jobs=self.n_jobs)

    def _evaluation_parts(self, eval_set: object) -> dict[str, tuple[Any, ...]]:
        """Give the sets of ``eval_set`` names and check their features."""
        sets: dict[str, tuple[Any, ...]] = {}
        for index, parts in enumerate(_list_of_sets(eval_set)):
            try:
                features = self._known_features(parts[0])
            except ValueError as error:
                raise ValueError(f"eval_set[{index}]: {error}") from error
            sets[f"eval_{index}"] = (features, *parts[1:])
        return sets


def whole_or_not_at_all(fit: Fit) -> Fit:
    """Let a ``fit`` that fails, or is interrupted, leave the estimator as it was.

    Parameters
    ----------
    fit : callable
        The method.

    Returns
    -------
    callable
        The same, but for that.
    """

    @functools.wraps(fit)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Fit, method)


def with_shared_parameters(init: Callable[..., None]) -> Callable[..., None]:
    """Let the signature of an estimator's ``__init__(self, *, own, **shared)`` show all parameters.

    Parameters
    ----------
    init : callable
        It passes `shared` on to :class:`PLBoostBase`.

    Returns
    -------
    callable
        The same, for readers, editors and scikit-learn, which reads parameters from there.
    """
    signature = inspect.signature(init)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    shared = list(inspect.signature(PLBoostBase.__init__).parameters.values())[1:]
    init.__signature__ = signature.replace(parameters=[*own, *shared])  # type: ignore[attr-defined]
    return init


def _hidden_names(X: object) -> list[str] | None:
    """Return the names of a frame that scikit-learn does not see.

    Version 1.7, the last for Python 3.10, does not see the names of a frame of polars 2.
    """
    if isinstance(X, np.ndarray):
        return None
    names = column_names(X)
    if names is None:
        return None
    probe = BaseEstimator()
    validate_data(probe, X, skip_check_array=True)
    return None if hasattr(probe, "feature_names_in_") else names


def _list_of_sets(eval_set: object) -> list[Sequence[Any]]:
    if eval_set is None:
        return []
    if not isinstance(eval_set, (tuple, list)):
        raise TypeError(
            f"eval_set must be a tuple (X, y) or a list of such tuples, got "
            f"{type(eval_set).__name__}. Pass eval_set=(X_valid, y_valid)."
        )
    # ((X, y), (X, y)) is a tuple of sets, (X, y) a set.
    is_one = isinstance(eval_set, tuple) and not all(isinstance(p, tuple) for p in eval_set)
    sets: list[Any] = [eval_set] if is_one else list(eval_set)
    for index, parts in enumerate(sets):
        if not isinstance(parts, (tuple, list)) or len(parts) not in (2, 3, 4):
            size = f" of length {len(parts)}" if isinstance(parts, (tuple, list)) else ""
            raise ValueError(
                f"eval_set[{index}] must be (X, y) or (X, y, sample_weight) or (X, y, "
                f"sample_weight, init_score), got {type(parts).__name__}{size}. "
                "Pass eval_set=[(X_valid, y_valid)]."
            )
    return sets
