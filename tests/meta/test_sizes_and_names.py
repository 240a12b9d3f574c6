from __future__ import annotations

import ast
from pathlib import Path

from tests.meta import cpp_source
from tests.meta.repository import CPP_SUFFIXES, ROOT, SOURCE_FOLDERS, files_under, relative

MAX_FILE_LINES = 399
MAX_FUNCTION_LINES = 59
# They say where code was put when nobody knew what it was.
EMPTY_WORDS = {"util", "utils", "common", "helper", "helpers", "misc"}


def python_functions(path: Path) -> list[tuple[str, int, int]]:
    """Return name, line and length of every function; its docstring does not count."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or only_stores(node):
            continue
        assert node.end_lineno is not None
        n_lines = node.end_lineno - node.lineno + 1
        if ast.get_docstring(node) is not None:
            docstring = node.body[0]
            assert docstring.end_lineno is not None
            n_lines -= docstring.end_lineno - docstring.lineno + 1
        found.append((node.name, node.lineno, n_lines))
    return found


def only_stores(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether all that a function does is ``self.name = name``, as scikit-learn asks for."""
    stored = [
        isinstance(line, ast.Assign)
        and isinstance(line.value, ast.Name)
        and ast.unparse(line.targets[0]) == f"self.{line.value.id}"
        for line in node.body
    ]
    return all(stored)


def test_files_are_short() -> None:
    long = {
        relative(path): n_lines
        for path in files_under(*SOURCE_FOLDERS, suffixes={".py", *CPP_SUFFIXES})
        if (n_lines := len(path.read_text().splitlines())) > MAX_FILE_LINES
    }
    assert not long


def test_python_functions_are_short() -> None:
    long = [
        f"{relative(path)}:{line} {name}: {n_lines} lines"
        for path in files_under(*SOURCE_FOLDERS, suffixes={".py"})
        for name, line, n_lines in python_functions(path)
        if n_lines > MAX_FUNCTION_LINES
    ]
    assert not long


def test_cpp_functions_are_short() -> None:
    long = [
        f"{relative(path)}:{function.first_line} {function.name}: {function.n_lines} lines"
        for path in files_under(*SOURCE_FOLDERS, suffixes=CPP_SUFFIXES)
        for function in cpp_source.functions(path.read_text())
        if function.n_lines > MAX_FUNCTION_LINES
    ]
    assert not long


def test_no_name_is_empty_of_meaning() -> None:
    for folder in SOURCE_FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            words = set(path.name.split(".")[0].lower().split("_"))
            assert not words & EMPTY_WORDS, f"{relative(path)}: name it after what it does"
