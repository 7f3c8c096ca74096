"""Problems that a change introduces into a note."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.decode import BOM
from bridge.markdown.edit.draft import BLANK, TextDraft, list_block_ids, open_draft
from bridge.markdown.edit.headings import comparable_title
from bridge.markdown.edit.verify import find_unclosed
from bridge.markdown.frontmatter import cut_frontmatter, read_frontmatter
from bridge.markdown.sections import heading_chains
from bridge.records import Record
from bridge.text.words import DIGITS
from bridge.types import VaultPath

_TIME: Final = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?|\d{1,2}:\d{2}(?::\d{2})?"
_MARKS: Final = r"[\[\](){}*_`:,]*"
_SIGNS: Final = r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)?(?:\[.\][ \t]+)?"
_REPETITION: Final = re.compile(
    rf"^{_SIGNS}{_MARKS}({_TIME}){_MARKS}[ \t]+{_MARKS}\1(?!:?\d)",
    re.MULTILINE,
)
_OPEN_PROPERTIES: Final = re.compile(r"---[ \t]*\r?\n[^\s:#>|*-][^:\n]*:(?:[ \t]|\r?\n)")
_CONFLICT: Final = re.compile(r"^(?:<{7}|>{7})(?: .*|\r?)$", re.MULTILINE)


class Fault(Record):
    """A problem in a note; two of the same name differ only in their place."""

    name: tuple[str, str]
    sentence: str


def new_faults(path: VaultPath, before: bytes | None, after: bytes) -> tuple[str, ...]:
    """Return the problems that a change introduces, as sentences with line numbers of the changed note."""
    if before is not None and (blocks := _property_blocks(before, after)) is not None:
        before, after = blocks
    found = tuple(find_faults(path, after))
    # The old content is parsed only where it matters, because that takes as long again.
    faults_before = (
        Counter(fault.name for fault in find_faults(path, before)) if found and before is not None else Counter()
    )
    fresh: list[str] = []
    for fault in found:
        if faults_before[fault.name] > 0:
            faults_before[fault.name] -= 1
        else:
            fresh.append(fault.sentence)
    return tuple(fresh)


def _property_blocks(before: bytes, after: bytes) -> tuple[bytes, bytes] | None:
    """Return the properties alone of two texts that differ in nothing else; None for others.

    What is wrong with the same text below them is no new problem, and need not be looked for.
    """
    try:
        texts = [data.removeprefix(BOM).decode("utf-8") for data in (before, after)]
    except UnicodeDecodeError:
        return None
    cuts = [cut_frontmatter(text) for text in texts]
    blocks = [text[: cut[1]] for text, cut in zip(texts, cuts, strict=True) if cut is not None]
    if [cut_frontmatter(block) for block in blocks] != cuts or texts[0][len(blocks[0]) :] != texts[1][len(blocks[1]) :]:
        return None
    return blocks[0].encode(), blocks[1].encode()


def find_faults(path: VaultPath, data: bytes) -> Iterator[Fault]:
    try:
        draft = open_draft(path, data)
    except InvalidArguments:
        return
    yield from property_faults(draft)
    yield from heading_faults(draft)
    for opening in find_unclosed(draft):
        line = draft.lines.at(opening.offset)
        yield Fault(("opening", opening.what), f"Line {line} opens {opening.what} that nothing closes.")
    yield from block_faults(draft)
    for twice in _REPETITION.finditer(draft.text, draft.body):
        if not draft.structure.covers(twice.start(1)):
            yield Fault(("time", twice[1]), f"Line {draft.lines.at(twice.start(1))} says the time {twice[1]} twice.")
    for marker in _CONFLICT.finditer(draft.text):
        if not draft.structure.covers(marker.start()):
            message = f"Line {draft.lines.at(marker.start())} holds the marker of a conflict that nobody solved."
            yield Fault(("conflict", marker[0].strip()), message)


def property_faults(draft: TextDraft) -> Iterator[Fault]:
    if not draft.body and _OPEN_PROPERTIES.match(draft.text):
        yield Fault(("properties", ""), "Line 1 opens properties that nothing closes.")
    for problem in read_frontmatter(draft.text, draft.lines).problems:
        yield Fault(("properties", DIGITS.sub("", problem)), problem)


def heading_faults(draft: TextDraft) -> Iterator[Fault]:
    seen: dict[tuple[int, int, str], int] = {}
    above: list[int] = []
    headings = draft.headings
    for at, (heading, chain) in enumerate(zip(headings, heading_chains(headings), strict=True)):
        while above and headings[above[-1]].level >= heading.level:
            above.pop()
        place = (above[-1] if above else -1, heading.level, comparable_title(heading.text))
        above.append(at)
        first = seen.setdefault(place, heading.line)
        last = headings[at - 1] if at else heading
        between = draft.text[last.span[1] : heading.span[0]]
        if at and comparable_title(last.text) == place[2] and not between.strip(BLANK):
            first = last.line
        if place[2] and first != heading.line:
            message = f"Lines {first} and {heading.line} hold the same heading, `{heading.text[:100]}`."
            yield Fault(("heading", " > ".join(map(comparable_title, chain))), message)


def block_faults(draft: TextDraft) -> Iterator[Fault]:
    blocks = sorted(list_block_ids(draft), key=lambda each: each.id.lower())
    for one, other in pairwise(blocks):
        if one.id.lower() == other.id.lower():
            message = f"The blocks in lines {one.lines[0]} and {other.lines[0]} have the same id, `^{other.id}`."
            yield Fault(("block", other.id.lower()), message)
