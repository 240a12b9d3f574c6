from __future__ import annotations

import io

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
