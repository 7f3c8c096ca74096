"""Notes and edits as hypothesis makes them up, and what must hold after any edit."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from bridge.markdown.edit.requests import (
    AddItem,
    Append,
    Edit,
    InsertUnder,
    Prepend,
    ReplaceBlock,
    ReplaceLines,
    ReplaceSection,
    ReplaceText,
)
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.markdown.sections import Outline, find_section
from bridge.types import VaultPath

NOTE = VaultPath("A.md")
BREAK = re.compile(r"\r\n?|\n")
WORDS = (
    "rye",
    "漢字",
    "שלום",
    "مرحبا",
    "e\u0301",
    "👩‍🌾",
    "\u3000x",
    "[[Rye|bread]]",
    "#tag",
    "`code`",
    "==a==",
    "1.",
    "\x00",
)
HEADINGS = ("# A", "## B", "## B ^hb", "### C #", "Set\n===", "Sub\n---", "#### שלום", "# e\u0301")
WHOLE = (
    "- a", "- [ ] t ^t1", "  - nested ^n1", "\t- tab", "* b", "1. one", "2) two", "> quote", "> [!note] N\n> x ^q1",
    "| a | b |\n|---|---|\n| 1 | 2 |", "\n^tab\n", "```\ncode\n```", "```py\n# no heading\n~~~\n```", "%%\nhidden\n%%",
    "a %%b%% c", "<!-- c -->", "<div>", "</div>", "$$\nx\n$$", "    indented", "***", "[^1]: note", "text ^p1", "lazy",
    "", "", "", "  ",
)  # fmt: skip
BROKEN = ("~~~", "```", "%%", "<!--", "<script>", "$$", "---", "===")
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
whole = st.lists(st.one_of(st.sampled_from(HEADINGS), st.sampled_from(WHOLE), words), min_size=4, max_size=16)
anything = st.lists(st.one_of(st.sampled_from((*HEADINGS, *WHOLE, *BROKEN)), words), min_size=4, max_size=16)
texts = st.tuples(st.one_of(whole, whole, anything), st.integers(1, 6)).map(lambda some: "\n".join(some[0][: some[1]]))
fronts = st.sampled_from(["", "", "---\na: b\ntags: [x]\n---\n", "---\na: b\n---\n\n", "---\nopen: x\n"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Make up a note's bytes: any line breaks, with or without byte order mark and line break at the end."""
    text = draw(fronts) + "\n".join(draw(st.one_of(whole, whole, anything))) + draw(st.sampled_from(["", "\n", "\n\n"]))
    match draw(st.sampled_from(["lf", "lf", "crlf", "mixed"])):
        case "crlf":
            text = text.replace("\n", "\r\n")
        case "mixed":
            text = "".join(line + draw(st.sampled_from(["\n", "\r\n"])) for line in text.split("\n"))
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + text.encode()


def edits(note: Note) -> st.SearchStrategy[Edit]:
    """Make up an edit of a note, mostly one that fits."""
    headings = st.sampled_from(Outline(note).paths or ("A",))
    last = note.text.count("\n") + 1
    spans = st.tuples(st.integers(1, last), st.integers(1, last)).map(lambda pair: (min(pair), max(pair)))
    standing = st.sampled_from(note.text.split()[:30] or ["rye"])
    blocks = st.sampled_from([block.id for block in note.blocks] or ["p1"])
    return st.one_of(
        st.builds(Append, text=texts),
        st.builds(Prepend, text=texts),
        st.builds(InsertUnder, heading=headings, text=texts),
        st.builds(ReplaceSection, heading=headings, text=texts),
        st.builds(ReplaceBlock, block=blocks, text=texts),
        st.builds(ReplaceLines, lines=spans, text=texts),
        st.builds(ReplaceText, old=standing, new=texts, all=st.booleans()),
        st.builds(AddItem, heading=st.one_of(st.none(), headings), text=texts, task=st.booleans()),
    )


def check(before: bytes, edit: Edit, after: bytes) -> None:
    """Check that an edit changed what it speaks of and nothing else."""
    old, new = parse(NOTE, before), parse(NOTE, after)
    assert new.problems == old.problems or not isinstance(edit, Append | InsertUnder | ReplaceSection | AddItem)
    if b"\r\n" in before and not re.search(rb"(?<!\r)\n", before):
        assert not re.search(rb"(?<!\r)\n", after)
    match edit:
        case ReplaceSection(heading=heading):
            start, end = find_section(old, heading)
            start = ended(old.text, next(each.span[1] for each in old.headings if each.span[0] == start))
            assert kept(before, after, old.text[:start], old.text[end:])
            outside = [each for each in old.headings if not start <= each.span[0] < end]
            assert is_within(
                [(each.text, each.level) for each in outside], [(each.text, each.level) for each in new.headings]
            )
        case ReplaceLines(lines=(first, last)):
            split = old.text.split("\n")
            assert kept(before, after, "".join(f"{line}\n" for line in split[: first - 1]), "\n".join(split[last:]))
        case ReplaceText(old=standing, new=put):
            assert BREAK.sub("\n", new.text) == BREAK.sub("\n", old.text).replace(standing, put)
        case ReplaceBlock(block=block):
            (place,) = (each for each in old.blocks if each.id.lower() == block.lower())
            split = old.text.split("\n")
            above = "".join(f"{line}\n" for line in split[: place.lines[0] - 1])
            assert kept(before, after, above, "\n".join(split[place.lines[1] :]))
            assert block.lower() in {each.id.lower() for each in new.blocks}
        case Append() | Prepend() | InsertUnder() | AddItem():
            ended_by_plugin = {"excalidraw-plugin", "kanban-plugin"} & old.properties.keys()
            assert edit.op != "append" or ended_by_plugin or after.startswith(before)
            assert common(before, after) + common(before[::-1], after[::-1]) >= len(before)
            still_there(old, new)
            assert not getattr(edit, "task", False) or len(new.tasks) > len(old.tasks)


def kept(before: bytes, after: bytes, above: str, below: str) -> bool:
    """Tell whether what stands above and below an edit is as it was."""
    mark = before[:3] if before.startswith(b"\xef\xbb\xbf") else b""
    return after.startswith(mark + above.encode()) and after.endswith(below.encode())


def common(one: bytes, other: bytes) -> int:
    """Return how much two texts have in common at their start."""
    return next((at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), len(one))


def ended(text: str, offset: int) -> int:
    """Return where the line of an offset ends."""
    found = BREAK.search(text, offset)
    return found.end() if found else len(text)


def still_there(old: Note, new: Note) -> None:
    """Check that a note that was only added to still says to Markdown all that it said."""
    assert is_within(
        [(each.text, each.level) for each in old.headings], [(each.text, each.level) for each in new.headings]
    )
    assert new.properties == old.properties or not old.text.strip()
    for name in ("links", "tags", "tasks", "callouts"):
        assert held(getattr(old, name)) <= held(getattr(new, name)), name
    assert {block.id for block in old.blocks} <= {block.id for block in new.blocks}


def held(parts: Sequence[object]) -> Counter[tuple[str, ...]]:
    """Count parts of a note by what they say, wherever they stand."""
    names = ("target", "kind", "name", "status", "text", "type", "title")
    return Counter(tuple(str(getattr(part, name, "")) for name in names) for part in parts)


def is_within(some: Iterable[object], every: Iterable[object]) -> bool:
    """Tell whether things stand among others in the same order."""
    rest = iter(every)
    return all(each in rest for each in some)
