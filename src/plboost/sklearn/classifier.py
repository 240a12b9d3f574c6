"""The classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin

from plboost import _core
from plboost.callbacks import Callback
from plboost.ingest import weight_vector
from plboost.sklearn.base import PLBoostBase, whole_or_not_at_all, with_shared_parameters
from plboost.sklearn.class_weights import class_weighted
from plboost.sklearn.labels import check_same_classes, encode_classes, encode_known_labels

__all__ = ["PLBoostClassifier"]


class PLBoostClassifier(ClassifierMixin, PLBoostBase):  # type: ignore[misc]
    """Classification by boosting of piecewise linear trees, for log loss.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of rounds: one tree each for two classes, otherwise one for each class.
    learning_rate : float or None, default=None
        Factor of every tree's output. None chooses it by the number of rows and of rounds: 0.1 for
        few rounds, 0.07 for 500 rounds of 10000 rows or more, less for fewer rows and for rare
        classes. Steps then become shorter where rows that trees do not know of do not confirm
        them, and longer, up to 0.1, where these still confirm them after a few.
    max_leaves : int or None, default=None
        Largest number of leaves of a tree. The leaf with the largest gain is split first. None: 48
        to begin with, then 5 % more or fewer for every tree, from 8 to 48 or, with more than 37 000
        rows, to ``(rows - 20000) / 350`` (at most 1024), as rows that trees do not know of confirm
        their later splits (see `subsample`).
    max_depth : int or None, default=None
        Largest number of splits from the root to a leaf; None for no limit.
    max_bins : int, default=255
        Largest number of bins of a feature, between 2 and 255. Missing values have one more.
    min_samples_leaf : float, default=20
        Smallest sum of row weights of a leaf.
    min_hessian : float, default=1e-3
        Smallest sum of hessians of a leaf.
    min_gain : float, default=0.0
        Smallest gain of a split.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        The columns that hold categories: those of a categorical type ("from_dtype"), none, or those
        given by a mask (bool), by position (int) or by name (str). Their values may be strings,
        booleans or numbers.
    min_samples_category : float, default=10.0
        A category whose rows in a node weigh less is taken as missing there.
    category_smoothing : float, default=10.0
        How many rows of a node's mean are added to each of its categories when they are put in
        order.
    category_means : {"target", "classes"} or None, default=None
        "classes" adds the share of every class (of the second, if there are two) in every category
        as a number that may be cut and be a line of a leaf. A training row has the share among
        earlier rows in a random order, never its own label. "target" is the same for two classes.
    l2 : float, default=0.1
        Ridge penalty on the mean output of a leaf, as in other boosting libraries.
    l2_slopes : float or None, default=None
        Ridge penalty on the slopes of standardised features; None means the value of `l2`.
    max_regressors : int, default=5
        Largest number of features in the linear model of a leaf. 0 gives constant leaves.
    fitting : {"half_additive", "additive", "fully_corrective"}, default="half_additive"
        How split search fits the children: the parent's linear part with a new factor and a slope
        of the split feature; the same with the factor fixed at 1; or all slopes anew.
    regressors : {"path", "all"}, default="path"
        The features a leaf may use: those of the splits above it, or all, which needs
        ``fitting="fully_corrective"`` and leaves `max_regressors` without effect.
    repeated : {"redundant", "refit"}, default="redundant"
        What a split does on a feature that is a regressor already: leave the linear part as
        it is (the paper's rule), or fit its slope again.
    penalty : {"centred", "paper"}, default="centred"
        Where the ridge is centred: at the mean of the leaf, so that shifting a feature changes
        nothing, or at zero, as in the paper.
    refit_leaves : bool, default=True
        Fit all slopes of every leaf of a finished tree again. ``fitting="fully_corrective"`` always
        does.
    slope_shrinkage : float, default=0.1
        How strongly the slopes of a leaf are drawn back towards a constant leaf where rows that are
        left out of their fit do not confirm them: the more, the less they confirm in the whole
        tree and in all trees before it. 0 takes slopes as they are fitted, and so does
        ``penalty="paper"``.
    mean_shrinkage : float, default=3.0
        How strongly the mean output of a leaf is drawn to what the nodes above it say. A split sets
        its children apart by chance, too: so many times what chance would do to a cut that was not
        chosen for it is taken back. That is much where targets are noise, and next to nothing where
        they are not. 0 takes means as they are fitted, and so does ``penalty="paper"``.
    extrapolation : {"clamp", "linear"}, default="clamp"
        Whether a leaf's output stays within its range on the training rows.
    split_sample : float or None, default=0.6
        Part of a node's rows on which its split is searched: a fresh sample for every tree, and
        never fewer than 1024 rows where there are as many. Leaf models are fitted on all rows
        that the tree knows (`subsample`). None searches on all of these.
    split_sample_rows : int or None, default=8192
        Most rows of one node on which its split is searched; None for no limit.
    early_stopping : bool, default=False
        Stop when the first metric of the first `eval_set` has not improved for `n_iter_no_change`
        rounds, and predict with the best round. Without an `eval_set`, rows are held back.
    validation_fraction : float, default=0.1
        Part of the rows that early stopping holds back when there is no `eval_set`, the same of
        each class if they are drawn at random.
    validation_split : {"random", "time"}, default="random"
        Whether these rows are drawn at random, or are the last ones.
    n_iter_no_change : int, default=10
        Number of rounds without an improvement after which early stopping stops.
    tol : float, default=0.0
        How much better than the best so far the metric must be to count as an improvement.
    warm_start : bool, default=False
        True adds rounds to the fitted model, up to `n_estimators`, at the next :meth:`fit`. With
        the same data and a given `learning_rate` this is the model of one training, bit for bit.
    subsample : float or None, default=None
        Part of the rows, drawn anew for every tree, that the tree and its leaf models are fitted
        on. The scores of all rows are updated. None: where `max_leaves` or `learning_rate` is None,
        for rows that a tree does not know judge it, 0.7 up to 2000 rows, more for more rows, 0.9
        from 18 000 on; otherwise, and of less than 100 rows, all.
    subsample_method : {"uniform", "goss"}, default="uniform"
        How these rows are drawn: all alike; or the rows of the largest gradients and a draw of
        the others, each of which then stands for several.
    top_rate : float or None, default=None
        With "goss", the part of the rows that is kept for its gradients; None means two thirds
        of `subsample`.
    colsample_bytree : float, default=1.0
        Part of the features, drawn at random, that a tree may be cut by.
    colsample_bylevel : float, default=1.0
        Of those, the part that a level of the tree may be cut by.
    colsample_bynode : float, default=1.0
        Of those, the part that a node may be cut by.
    monotonic_cst : array-like of -1, 0 and 1, dict, or None, default=None
        1 for features with which predictions never fall, -1 for those with which they never
        rise; by column or as a dict of names.
    interaction_cst : {"pairwise", "no_interactions"}, list of sets, or None, default=None
        Features that may be used together, in cuts and lines, on the way to a leaf. Features in
        no set form one of their own.
    split_features : array-like or None, default=None
        Features that trees may be cut by: names, indices or a mask; None for all.
    regressor_features : array-like or None, default=None
        Features that may be lines of a leaf: names, indices or a mask; None for all. Those that
        are named here and not in `split_features` are lines of every leaf.
    nonnegative_slopes : bool or array-like, default=False
        Features whose slopes are never below 0; True for all.
    class_weight : "balanced", dict, or None, default=None
        Weights of the classes by label, by which those of their rows are multiplied; "balanced"
        makes the rows of all classes weigh the same together.
    scale_pos_weight : float or None, default=None
        Weight of ``classes_[1]``, as in other libraries; not together with `class_weight`.
    n_jobs : int or None, default=None
        Number of threads; None and -1 mean all available. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the order of the rows and of the samples. An int gives the same model bit for bit.
    verbose : int, default=0
        1 shows a progress bar on stderr, n > 1 a line every n rounds.

    Attributes
    ----------
    booster_ : Booster
        The model; it predicts the probability of ``classes_[1]`` or, if there are more than two
        classes, of each.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of rounds.
    best_iteration_ : int
        Number of rounds that predictions use: the best one of early stopping, or all.
    evals_result_ : dict
        ``{"eval_0": {"log_loss": [value of each round]}, ...}``.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the gain of all splits.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string names.
    is_categorical_ : ndarray of shape (n_features_in_,) or None
        Which features hold categories; None if none does.

    See Also
    --------
    PLBoostRegressor : The same for numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import PLBoostClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "different")
    >>> model = PLBoostClassifier(n_estimators=50, random_state=0).fit(X[:800], y[:800])
    >>> model.classes_
    array(['different', 'same'], dtype='<U9')
    >>> model.score(X[800:], y[800:]) > 0.9
    True
    """

    _loss: ClassVar[str] = "log_loss"

    classes_: npt.NDArray[Any]

    @with_shared_parameters
    def __init__(
        self,
        *,
        class_weight: str | dict[Any, float] | None = None,
        scale_pos_weight: float | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(**shared)
        self.class_weight = class_weight
        self.scale_pos_weight = scale_pos_weight

    @whole_or_not_at_all
    def fit(
        self,
        X: object,
        y: object,
        sample_weight: object = None,
        eval_set: object = None,
        eval_metric: object = None,
        init_score: object = None,
        callbacks: Sequence[Callback] | None = None,
        init_model: object = None,
    ) -> PLBoostClassifier:
        """Train the model.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers and categories; NaN and None mean missing. float32 and float64 are read without
            a copy.
        y : array-like of shape (n_samples,)
            Labels of two or more classes: numbers, strings or booleans.
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 means a row twice, weight 0 a row left out.
        eval_set : (X, y), (X, y, sample_weight[, init_score]) or a list of these, optional
            Data on which the metrics are computed after every round; the weight may be None.
        eval_metric : str, callable or list of these, optional
            Names of metrics, or functions ``metric(y_true, prediction) -> float`` of class numbers
            (places in ``classes_``) and probabilities. By default the log loss.
        init_score : array-like of shape (n_samples,) or (n_samples, n_classes), optional
            Scores at which training starts. They are not part of the model: what it predicts must
            be added to them. (n_samples,) for two classes.
        callbacks : sequence of Callback, optional
            What watches and steers the training, see :mod:`plboost.callbacks`.
        init_model : Booster, fitted estimator or path-like, optional
            A model to continue: `n_estimators` rounds are added to those that it predicts with.

        Returns
        -------
        PLBoostClassifier
            The estimator itself.
        """
        matrix = self._training_features(X)
        weights = weight_vector(sample_weight, n_rows=len(matrix))
        classes, codes = encode_classes(y, weights, n_rows=len(matrix))
        check_same_classes(classes, self if self._is_warm(init_model) else init_model)
        self.classes_ = classes
        eval_sets = {
            name: (features, encode_known_labels(labels, self.classes_, name), *rest)
            for name, (features, labels, *rest) in self._evaluation_parts(eval_set).items()
        }
        weights = class_weighted(
            weights, codes, self.classes_, self.class_weight, self.scale_pos_weight
        )
        self._train(
            matrix,
            codes,
            weights,
            eval_sets,
            eval_metric=eval_metric,
            init_score=init_score,
            callbacks=callbacks,
            init_model=init_model,
        )
        return self

    def decision_function(self, X: object) -> npt.NDArray[np.float64]:
        """Return the scores of each row: the log-odds of ``classes_[1]``, or one for each class.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples,) or, for more than two classes, (n_samples, n_classes)
            Above 0 where the prediction is ``classes_[1]``; largest at the predicted class.
        """
        return self._scores(X)

    def predict_proba(self, X: object) -> npt.NDArray[np.float64]:
        """Return the probabilities of the classes for each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._probabilities(self._scores(X))

    def predict(self, X: object) -> npt.NDArray[Any]:
        """Predict the most probable class of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels as in ``classes_``.
        """
        return self._labels(self._scores(X))

    def staged_predict(self, X: object) -> Iterator[npt.NDArray[Any]]:
        """Predict the class after each round.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.

        Yields
        ------
        ndarray of shape (n_samples,)
            The labels predicted with the first 1, 2, ... rounds.
        """
        for scores in self._staged_scores(X):
            yield self._labels(scores)

    def staged_predict_proba(self, X: object) -> Iterator[npt.NDArray[np.float64]]:
        """Return the probabilities of the classes after each round.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
            The probabilities with the first 1, 2, ... rounds.
        """
        for scores in self._staged_scores(X):
            yield self._probabilities(scores)

    def _staged_scores(self, X: object) -> Iterator[npt.NDArray[np.float64]]:
        matrix = self._features(X)
        return self.booster_.staged_predict(matrix, raw_score=True, n_jobs=self.n_jobs)

    def _labels(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        codes = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[codes]
        return labels

    def _probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if scores.ndim == 2:
            probabilities: npt.NDArray[np.float64] = _core.apply_link(self._loss, scores)
            return probabilities
        # Not 1 - p, which is 0 as soon as p is within 1e-16 of 1.
        first, second = (_core.apply_link(self._loss, s) for s in (-scores, scores))
        return np.column_stack([first, second])
