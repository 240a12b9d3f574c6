"""The regressor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin

from plboost.callbacks import Callback
from plboost.sklearn.base import whole_or_not_at_all, with_shared_parameters
from plboost.sklearn.interval_regressor import IntervalRegressor

__all__ = ["PLBoostRegressor"]


class PLBoostRegressor(RegressorMixin, IntervalRegressor):  # type: ignore[misc]
    """Regression by boosting of piecewise linear trees.

    Parameters
    ----------
    loss : str or callable, default="squared_error"
        What is minimised: "squared_error"; "absolute_error" (medians), "quantile", "huber" and
        "mape", which far targets do not disturb; "poisson", "gamma" and "tweedie" for targets that
        are not negative; "cross_entropy" for targets between 0 and 1; or a function
        ``loss(y_true, raw_score) -> (gradient, hessian)``.
    alpha : float, list of float or None, default=None
        For ``loss="quantile"`` its level, 0.5 if None; a list gives a column of predictions for
        each level, which never cross. For ``loss="huber"`` the part of the residuals that count
        squared, 0.9 if None. Other losses do not look at it.
    power : float or None, default=None
        For ``loss="tweedie"`` the power of the mean that the variance grows with, between 1 and 2;
        1.5 if None.
    intervals : bool, default=False
        True keeps at :meth:`fit` what :meth:`predict_interval` needs: a second forest, of seven
        quantiles, for which a fifth of the rows is held back (the last ones if
        ``validation_split="time"``). :meth:`predict` does not change.
    n_estimators : int, default=500
        Number of rounds, one tree each.
    learning_rate : float or None, default=None
        Factor of every tree's output. None chooses it by the number of rows and of rounds: 0.1 for
        few rounds, 0.07 for 500 rounds of 60000 rows or more, less for fewer rows. With
        ``max_leaves=None`` steps become longer, up to 0.1, where rows that trees do not know of
        still confirm them after a few.
    max_leaves : int or None, default=None
        Largest number of leaves of a tree. The leaf with the largest gain is split first. None: 48
        to begin with, then 5 % more or fewer for every tree, from 8 to 48 or, with more than 37 000
        rows, to ``(rows - 20000) / 350`` (at most 1024), as rows that trees do not know of confirm
        their later splits (see `subsample`). Always 48 with a loss whose leaves are quantiles.
    max_depth : int or None, default=None
        Largest number of splits from the root to a leaf; None for no limit.
    max_bins : int, default=255
        Largest number of bins of a feature, between 2 and 255. Missing values have one more.
    min_samples_leaf : float, default=20
        Smallest sum of row weights of a leaf.
    min_hessian : float, default=1e-3
        Smallest sum of hessians of a leaf.
    min_gain : float, default=0.0
        Smallest gain of a split, relative to the variance of y.
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
        "target" adds the mean of y in every category as a number that may be cut and be a line of a
        leaf, one for each column of y. A training row has the mean of earlier rows in a random
        order, never its own target. "classes" is for a loss whose y holds classes 0, 1, 2, ...
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
        they are not. 0 takes means as they are fitted, and so do ``penalty="paper"`` and the losses
        "absolute_error", "quantile" and "mape".
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
        Part of the rows that early stopping holds back when there is no `eval_set`.
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
        on. The scores of all rows are updated. None: where `max_leaves` is None, for rows that a
        tree does not know judge it, 0.7 up to 2000 rows, more for more rows, 0.9 from 18 000 on;
        otherwise, with a loss whose leaves are quantiles, and of less than 100 rows, all.
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
    n_jobs : int or None, default=None
        Number of threads; None and -1 mean all available. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the order of the rows and of the samples. An int gives the same model bit for bit.
    verbose : int, default=0
        1 shows a progress bar on stderr, n > 1 a line every n rounds.

    Attributes
    ----------
    booster_ : Booster
        The model.
    n_iter_ : int
        Number of rounds.
    best_iteration_ : int
        Number of rounds that predictions use: the best one of early stopping, or all.
    evals_result_ : dict
        ``{"eval_0": {metric: [value of each round]}, ...}``.
    intervals_ : Intervals or None
        What :meth:`predict_interval` uses; None with ``intervals=False``.
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
    PLBoostClassifier : The same for classes.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import PLBoostRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(1000, 2))
    >>> y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
    >>> model = PLBoostRegressor(n_estimators=50, random_state=0).fit(X[:800], y[:800])
    >>> model.score(X[800:], y[800:]) > 0.9
    True

    Several quantiles at once:

    >>> y = y + (1 + X[:, 0]) * rng.normal(size=1000)
    >>> model = PLBoostRegressor(loss="quantile", alpha=[0.05, 0.5, 0.95], random_state=0)
    >>> low, middle, high = model.fit(X[:800], y[:800]).predict(X[800:]).T
    >>> bool((low <= middle).all() and (middle <= high).all())
    True

    Intervals that hold nine of ten targets:

    >>> model = PLBoostRegressor(n_estimators=50, intervals=True, random_state=0)
    >>> low, high = model.fit(X[:800], y[:800]).predict_interval(X[800:], coverage=0.9).T
    >>> bool((low <= high).all())
    True
    """

    @with_shared_parameters
    def __init__(
        self,
        *,
        loss: str | Callable[..., Any] = "squared_error",
        alpha: float | Sequence[float] | None = None,
        power: float | None = None,
        intervals: bool = False,
        **shared: Any,
    ) -> None:
        super().__init__(**shared)
        self.loss = loss
        self.alpha = alpha
        self.power = power
        self.intervals = intervals

    def _training_parameters(self) -> dict[str, Any]:
        params = super()._training_parameters()
        # scikit-learn's own regressors carry an alpha that most losses do not look at, and its
        # checks set one wherever there is one.
        if params["loss"] not in ("quantile", "huber"):
            params["alpha"] = None
        return params

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
    ) -> PLBoostRegressor:
        """Train the model.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers and categories; NaN and None mean missing. float32 and float64 are read without
            a copy.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Finite targets. Of several columns each gets trees of its own in every round, the same
            as in a model of that column alone.
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 means a row twice, weight 0 a row left out.
        eval_set : (X, y), (X, y, sample_weight[, init_score]) or a list of these, optional
            Data on which the metrics are computed after every round; the weight may be None.
        eval_metric : str, callable or list of these, optional
            Names of metrics, or functions ``metric(y_true, prediction) -> float``. By default that
            of the loss; of several outputs its mean over them.
        init_score : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
            Scores at which training starts. They are not part of the model: what it predicts must
            be added to them.
        callbacks : sequence of Callback, optional
            What watches and steers the training, see :mod:`plboost.callbacks`.
        init_model : Booster, fitted estimator or path-like, optional
            A model to continue: `n_estimators` rounds are added to those that it predicts with.

        Returns
        -------
        PLBoostRegressor
            The estimator itself.
        """
        matrix = self._training_features(X)
        data = None
        if self.intervals:
            data = self._interval_data(
                matrix, y, sample_weight, init_score=init_score, init_model=init_model
            )
        self._train(
            matrix,
            y,
            sample_weight,
            self._evaluation_parts(eval_set),
            eval_metric=eval_metric,
            init_score=init_score,
            callbacks=callbacks,
            init_model=init_model,
        )
        self.intervals_ = None if data is None else self._calibrated(data)
        return self

    def predict(self, X: object) -> npt.NDArray[np.float64]:
        """Predict one value for each row, or one for each output.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predictions.
        """
        matrix = self._features(X)
        return self.booster_.predict(matrix, n_jobs=self.n_jobs)

    def staged_predict(self, X: object) -> Iterator[npt.NDArray[np.float64]]:
        """Predict after each round.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predictions with the first 1, 2, ... rounds.
        """
        matrix = self._features(X)
        yield from self.booster_.staged_predict(matrix, n_jobs=self.n_jobs)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that there may be several outputs."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = not self.intervals
        return tags
