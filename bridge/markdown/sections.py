"""A note by its headings: the heading path of an offset, and the section that a heading names."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import unquote

from rapidfuzz import fuzz, process

from bridge.errors import AmbiguousHeading, HeadingNotFound
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.links import NOT_IN_PLACE, find_lone_bracket
from bridge.markdown.note import Heading, Note
from bridge.text.counts import join_some
from bridge.text.fold import fold_case
from bridge.text.invisible import one_line, visible_text
from bridge.types import Span

MAX_HEADING_CHARS: Final = 1_000
"""Characters of a heading that a path keeps, because it is repeated in the path of every heading and passage below
it."""

_SEPARATOR: Final = " > "
_AT_LINE: Final = re.compile(r"(.+) \(line ([0-9]{1,9})\)", re.DOTALL)
_MAX_SHOWN_HEADINGS: Final = 50
_MAX_NAMED_HEADINGS: Final = 8
_MAX_QUERY_CHARS: Final = 100
# What Obsidian ignores when it compares a link's heading with a note's.
_PUNCTUATION: Final = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\s]+")


class Outline:
    """The heading paths of one note, for many offsets."""

    __slots__ = ("_headings", "_starts", "paths")

    def __init__(self, note: Note) -> None:
        self._headings = note.headings
        self._starts = [heading.span[0] for heading in note.headings]
        self.paths = heading_paths(note.headings)

    def at(self, offset: int) -> str:
        """Return the heading path of an offset, empty before the first heading."""
        index = bisect_right(self._starts, offset)
        return self.paths[index - 1] if index else ""


def heading_paths(headings: Sequence[Heading]) -> tuple[str, ...]:
    """Return each heading with those above it, as `A > B`."""
    return tuple(_SEPARATOR.join(chain) for chain in heading_chains(headings))


def section_names(headings: Sequence[Heading]) -> tuple[str, ...]:
    """Return the name by which each section can be requested: its path, with its line if several share that path."""
    paths = heading_paths(headings)
    often = Counter(paths)
    return tuple(
        f"{path} (line {heading.line})" if often[path] > 1 else path
        for path, heading in zip(paths, headings, strict=True)
    )


def has_line_number(heading: str) -> bool:
    return _AT_LINE.fullmatch(heading.strip()) is not None


def find_section(note: Note, heading: str) -> Span:
    return section_spans(note.headings, len(note.text))[_find(note, heading.strip())]


def section_spans(headings: Sequence[Heading], end: int) -> list[Span]:
    ends = [end] * len(headings)
    open_sections: list[int] = []
    for at, heading in enumerate(headings):
        while open_sections and headings[open_sections[-1]].level >= heading.level:
            ends[open_sections.pop()] = heading.span[0]
        open_sections.append(at)
    return [(heading.span[0], stop) for heading, stop in zip(headings, ends, strict=True)]


def heading_chains(headings: Sequence[Heading]) -> Iterator[tuple[str, ...]]:
    """Yield each heading's text after the texts of the headings above it."""
    above: list[Heading] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield tuple(each.text[:MAX_HEADING_CHARS].rstrip() for each in above)


def _find(note: Note, query: str) -> int:
    every = list(heading_chains(note.headings))
    paths = [_SEPARATOR.join(chain) for chain in every]
    if lined := _AT_LINE.fullmatch(query):
        at = [index for index, heading in enumerate(note.headings) if heading.line == int(lined[2])]
        if at and (
            normalise_heading(paths[at[0]]) == normalise_heading(lined[1])
            or _chain_ends_with(every[at[0]], lined[1], normalise_heading)
        ):
            return at[0]
    for form in (str, fold_case, normalise_heading, lambda text: normalise_heading(fold_case(one_line(text)))):
        whole = [index for index, path in enumerate(paths) if form(path) == form(query)]
        if len(whole) == 1:
            return whole[0]
        found = whole or [index for index, chain in enumerate(every) if _chain_ends_with(chain, query, form)]
        if len(found) == 1:
            return found[0]
        if found:
            names = section_names(note.headings)
            same = [one_line(names[index]) for index in found]
            raise AmbiguousHeading(
                f"More than one section is named `{query[:_MAX_QUERY_CHARS]}`: {_list_some(same)}.",
                headings=same[:_MAX_SHOWN_HEADINGS],
            )
    start = f"There is no heading `{query[:_MAX_QUERY_CHARS]}` in {note.path}"
    if note.end and note.text[note.end :].strip():
        line = note.text.count("\n", 0, note.end) + 1
        start = f"{start}, which is too long or has too many blocks to be read from line {line} on"
    if not paths:
        raise HeadingNotFound(f"{start}; it has none.", hint="Read or change it by lines instead.", headings=[])
    paths = [*map(one_line, paths)]
    has = _list_some(paths if len(paths) <= _MAX_NAMED_HEADINGS else _sort_by_likeness(query[:_MAX_QUERY_CHARS], paths))
    raise HeadingNotFound(f"{start}; its headings are {has}.", headings=paths[:_MAX_SHOWN_HEADINGS])


def _sort_by_likeness(query: str, paths: Sequence[str]) -> Sequence[str]:
    names = [path.rpartition(_SEPARATOR)[2][:_MAX_QUERY_CHARS].casefold() for path in paths]
    near = {at for *_, at in process.extract(query.casefold(), names, scorer=fuzz.ratio, limit=_MAX_NAMED_HEADINGS)}
    return [paths[at] for at in sorted(range(len(paths)), key=lambda at: at not in near)]


def _list_some(paths: Sequence[str]) -> str:
    return join_some([f"`{path[:_MAX_QUERY_CHARS]}`" for path in paths], _MAX_NAMED_HEADINGS)


def _chain_ends_with(chain: tuple[str, ...], query: str, form: Callable[[str], str]) -> bool:
    own = form(chain[-1])
    if own == form(query):
        return True
    *above, last = query.split(_SEPARATOR)
    if not above or own != form(last):
        return False
    rest = iter(chain[:-1])
    return all(any(form(text) == form(name) for text in rest) for name in above)


def normalise_heading(text: str) -> str:
    """Return the form in which Obsidian compares headings: no case, no punctuation."""
    return _PUNCTUATION.sub(" ", text).strip().casefold()


def resolve_headings(headings: Sequence[Heading], place: str) -> tuple[int, ...]:
    """Return the headings that a subpath like `#A#B` names, the target last, as Obsidian finds them."""
    titles = [normalise_heading(part) for part in place.split("#") if part.strip()]
    if not titles or place.startswith("^") or "^" in (part.strip()[:1] for part in place.split("#")):
        return ()
    found: list[int] = []
    level = 0
    for number, heading in enumerate(headings):
        if heading.level > level and normalise_heading(heading.text) == titles[len(found)]:
            found.append(number)
            level = heading.level
            if len(found) == len(titles):
                return tuple(found)
    return ()


def anchor(heading: str) -> str:
    """Return how a link names a heading: without what would end the link or begin another part of it."""
    words = NOT_IN_PLACE.sub(" ", heading).strip()
    return " ".join(re.split(r"[\[\]\s]+", words)).strip() if find_lone_bracket(words) else words


def decode_place(place: str, *, markdown: bool) -> str:
    """Return a subpath in comparable form: decoded if it is in a Markdown link."""
    return unquote(place) if markdown else place


_HEADING: Final = re.compile(r"## (.*)")


def write_section(heading: str, lines: Iterable[str]) -> str:
    """Return a section of level 2; nothing without lines."""
    body = "\n".join(lines)
    return f"## {heading}\n\n{body}\n" if body else ""


def read_sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the headings of a text as `write_section` writes them, each with the lines below it."""
    properties, heading, inside = cut_frontmatter(text), "", list[str]()
    for line in text[properties[1] if properties else 0 :].split("\n"):
        if (found := _HEADING.fullmatch(line)) is not None:
            yield heading, inside
            heading, inside = found[1].strip(), []
        else:
            inside.append(line)
    yield heading, inside


def quote_lines(text: str) -> list[str]:
    """Return a text as a quote, without what is not seen."""
    return [f"> {line}".rstrip() for line in visible_text(text).strip().splitlines()]
