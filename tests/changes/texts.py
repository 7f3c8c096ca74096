"""Texts that differ as versions of notes do."""

from hypothesis import strategies as st

LINES = st.sampled_from(
    [
        "",
        "",
        "# A",
        "## B",
        "text",
        "more text",
        "- [ ] task",
        "- [x] task",
        "| a | b |",
        "---",
        "tags: [x]",
        "发酵面包",
    ]
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\u2028"])


@st.composite
def texts(draw: st.DrawFn, most: int = 30) -> str:
    """Generate a note's lines; the last may lack a line break, the first may have a byte order mark."""
    lines = [draw(LINES) + draw(ENDS) for _ in range(draw(st.integers(0, most)))]
    text = draw(st.sampled_from(["", "", "\ufeff"])) + "".join(lines)
    return text.removesuffix("\n") if draw(st.booleans()) else text


@st.composite
def edited(draw: st.DrawFn, text: str, most: int = 4) -> str:
    """Change a few places of a text."""
    lines = text.splitlines(keepends=True)
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(0, len(lines)))
        end = min(len(lines), start + draw(st.integers(0, 2)))
        lines[start:end] = draw(st.lists(st.builds(str.__add__, LINES, ENDS), max_size=2))
    return "".join(lines)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Generate two texts, mostly similar."""
    before = draw(texts())
    return before, draw(st.one_of(edited(before), texts(), st.text(max_size=20)))
