"""The ranker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _num_samples

from plboost import _core
from plboost.callbacks import Callback
from plboost.ingest import query_sizes, target_array, weight_vector
from plboost.sklearn.base import PLBoostBase, whole_or_not_at_all, with_shared_parameters

__all__ = ["PLBoostRanker"]


class PLBoostRanker(PLBoostBase):
    """Learning to rank the documents of queries by boosting of piecewise linear trees.

    Parameters
    ----------
    loss : {"lambdarank", "listnet"}, default="lambdarank"
        What is minimised: the logistic loss of pairs of documents, each weighted by what swapping
        the two would change of the NDCG; or the cross entropy of a softmax over each query.
    truncation_level : int or None, default=None
        For ``loss="lambdarank"`` the number of places, from the top of the current ranking, to
        which one document of each pair must belong; 30 if None.
    n_estimators : int, default=500
        Number of rounds, one tree each.
    learning_rate : float or None, default=None
        Factor of every tree's output. None chooses it by the number of rows and of rounds: 0.1 for
        few rounds, 0.07 for 500 rounds of 60000 rows or more, less for fewer rows.
    max_leaves : int or None, default=None
        Largest number of leaves of a tree; None for 48. The leaf with the largest gain is split
        first.
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
        "target" adds the mean grade of every category as a number that may be cut and be a line of
        a leaf; "classes" the share of every grade. A training row has the mean of earlier rows in a
        random order, never its own grade.
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
        rounds, and predict with the best round. Without an `eval_set`, queries are held back.
    validation_fraction : float, default=0.1
        Part of the queries that early stopping holds back when there is no `eval_set`.
    validation_split : {"random", "time"}, default="random"
        Whether these queries are drawn at random, or are the last ones.
    n_iter_no_change : int, default=10
        Number of rounds without an improvement after which early stopping stops.
    tol : float, default=0.0
        How much better than the best so far the metric must be to count as an improvement.
    warm_start : bool, default=False
        True adds rounds to the fitted model, up to `n_estimators`, at the next :meth:`fit`. With
        the same data and a given `learning_rate` this is the model of one training, bit for bit.
    subsample : float or None, default=None
        Part of the rows, drawn anew for every tree, that the tree and its leaf models are fitted
        on. The scores of all rows are updated. None means all rows.
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
    PLBoostRegressor : Targets that mean something without a query.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import PLBoostRanker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> grades = np.digitize(X[:, 0] + np.sin(2 * X[:, 1]), [0, 1, 2])
    >>> group = np.full(50, 20)
    >>> model = PLBoostRanker(n_estimators=30, random_state=0)
    >>> model = model.fit(X[:800], grades[:800], group=group[:40])
    >>> model.score(X[800:], grades[800:], group=group[40:]) > 0.9
    True
    """

    @with_shared_parameters
    def __init__(
        self,
        *,
        loss: str = "lambdarank",
        truncation_level: int | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(**shared)
        self.loss = loss
        self.truncation_level = truncation_level

    @whole_or_not_at_all
    def fit(
        self,
        X: object,
        y: object,
        group: object = None,
        qid: object = None,
        sample_weight: object = None,
        eval_set: object = None,
        eval_group: object = None,
        eval_qid: object = None,
        eval_metric: object = None,
        init_score: object = None,
        callbacks: Sequence[Callback] | None = None,
        init_model: object = None,
    ) -> PLBoostRanker:
        """Train the model.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            A row for each document; NaN means missing. Rows of a query follow one another.
        y : array-like of shape (n_samples,)
            Grades: whole numbers between 0, irrelevant, and 31.
        group : array-like of int
            The number of rows of each query. Either this or `qid` is needed.
        qid : array-like of shape (n_samples,)
            An id of the query for each row.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the gradients of the documents; weight 0 means a row left out.
        eval_set : (X, y), (X, y, sample_weight[, init_score]) or a list of these, optional
            Data on which the metrics are computed after every round; the weight may be None.
        eval_group : list of array-like of int
            The `group` of each evaluation set, or of the only one.
        eval_qid : list of array-like
            The `qid` of each evaluation set, or of the only one, in place of `eval_group`.
        eval_metric : str, callable or list of these, optional
            Names of metrics such as "ndcg@5" and "map@10", or functions
            ``metric(y_true, score) -> float``. By default "ndcg@10".
        init_score : array-like of shape (n_samples,), optional
            Scores at which training starts. They are not part of the model.
        callbacks : sequence of Callback, optional
            What watches and steers the training, see :mod:`plboost.callbacks`.
        init_model : Booster, fitted estimator or path-like, optional
            A model to continue: `n_estimators` rounds are added to those that it predicts with.

        Returns
        -------
        PLBoostRanker
            The estimator itself.
        """
        matrix = self._training_features(X)
        sets = self._evaluation_parts(eval_set)
        groups = _evaluation_groups(
            eval_group, eval_qid, [_num_samples(s[0]) for s in sets.values()]
        )
        self._train(
            matrix,
            y,
            sample_weight,
            {
                name: (*(*parts, None, None)[:4], sizes)
                for (name, parts), sizes in zip(sets.items(), groups, strict=True)
            },
            eval_metric=eval_metric,
            init_score=init_score,
            callbacks=callbacks,
            init_model=init_model,
            query_sizes=_needed_sizes(group, qid, _num_samples(matrix)),
        )
        return self

    def predict(self, X: object) -> npt.NDArray[np.float64]:
        """Predict scores, which order the documents of a query: the best has the largest.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores. Those of different queries cannot be compared.
        """
        return self._scores(X)

    def staged_predict(self, X: object) -> Iterator[npt.NDArray[np.float64]]:
        """Predict after each round.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.

        Yields
        ------
        ndarray of shape (n_samples,)
            The scores with the first 1, 2, ... rounds.
        """
        matrix: npt.NDArray[Any] = self._features(X)
        yield from self.booster_.staged_predict(matrix, n_jobs=self.n_jobs)

    def score(
        self,
        X: object,
        y: object,
        group: object = None,
        qid: object = None,
        sample_weight: object = None,
        k: int | None = None,
    ) -> float:
        """Return the mean NDCG of the queries.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            Grades.
        group : array-like of int
            The number of rows of each query. Either this or `qid` is needed.
        qid : array-like of shape (n_samples,)
            An id of the query for each row.
        sample_weight : array-like of shape (n_samples,), optional
            A query weighs as its documents do on average.
        k : int, optional
            Number of places that count; None for all.

        Returns
        -------
        float
            Between 0 and 1.
        """
        scores = self.predict(X)
        n_rows = len(scores)
        grades = target_array(y, n_rows=n_rows)
        weight = weight_vector(sample_weight, n_rows=n_rows)
        sizes = _needed_sizes(group, qid, n_rows)
        cutoff = n_rows if k is None else k
        return float(_core.ranking_metric(f"ndcg@{cutoff}", scores, grades, weight, sizes))


def _needed_sizes(group: object, qid: object, n_rows: int) -> npt.NDArray[np.int64]:
    sizes = query_sizes(group, qid, n_rows=n_rows)
    if sizes is None:
        raise ValueError(
            "a ranker needs queries, got neither group nor qid. Pass group, the number of rows of "
            "each query, or qid, an id for each row."
        )
    return sizes


def _evaluation_groups(
    eval_group: Any, eval_qid: Any, n_rows: list[int]
) -> list[npt.NDArray[np.int64] | None]:
    """Return the query sizes of each evaluation set, which has `n_rows` rows."""
    if eval_group is not None and eval_qid is not None:
        raise ValueError(
            "eval_group and eval_qid say the same in two ways, got both. Leave one out."
        )
    name, given = ("eval_qid", eval_qid) if eval_group is None else ("eval_group", eval_group)
    if given is None:
        return [None] * len(n_rows)
    # One evaluation set may come with its group itself.
    if len(given) and np.ndim(given[0]) == 0:
        given = [given]
    if len(given) != len(n_rows):
        raise ValueError(
            f"{name} must have one array for each of the {len(n_rows)} evaluation sets, got "
            f"{len(given)}."
        )
    return [
        query_sizes(
            one if name == "eval_group" else None,
            one if name == "eval_qid" else None,
            n_rows=rows,
            input_name=f"{name}[{index}]",
        )
        for index, (one, rows) in enumerate(zip(given, n_rows, strict=True))
    ]
