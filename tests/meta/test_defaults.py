"""A default stands in a signature, in the table of parameters and in C++. All agree."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

import plboost
from plboost import _core
from plboost.parameters import PARAMETERS, check_training_parameters, training_options


def attributes(options: _core.TrainingOptions) -> dict[str, object]:
    names = [name for name in dir(options) if not name.startswith("_")]
    return {name: getattr(options, name) for name in names}


def test_defaults_of_python_are_those_of_the_core() -> None:
    assert attributes(training_options(check_training_parameters({}))) == attributes(
        _core.TrainingOptions()
    )


def test_every_option_of_the_core_is_a_training_parameter() -> None:
    in_python = {name for name, row in PARAMETERS.items() if row.belongs_to == "training"}
    in_core = set(attributes(_core.TrainingOptions()))
    # The trainer is told of rounds and their rate one by one; the seed is that of the data set, the
    # metrics are an argument of train(), the base score comes from a loss given as a function, and
    # trees adapt their leaves and steps where max_leaves and learning_rate are None.
    elsewhere = {
        "adapts_leaves",
        "base_score",
        "lengthens_steps",
        "metrics",
        "seed",
        "shortens_steps",
    }
    assert in_core - elsewhere == in_python - {"n_estimators", "learning_rate"}
    assert elsewhere <= in_core


def test_losses_of_python_are_those_of_the_core() -> None:
    assert list(PARAMETERS["loss"].rule.options) == list(_core.loss_names())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "function",
    [
        plboost.PLBoostRegressor,
        plboost.PLBoostClassifier,
        plboost.PLBoostRanker,
        plboost.Dataset,
        plboost.train,
    ],
    ids=lambda function: function.__name__,
)
def test_defaults_of_signatures_are_those_of_the_table(function: Callable[..., object]) -> None:
    stated = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name in PARAMETERS
    }
    assert stated
    if function is plboost.PLBoostRanker:
        assert stated.pop("loss") == "lambdarank"
    assert stated == {name: PARAMETERS[name].default for name in stated}
