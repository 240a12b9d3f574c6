"""Model files that lie, with a correct checksum."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from typing import Any

PREAMBLE = struct.Struct("<8sIIQQ")


def sealed(content: bytes) -> bytes:
    """Append the checksum."""
    return content + hashlib.sha256(content).digest()


def parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header and the bytes of the arrays."""
    *_, header_bytes, total = PREAMBLE.unpack(data[: PREAMBLE.size])
    start = PREAMBLE.size + header_bytes
    return json.loads(data[PREAMBLE.size : start]), data[start : total - 32]


def assembled(header_text: bytes, arrays: bytes, *, version: int = 3, reserved: int = 0) -> bytes:
    """Put a file together."""
    header_text += b" " * (-len(header_text) % 8)
    total = PREAMBLE.size + len(header_text) + len(arrays) + 32
    preamble = PREAMBLE.pack(b"\x89PLB\r\n\x1a\n", version, reserved, len(header_text), total)
    return sealed(preamble + header_text + arrays)


def with_header(data: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """Change the header; a returned value replaces it."""
    header, arrays = parts(data)
    changed = change(header)
    return assembled(json.dumps(header if changed is None else changed).encode(), arrays)


def with_header_text(data: bytes, change: Callable[[str], str]) -> bytes:
    """Change the text of the header."""
    header, arrays = parts(data)
    return assembled(change(json.dumps(header)).encode(), arrays)


def with_array(data: bytes, name: str, index: int, value: bytes) -> bytes:
    """Overwrite one item of an array."""
    header, arrays = parts(data)
    entry = next(entry for entry in header["arrays"] if entry["name"] == name)
    at = entry["offset"] + index * len(value)
    arrays = arrays[:at] + value + arrays[at + len(value) :]
    return assembled(json.dumps(header).encode(), arrays)
