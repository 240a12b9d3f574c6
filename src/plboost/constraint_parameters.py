"""The rows of the table of parameters that are about single features."""

from __future__ import annotations

from plboost.feature_lists import FeatureGroups, FeatureList, FeatureSigns
from plboost.parameter_rules import Parameter

__all__ = ["CONSTRAINTS", "CONSTRAINT_PARAMETERS"]

CONSTRAINT_PARAMETERS = (
    Parameter(
        "monotonic_cst",
        None,
        FeatureSigns(),
        "1 means that predictions never fall as the feature grows, -1 that they never rise.",
        none_allowed=True,
    ),
    Parameter(
        "interaction_cst",
        None,
        FeatureGroups(),
        "A set holds features that may be used together on the way to a leaf.",
        none_allowed=True,
    ),
    *(
        Parameter(
            f"{kind}_features",
            None,
            FeatureList(),
            f"Use None to let every feature be a {thing}.",
            none_allowed=True,
        )
        for kind, thing in (("split", "cut"), ("regressor", "line"))
    ),
    Parameter(
        "nonnegative_slopes",
        False,
        FeatureList(flag=True),
        "Use True for all features.",
    ),
)
CONSTRAINTS = tuple(parameter.name for parameter in CONSTRAINT_PARAMETERS)
