from __future__ import annotations

import hashlib
import json
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost import Booster, Dataset, ModelFileError, train
from plboost.model_file import ARRAYS, MAGIC
from tests.unit.python.forgery import (
    PREAMBLE,
    assembled,
    parts,
    sealed,
    with_array,
    with_header,
    with_header_text,
)

GOLDEN = Path(__file__).parents[2] / "golden"
INTACT = train(
    {"n_estimators": 3, "max_leaves": 4, "slope_shrinkage": 0.0},
    Dataset(np.random.default_rng(0).normal(size=(120, 2)), np.arange(120.0) % 7),
    eval_sets={"valid": (np.zeros((2, 2)), [0.0, 1.0])},
).to_bytes()


def double(value: float) -> bytes:
    return struct.pack("<d", value)


def entry(header, name):
    return next(entry for entry in header["arrays"] if entry["name"] == name)


def test_the_forger_can_also_write_honest_files():
    assert Booster.from_bytes(with_header(INTACT, lambda _: None)).to_bytes() == INTACT


def test_every_truncation_is_refused():
    for length in range(len(INTACT)):
        with pytest.raises(ModelFileError):
            Booster.from_bytes(INTACT[:length])


def test_every_truncation_with_a_new_checksum_is_refused():
    for length in range(0, len(INTACT) - 33, 7):
        with pytest.raises(ModelFileError):
            Booster.from_bytes(sealed(INTACT[:length]))


@pytest.mark.parametrize("at", range(0, len(INTACT), 11))
def test_a_changed_byte_is_noticed(at):
    damaged = bytearray(INTACT)
    damaged[at] ^= 0x10
    with pytest.raises(ModelFileError):
        Booster.from_bytes(damaged)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "cut off after 0 bytes"),
        (MAGIC[:3], "cut off after 3 bytes"),
        (INTACT[:31], "cut off after 31 bytes"),
        (b"PK\x03\x04 something else", "not a plboost model: it starts with b'PK"),
        (b"\n" * 100, "not a plboost model"),
        (INTACT.replace(b"\r\n", b"\n"), "not a plboost model"),
        (INTACT + b"\0", "something was added"),
        (INTACT + INTACT, "something was added"),
        (INTACT[:-1], "cut off"),
        (INTACT[:-1] + bytes([INTACT[-1] ^ 1]), "checksum"),
    ],
)
def test_damage_has_a_clear_message(data, message):
    with pytest.raises(ModelFileError, match=message):
        Booster.from_bytes(data)


def test_a_newer_version_asks_for_a_newer_plboost():
    header, arrays = parts(INTACT)
    data = assembled(str(header).encode(), arrays, version=4)
    with pytest.raises(
        ModelFileError, match=r"format version 4, this plboost reads up to 3\. Install"
    ):
        Booster.from_bytes(data)


@pytest.mark.parametrize(("version", "reserved"), [(0, 0), (1, 1)])
def test_versions_that_never_were(version, reserved):
    with pytest.raises(ModelFileError, match="do not exist"):
        Booster.from_bytes(assembled(b"{}", b"", version=version, reserved=reserved))


@pytest.mark.parametrize("length", [0, 4, 2**20, 2**40, 2**64 - 8])
def test_header_lengths_that_do_not_fit(length):
    content = PREAMBLE.pack(MAGIC, 3, 0, length, len(INTACT)) + INTACT[PREAMBLE.size : -32]
    with pytest.raises(ModelFileError, match=f"a header of {length} bytes does not fit"):
        Booster.from_bytes(sealed(content))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t[:-1], "not JSON"),
        (lambda t: t + "x", "not JSON"),
        (lambda t: t.replace("squared", "squ\u00e4red"), "not ASCII"),
        (lambda _: "[" * 100_000, "nested too deeply"),
        (lambda _: '{"a":' * 100_000, "nested too deeply"),
        (lambda t: t.replace('"loss"', '"n_trees": 3, "loss"'), "occurs twice"),
        (lambda t: t.replace('"n_trees": 3', '"n_trees": NaN'), "NaN is not allowed"),
        (lambda t: t.replace('"n_trees": 3', '"n_trees": -Infinity'), "-Infinity is not allowed"),
        (lambda t: t.replace('"n_trees": 3', '"n_trees": 1e999'), "too large"),
        (lambda t: t.replace('"n_trees": 3', '"n_trees": ' + "9" * 5000), "5000 digits"),
        (lambda t: t.replace('"n_trees": 3', '"n_trees": 3.0'), "n_trees in the header is 3.0"),
        (lambda t: t.replace('"n_trees": 3', '"n_trees": true'), "n_trees in the header is True"),
    ],
)
def test_headers_that_are_no_proper_json(change, message):
    with pytest.raises(ModelFileError, match=message):
        Booster.from_bytes(with_header_text(INTACT, change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: [], "must be an object with the keys"),
        (lambda h: h.pop("loss"), "must be an object with the keys"),
        (lambda h: h.update(extra=1) or h, "must be an object with the keys"),
        (lambda h: h.update(loss=3), "loss in the header must be of type str"),
        (lambda h: h.update(loss="hinge"), "the trees of the model file are not valid"),
        (lambda h: h.update(created_by=None), "created_by in the header must be of type str"),
        (lambda h: h.update(parameters=[]), "parameters in the header must be of type dict"),
        (lambda h: h.update(arrays={}), "arrays in the header must be a list"),
        (lambda h: h.update(history={}), "history in the header must be a list"),
        (lambda h: h.update(history=[]), "the history has 3 values for 0 curves of 3 rounds"),
        (lambda h: h.update(history=[["valid"]]), "must be named by a set and a metric"),
        (lambda h: h.update(history=["ab"]), "must be named by a set and a metric"),
        (lambda h: h.update(history=[["valid", 3]]), "must be named by a set and a metric"),
        (lambda h: h.update(best_round=0), "best_round is 0, the model has 3 rounds"),
        (lambda h: h.update(best_round=4), "best_round is 4, the model has 3 rounds"),
        (lambda h: h.update(best_round=1.0), "best_round is 1.0"),
        (lambda h: h.update(n_features=3), "n_features in the header is 3, the arrays have 2"),
        (lambda h: h.update(feature_names="ab"), "feature_names must be null or a list"),
        (lambda h: h.update(feature_names=[1, 2]), "feature_names must be null or a list"),
        (lambda h: h.update(feature_names=["a"]), "a different name for each feature"),
        (lambda h: h.update(feature_names=["a", "a"]), "a different name for each feature"),
        (lambda h: h["arrays"].pop(), "23 arrays, expected 24"),
        (lambda h: h["arrays"].reverse(), "array 'feature_clips' .* where 'base_score'"),
        (lambda h: entry(h, "node_left").update(dtype="int64"), "'int64' where 'node_left'"),
        (lambda h: entry(h, "node_left").update(dtype=">i4"), "'>i4' where 'node_left'"),
        (lambda h: entry(h, "node_left").update(dtype=["O"]), "where 'node_left'"),
        (lambda h: entry(h, "node_left").update(length=-1), "must be integers >= 0"),
        (lambda h: entry(h, "node_left").update(length=2.0), "must be integers >= 0"),
        (lambda h: entry(h, "node_left").update(length=True), "must be integers >= 0"),
        (lambda h: entry(h, "node_left").update(length=10**18), "does not lie where it must"),
        (lambda h: entry(h, "node_left").update(offset=0), "does not lie where it must"),
        (lambda h: entry(h, "node_left").update(offset=-8), "does not lie where it must"),
        (lambda h: entry(h, "node_left").pop("offset"), "must have name, dtype, length and offset"),
        (
            lambda h: entry(h, "history").update(length=1),
            "category_set .* does not lie where it must",
        ),
        (lambda h: h["arrays"].__setitem__(0, None), "must have name, dtype, length and offset"),
    ],
)
def test_headers_that_lie(change, message):
    def only_in_place(header):
        result = change(header)
        return result if result == [] else None

    with pytest.raises(ModelFileError, match=message):
        Booster.from_bytes(with_header(INTACT, only_in_place))


def test_two_curves_of_the_same_name():
    header, arrays = parts(INTACT)
    header["history"] *= 2
    entry(header, "history")["length"] *= 2
    behind = entry(header, "node_category_set")["offset"]
    for array in header["arrays"]:
        array["offset"] += 24 * (array["offset"] >= behind and array["name"] != "history")
    twice = arrays[:behind] + arrays[behind - 24 : behind] + arrays[behind:]
    data = assembled(json.dumps(header).encode(), twice)
    with pytest.raises(ModelFileError, match="the history has two curves 'valid', 'rmse'"):
        Booster.from_bytes(data)


def test_bytes_between_arrays_must_be_zero():
    header, _ = parts(INTACT)
    nodes = entry(header, "node_missing_left")
    assert nodes["length"] % 8
    with pytest.raises(
        ModelFileError, match="the bytes after array node_missing_left are not zero"
    ):
        Booster.from_bytes(with_array(INTACT, "node_missing_left", nodes["length"], b"\1"))


@pytest.mark.parametrize(
    ("name", "index", "value"),
    [
        ("base_score", 0, double(np.nan)),
        ("feature_mean", 0, double(np.inf)),
        ("feature_scale", 1, double(0.0)),
        ("feature_scale", 1, double(-1.0)),
        ("tree_node_start", 0, struct.pack("<q", 1)),
        ("tree_node_start", 1, struct.pack("<q", 2**62)),
        ("tree_node_start", 2, struct.pack("<q", -1)),
        ("node_feature", 0, struct.pack("<i", 2)),
        ("node_feature", 0, struct.pack("<i", -2)),
        ("node_feature", 0, struct.pack("<i", -1)),
        ("node_threshold", 0, double(np.nan)),
        ("node_left", 0, struct.pack("<i", 0)),
        ("node_left", 0, struct.pack("<i", -1)),
        ("node_left", 0, struct.pack("<i", 2**31 - 1)),
        ("leaf_intercept", 0, double(np.nan)),
        ("leaf_low", 0, double(np.nan)),
        ("leaf_low", 0, double(1e300)),
        ("leaf_regressor_start", 1, struct.pack("<q", 2**40)),
        ("leaf_regressor_start", 0, struct.pack("<q", -1)),
        ("regressor_feature", 0, struct.pack("<i", 99)),
        ("regressor_slope", 0, double(np.inf)),
    ],
)
def test_arrays_that_are_no_trees(name, index, value):
    with pytest.raises(ModelFileError, match="the trees of the model file are not valid"):
        Booster.from_bytes(with_array(INTACT, name, index, value))


def test_a_promise_of_huge_arrays_allocates_nothing():
    def promise(header):
        for item in header["arrays"]:
            item["length"] = 2**40

    data = with_header(INTACT, promise)
    tracemalloc.start()
    with pytest.raises(ModelFileError):
        Booster.from_bytes(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


@settings(max_examples=300, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.integers(PREAMBLE.size, len(INTACT) - 33), st.integers(0, 255)),
        min_size=1,
        max_size=6,
    )
)
def test_changed_bytes_under_a_new_checksum_are_refused_or_harmless(changes):
    content = bytearray(INTACT[:-32])
    for at, value in changes:
        content[at] = value
    try:
        booster = Booster.from_bytes(sealed(bytes(content)))
    except ModelFileError:
        return
    X = np.array([[0.0, 0.0], [np.nan, np.inf], [-np.inf, 1e300]])
    assert not np.isnan(booster.predict(X)).any()
    str(booster.tree(0))


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=400))
def test_any_bytes_after_the_magic_are_refused(data):
    with pytest.raises(ModelFileError):
        Booster.from_bytes(sealed(MAGIC + data))


def test_a_view_at_an_odd_address_can_be_read():
    shifted = memoryview(b"x" + INTACT)[1:]
    assert Booster.from_bytes(shifted).to_bytes() == INTACT


def test_names_of_all_kinds_survive():
    names = ["\u00e4\u2028\U0001f600", 'quote " and \\ back\nslash']
    X = np.random.default_rng(0).normal(size=(60, 2))
    booster = train({"n_estimators": 1}, Dataset(X, X[:, 0], feature_names=names))
    assert Booster.from_bytes(booster.to_bytes()).feature_names == names


def test_the_layout_is_the_documented_one():
    magic, version, reserved, header_bytes, total = PREAMBLE.unpack(INTACT[:32])
    assert (magic, version, reserved, total) == (MAGIC, 3, 0, len(INTACT))
    assert header_bytes % 8 == 0
    assert hashlib.sha256(INTACT[:-32]).digest() == INTACT[-32:]
    header, _ = parts(INTACT)
    assert [(a["name"], a["dtype"]) for a in header["arrays"]] == list(ARRAYS.items())


def test_models_of_the_first_version_can_be_read():
    booster = Booster.load(GOLDEN / "version-1.plb")
    rows = [[0.5, -1, 2], [np.nan, 1, 0], [np.inf, -np.inf, 1], [-0.3, 0.2, -1.5]]
    expected = ["-0x1.3bd0a475fd12ep+0", "-0x1.a9656aafb0c00p-1"]
    expected += ["0x1.e515e953052d7p-2", "0x1.66289d4fbbde4p-3"]
    assert [score.hex() for score in booster.predict(rows, raw_score=True).tolist()] == expected
    assert (booster.n_outputs, booster.n_rounds, booster.loss) == (1, 4, "log_loss")
    assert len(booster.history["train"]["log_loss"]) == 4
    assert Booster.from_bytes(booster.to_bytes()).to_bytes() == booster.to_bytes()


def test_models_of_the_second_version_can_be_read():
    booster = Booster.load(GOLDEN / "version-2.plb")
    rows = np.array([["a", 0.5], [3.0, -1.0], ["unseen", np.nan]], dtype=object)
    expected = ["-0x1.2ee43c5eaf2d8p-3", "-0x1.67fd4eedfbe03p+0", "-0x1.12cb3c70c754fp+1"]
    expected += ["-0x1.a459c7fe99036p+0", "-0x1.563f7c13b14f0p-6", "-0x1.0faa7305b3412p+1"]
    expected += ["-0x1.2ee43c5eaf2dcp-3", *expected[1:3]]
    scores = booster.predict(rows, raw_score=True).ravel()
    assert [score.hex() for score in scores.tolist()] == expected
    assert (booster.n_outputs, booster.n_rounds, booster.best_round) == (3, 3, 2)
    assert booster.categories == {"x0": ["b", 3, "a"]}
    assert Booster.from_bytes(booster.to_bytes()).to_bytes() == booster.to_bytes()


@pytest.mark.parametrize(
    ("n_outputs", "message"),
    [
        (2, "n_outputs in the header is 2, the arrays have 1"),
        (0, "n_outputs in the header is 0"),
        (True, "n_outputs in the header is True"),
        (None, "n_outputs in the header is None"),
    ],
)
def test_the_number_of_outputs_must_be_that_of_the_arrays(n_outputs, message):
    with pytest.raises(ModelFileError, match=message):
        Booster.from_bytes(with_header(INTACT, lambda h: h.update(n_outputs=n_outputs)))
