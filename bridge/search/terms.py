"""The conditions of a query, as a tree of values."""

from collections.abc import Callable, Iterator
from typing import Literal, assert_never

from bridge.index.hits import NameField
from bridge.records import Record


class Word(Record):
    """A word to rank by; a condition only inside `OR`, after `-`, or if required."""

    text: str
    required: bool = False


class HasText(Record):
    """The note contains this text."""

    text: str
    quoted: bool = False


class HasPrefix(Record):
    """The note contains a word that begins with this."""

    text: str
    words: tuple[str, ...] = ()
    """Words of the vault that do, once they are known."""


NameKind = NameField | Literal["path", "file"]


class HasName(Record):
    """The note has a title, an alias, a heading, a path or a file name that contains this."""

    kind: NameKind
    text: str


class HasTag(Record):
    """The note has this tag or one nested in it."""

    tag: str


class HasProperty(Record):
    """The note has this property, with a value like this when one is given."""

    name: str
    value: str | None = None
    exact: bool = False


class Not(Record):
    """The opposite holds."""

    term: "Term"


class All(Record):
    """Each part holds."""

    parts: tuple["Term", ...]


class Either(Record):
    """At least one part holds."""

    parts: tuple["Term", ...]


Term = Word | HasText | HasPrefix | HasName | HasTag | HasProperty | Not | All | Either


def conditions(term: Term, *, negated: bool = True) -> Iterator[Term]:
    """Yield the single conditions of a tree, in the order typed."""
    match term:
        case All(parts) | Either(parts):
            for part in parts:
                yield from conditions(part, negated=negated)
        case Not(inner):
            if negated:
                yield from conditions(inner)
        case _:
            yield term


def leaves(term: Term) -> Iterator[Word | HasText]:
    return (one for one in conditions(term, negated=False) if isinstance(one, Word | HasText))


def prefixes(term: Term, *, negated: bool = True) -> Iterator[HasPrefix]:
    """Yield the beginnings of words in a tree, in the order typed."""
    return (one for one in conditions(term, negated=negated) if isinstance(one, HasPrefix))


def change_each(term: Term, change: Callable[[Term], Term]) -> Term:
    match term:
        case All(parts) | Either(parts):
            return type(term)(tuple(change_each(part, change) for part in parts))
        case Not(inner):
            return Not(change_each(inner, change))
        case _:
            return change(term)


def require_words(term: Term) -> Term:
    match term:
        case Word(text):
            return Word(text, required=True)
        case All(parts):
            return All(tuple(require_words(part) for part in parts))
        case _:
            return term


def condition(term: Term, *, strict: bool = False, phrases: bool = True) -> Term | None:
    """Return the condition on notes; None when everything is only for ranking."""
    match term:
        case Word(text, required):
            return HasText(text) if strict or required else None
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
        case HasPrefix() | HasName() | HasTag() | HasProperty():
            return term
        case _:
            assert_never(term)
