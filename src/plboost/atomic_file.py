"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable

__all__ = ["read_regular_file", "write_atomically"]


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that readers see the old content or the new one, never a part.

    Parameters
    ----------
    path : path-like
        Where to write. A link is followed; an existing file keeps its permissions, a new one gets
        those of any other new file.
    content : bytes
        What to write.

    Raises
    ------
    OSError
        When the folder is missing, full or not writable. Nothing is left behind.
    ValueError
        When the path is something else than a file.
    """
    target = os.path.realpath(os.fspath(path))
    mode = _mode_of_existing(target)
    folder, name = os.path.split(target)
    # The same folder, because a rename across file systems is not atomic.
    temporary = os.path.join(folder, f".{name[:200]}.{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def read_regular_file(
    path: str | os.PathLike[str], *, first_bytes: int, check: Callable[[bytes, int], object]
) -> bytes:
    """Read a file whole, after its first bytes and its length were found in order.

    Parameters
    ----------
    path : path-like
        The file. Devices and pipes, which may never end, are refused.
    first_bytes : int
        How many bytes `check` wants to see.
    check : callable
        Called with the first bytes and the length of the file; raises to refuse it.

    Returns
    -------
    bytes
        The content.
    """
    # Opening a pipe without a writer would wait for one.
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(os.fspath(path), flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{os.fspath(path)!r} is not a file. Pass the path of a saved model.")
        file = os.fdopen(descriptor, "rb", closefd=False)
        start = file.read(first_bytes)
        check(start, status.st_size)
        return start + file.read(status.st_size - len(start))
    finally:
        os.close(descriptor)


def _mode_of_existing(target: str) -> int | None:
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        # os.replace would put a file in the place of a device.
        raise ValueError(
            f"{target!r} exists and is not a file. Pass the path of a file, or write "
            "Booster.to_bytes() yourself."
        )
    return stat.S_IMODE(status.st_mode)


def _sync_folder(folder: str) -> None:
    """Make the rename itself last a power failure, where the system can."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
