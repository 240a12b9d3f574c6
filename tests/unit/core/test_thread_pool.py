from __future__ import annotations

import os
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost._core import stages
from tests.problems import STEADY


def n_system_threads():
    return len(os.listdir("/proc/self/task"))


def n_threads_after_exit(expected):
    """Count the threads once those that have been joined are gone from /proc too."""
    deadline = time.monotonic() + 2.0
    while n_system_threads() != expected and time.monotonic() < deadline:
        time.sleep(0.001)
    return n_system_threads()


@pytest.mark.parametrize("n_threads", range(1, 9))
@pytest.mark.parametrize("n_chunks", [0, 1, 2, 3, 7, 8, 9, 64, 1000])
def test_every_chunk_runs_once(n_threads, n_chunks):
    assert stages.run_chunks(n_chunks, n_threads, None) == [1] * n_chunks


@settings(STEADY, max_examples=200)
@given(n_chunks=st.integers(0, 1000), n_threads=st.integers(1, 8))
def test_every_chunk_runs_once_for_any_numbers(n_chunks, n_threads):
    assert stages.run_chunks(n_chunks, n_threads, None) == [1] * n_chunks


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8])
@pytest.mark.parametrize(("n_chunks", "bad"), [(1, 0), (2, 1), (100, 0), (100, 57), (100, 99)])
def test_exception_of_a_chunk_comes_out_and_the_next_call_works(n_threads, n_chunks, bad):
    for _ in range(5):
        with pytest.raises(ValueError, match=f"chunk {bad} is bad"):
            stages.run_chunks(n_chunks, n_threads, bad)
        assert stages.run_chunks(n_chunks, n_threads, None) == [1] * n_chunks


def test_no_thread_is_left():
    before = n_system_threads()
    for n_threads in (1, 2, 8, 32):
        stages.run_chunks(100, n_threads, None)
        assert n_threads_after_exit(before) == before
        with pytest.raises(ValueError, match="is bad"):
            stages.run_chunks(100, n_threads, 3)
        assert n_threads_after_exit(before) == before


def test_pools_do_not_disturb_each_other():
    results = []

    def work():
        for n_chunks in range(0, 200, 10):
            results.append(stages.run_chunks(n_chunks, 3, None) == [1] * n_chunks)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 80


@pytest.mark.parametrize("n_threads", [-3, 0])
def test_the_caller_always_works(n_threads):
    assert stages.run_chunks(10, n_threads, None) == [1] * 10
