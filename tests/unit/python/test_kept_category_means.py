"""Means of categories in files, in checkpoints and in models that go on; and files that lie."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from plboost import Booster, Dataset, ModelFileError, train
from plboost.callbacks import Checkpoint
from plboost.errors import CheckpointError
from tests.unit.python.cities import SMALL, model, problem, trained
from tests.unit.python.forgery import assembled, parts, with_array


def test_file_pickle_and_checkpoint_keep_the_means(tmp_path):
    table, y = problem()
    booster = trained(table, y)
    booster.save(tmp_path / "model.plb")
    for copy in (Booster.load(tmp_path / "model.plb"), pickle.loads(pickle.dumps(booster))):
        assert copy.to_bytes() == booster.to_bytes()
        np.testing.assert_array_equal(copy.predict(table), booster.predict(table))
        assert str(copy.tree(0)) == str(booster.tree(0))
    checkpoint = Checkpoint(tmp_path / "training.ckpt", every=1)
    data = Dataset(table, y, category_means="target")
    train(SMALL | {"n_estimators": 2}, data, callbacks=[checkpoint])
    assert train(SMALL, data, callbacks=[checkpoint]).to_bytes() == booster.to_bytes()
    with pytest.raises(CheckpointError, match=r"other training data .*category_means"):
        train(SMALL, Dataset(table, y), callbacks=[checkpoint])


def test_warm_start_goes_on_where_it_was():
    table, y = problem()
    whole = model(n_estimators=6)
    both = model(n_estimators=2, warm_start=True)
    both.set_params(n_estimators=6).fit(table, y)
    assert both.booster_.to_bytes() == whole.booster_.to_bytes()
    other, other_y = problem(seed=5)
    both.set_params(n_estimators=8).fit(other, other_y)
    np.testing.assert_array_equal(
        both.booster_.predict(table, n_rounds=6), whole.booster_.predict(table)
    )
    with pytest.raises(ValueError, match="trained with category_means='target', got category_"):
        both.set_params(n_estimators=9, category_means=None).fit(table, y)


def test_a_continued_model_keeps_its_means():
    table, y = problem()
    first = trained(table, y)
    other, other_y = problem(seed=5)
    longer = trained(other, other_y, init_model=first)
    assert longer.n_rounds == 8
    np.testing.assert_array_equal(longer.predict(table, n_rounds=4), first.predict(table))
    np.testing.assert_array_equal(longer._matrix(table), first._matrix(table))
    for means in (None, "classes"):
        with pytest.raises(ValueError, match=rf"category_means='target', got .*={means!r}:.*Pass"):
            Dataset(table, y > 13, init_model=first, category_means=means)
    plain = train(SMALL, Dataset(table, y))
    with pytest.raises(ValueError, match="category_means=None, got category_means='target'"):
        Dataset(table, y, init_model=plain, category_means="target")


@pytest.mark.parametrize("same_rows", [True, False])
def test_rows_that_a_model_knows_do_not_see_their_targets(monkeypatch, same_rows):
    table, y = problem()
    first = trained(table, y)
    matrices = []
    build = Dataset._with_means

    def keep(self, *arguments):
        matrices.append(build(self, *arguments))
        return matrices[-1]

    monkeypatch.setattr(Dataset, "_with_means", keep)
    if same_rows:
        Dataset(table, y, category_means="target")
        Dataset(table, y, category_means="target", init_model=first)
        np.testing.assert_array_equal(*matrices)
    else:
        Dataset(table[:300], y[:300], category_means="target", init_model=first)
        np.testing.assert_array_equal(matrices[0], first._matrix(table[:300]))


def _forged(change):
    header, arrays = parts(trained(*problem(), max_bins=30).to_bytes())
    change(header)
    return assembled(json.dumps(header).encode(), arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"category_means": None}, "there are means of categories, but category_means is null"),
        ({"category_means": []}, "category_means must have a kind and others"),
        ({"category_means": {"kind": "target"}}, "category_means must have a kind and others"),
        ({"category_means": {"kind": "median", "others": [[]]}}, "kind 'median' .* does not exist"),
        ({"category_means": {"kind": ["target"], "others": [[]]}}, "does not exist"),
        ({"category_means": {"kind": "target", "others": []}}, "others for each categorical"),
        ({"category_means": {"kind": "target", "others": {}}}, "others for each categorical"),
        ({"category_means": {"kind": "target", "others": [3]}}, "must have a list of categories"),
        ({"category_means": {"kind": "target", "others": [[None]]}}, "must be a text, a number"),
        ({"category_means": {"kind": "target", "others": [[1, True]]}}, "occurs twice"),
        ({"category_means": {"kind": "target", "others": [["c0"]]}}, "occurs twice|do not fit"),
        ({"category_means": {"kind": "target", "others": [["a"]]}}, "means do not fit 31 categor"),
        ({"n_features": 3}, "n_features in the header is 3, the arrays have 2"),
        ({"categories": []}, "does not fit the kind|others for each"),
        ({"feature_names": ["a", "b", "c"]}, "a different name for each feature"),
    ],
)
def test_headers_that_lie_about_means(change, message):
    with pytest.raises(ModelFileError, match=message):
        Booster.from_bytes(_forged(lambda header: header.update(change)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["category_mean", "category_prior"])
def test_means_must_be_finite(name, value):
    data = trained(*problem()).to_bytes()
    with pytest.raises(ModelFileError, match="a mean of a category is not finite"):
        Booster.from_bytes(with_array(data, name, 0, np.float64(value).tobytes()))


def test_lengths_of_means_must_fit():
    def shorten(header):
        prior = next(entry for entry in header["arrays"] if entry["name"] == "category_prior")
        mean = next(entry for entry in header["arrays"] if entry["name"] == "category_mean")
        mean["length"] -= 1
        prior["length"] += 1
        prior["offset"] -= 8

    with pytest.raises(ModelFileError, match="39 means do not fit 40 categories"):
        Booster.from_bytes(_forged(shorten))
