"""Prediction intervals: a band of quantiles, and how wide it must be to hold what it promises."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from plboost.booster import Booster
from plboost.parameter_rules import Fraction, Parameter

__all__ = ["LEVELS", "Intervals"]

FloatArray = npt.NDArray[np.float64]

LEVELS = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)
"""The quantiles that are trained. What lies between is interpolated, so more would cost trees."""

# The quantiles of normal noise lie on a line over these, so that is where to interpolate.
_REACHES = np.array([NormalDist().inv_cdf(level) for level in LEVELS[len(LEVELS) // 2 :]])

# Part of the mean pace of the training rows that no row is slower than. With 1 in its place, beyond
# the outer levels quiet rows get too much and noisy ones too little; with 0.1, a few targets far
# from rows of hardly any width make the intervals of all rows half as wide again.
_SLOWEST = 0.3

_COVERAGE = Parameter(
    "coverage",
    0.9,
    Fraction(),
    "0.9 asks for intervals that hold nine of ten targets.",
)


@dataclass(frozen=True, eq=False)
class Intervals:
    """A quantile forest, and how far rows that it was not trained on lie from its median.

    The forest gives every row a band for each reach z >= 0: from the quantile of normal score -z to
    that of z, interpolated between the levels and continued beyond them at the row's own pace, but
    not slower than `least_pace`. The reach of a row with a known target is the smallest whose band
    holds the target. The reaches of the calibration rows say which band holds the part of the
    targets asked for.

    Parameters
    ----------
    booster : Booster
        A model of the quantiles of `LEVELS`.
    reaches : ndarray of float64, shape (n_calibration_rows,)
        The reaches of the calibration rows in increasing order.
    weights : ndarray of float64, shape (n_calibration_rows,)
        Their weights.
    least_pace : float
        Fewest units of the target for each unit of reach beyond the outer levels. Without it a row
        whose quantiles are all the same would have no band that holds any other target.
    limits : tuple of float
        The smallest and the largest value that a target can have.
    """

    booster: Booster
    reaches: FloatArray
    weights: FloatArray
    least_pace: float
    limits: tuple[float, float] = (-math.inf, math.inf)

    @classmethod
    def calibrated(
        cls,
        booster: Booster,
        X: object,
        y: FloatArray,
        weight: FloatArray | None,
        *,
        trained_on: object,
        limits: tuple[float, float],
        n_jobs: int | None,
    ) -> Intervals:
        """Measure the reaches of rows that the model was not trained on.

        Parameters
        ----------
        booster : Booster
            A model of the quantiles of `LEVELS`.
        X : ndarray of shape (n_rows, n_features)
            Features of the calibration rows.
        y : ndarray of float64, shape (n_rows,)
            Their targets.
        weight : ndarray of float64 or None
            Their weights, all above 0.
        trained_on : ndarray of shape (n_training_rows, n_features)
            Features of the training rows. The bands must not depend on calibration rows.
        limits : tuple of float
            The smallest and the largest value that a target can have.
        n_jobs : int or None
            Number of threads.

        Returns
        -------
        Intervals
            Ready to predict.
        """
        usual = booster.predict(trained_on, n_jobs=n_jobs)
        least_pace = _SLOWEST * float(np.mean(_own_pace(usual))) or 1.0
        reaches = _reach(booster.predict(X, n_jobs=n_jobs), y, least_pace)
        order = np.argsort(reaches, kind="stable")
        weights = np.ones(len(y)) if weight is None else weight
        return cls(booster, reaches[order], weights[order], least_pace, limits)

    def predict(self, X: object, *, coverage: object, n_jobs: int | None = None) -> FloatArray:
        """Predict an interval for each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            The features.
        coverage : float
            Part of the targets that the intervals are to hold.
        n_jobs : int, optional
            Number of threads.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The lower and the upper ends.
        """
        reach = self.reach_of(coverage)
        band = _band(self.booster.predict(X, n_jobs=n_jobs), reach, self.least_pace)
        return np.clip(band, *self.limits)

    def reach_of(self, coverage: object) -> float:
        """Return the reach of the band that holds a part of the targets.

        Parameters
        ----------
        coverage : float
            The part.

        Returns
        -------
        float
            The smallest reach up to which calibration rows weigh as much, where the row to predict
            counts as one more, of mean weight, that lies outside.

        Raises
        ------
        ValueError
            When all calibration rows together weigh less.

        Examples
        --------
        >>> intervals = Intervals(None, np.arange(9.0), np.ones(9), least_pace=1.0)
        >>> intervals.reach_of(0.9), intervals.reach_of(0.5)
        (8.0, 4.0)
        """
        part = float(_COVERAGE.check(coverage))
        known = np.cumsum(self.weights)
        n_rows = len(known)
        # 0.7 * 10 is not to ask for an eighth row because of the last bit.
        needed = part * known[-1] * (1 + 1 / n_rows) * (1 - 1e-12)
        if needed > known[-1]:
            fewest = math.ceil(part / (1 - part) * (1 - 1e-12))
            raise ValueError(
                f"coverage={part:g} needs at least {fewest} calibration rows, got {n_rows}: with "
                f"fewer, only intervals without end hold it. Set coverage={n_rows / (n_rows + 1):g}"
                " or less, or fit on more rows, of which a fifth are calibration rows."
            )
        return float(self.reaches[np.searchsorted(known, needed)])


def _halves(quantiles: FloatArray) -> list[tuple[float, FloatArray]]:
    """Return a sign and the quantiles from the median outwards, for the upper and the lower half.

    They are multiplied by the sign, so that both halves rise.
    """
    middle = len(LEVELS) // 2
    return [(1.0, quantiles[:, middle:]), (-1.0, -quantiles[:, middle::-1])]


def _own_pace(quantiles: FloatArray) -> FloatArray:
    """Return the units of the target for each unit of reach, in the mean between the outer levels.

    The two halves share it: one that is flat says little about what lies beyond it.
    """
    pace: FloatArray = (quantiles[:, -1] - quantiles[:, 0]) / (2 * _REACHES[-1])
    return pace


def _reach(quantiles: FloatArray, y: FloatArray, least_pace: float) -> FloatArray:
    """Return the smallest reach whose band holds y."""
    pace = np.maximum(_own_pace(quantiles), least_pace)
    reach = np.zeros(len(y))
    for sign, rising in _halves(quantiles):
        target = sign * y
        total = np.maximum(target - rising[:, -1], 0.0) / pace
        for k, width in enumerate(np.diff(_REACHES)):
            step = rising[:, k + 1] - rising[:, k]
            above = target - rising[:, k]
            # Where two quantiles are one, a target above them is beyond both.
            part = np.divide(above, step, out=np.where(above > 0, 1.0, 0.0), where=step > 0)
            total += width * np.clip(part, 0.0, 1.0)
        reach = np.maximum(reach, total)
    return reach


def _band(quantiles: FloatArray, reach: float, least_pace: float) -> FloatArray:
    """Return the lower and the upper ends of the bands of a reach.

    Each end moves outwards from the median, never inwards, as the reach grows: the ends do not
    cross, and the intervals of a coverage lie within those of a larger one.
    """
    parts = np.clip((reach - _REACHES[:-1]) / np.diff(_REACHES), 0.0, 1.0)
    beyond = np.maximum(_own_pace(quantiles), least_pace) * max(reach - _REACHES[-1], 0.0)
    ends = []
    for sign, rising in _halves(quantiles):
        end = rising[:, 0] + beyond
        for k, part in enumerate(parts):
            end += part * (rising[:, k + 1] - rising[:, k])
        ends.append(sign * end)
    upper, lower = ends
    return np.column_stack([lower, upper])
