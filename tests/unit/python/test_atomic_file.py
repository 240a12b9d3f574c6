from __future__ import annotations

import os
import stat

import pytest

from plboost import Booster, ModelFileError
from plboost.atomic_file import write_atomically

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and pipes are those of POSIX")


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_nothing_but_the_file_is_left(tmp_path):
    write_atomically(tmp_path / "a", b"1")
    write_atomically(str(tmp_path / "a"), b"22")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a", b"22")]


@posix
def test_permissions_are_those_of_any_new_file(tmp_path):
    (tmp_path / "normal").write_bytes(b"")
    write_atomically(tmp_path / "ours", b"")
    assert mode(tmp_path / "ours") == mode(tmp_path / "normal")


@posix
def test_an_existing_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert mode(path) == 0o640


@posix
def test_a_link_is_followed(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, b"new")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a", b"old")]


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "missing" / "a", b"")


def test_a_name_of_the_longest_length_works(tmp_path):
    write_atomically(tmp_path / ("n" * 255), b"1")


@posix
def test_devices_and_folders_are_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(ValueError, match="exists and is not a file"):
            write_atomically(path, b"")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@posix
def test_a_pipe_a_device_or_a_folder_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path):
        with pytest.raises(ValueError, match="is not a file"):
            Booster.load(path)


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Booster.load(tmp_path / "missing")


def test_a_large_file_that_is_no_model_is_refused_by_its_start(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(ModelFileError, match="not a plboost model"):
        Booster.load(path)
