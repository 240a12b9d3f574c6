"""What the children of a split may carry, as far as float32 leaves it open (see verify.py)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .judge import Belief, Judge
from .linear import SEARCH, Rows, hessian_means
from .problem import NodeState
from .rounding import Alternative, alternatives, study
from .split import child_state, is_redundant, split_columns


def child_beliefs(judge: Judge, belief: Belief, feature: int, rows: Rows) -> list[Belief]:
    problem, state = judge.problem, belief.state
    if is_redundant(problem, state, feature):
        kept = replace(state, rows=rows, path=(*state.path, feature))
        return [Belief(kept, belief.error, belief.slope_errors)]
    columns = split_columns(problem, state, feature)
    fitting = study(
        columns,
        problem.g,
        problem.h,
        rows,
        hessian_means(columns, problem.h, state.rows),
        problem.penalty,
        SEARCH,
        judge.noise,
        belief.error,
    )
    corrective = problem.options.fitting == "fully_corrective"
    # Fully corrective search does not look at slopes: only the new regressor can be ambiguous.
    decided = frozenset(range(1, len(columns))) if corrective else frozenset()
    beliefs: dict[tuple[tuple[int, ...], bytes], Belief] = {}
    for outcome in alternatives(fitting, decided=decided):
        new = child_state(problem, state, feature, rows, outcome.fit, redundant=False)
        key = (new.regressors, b"" if corrective else new.slopes.tobytes())
        errors = np.zeros(len(new.slopes))
        if not corrective:
            errors = child_slope_errors(belief, new, feature, outcome)
        beliefs.setdefault(key, Belief(new, 0.0 if corrective else outcome.error, errors))
    return list(beliefs.values())


def child_slope_errors(
    belief: Belief, new: NodeState, feature: int, outcome: Alternative
) -> NDArray[np.float64]:
    """Carry the errors of the slopes through s_z a and s_q."""
    errors = list(belief.slope_errors)
    if errors:
        scale, scale_error = abs(outcome.fit.slopes[0]), outcome.slope_errors[0]
        errors = [
            (scale * error if scale else 0.0) + (scale_error * abs(slope) if slope else 0.0)
            for error, slope in zip(errors, belief.state.slopes, strict=True)
        ]
    if len(new.regressors) > len(errors):
        errors.append(outcome.slope_errors[-1])
    elif feature in new.regressors:
        errors[new.regressors.index(feature)] += outcome.slope_errors[-1]
    return np.array(errors)
