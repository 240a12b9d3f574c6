"""The file of a checkpoint: a header, the model file of the rounds so far, and the scores.

Unlike the model file it is no exchange format: the version of plboost that wrote it reads it.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from typing import Any, NoReturn

import numpy as np

from plboost.atomic_file import read_regular_file
from plboost.booster import Booster
from plboost.errors import CheckpointError, ModelFileError
from plboost.snapshot import Snapshot

__all__ = ["decode", "encode", "read_snapshot"]

MAGIC = b"\x89PLC\r\n\x1a\n"
FORMAT_VERSION = 5
# Magic, version, reserved; lengths of the header, the model and the whole file.
PREAMBLE = struct.Struct("<8sIIQQQ")
CHECKSUM_BYTES = 32
_OF_THE_TRAINER = ("random", "slopes", "splits", "steps", "tree_sizes", "unknown_slopes")
_KEYS = {"callbacks", "fingerprint", "learning_rate", *_OF_THE_TRAINER}


def encode(snapshot: Snapshot) -> bytes:
    """Write a snapshot to bytes.

    Parameters
    ----------
    snapshot : Snapshot
        The training.

    Returns
    -------
    bytes
        A whole file.

    Raises
    ------
    TypeError
        When the state of a callback cannot be written.
    """
    header = {
        "callbacks": snapshot.callbacks,
        "fingerprint": snapshot.fingerprint,
        "learning_rate": snapshot.learning_rate,
    } | {name: getattr(snapshot, name) for name in _OF_THE_TRAINER}
    try:
        text = json.dumps(header, sort_keys=True).encode("ascii")
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"the state of a callback cannot be written to a checkpoint: {error}. Return texts, "
            "numbers, booleans, None, lists and dicts from save_state()."
        ) from error
    model = snapshot.booster.to_bytes()
    scores = np.ascontiguousarray(snapshot.scores, dtype="<f8").tobytes()
    total = PREAMBLE.size + len(text) + len(model) + len(scores) + CHECKSUM_BYTES
    preamble = PREAMBLE.pack(MAGIC, FORMAT_VERSION, 0, len(text), len(model), total)
    content = b"".join((preamble, text, model, scores))
    return content + hashlib.sha256(content).digest()


def read_snapshot(path: str | os.PathLike[str]) -> Snapshot:
    """Read a checkpoint from a file.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Snapshot
        The training.

    Raises
    ------
    CheckpointError
        When the file is damaged or no checkpoint.
    """
    try:
        return decode(read_regular_file(path, first_bytes=PREAMBLE.size, check=_check_preamble))
    except CheckpointError as error:
        raise CheckpointError(f"{os.fspath(path)!r} cannot be resumed: {error}") from error


def decode(data: bytes) -> Snapshot:
    """Read a snapshot from the bytes of a file.

    Parameters
    ----------
    data : bytes
        A whole file.

    Returns
    -------
    Snapshot
        The training.

    Raises
    ------
    CheckpointError
        When the file is damaged or no checkpoint.
    """
    _check_preamble(data[: PREAMBLE.size], len(data))
    _, _, _, header_bytes, model_bytes, _ = PREAMBLE.unpack(data[: PREAMBLE.size])
    if hashlib.sha256(data[:-CHECKSUM_BYTES]).digest() != data[-CHECKSUM_BYTES:]:
        _damaged("its checksum is wrong")
    model_start = PREAMBLE.size + header_bytes
    scores_start = model_start + model_bytes
    try:
        header: Any = json.loads(data[PREAMBLE.size : model_start])
        booster = Booster.from_bytes(data[model_start:scores_start])
    except (ModelFileError, ValueError, RecursionError) as error:
        raise CheckpointError(f"the checkpoint is damaged: {error}") from error
    if not isinstance(header, dict) or set(header) != _KEYS:
        _damaged(f"its header must have the keys {sorted(_KEYS)}")
    scores = np.frombuffer(data[scores_start:-CHECKSUM_BYTES], dtype="<f8").astype(np.float64)
    return Snapshot(booster, scores, **{key: header[key] for key in sorted(_KEYS)})


def _check_preamble(preamble: bytes, file_bytes: int) -> None:
    if not preamble.startswith(MAGIC) or len(preamble) < PREAMBLE.size:
        raise CheckpointError(
            f"it is not a checkpoint of plboost, or cut off: it starts with {preamble[:8]!r} and "
            f"has {file_bytes} bytes. Delete it, or use resume=False to replace it."
        )
    _, version, _, header_bytes, model_bytes, total = PREAMBLE.unpack(preamble)
    if version != FORMAT_VERSION:
        raise CheckpointError(
            f"the checkpoint has format version {version}, this plboost reads {FORMAT_VERSION}. "
            "Go on with the plboost that wrote it, or use resume=False to start anew."
        )
    rest = total - PREAMBLE.size - header_bytes - model_bytes - CHECKSUM_BYTES
    if total != file_bytes or rest < 0 or rest % 8:
        _damaged(f"it has {file_bytes} bytes, but says that it has {total}")


def _damaged(what: str) -> NoReturn:
    raise CheckpointError(
        f"the checkpoint is damaged: {what}. Delete it, or use resume=False to start anew."
    )
