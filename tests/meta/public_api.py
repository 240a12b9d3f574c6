"""The public API as text, to be compared with the committed public_api.txt.

`python -m tests.meta.public_api > tests/meta/public_api.txt` writes that file anew.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator

import plboost


def public_api() -> str:
    """Return every public name of plboost with its signature, one per line, in order."""
    return "".join(f"{line}\n" for name in sorted(plboost.__all__) for line in _describe(name))


def _describe(name: str) -> Iterator[str]:
    value = getattr(plboost, name)
    if inspect.isclass(value):
        bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
        arguments = "" if issubclass(value, BaseException) else _signature(value)
        yield f"class {name}{arguments}{f' is {bases}' if bases else ''}"
        yield from (f"    {line}" for line in _members(value))
    elif callable(value):
        yield f"{name}{_signature(value)}"
    else:
        yield f"{name}: {type(value).__name__}"


def _members(cls: type) -> Iterator[str]:
    """List what plboost itself defines; what scikit-learn's classes bring is theirs."""
    ours = [base for base in cls.__mro__ if base.__module__.startswith("plboost")]
    names = {name for base in ours for name in vars(base) if not name.startswith("_")}
    for name in sorted(names):
        member = inspect.getattr_static(cls, name)
        if type(member).__module__.startswith("sklearn"):
            continue
        if isinstance(member, property):
            yield f"{name}: property"
        elif isinstance(member, (staticmethod, classmethod)):
            yield f"{type(member).__name__} {name}{_signature(getattr(cls, name))}"
        elif inspect.isroutine(member):
            yield f"{name}{_signature(member)}"
        else:
            yield f"{name}: {type(member).__name__}"


def _signature(value: Callable[..., object]) -> str:
    """Return names, kinds and defaults; annotations are the type checker's affair."""
    signature = inspect.signature(value)
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(inspect.Signature(plain))


if __name__ == "__main__":
    print(public_api(), end="")
