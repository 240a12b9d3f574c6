from __future__ import annotations

import io
import types

import pytest

from plboost import Dataset, train
from plboost.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(verbose: int, *, n_rounds: int, stream: io.StringIO) -> str:
    progress = Progress(n_rounds, ["valid rmse"], verbose=verbose, stream=stream)
    for i in range(n_rounds):
        progress.update(i, [0.5 / (i + 1)])
    progress.close()
    return stream.getvalue()


def test_a_log_gets_about_ten_lines():
    lines = shown(1, n_rounds=100, stream=io.StringIO()).splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("round  10/100  valid rmse 0.05  ")
    assert lines[0].endswith(" s left")
    assert lines[-1].startswith("round 100/100  valid rmse 0.005  ")
    assert lines[-1].endswith(" s")


def test_a_larger_number_gives_a_line_every_so_many_rounds_and_the_last():
    lines = shown(3, n_rounds=8, stream=Terminal()).splitlines()
    assert [line.split()[1] for line in lines] == ["3/8", "6/8", "8/8"]


def test_a_terminal_gets_one_line_written_over():
    text = shown(1, n_rounds=50, stream=Terminal())
    assert text.count("\n") == 1
    assert text.endswith("\n")
    assert "50/50" in text.rpartition("\r")[2]


def test_close_says_nothing_when_nothing_was_shown():
    stream = Terminal()
    Progress(5, [], verbose=1, stream=stream).close()
    assert stream.getvalue() == ""


@pytest.mark.parametrize("verbose", [1, True])
def test_train_shows_the_metric_on_stderr(problem, capsys, verbose):
    X, y = problem
    train({"n_estimators": 2}, Dataset(X, y), eval_sets={"valid": (X, y)}, verbose=verbose)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "round 2/2  valid rmse " in captured.err


def test_train_is_silent_by_default(problem, capsys):
    train({"n_estimators": 2}, Dataset(*problem))
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""


def test_a_terminal_sees_a_bar():
    text = shown(1, n_rounds=50, stream=Terminal())
    last = text.rpartition("\r")[2]
    assert "50/50  [====================]  valid rmse 0.01  " in last


def test_a_notebook_gets_one_line_written_over():
    # What ipykernel puts in the place of sys.stderr is no terminal.
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    text = shown(1, n_rounds=50, stream=stream)
    assert text.count("\n") == 1
    assert text.count("\r") >= 1
    assert "\x1b" not in text


def test_a_shorter_line_covers_the_one_before():
    stream = Terminal()
    progress = Progress(2, ["rmse"], verbose=1, stream=stream)
    progress.update(0, [0.123456])
    progress.update(1, [1.0])
    first, last = stream.getvalue().split("\r")[1:]
    assert len(last) >= len(first)


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_the_last_round_of_a_stopped_training_is_shown(stream):
    progress = Progress(1000, ["rmse"], verbose=1, stream=stream)
    for i in range(7):
        progress.update(i, [float(i)])
    progress.close()
    lines = stream.getvalue().replace("\r", "\n").strip().splitlines()
    assert lines[-1].startswith("round    7/1000")
    assert "rmse 6" in lines[-1]


def test_the_time_left_is_that_of_the_rounds_of_this_training(monkeypatch):
    now = iter([0.0, 2.0, 2.0])
    clock = types.SimpleNamespace(monotonic=lambda: next(now))
    monkeypatch.setattr("plboost.progress.time", clock)
    stream = io.StringIO()
    progress = Progress(60, [], verbose=51, first_round=50, stream=stream)
    progress.update(50, [])
    assert "18.0 s left" in stream.getvalue()
