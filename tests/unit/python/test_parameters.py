from __future__ import annotations

import inspect

import numpy as np
import pytest

from plboost import Dataset, PLBoostClassifier, PLBoostRegressor, train
from plboost.parameters import (
    PARAMETERS,
    check_parameter,
    check_training_parameters,
    training_options,
)

WRONG_VALUES = [
    ("loss", "hinge"),
    ("n_estimators", 0),
    ("n_estimators", 2**31),
    ("learning_rate", 0.0),
    ("learning_rate", float("inf")),
    ("learning_rate", 10**400),
    ("max_leaves", 0),
    ("max_depth", 0),
    ("min_samples_leaf", -1),
    ("min_hessian", float("nan")),
    ("min_gain", -0.1),
    ("l2", -1e-9),
    ("l2_slopes", -1),
    ("max_regressors", -1),
    ("fitting", "full"),
    ("regressors", "none"),
    ("repeated", "yes"),
    ("penalty", "centered"),
    ("extrapolation", "constant"),
    ("split_sample", 0.0),
    ("split_sample", 1.01),
    ("split_sample_rows", 1023),
    ("max_bins", 1),
    ("max_bins", 256),
    ("n_jobs", 0),
    ("n_jobs", 1025),
    ("verbose", -1),
]

WRONG_TYPES = [
    ("loss", None),
    ("n_estimators", 10.0),
    ("n_estimators", True),
    ("learning_rate", "0.1"),
    ("max_bins", None),
    ("max_depth", "3"),
    ("l2", 1j),
    ("fitting", 1),
    ("refit_leaves", 1),
    ("refit_leaves", "yes"),
    ("max_bins", 63.0),
    ("n_jobs", 1.5),
]


@pytest.mark.parametrize(("name", "value"), WRONG_VALUES)
def test_a_wrong_value_is_named_with_what_is_allowed(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be ") as caught:
        check_parameter(name, value)
    message = str(caught.value)
    assert repr(value) in message
    assert PARAMETERS[name].next_step in message


@pytest.mark.parametrize(("name", "value"), WRONG_TYPES)
def test_a_wrong_type_is_named_with_what_is_allowed(name, value):
    with pytest.raises(TypeError, match=f"^{name} must be ") as caught:
        check_parameter(name, value)
    assert type(value).__name__ in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("n_estimators", np.int32(7), 7),
        ("learning_rate", np.float32(0.5), 0.5),
        ("learning_rate", 1, 1.0),
        ("refit_leaves", np.True_, True),
        ("fitting", np.str_("additive"), "additive"),
        ("max_depth", None, None),
        ("n_jobs", -2, -2),
    ],
)
def test_numbers_and_words_of_numpy_become_plain(name, value, expected):
    converted = check_parameter(name, value)
    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("max_leafs", "max_leaves"),
        ("num_leaves", "max_leaves"),
        ("LEARNING_RATE", "learning_rate"),
        ("n_rounds", "n_estimators"),
        ("reg_lambda", "l2"),
        ("min_child_samples", "min_samples_leaf"),
        ("num_threads", r"n_jobs' \(give it to train\(\) as an argument of its own\)"),
        ("max_bin", r"max_bins' \(give it to Dataset\(\)\)"),
        ("seed", r"random_state' \(give it to Dataset\(\)\)"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(name, suggestion):
    with pytest.raises(ValueError, match=f"unknown parameter '{name}': did you mean '{suggestion}"):
        check_training_parameters({name: 1})


def test_a_name_like_no_other_gets_the_whole_list():
    with pytest.raises(ValueError, match=r"unknown parameter 'zzz': The training parameters are l"):
        check_training_parameters({"zzz": 1})


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("max_bins", "Dataset"),
        ("random_state", "Dataset"),
        ("n_jobs", "train"),
        ("verbose", "train"),
    ],
)
def test_a_known_name_in_the_wrong_place_is_sent_to_the_right_one(name, place):
    with pytest.raises(
        ValueError, match=rf"'{name}' does not go into params: give it to {place}\(\)"
    ):
        check_training_parameters({name: 1})


@pytest.mark.parametrize("params", [None, [("l2", 1)], "l2=1"])
def test_params_must_be_a_mapping(params):
    with pytest.raises(TypeError, match="params must be a dict"):
        check_training_parameters(params)


def test_names_must_be_strings():
    with pytest.raises(TypeError, match="parameter names must be strings, got 3"):
        check_training_parameters({3: 1})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"regressors": "all"}, "regressors='all' needs fitting='fully_corrective', got fitting="),
        (
            {"regressors": "all", "fitting": "fully_corrective", "max_regressors": 0},
            "got max_regressors=0",
        ),
        (
            {"regressors": "all", "fitting": "fully_corrective", "repeated": "refit"},
            "repeated='refit' has no meaning",
        ),
    ],
)
def test_combinations_that_cannot_work_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        check_training_parameters(params)


def test_options_carry_every_value_to_the_core():
    given = {
        "loss": "log_loss",
        "n_estimators": 7,
        "learning_rate": 0.3,
        "max_leaves": 9,
        "max_depth": 4,
        "min_samples_leaf": 2.5,
        "min_hessian": 0.25,
        "min_gain": 0.125,
        "l2": 2.0,
        "l2_slopes": 3.0,
        "max_regressors": 2,
        "fitting": "additive",
        "regressors": "path",
        "repeated": "refit",
        "penalty": "paper",
        "refit_leaves": False,
        "extrapolation": "linear",
        "split_sample": 0.5,
        "split_sample_rows": 2048,
    }
    options = training_options(check_training_parameters(given))
    by_round = ("n_estimators", "learning_rate")
    kept = {name: value for name, value in given.items() if name not in by_round}
    assert {name: getattr(options, name) for name in kept} == kept


def test_no_limit_and_no_sample_in_the_words_of_the_core():
    names = ("max_depth", "split_sample", "split_sample_rows")
    options = training_options(check_training_parameters(dict.fromkeys(names)))
    assert [getattr(options, name) for name in names] == [0, 1.0, 0]


@pytest.mark.parametrize("estimator", [PLBoostRegressor, PLBoostClassifier])
def test_defaults_of_the_estimators_are_those_of_the_table(estimator):
    signature = inspect.signature(estimator)
    defaults = {name: parameter.default for name, parameter in signature.parameters.items()}
    assert defaults.pop("random_state") is None
    if estimator is PLBoostClassifier:
        assert defaults.pop("class_weight") is None
        assert defaults.pop("scale_pos_weight") is None
    assert defaults.pop("categorical_features") == "from_dtype"
    of_others = {"truncation_level"}
    if estimator is PLBoostClassifier:
        of_others |= {"loss", "alpha", "power", "intervals"}
    assert defaults == {n: row.default for n, row in PARAMETERS.items() if n not in of_others}


@pytest.mark.parametrize("estimator", [PLBoostRegressor, PLBoostClassifier])
def test_every_parameter_is_documented_with_its_default(estimator):
    documented = inspect.getdoc(estimator).splitlines()
    for name, parameter in inspect.signature(estimator).parameters.items():
        default = "1e-3" if name == "min_hessian" else str(parameter.default)
        default = f'"{default}"' if isinstance(parameter.default, str) else default
        lines = [line for line in documented if line.startswith(f"{name} : ")]
        assert len(lines) == 1, name
        assert lines[0].endswith(f", default={default}")


def test_train_and_dataset_share_the_defaults_of_the_table():
    for function, names in ((train, ("verbose", "n_jobs")), (Dataset, ("max_bins", "n_jobs"))):
        parameters = inspect.signature(function).parameters
        assert {n: parameters[n].default for n in names} == {
            n: PARAMETERS[n].default for n in names
        }


@pytest.mark.parametrize("estimator", [PLBoostRegressor, PLBoostClassifier])
@pytest.mark.parametrize(("name", "value"), [("max_leaves", 0), ("max_bins", 999), ("n_jobs", 0)])
def test_estimators_check_in_fit(estimator, name, value):
    model = estimator(**{name: value})
    with pytest.raises(ValueError, match=f"^{name} must be "):
        model.fit([[0.0], [1.0]], [0, 1])
