"""What a parameter may be: a whole number, a number, a word, a flag; and a row of the table."""

from __future__ import annotations

import itertools
import math
import numbers
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

__all__ = [
    "Choice",
    "Flag",
    "Fraction",
    "Integer",
    "Levels",
    "LossRule",
    "NonZeroInteger",
    "Parameter",
    "Real",
    "Rule",
]

# The core counts in 32 bits.
_LARGEST = 2**31 - 1


class Rule(Protocol):
    """What a parameter may be."""

    @property
    def allowed(self) -> str:
        """The allowed values in words, to follow "must be"."""

    def has_type(self, value: object) -> bool:
        """Tell whether the type is right."""

    def convert(self, value: Any) -> Any:
        """Return the value as a plain Python object, or None when it is out of range."""


@dataclass(frozen=True)
class Integer:
    """A whole number within limits."""

    minimum: int
    maximum: int = _LARGEST

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.maximum == _LARGEST:
            return f"an integer >= {self.minimum}"
        return f"an integer between {self.minimum} and {self.maximum}"

    def has_type(self, value: object) -> bool:
        """Tell whether the value is an integer; True and False are not meant as numbers."""
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)

    def convert(self, value: Any) -> int | None:
        """Return the value as int, or None when it is out of range."""
        number = int(value)
        return number if self.minimum <= number <= self.maximum else None


@dataclass(frozen=True)
class NonZeroInteger:
    """A whole number other than zero, up to a maximum."""

    maximum: int

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"an integer other than 0, at most {self.maximum}"

    def has_type(self, value: object) -> bool:
        """Tell whether the value is an integer."""
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)

    def convert(self, value: Any) -> int | None:
        """Return the value as int, or None when it is 0 or too large."""
        number = int(value)
        return number if number != 0 and number <= self.maximum else None


@dataclass(frozen=True)
class Real:
    """A finite number, above or at a minimum and not above a maximum."""

    minimum: float
    maximum: float = math.inf
    includes_minimum: bool = True
    includes_maximum: bool = True

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        below = "<=" if self.includes_maximum else "<"
        limit = "" if math.isinf(self.maximum) else f" and {below} {self.maximum:g}"
        sign = ">=" if self.includes_minimum else ">"
        return f"a finite number {sign} {self.minimum:g}{limit}"

    def has_type(self, value: object) -> bool:
        """Tell whether the value is a real number."""
        return isinstance(value, numbers.Real) and not isinstance(value, bool)

    def convert(self, value: Any) -> float | None:
        """Return the value as float, or None when it is out of range."""
        try:
            number = float(value)
        except OverflowError:
            return None
        above = number >= self.minimum if self.includes_minimum else number > self.minimum
        below = number <= self.maximum if self.includes_maximum else number < self.maximum
        return number if above and below and math.isfinite(number) else None


@dataclass(frozen=True)
class Fraction:
    """A number between 0 and 1, without the two."""

    allowed: str = "a number > 0 and < 1"

    def has_type(self, value: object) -> bool:
        """Tell whether the value is a real number."""
        return isinstance(value, numbers.Real) and not isinstance(value, bool)

    def convert(self, value: Any) -> float | None:
        """Return the value as float, or None when it is out of range."""
        return float(value) if 0 < value < 1 else None


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    options: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return "one of " + ", ".join(repr(option) for option in self.options)

    def has_type(self, value: object) -> bool:
        """Tell whether the value is a string."""
        return isinstance(value, str)

    def convert(self, value: Any) -> str | None:
        """Return the value, or None when it is not among the options."""
        return str(value) if value in self.options else None


@dataclass(frozen=True)
class LossRule(Choice):
    """One of a few words, or a function."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"{super().allowed} or a function"

    def has_type(self, value: object) -> bool:
        """Tell whether the value is a string or can be called."""
        return isinstance(value, str) or callable(value)

    def convert(self, value: Any) -> Any:
        """Return the value, or None when it is a string that is not among the options."""
        return super().convert(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Levels:
    """A number between 0 and 1, or an increasing list of these."""

    allowed: str = "a number between 0 and 1, both excluded, or an increasing list of these"

    def has_type(self, value: object) -> bool:
        """Tell whether the value is a real number or a sequence of these."""
        levels = value if isinstance(value, (list, tuple, np.ndarray)) else [value]
        return all(isinstance(x, numbers.Real) and not isinstance(x, bool) for x in levels)

    def convert(self, value: Any) -> float | list[float] | None:
        """Return a float or a list of floats, or None when one is out of range or out of order."""
        several = isinstance(value, (list, tuple, np.ndarray))
        levels = [float(x) for x in value] if several else [float(value)]
        inside = all(0.0 < level < 1.0 for level in levels)
        increasing = all(a < b for a, b in itertools.pairwise(levels))
        if not levels or not inside or not increasing:
            return None
        return levels if several else levels[0]


@dataclass(frozen=True)
class Flag:
    """True or False."""

    allowed: str = "True or False"

    def has_type(self, value: object) -> bool:
        """Tell whether the value is a boolean of Python or NumPy."""
        return isinstance(value, (bool, np.bool_))

    def convert(self, value: Any) -> bool:
        """Return the value as bool."""
        return bool(value)


@dataclass(frozen=True)
class Parameter:
    """One row of the table."""

    name: str
    default: Any
    rule: Rule
    next_step: str
    none_allowed: bool = False
    belongs_to: Literal["training", "dataset", "run", "estimator"] = "training"
    """Who reads it: the params of train(), Dataset(), an argument of train(), or the estimators."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"None or {self.rule.allowed}" if self.none_allowed else self.rule.allowed

    def check(self, value: Any) -> Any:
        """Return the value as a plain Python object, or raise with a message that helps."""
        if value is None and self.none_allowed:
            return None
        if not self.rule.has_type(value):
            raise TypeError(
                f"{self.name} must be {self.allowed}, got {value!r} "
                f"({type(value).__name__}). {self.next_step}"
            )
        converted = self.rule.convert(value)
        if converted is None:
            raise ValueError(f"{self.name} must be {self.allowed}, got {value!r}. {self.next_step}")
        return converted
