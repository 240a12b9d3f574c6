"""The model file: one open, versioned format, described in docs/model-format.md.

A reader cannot know where a file comes from, so this one trusts nothing: every length is compared
with what is really there before anything is allocated. Whether the arrays form valid trees is
checked by ``_core.Forest.from_arrays``.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost.errors import ModelFileError, damaged_model_file
from plboost.ingest import Categories
from plboost.model_categories import category_arrays, read_categories, write_categories
from plboost.model_history import History, read_best_round, read_history

__all__ = ["ARRAYS", "FORMAT_VERSION", "MAGIC", "Model", "check_preamble", "decode", "encode"]

# The first byte is not text and the line ends break when a transfer "converts" the file.
MAGIC = b"\x89PLB\r\n\x1a\n"
FORMAT_VERSION = 3
PREAMBLE = struct.Struct("<8sIIQQ")
CHECKSUM_BYTES = 32
MAX_HEADER_BYTES = 32 * 2**20
MAX_INTEGER_DIGITS = 20

ARRAYS: dict[str, str] = {
    "base_score": "float64",
    "feature_mean": "float64",
    "feature_scale": "float64",
    "feature_min": "float64",
    "feature_max": "float64",
    "tree_node_start": "int64",
    "node_feature": "int32",
    "node_threshold": "float64",
    "node_missing_left": "uint8",
    "node_left": "int32",
    "node_gain": "float64",
    "node_weight": "float64",
    "leaf_intercept": "float64",
    "leaf_low": "float64",
    "leaf_high": "float64",
    "leaf_regressor_start": "int64",
    "regressor_feature": "int32",
    "regressor_slope": "float64",
    "history": "float64",
    "node_category_set": "int32",
    "category_set": "uint8",
    "category_mean": "float64",
    "category_prior": "float64",
    "feature_clips": "uint8",
}
"""Names and types of the arrays, in the order in which a file holds them."""

# The version that brought them, of those that not all versions have.
_VERSION_OF_ARRAY = {
    "node_category_set": 2,
    "category_set": 2,
    "category_mean": 3,
    "category_prior": 3,
    "feature_clips": 3,
}

_HEADER_KEYS = {
    "arrays",
    "best_round",
    "categories",
    "category_means",
    "created_by",
    "feature_names",
    "history",
    "loss",
    "n_features",
    "n_outputs",
    "n_trees",
    "parameters",
}

# Lists and objects hold what was said of single features.
ParameterValue = str | bool | int | float | list[Any] | dict[str, Any] | None


@dataclass(frozen=True)
class Model:
    """What a model file holds."""

    loss: str
    forest: dict[str, npt.NDArray[Any]]
    feature_names: list[str] | None
    categories: Categories
    history: History
    best_round: int | None
    parameters: dict[str, ParameterValue]
    created_by: str


def encode(model: Model) -> bytes:
    """Write a model to bytes; the same model always gives the same bytes.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    bytes
        A whole model file.
    """
    curves = [
        (s, m, values) for s, metrics in model.history.items() for m, values in metrics.items()
    ]
    arrays = model.forest | category_arrays(model.categories)
    arrays["history"] = np.concatenate([np.empty(0), *(values for _, _, values in curves)])
    chunks = [
        np.ascontiguousarray(arrays[name], dtype=np.dtype(dtype).newbyteorder("<")).tobytes()
        for name, dtype in ARRAYS.items()
    ]
    header: dict[str, Any] = {
        "loss": model.loss,
        "n_features": len(arrays["feature_mean"]) - model.categories.n_means,
        "n_outputs": len(arrays["base_score"]),
        "n_trees": len(arrays["tree_node_start"]) - 1,
        "feature_names": model.feature_names,
        **write_categories(model.categories),
        "best_round": model.best_round,
        "history": [[set_name, metric] for set_name, metric, _ in curves],
        "parameters": model.parameters,
        "created_by": model.created_by,
    }
    text = _header_with_offsets(header, {name: len(arrays[name]) for name in ARRAYS})
    if len(text) > MAX_HEADER_BYTES:
        raise ValueError(
            f"the header of the model file would have {len(text)} bytes, at most "
            f"{MAX_HEADER_BYTES} are allowed. Shorten the names of features and categories."
        )
    body = text + b"".join(_padded(chunk) for chunk in chunks)
    total = PREAMBLE.size + len(body) + CHECKSUM_BYTES
    content = PREAMBLE.pack(MAGIC, FORMAT_VERSION, 0, len(text), total) + body
    return content + hashlib.sha256(content).digest()


def decode(data: bytes | bytearray | memoryview) -> Model:
    """Read a model from the bytes of a model file.

    Parameters
    ----------
    data : bytes-like
        A whole model file.

    Returns
    -------
    Model
        The model; its arrays may share memory with `data`.

    Raises
    ------
    ModelFileError
        When anything is not as docs/model-format.md says.
    """
    view = memoryview(data).cast("B")
    preamble = view[: PREAMBLE.size].tobytes()
    header_bytes = check_preamble(preamble, len(view))
    version = PREAMBLE.unpack(preamble)[1]
    if hashlib.sha256(view[:-CHECKSUM_BYTES]).digest() != view[-CHECKSUM_BYTES:].tobytes():
        raise ModelFileError(
            "the checksum of the model file is wrong: it is damaged. Copy it again."
        )
    text = view[PREAMBLE.size : PREAMBLE.size + header_bytes].tobytes()
    header = _parse_header(text, version)
    kinds = {n: dtype for n, dtype in ARRAYS.items() if version >= _VERSION_OF_ARRAY.get(n, 1)}
    arrays = _read_arrays(view, PREAMBLE.size + header_bytes, header["arrays"], kinds)
    for name in ARRAYS.keys() - kinds.keys():
        length = len(arrays["feature_mean"]) if name == "feature_clips" else 0
        arrays[name] = np.zeros(length, dtype=ARRAYS[name])
    curves = arrays.pop("history")
    categories = read_categories(header, arrays)
    _check_counts(header, arrays, categories.n_means)
    return Model(
        loss=header["loss"],
        forest=arrays,
        feature_names=_feature_names(header),
        categories=categories,
        history=read_history(header, curves),
        best_round=read_best_round(header),
        parameters=header["parameters"],
        created_by=header["created_by"],
    )


def check_preamble(preamble: bytes, file_bytes: int) -> int:
    """Check the first 32 bytes of a file against its real length.

    Parameters
    ----------
    preamble : bytes
        The first 32 bytes, or fewer if there are no more.
    file_bytes : int
        The length of the whole file.

    Returns
    -------
    int
        The length of the header.

    Raises
    ------
    ModelFileError
        When this is not a plboost model, of a newer version, cut off, or too long.
    """
    if not preamble.startswith(MAGIC):
        if MAGIC.startswith(preamble):
            raise ModelFileError(
                f"the model file is cut off after {file_bytes} bytes. Copy it again."
            )
        raise ModelFileError(
            f"this is not a plboost model: it starts with {preamble[:8]!r}, expected {MAGIC!r}. "
            "Pass a file written by Booster.save()."
        )
    if len(preamble) < PREAMBLE.size:
        raise ModelFileError(f"the model file is cut off after {file_bytes} bytes. Copy it again.")
    _, version, reserved, header_bytes, total = PREAMBLE.unpack(preamble)
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"the model file has format version {version}, this plboost reads up to "
            f"{FORMAT_VERSION}. Install a newer plboost."
        )
    if version < 1 or reserved != 0:
        damaged_model_file(f"format version {version} and reserved field {reserved} do not exist")
    if total != file_bytes:
        raise ModelFileError(
            f"the model file has {file_bytes} bytes, but says that it has {total}: it was cut off "
            "or something was added. Copy it again."
        )
    room = total - PREAMBLE.size - CHECKSUM_BYTES
    if header_bytes % 8 or not 0 < header_bytes <= min(room, MAX_HEADER_BYTES):
        damaged_model_file(f"a header of {header_bytes} bytes does not fit")
    return int(header_bytes)


def _header_with_offsets(header: Mapping[str, Any], lengths: Mapping[str, int]) -> bytes:
    """Add the table of arrays, whose offsets count from the end of the header."""
    table = []
    offset = 0
    for name, dtype in ARRAYS.items():
        table.append({"name": name, "dtype": dtype, "length": lengths[name], "offset": offset})
        offset += _rounded(lengths[name] * np.dtype(dtype).itemsize)
    text = json.dumps({**header, "arrays": table}, sort_keys=True, allow_nan=False)
    return text.encode("ascii") + b" " * (-len(text) % 8)


def _rounded(n_bytes: int) -> int:
    return n_bytes + -n_bytes % 8


def _padded(chunk: bytes) -> bytes:
    return chunk + b"\0" * (-len(chunk) % 8)


def _parse_header(text: bytes, version: int) -> dict[str, Any]:
    try:
        header = json.loads(
            text.decode("ascii"),
            object_pairs_hook=_distinct_keys,
            parse_constant=lambda word: damaged_model_file(f"{word} is not allowed in the header"),
            parse_int=_integer,
            parse_float=_finite,
        )
    except RecursionError:
        damaged_model_file("the header is nested too deeply")
    except UnicodeDecodeError as error:
        damaged_model_file(f"the header is not ASCII: {error}")
    except json.JSONDecodeError as error:
        damaged_model_file(f"the header is not JSON: {error}")
    later: dict[str, Any] = {"category_means": None} if version < 3 else {}
    if version == 1:
        later |= {"n_outputs": 1, "best_round": None, "categories": []}
    keys = _HEADER_KEYS - set(later)
    if not isinstance(header, dict) or set(header) != keys:
        damaged_model_file(f"the header must be an object with the keys {sorted(keys)}")
    header |= later
    for key, kind in (("loss", str), ("created_by", str), ("parameters", dict)):
        if not isinstance(header[key], kind):
            damaged_model_file(f"{key} in the header must be of type {kind.__name__}")
    for key in ("arrays", "history"):
        if not isinstance(header[key], list):
            damaged_model_file(f"{key} in the header must be a list")
    return header


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        damaged_model_file("a key of the header occurs twice")
    return found


def _integer(digits: str) -> int:
    # int() of a million digits takes minutes.
    if len(digits) > MAX_INTEGER_DIGITS:
        damaged_model_file(f"a number of {len(digits)} digits in the header")
    return int(digits)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        damaged_model_file("a number of the header is too large")
    return number


def _read_arrays(
    view: memoryview, start: int, table: list[Any], kinds: Mapping[str, str]
) -> dict[str, npt.NDArray[Any]]:
    """Cut the arrays out of the file, without a copy.

    The reader computes every offset itself and compares: arrays cannot overlap, leave gaps, or
    come in another order.
    """
    end = len(view) - CHECKSUM_BYTES
    if len(table) != len(kinds):
        damaged_model_file(f"{len(table)} arrays, expected {len(kinds)}")
    arrays: dict[str, npt.NDArray[Any]] = {}
    position = start
    for entry, (name, dtype) in zip(table, kinds.items(), strict=True):
        if not isinstance(entry, dict) or set(entry) != {"name", "dtype", "length", "offset"}:
            damaged_model_file(f"array {name} must have name, dtype, length and offset")
        if entry["name"] != name or entry["dtype"] != dtype:
            damaged_model_file(
                f"array {entry['name']!r} of type {entry['dtype']!r} where {name!r} of type "
                f"{dtype!r} is expected"
            )
        length = entry["length"]
        if type(length) is not int or type(entry["offset"]) is not int or length < 0:
            damaged_model_file(f"length and offset of array {name} must be integers >= 0")
        stored = np.dtype(dtype).newbyteorder("<")
        n_bytes = length * stored.itemsize
        if entry["offset"] != position - start or position + _rounded(n_bytes) > end:
            damaged_model_file(f"array {name} of length {length} does not lie where it must")
        if any(view[position + n_bytes : position + _rounded(n_bytes)]):
            damaged_model_file(f"the bytes after array {name} are not zero")
        values = np.frombuffer(view, dtype=stored, count=length, offset=position)
        # A slice of a larger buffer may lie at an odd address.
        arrays[name] = np.require(values, dtype=np.dtype(dtype), requirements="A")
        position += _rounded(n_bytes)
    if position != end:
        damaged_model_file(f"{end - position} bytes after the last array")
    return arrays


def _check_counts(
    header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], n_means: int
) -> None:
    for key, found in (
        ("n_features", len(arrays["feature_mean"]) - n_means),
        ("n_outputs", len(arrays["base_score"])),
        ("n_trees", len(arrays["tree_node_start"]) - 1),
    ):
        if type(header[key]) is not int or header[key] != found:
            damaged_model_file(f"{key} in the header is {header[key]!r}, the arrays have {found}")
    if header["n_outputs"] == 0 or header["n_trees"] % header["n_outputs"]:
        damaged_model_file(f"{header['n_trees']} trees for {header['n_outputs']} outputs")


def _feature_names(header: Mapping[str, Any]) -> list[str] | None:
    names = header["feature_names"]
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        damaged_model_file("feature_names must be null or a list of strings")
    if len(names) != header["n_features"] or len(set(names)) != len(names):
        damaged_model_file("feature_names must hold a different name for each feature")
    return names
