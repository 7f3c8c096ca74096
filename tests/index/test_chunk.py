import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridge.index.prepare import MAX_PASSAGE_CHARS, MAX_PASSAGE_TOKENS, TARGET_TOKENS, cut_passages
from bridge.markdown.documents import read_document
from bridge.markdown.note import Note
from bridge.text.budget import estimate_tokens
from bridge.text.invisible import visible_text
from bridge.types import VaultPath
from tests.index.made import sentence

LONG = "\n".join(f"hidden line {number} of many words that say something" for number in range(60))
SENTENCES = " ".join(f"A hidden sentence {number} of many words that say something." for number in range(60))


def note(text: str, path: str = "Note.md") -> Note:
    return read_document(VaultPath(path), text.encode("utf-8", "replace"))


def cut(text: str) -> list[tuple[str, str]]:
    parsed = note(text)
    return [(" > ".join(draft.heading), parsed.text[slice(*draft.span)]) for draft in cut_passages(parsed)]


def test_a_passage_stays_under_its_heading() -> None:
    long, other = sentence(1, 80), sentence(2, 80)
    assert cut(f"# A\n\n{long}\n\n## B\n\n{other}\n") == [("A", f"# A\n\n{long}"), ("A > B", f"## B\n\n{other}")]


def test_headings_without_text_join_what_follows() -> None:
    assert cut("# A\n## B\n### C\n\nwords\n") == [("A > B > C", "# A\n## B\n### C\n\nwords")]


def test_small_sections_under_one_parent_are_one_passage() -> None:
    text = "# A\n\nintro\n\n## B\n\none\n\n## C\n\ntwo\n"
    assert cut(text) == [("A", text.rstrip())]


def test_small_sections_without_a_common_parent_stay_apart() -> None:
    assert cut("# A\n\none\n\n# B\n\ntwo\n") == [("A", "# A\n\none"), ("B", "# B\n\ntwo")]


def test_a_long_section_is_cut_between_paragraphs() -> None:
    paragraphs = [sentence(seed, 30) for seed in range(8)]
    passages = cut("# A\n\n" + "\n\n".join(paragraphs) + "\n")
    assert len(passages) > 2
    for paragraph in paragraphs:
        assert sum(paragraph in text for _, text in passages) == 1


def test_a_small_fence_table_or_callout_is_never_cut() -> None:
    fence = "```python\n" + "\n".join(f"value_{n} = {n}" for n in range(20)) + "\n```"
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | {n * n} |" for n in range(15))
    callout = "> [!note] Title\n" + "\n".join(f"> line {n}" for n in range(15))
    text = "\n\n".join(f"{sentence(n, 20)}\n\n{piece}" for n, piece in enumerate([fence, table, callout, fence]))
    passages = [text for _, text in cut(text)]
    for piece in (fence, table, callout):
        assert any(piece in passage for passage in passages)
    assert sum(passage.count(fence) for passage in passages) == 2


def test_an_endless_line_is_cut_all_the_same() -> None:
    for text in ("x" * 20_000, "word " * 5_000, "研究" * 3_000, "a\n" * 9_000):
        parsed = note(text)
        assert all(draft.tokens <= MAX_PASSAGE_TOKENS for draft in cut_passages(parsed))


@pytest.mark.parametrize("part", ["%% x\n\n", "#\n", "- \n", "***\n", "<!-- -->.\n\n", "|\n\n"])
def test_parts_too_small_to_be_a_token_do_not_make_an_endless_passage(part: str) -> None:
    passages = cut(part * 9_000)
    assert all(len(text) <= 2 * MAX_PASSAGE_CHARS for _, text in passages)


def test_a_paragraph_too_long_is_cut_between_sentences() -> None:
    sentences = [sentence(seed, 12).capitalize() + "." for seed in range(40)]
    passages = [text for _, text in cut(" ".join(sentences))]
    assert len(passages) > 2
    assert all(text.strip().endswith(".") for text in passages)
    assert all(estimate_tokens(text) <= MAX_PASSAGE_TOKENS for text in passages)


def test_chinese_is_cut_at_its_own_stops() -> None:
    text = "".join(f"这是第{n}句话，内容很短但是有意义。" for n in range(60))
    passages = [text for _, text in cut(text)]
    assert len(passages) > 2
    assert all(passage.endswith("。") for passage in passages)


def test_frontmatter_and_comments_alone_make_no_passage() -> None:
    assert cut("---\na: 1\n---\n\n%% nothing\nhere %%\n") == []


def test_an_empty_note_has_no_stretch() -> None:
    assert cut("") == []


LINES = st.sampled_from(
    [
        "# One", "## Two", "### Three", "# ", "text of a line", "- item", "  - nested item", "1. first", "- [ ] task",
        "> quote", "> [!note] Callout", "| a | b |", "|---|---|", "| 1 | 2 |", "```", "```python", "code = 1", "~~~",
        "$$", "x^2", "---", "", "  ", "%%", "%% hidden %%", "<div>", "</div>", "[^1]: note", "[ref]: http://x.y",
        "研究 生命", "a::b", "^block", "\t", "***", "<!-- -->", "…", "\u2028x",
        "long " * 300,
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@example(["long " * 300, "---", "long " * 300], "\n")
@given(st.lists(LINES, max_size=40), st.sampled_from(["\n", "\r\n"]))
def test_everything_said_is_in_a_passage(lines: list[str], newline: str) -> None:
    parsed = note(newline.join(lines))
    stretches = cut_passages(parsed)
    assert all(draft.tokens <= MAX_PASSAGE_TOKENS + TARGET_TOKENS for draft in stretches)
    ends = [0, *(draft.span[1] for draft in stretches)]
    assert all(draft.span[0] >= end for draft, end in zip(stretches, ends, strict=False))
    covered = bytearray(len(parsed.text))
    for start, end in (*(draft.span for draft in stretches), *parsed.comments, (0, parsed.body)):
        covered[start:end] = b"\x01" * (end - start)
    assert [at for at, character in enumerate(parsed.text) if not covered[at] and not character.isspace()] == []


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, max_size=40))
def test_no_piece_that_fits_is_cut(lines: list[str]) -> None:
    parsed = note("\n".join(lines))
    spans = [draft.span for draft in cut_passages(parsed)]
    for piece in parsed.pieces:
        start, end = piece.span
        if estimate_tokens(parsed.text[start:end]) <= MAX_PASSAGE_TOKENS and parsed.text[start:end].strip():
            assert any(s <= start and end <= e for s, e in spans), piece


@pytest.mark.parametrize(
    "text",
    [
        f"Before.\n\n<!-- {LONG} -->\n\nAfter.\n",
        f"Before. <!-- {SENTENCES} --> After.\n",
        f"> Before. <!-- {SENTENCES} --> After.\n",
        f"After. Before.\n\n<!-- {LONG}\n",
    ],
)
def test_no_passage_begins_inside_a_comment(text: str) -> None:
    shown = " ".join(visible_text(passage) for _, passage in cut(text))
    assert max(len(passage) for _, passage in cut(text)) < 2 * MAX_PASSAGE_CHARS
    assert "hidden" not in shown
    assert "Before." in shown
    assert "After." in shown


def test_an_arrow_or_a_comment_in_code_hides_nothing() -> None:
    text = f"a --> b {SENTENCES}\n\n```html\n<!--\n{LONG}\n```\n\nA stray <!-- sign. {SENTENCES}\n"
    found = " ".join(passage for _, passage in cut(text))
    assert found.count("hidden") == text.count("hidden")
