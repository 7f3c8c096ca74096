import pickle
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index.prepare import embedding_digest
from tests.index.made import learn_from, prepared, sentence

TEMPLATE = "# {title}\n\nCreated with the weekly template\n\n[[Home]] | [[Index]]\n\n## Notes\n\n{text}\n"


def test_the_heading_path_stands_in_front_and_the_title_does_not() -> None:
    made = prepared("Folder/Some title.md", f"# A\n\n{sentence(1, 80)}\n\n## B\n\nwords **here**\n")
    assert [chunk.embed_text.split("\n")[0] for chunk in made.chunks] == ["A", "A > B"]
    assert made.chunks[1].embed_text == "A > B\nwords here"
    assert not any("Some title" in chunk.embed_text or "Folder" in chunk.embed_text for chunk in made.chunks)


def test_a_passage_keeps_its_text_for_search_and_display() -> None:
    (chunk,) = prepared("A.md", "# A\n\n**bold** [[Link|shown]]\n").chunks
    assert chunk.words[chunk.start : chunk.start + chunk.length] == "# A\n\n**bold** [[Link|shown]]"
    assert chunk.embed_text == "A\nbold shown"


def test_the_same_text_elsewhere_has_the_same_digest() -> None:
    one = prepared("A.md", "---\nx: 1\n---\n# H\n\nsame text\n")
    two = prepared("b/Other.md", "\n\n# H\n\nsame text\n")
    assert [chunk.digest for chunk in one.chunks] == [chunk.digest for chunk in two.chunks]
    assert one.titled != two.titled


def test_aliases_are_embedded_with_the_title() -> None:
    made = prepared("Tea.md", "---\naliases: [Chai, 茶]\n---\n")
    assert made.title_text == "Tea · Chai · 茶"
    assert made.titled == embedding_digest(made.title_text)


def test_recurring_lines_and_headings_are_not_embedded_but_searched() -> None:
    notes = [TEMPLATE.format(title=sentence(100 + n, 2), text=sentence(n, 20)) for n in range(30)]
    boilerplate = learn_from(notes)
    made = prepared("N.md", notes[3], boilerplate=boilerplate)
    (chunk,) = made.chunks
    assert chunk.embed_text == f"{sentence(103, 2)}\n{sentence(3, 20)}"
    assert "weekly template" in chunk.words
    assert "weekly template" in made.whole
    assert made.note.left_out == ("Created with the weekly template", "[[Home]] | [[Index]]", "## Notes")


def test_a_block_that_a_plugin_runs_is_not_embedded() -> None:
    made = prepared("N.md", "Before\n\n```dataview\nTABLE file.mtime FROM #x\n```\n\nAfter\n")
    assert made.chunks[0].embed_text == "Before\nAfter"
    assert made.note.left_out == ("a `dataview` block",)
    assert "TABLE file.mtime" in made.chunks[0].words


def test_a_note_of_nothing_but_boilerplate_is_embedded_by_its_title() -> None:
    boilerplate = learn_from(["Only the template line\n"] * 30)
    made = prepared("Rare name.md", "Only the template line\n", boilerplate=boilerplate)
    assert [chunk.embed_text for chunk in made.chunks] == ["Rare name"]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400), st.sampled_from(["N.md", "C.canvas", "D.excalidraw", "E.excalidraw.md"]))
def test_any_text_can_be_prepared_and_handed_to_another_process(text: str, path: str) -> None:
    made = prepared(path, text)
    assert pickle.loads(pickle.dumps(made)) == made
    assert len(made.chunks) == made.note.passages >= 1
    for chunk in made.chunks:
        (chunk.words + chunk.embed_text + chunk.heading + made.whole).encode()


def test_what_is_more_than_one_file_may_cost_is_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["bridge.index.prepare"], "MAX_CHARACTERS", 100)
    made = prepared("A.md", "one loaf\n\n" * 9 + "three loaves and a half\n" * 5)
    assert made.whole.endswith("one loaf\n\n")
    assert "three" not in "".join(chunk.words for chunk in made.chunks)
    assert made.note.problems == ("Search leaves out what follows the first 90 characters, from line 19 on.",)
