from __future__ import annotations

import plboost
from tests.meta.public_api import public_api
from tests.meta.repository import ROOT


def test_public_api_is_the_committed_one() -> None:
    committed = (ROOT / "tests/meta/public_api.txt").read_text()
    assert public_api() == committed, (
        "the public API changed. If that is meant, run "
        "`.venv/bin/python -m tests.meta.public_api > tests/meta/public_api.txt`, "
        "and tell users in CHANGELOG.md."
    )


def test_every_public_name_is_documented() -> None:
    undocumented = [name for name in plboost.__all__ if not getattr(plboost, name).__doc__]
    assert not undocumented
