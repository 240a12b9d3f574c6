"""Just enough C++ to measure functions and follow includes; no parser."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOISE = re.compile(
    r"""
      (?P<raw>R"(?P<tag>[^()\s]{0,16})\(.*?\)(?P=tag)")
    | (?P<block>/\*.*?\*/)
    | (?P<line>//[^\n]*)
    | (?P<directive>^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<char>(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*')
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_SCOPE = re.compile(r"(?:inline\s+)?namespace\b|(?:class|struct|union|enum)\b|extern\s*$")


@dataclass(frozen=True)
class Function:
    """The name as far as it can be told, and the lines from the signature to the closing brace."""

    name: str
    first_line: int
    n_lines: int


def includes(text: str) -> list[str]:
    """Return what the file includes, without quotes or brackets."""
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', text, re.MULTILINE)


def functions(text: str) -> list[Function]:
    """Find the blocks that stand directly in a file, a namespace or a class and are neither."""
    code = _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    found = []
    is_scope = [True]
    heads: list[tuple[int, str]] = []
    start = 0
    for match in re.finditer(r"[{};]", code):
        if match.group() == "{":
            heads.append((start, code[start : match.start()]))
            is_scope.append(is_scope[-1] and bool(_SCOPE.match(_without_template(heads[-1][1]))))
        elif match.group() == "}":
            head_start, head = heads.pop()
            if not is_scope.pop() and is_scope[-1] and not head.rstrip().endswith("="):
                first_line = _line(code, head_start + len(head) - len(head.lstrip()))
                n_lines = _line(code, match.start()) - first_line + 1
                found.append(Function(_name(head), first_line, n_lines))
            # The braces in `: a_{1}, b_{2} {` belong to the function that the last one opens.
            if code[match.end() :].lstrip().startswith((",", "{")):
                start = head_start
                continue
        start = match.end()
    return found


def _line(code: str, position: int) -> int:
    return code.count("\n", 0, position) + 1


def _without_template(head: str) -> str:
    head = re.sub(r"^\s*(?:public|private|protected)\s*:", "", head).strip()
    while head.startswith("template"):
        head = head[_end_of_template(head) :].strip()
    return re.sub(r"^\[\[.*?\]\]\s*", "", head)


def _end_of_template(head: str) -> int:
    angles = parentheses = 0
    for match in re.finditer(r"[<>()]", head):
        parentheses += {"(": 1, ")": -1}.get(match.group(), 0)
        if parentheses == 0:
            angles += {"<": 1, ">": -1}.get(match.group(), 0)
        if match.group() == ">" and angles == 0:
            return match.end()
    return len(head)


def _name(head: str) -> str:
    names = re.findall(r"([\w:~]+|operator\S+)\s*\(", head)
    return names[0] if names else " ".join(head.split())[:40]
