"""Means of leaves, drawn to what the nodes above them say (docs/algorithm.md, section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .constraints import signed_fit, signs_of_features
from .linear import LEAF, moments
from .problem import NodeState, Problem
from .split import feature_column
from .weighted import Array


class Line(Protocol):
    """What a leaf was fitted to be: m + sum_j slopes_j (u_j - mean of u_j)."""

    @property
    def mean(self) -> float: ...
    @property
    def slopes(self) -> Array: ...


@dataclass(frozen=True)
class Place:
    """Where a node is in its tree; without children it is a leaf."""

    id: int
    children: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Said:
    """What the rows of a node say."""

    mean: float
    slopes: dict[int, float]
    centre: dict[int, float]
    hessian: float
    noise: float
    part: float


def draws(problem: Problem) -> bool:
    options = problem.options
    return options.mean_shrinkage > 0.0 and options.penalty != "paper" and problem.renewal is None


def drawn_means(
    problem: Problem,
    places: Sequence[Place],
    states: Mapping[int, NodeState],
    lines: Mapping[int, Line],
    parts: Mapping[int, float],
) -> dict[int, float]:
    """Return the mean output of every leaf; children come behind their parents in `places`."""
    said: dict[int, Said] = {}
    for place in reversed(places):
        state = states[place.id]
        if place.children:
            said[place.id] = node_says(problem, state, [said[child] for child in place.children])
        else:
            said[place.id] = leaf_says(problem, state, lines[place.id], parts[place.id])
    means = {places[0].id: said[places[0].id].mean}
    for place in places:
        if not place.children:
            continue
        node = said[place.id]
        predicted = {
            child: sum(
                slope * (said[child].centre[feature] - node.centre[feature])
                for feature, slope in node.slopes.items()
            )
            for child in place.children
        }
        own = {child: said[child].mean - node.mean - predicted[child] for child in place.children}
        apart = sum(said[child].hessian * own[child] ** 2 for child in place.children)
        by_noise = problem.options.mean_shrinkage * node.noise / node.hessian
        part = 1.0 - by_noise / apart if apart > by_noise else 0.0
        for child in place.children:
            means[child] = means[place.id] + predicted[child] + part * own[child]
    return {place.id: means[place.id] for place in places if not place.children}


def leaf_says(problem: Problem, state: NodeState, line: Line, part: float) -> Said:
    g, h, w = (values[state.rows] for values in (problem.g, problem.h, problem.w))
    centre = centres(problem, state)
    u = problem.u[state.rows][:, list(state.regressors)]
    outputs = line.mean + (u - np.array(list(centre.values()))) @ (line.slopes * part)
    loss = float(g @ outputs + 0.5 * h @ outputs**2)
    noise = max(0.0, float(np.sum(g**2 / w)) + 2.0 * loss)
    return Said(line.mean, {}, centre, float(np.sum(h)), noise, part)


def node_says(problem: Problem, state: NodeState, children: Sequence[Said]) -> Said:
    columns = [feature_column(problem, feature) for feature in state.regressors]
    sums = moments(columns, problem.g, problem.h, state.rows, np.zeros(len(columns)))
    signs = signs_of_features(problem, state.regressors)
    fitted, _ = signed_fit(sums, columns, problem.penalty, LEAF, signs)
    hessian = sum(child.hessian for child in children)
    part = sum(child.hessian * child.part for child in children) / hessian
    return Said(
        fitted.mean,
        dict(zip(state.regressors, fitted.slopes * part, strict=True)),
        centres(problem, state),
        hessian,
        sum(child.noise for child in children),
        part,
    )


def centres(problem: Problem, state: NodeState) -> dict[int, float]:
    h = problem.h[state.rows]
    return {j: float(np.average(problem.u[state.rows, j], weights=h)) for j in state.regressors}
