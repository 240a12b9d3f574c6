"""Fits against direct solutions of the same minimisation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

from tests.reference.linear import LEAF, SEARCH, Column, Fit, Penalty, fit, moments
from tests.reference.weighted import Array


def fit_rows(
    t: Array, g: Array, h: Array, penalty: Penalty, columns: list[Column] | None = None
) -> Fit:
    used = [Column(t[:, j], 1.0, 0.0) for j in range(t.shape[1])] if columns is None else columns
    rows = np.arange(len(g))
    return fit(moments(used, g, h, rows, np.zeros(len(used))), used, penalty, LEAF)


def random_rows(seed: int, n: int = 40, k: int = 3) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    t = rng.normal(size=(n, k)) @ rng.normal(size=(k, k)) + rng.normal(size=k)
    return t, rng.normal(size=n), rng.uniform(0.1, 2.0, size=n)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("l2", "l2_slopes"), [(0.0, 0.0), (0.5, 2.0), (3.0, 0.0)])
def test_centred_ridge_equals_augmented_least_squares(
    seed: int, l2: float, l2_slopes: float
) -> None:
    t, g, h = random_rows(seed)
    k = t.shape[1]
    deviations = t - h @ t / h.sum()
    # sum h/2 (f + g/h)^2 plus the penalty, as the rows of one least squares problem in (m, s).
    design = np.column_stack([np.ones(len(g)), deviations]) * np.sqrt(h)[:, None]
    penalty_rows = np.diag(np.sqrt([l2] + [l2_slopes] * k))
    target = np.concatenate([-g / np.sqrt(h), np.zeros(k + 1)])
    solution, *_ = np.linalg.lstsq(np.vstack([design, penalty_rows]), target, rcond=None)
    result = fit_rows(t, g, h, Penalty("centred", l2, l2_slopes))
    np.testing.assert_allclose(np.append(result.mean, result.slopes), solution, rtol=1e-9)
    f = solution[0] + deviations @ solution[1:]
    loss = (
        h @ f**2 / 2 + g @ f + (l2 * solution[0] ** 2 + l2_slopes * solution[1:] @ solution[1:]) / 2
    )
    assert result.loss == pytest.approx(loss, rel=1e-10)


def raw_objective(
    x: Array, g: Array, h: Array, l2: float, l2_slopes: float
) -> tuple[Array, Array, float]:
    """Solve paper Eq. 3 in the user's units; return intercept and slopes, and the loss."""
    design = np.column_stack([np.ones(len(g)), x])
    ridge = np.diag([l2] + [l2_slopes] * x.shape[1])
    a, b = design.T @ (h[:, None] * design) + ridge, design.T @ g
    alpha = -np.linalg.solve(a, b)
    return alpha, design @ alpha, float(alpha @ a @ alpha / 2 + b @ alpha)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("l2", "l2_slopes"), [(0.7, 0.7), (2.0, 0.3), (0.0, 1.0)])
def test_paper_penalty_is_the_ridge_in_the_users_units(
    seed: int, l2: float, l2_slopes: float
) -> None:
    u, g, h = random_rows(seed)
    mu, sigma = np.array([5.0, -1.0, 0.0]), np.array([0.5, 3.0, 1.0])
    x = mu + sigma * u
    alpha, outputs, loss = raw_objective(x, g, h, l2, l2_slopes)
    columns = [Column(u[:, j], 1 / sigma[j] ** 2, mu[j] / sigma[j]) for j in range(3)]
    result = fit_rows(u, g, h, Penalty("paper", l2, l2_slopes), columns)
    np.testing.assert_allclose(result.slopes / sigma, alpha[1:], rtol=1e-9)
    np.testing.assert_allclose(
        result.mean + (u - result.column_means) @ result.slopes, outputs, rtol=1e-8, atol=1e-9
    )
    assert result.loss == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize("kind", ["centred", "paper"])
def test_half_additive_column_minimises_the_written_objective(kind: str) -> None:
    u, g, h = random_rows(7, k=3)
    mu, sigma, a = np.array([2.0, -1.0, 4.0]), np.array([0.5, 2.0, 1.5]), np.array([0.7, -1.2])
    l2, l2_slopes = 0.8, 1.7
    z = u[:, :2] @ a
    zbar, qbar = h @ z / h.sum(), h @ u[:, 2] / h.sum()

    def objective(theta: Array) -> float:
        m, beta, slope = theta
        f = m + beta * (z - zbar) + slope * (u[:, 2] - qbar)
        if kind == "centred":
            penalty = l2 * m**2 + l2_slopes * (beta**2 * (a @ a) + slope**2)
        else:
            raw = np.append(beta * a, slope) / sigma
            intercept = m - beta * zbar - slope * qbar - raw @ mu
            penalty = l2 * intercept**2 + l2_slopes * (beta**2 + raw[2] ** 2)
        return float(h @ f**2 / 2 + g @ f + penalty / 2)

    best = scipy.optimize.minimize(objective, np.zeros(3), method="BFGS", options={"gtol": 1e-10})
    ridge_z, ridge_q = (a @ a, 1.0) if kind == "centred" else (1.0, 1 / sigma[2] ** 2)
    columns = [
        Column(z, float(ridge_z), float(a @ (mu[:2] / sigma[:2]))),
        Column(u[:, 2], float(ridge_q), mu[2] / sigma[2]),
    ]
    result = fit_rows(u, g, h, Penalty(kind, l2, l2_slopes), columns)
    assert result.loss == pytest.approx(best.fun, rel=1e-9)
    np.testing.assert_allclose(np.append(result.mean, result.slopes), best.x, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["centred", "paper"])
def test_fixed_column_equals_fitting_what_is_left(kind: str) -> None:
    u, g, h = random_rows(3, k=2)
    l2, l2_slopes, origin = 0.6, 0.9, 1.3
    z = 0.8 * u[:, 0]
    columns = [Column(z, 0.64, 0.8 * origin, fixed=True), Column(u[:, 1], 1.0, 0.4)]
    result = fit_rows(u, g, h, Penalty(kind, l2, l2_slopes), columns)
    deviations = z - h @ z / h.sum()
    if kind == "centred":
        rest = fit_rows(u[:, 1:], g + h * deviations, h, Penalty(kind, l2, l2_slopes))
        expected = rest.loss + h @ deviations**2 / 2 + g @ deviations + l2_slopes * 0.64 / 2
        assert result.slopes.tolist() == [1.0, pytest.approx(rest.slopes[0])]
    else:

        def objective(theta: Array) -> float:
            m, slope = theta
            zbar, qbar = h @ z / h.sum(), h @ u[:, 1] / h.sum()
            f = m + deviations + slope * (u[:, 1] - qbar)
            intercept = m - (zbar + 0.8 * origin) - slope * (qbar + 0.4)
            penalty = l2 * intercept**2 + l2_slopes * (0.64 + slope**2)
            return float(h @ f**2 / 2 + g @ f + penalty / 2)

        expected = scipy.optimize.minimize(objective, np.zeros(2), options={"gtol": 1e-10}).fun
    assert result.loss == pytest.approx(expected, rel=1e-9)


def test_a_copy_of_a_column_is_dropped() -> None:
    t, g, h = random_rows(1, k=2)
    doubled = np.column_stack([t[:, 0], 2 * t[:, 0] + 1, t[:, 1]])
    penalty = Penalty("centred", 0.1, 0.0)
    result, without = fit_rows(doubled, g, h, penalty), fit_rows(t, g, h, penalty)
    assert result.kept == (True, False, True)
    assert result.slopes[1] == 0.0
    np.testing.assert_allclose(result.slopes[[0, 2]], without.slopes, rtol=1e-9)
    assert result.loss == pytest.approx(without.loss, rel=1e-12)


def test_a_ridge_keeps_the_copy_of_a_column() -> None:
    t, g, h = random_rows(1, k=1)
    result = fit_rows(np.column_stack([t, t]), g, h, Penalty("centred", 0.0, 1.0))
    assert result.kept == (True, True)
    assert result.slopes[0] == pytest.approx(result.slopes[1], rel=1e-9)


def test_constant_columns_are_dropped_although_their_mean_is_rounded() -> None:
    t, g, h = random_rows(2, k=1)
    result = fit_rows(
        np.column_stack([np.full(len(g), 0.1), t]), g, h, Penalty("centred", 0.0, 0.0)
    )
    assert result.kept == (False, True)


def test_search_drops_a_column_that_hardly_moves_within_the_child() -> None:
    # In the child t is 1000 away from the node's centre and moves by 1 at most: C_jj is below
    # 1e-6 of the moment about the centre, as 0.5 < 1e-6 * 4 * 1000^2.
    t = np.array([1000.0, 1000.0, 1000.5, 1000.5])
    columns, h = [Column(t, 1.0, 0.0)], np.ones(4)
    g = np.array([1.0, 2.0, 3.0, 4.0])
    far = moments(columns, g, h, np.arange(4), np.zeros(1))
    near = moments(columns, g, h, np.arange(4), np.full(1, 999.0))
    penalty = Penalty("centred", 0.0, 0.0)
    assert fit(far, columns, penalty, SEARCH).kept == (False,)
    assert fit(near, columns, penalty, SEARCH).kept == (True,)
    assert fit(far, columns, penalty, LEAF).kept == (True,)


def test_nothing_to_fit_gives_zero() -> None:
    t, g, _ = random_rows(4)
    result = fit_rows(t, g, np.zeros(len(g)), Penalty("centred", 0.0, 1.0))
    assert (result.loss, result.mean, result.slopes.tolist()) == (0.0, 0.0, [0.0, 0.0, 0.0])
