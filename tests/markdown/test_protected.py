"""What is no prose is protected, whatever script the prose is in."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.markdown.parse import parse
from bridge.markdown.prose import protected_spans
from bridge.types import VaultPath


def free(text: str) -> str:
    """Return what of a text is prose, the rest as dots."""
    note = parse(VaultPath("a.md"), text.encode())
    for start, end in protected_spans(note):
        text = text[:start] + "·" * (end - start) + text[end:]
    return text


@pytest.mark.parametrize(
    "inside",
    [
        "---\nabout: Moon\n---\n",
        "`Moon`",
        "``a ` Moon``",
        "```\nMoon\n```",
        "    Moon",
        "$Moon$",
        "$$\nMoon\n$$",
        "[[Moon]]",
        "[[Sun|Moon]]",
        "![[Moon]]",
        "[Moon](Sun.md)",
        "[the Moon][1]",
        "[1]: Moon.md",
        "https://example.org/Moon",
        "www.example.org/Moon",
        "moon@Moon.org",
        "#Moon",
        "#a/Moon",
        "see/the/Moon.md",
        "<b title='Moon'>",
        "<div>\nMoon\n</div>",
        "<!-- Moon -->",
        "%%Moon%%",
        "%%\nMoon\n%%",
        "# Moon",
        "[^1]: Moon",
        "Moon:: 1",
        "1. **Full Moon**:: 1",
        "> full-Moon:: 1",
        "seen (Moon:: 1) and so on",
        "a line ^Moon",
        "a line\n^Moon",
        "> [!Moon] title",
        "obsidian://open?file=Moon",
        "file:///Moon",
        "{{Moon}}",
        "<% tp.file.Moon %>",
        "said [@Moon]",
        "said [-@Moon, p. 3]",
        "`= this.Moon`",
        "> ```tasks\n> Moon\n> ```",
        "- [ ] a 🔁 every full Moon 📅 2026-05-18",
        "- [ ] a 🆔 Moon",
        "- [ ] a ⛔ Sun, Moon",
        "- [ ] a 🏁 Moon",
        "- [ ] a [repeat:: every full Moon] b",
        "1. [x] a (id:: Moon)",
    ],
)
def test_what_is_no_prose_is_protected(inside: str) -> None:
    text = f"{inside}\n\nThe Moon, 月亮 and قمر are prose.\n"
    assert "Moon" in inside
    shown = free(text)
    assert shown.count("Moon") == 1
    assert shown.endswith("\n\nThe Moon, 月亮 and قمر are prose.\n")


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("- [ ] a 📅 2026-05-18 ⏳ 2026-05-18 🛫 2026-05-18 ➕ 2026-05-18", 0),
        ("> 1) [x] a ✅2026-05-18 b ❌ 2026-05-18 #c ^d", 0),
        ("- [ ] a [due:: 2026-05-18] (scheduled:: 2026-05-18)", 0),
        ("due:: 2026-05-18", 0),
        ("[term:: 2026-05-18, 2026-05-18]", 0),
        ("term:: 2026-05-18 and then 2026-05-18", 0),
        ("term:: 2026-05-18. Held on 2026-05-18", 1),
        ("- [ ] due:: 2026-05-18T10:00", 0),
        ("- **Fällig am** :: 2026-05-18", 0),
        ("born [on:: 2026-05-18] there", 0),
        ("- [ ] a @{2026-05-18}", 0),
        ("- [ ] a (@2026-05-18)", 0),
        ("- [ ] a @due(2026-05-18)", 0),
        ("- [ ] call on 2026-05-18 📅 2026-05-18", 1),
        ("- 📅 2026-05-18", 1),
        ("seen:: by 2026-05-18", 1),
    ],
)
def test_a_date_that_a_field_or_a_sign_gives_a_meaning_is_protected(text: str, dates: int) -> None:
    assert free(f"2026-05-18\n\n{text}\n").count("2026-05-18") == dates + 1


def test_a_canvas_holds_no_prose() -> None:
    from bridge.markdown.documents import read_document

    note = read_document(VaultPath("a.canvas"), b'{"nodes":[{"id":"1","type":"text","text":"Moon"}],"edges":[]}')
    assert protected_spans(note) == ((0, len(note.text)),)


@given(st.text(alphabet="aM月 \n`$[]()|#%<>-:^!~=*_/.\u0301", max_size=80))
def test_stretches_are_in_order_and_apart_for_any_text(text: str) -> None:
    note = parse(VaultPath("a.md"), text.encode())
    spans = protected_spans(note)
    assert all(0 <= start < end <= len(note.text) for start, end in spans)
    assert all(first[1] < second[0] for first, second in itertools.pairwise(spans))


def test_what_follows_the_end_is_protected() -> None:
    text = "Moon `a`\n\nMoon [[b]]\n\nMoon `c`\n" * 50
    note = parse(VaultPath("a.md"), text.encode())
    end = text.index("[[b]]", 200)
    spans = protected_spans(note, end)
    stop = text.index("\n", end)
    assert [span for span in spans if span[1] <= stop] == [span for span in protected_spans(note) if span[1] <= stop]
    assert spans[-1] == (stop + 1, len(text))
    assert protected_spans(note, len(text)) == protected_spans(note)


@pytest.mark.no_cover  # a big input runs the lines of a small one, only more often
@pytest.mark.parametrize(
    "unit", ["A", "A/", "A.", "<A", "[A", "#A", "A@", "[[A", "A ", "A:", "^A", "`A", "{{A", "@1 ", "(A:", "- [ ] 📅 "]
)
def test_a_line_of_a_megabyte_is_read_at_once(unit: str) -> None:
    note = parse(VaultPath("a.md"), (unit * (1_000_000 // len(unit))).encode())
    protected_spans(note)
