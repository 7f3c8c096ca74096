"""The conditions of a query, as a tree of values."""

from collections.abc import Iterator
from typing import assert_never

from bridge.records import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A word to rank by; a condition only inside `OR` or after `-`."""

    text: str


@dataclass(frozen=True, slots=True)
class HasText:
    """The note contains this text."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class InPath:
    """The note's path contains this."""

    text: str


@dataclass(frozen=True, slots=True)
class InFile:
    """The note's file name contains this."""

    text: str


@dataclass(frozen=True, slots=True)
class HasTag:
    """The note has this tag or one nested in it."""

    tag: str


@dataclass(frozen=True, slots=True)
class HasProperty:
    """The note has this property, with a value like this when one is given."""

    name: str
    value: str | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite holds."""

    term: "Term"


@dataclass(frozen=True, slots=True)
class All:
    """Each part holds."""

    parts: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one part holds."""

    parts: tuple["Term", ...]


Term = Word | HasText | InPath | InFile | HasTag | HasProperty | Not | All | Either


def leaves(term: Term) -> Iterator[Word | HasText]:
    """Yield the wanted words and phrases, in the order typed."""
    match term:
        case Word() | HasText():
            yield term
        case All(parts) | Either(parts):
            for part in parts:
                yield from leaves(part)
        case Not() | InPath() | InFile() | HasTag() | HasProperty():
            return
        case _:
            assert_never(term)


def conditions(term: Term) -> Iterator[Term]:
    """Yield the single conditions of a tree, negated ones included."""
    match term:
        case All(parts) | Either(parts):
            for part in parts:
                yield from conditions(part)
        case Not(inner):
            yield from conditions(inner)
        case _:
            yield term


def condition(term: Term, *, strict: bool = False, phrases: bool = True) -> Term | None:
    """Return the condition on notes; None when everything is only for ranking.

    Args:
        term: What was typed.
        strict: Whether plain words count as conditions, as they do inside `OR` and after `-`.
        phrases: Whether phrases do.
    """
    match term:
        case Word(text):
            return HasText(text) if strict else None
        case All(parts):
            terms = (condition(part, strict=strict, phrases=phrases) for part in parts)
            present = tuple(one for one in terms if one is not None)
            return present[0] if len(present) == 1 else All(present) if present else None
        case Either(parts):
            options = tuple(one for part in parts if (one := condition(part, strict=True)) is not None)
            return Either(options) if options else None
        case Not(inner):
            inverse = condition(inner, strict=True)
            return None if inverse is None else Not(inverse)
        case HasText():
            return term if strict or phrases else None
        case InPath() | InFile() | HasTag() | HasProperty():
            return term
        case _:
            assert_never(term)
