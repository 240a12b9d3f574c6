from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

import plboost
from plboost.errors import MissingDependencyError, ModelFileError, PLBoostError
from plboost.extras import require


def test_version_is_that_of_the_installed_package():
    assert plboost.__version__ == importlib.metadata.version("plboost")


def test_errors_can_be_caught_as_python_knows_them():
    assert issubclass(ModelFileError, (PLBoostError, ValueError))
    assert issubclass(ModelFileError, ValueError)
    assert issubclass(MissingDependencyError, ImportError)


def test_show_versions_names_what_matters(capsys):
    plboost.show_versions()
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["plboost"] == plboost.__version__
    assert {"Python", "system", "processors", "numpy", "scikit-learn"} <= set(lines)


def test_optional_packages_are_not_imported_with_plboost():
    # scikit-learn imports some of them itself, when they are there.
    code = (
        "import sys, sklearn.utils, sklearn.base, joblib\n"
        "before = set(sys.modules)\n"
        "import plboost, plboost.plotting\n"
        "found = {'pandas', 'polars', 'matplotlib', 'pyarrow'} & (set(sys.modules) - before)\n"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_broken_package_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("import a_dependency_that_is_not_there")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_dependency_that_is_not_there") as caught:
        require("broken_package", purpose="this test", install="broken")
    assert not isinstance(caught.value, MissingDependencyError)
