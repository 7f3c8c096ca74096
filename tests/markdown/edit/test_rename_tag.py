"""Renaming a tag in one file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import BridgeError, InvalidArguments, InvalidProperties
from bridge.markdown.edit.tags import TagRename, rename_tag
from bridge.markdown.parse import parse
from bridge.types import VaultPath

NOTE = VaultPath("Note.md")


def rename(text: str, old: str = "todo", to: str = "task/open", *, children: bool = True, path: str = "Note.md") -> str:
    return rename_tag(VaultPath(path), text.encode(), TagRename.of(old, to, children=children)).data.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A #todo and #todo/now, #TODO.", "A #task/open and #task/open/now, #task/open."),
        ("#todos #to-do #nottodo a#todo", "#todos #to-do #nottodo a#todo"),
        ("`#todo` and\n```\n#todo\n```\n", "`#todo` and\n```\n#todo\n```\n"),
        ("See https://a.b/#todo, [[Note#todo]] and [x](y.md#todo).", None),
        ('<a href="#todo">x</a> \\#todo', None),
        ("# A heading #todo\r\n\r\n- [ ] x #todo\r\n", "# A heading #task/open\r\n\r\n- [ ] x #task/open\r\n"),
        ("%%\nhidden #todo\n%%", "%%\nhidden #task/open\n%%"),
        ("*#todo* _#todo_", "*#task/open* _#task/open_"),
        (
            "---\ntags: [todo, 'a', \"todo/x\"] # why\n---\n",
            "---\ntags: [task/open, 'a', \"task/open/x\"] # why\n---\n",
        ),
        ("---\ntags:\n- todo # first\n- b\n---\n#todo", "---\ntags:\n- task/open # first\n- b\n---\n#task/open"),
        ("---\nTAGS: todo\n---\n", "---\nTAGS: task/open\n---\n"),
        ("---\ntag: todo, b\n---\n", "---\ntag: task/open, b\n---\n"),
        ("---\ntags: '#todo b'\n---\n", "---\ntags: '#task/open b'\n---\n"),
        ("---\ntags: [todo, task/open]\n---\n", "---\ntags: [task/open]\n---\n"),
        ("---\ntags: [a, todo, Task/Open, todo/x]\n---\n", "---\ntags: [a, Task/Open, task/open/x]\n---\n"),
        (
            "---\ntags:\n  - task/open\n  # kept\n  - todo # why\n  - b\n---\n",
            "---\ntags:\n  - task/open\n  # kept\n  # why\n  - b\n---\n",
        ),
        ("---\ntags: todo, task/open\n---\n", "---\ntags: task/open\n---\n"),
        ("---\ntags: task/open todo, b\n---\n", "---\ntags: task/open, b\n---\n"),
        ("---\ntopic: todo\nother: [todo]\n---\n", None),
        ("\ufeff---\ntags: todo\n---\nx", "\ufeff---\ntags: task/open\n---\nx"),
    ],
)
def test_a_tag_is_renamed_in_every_form_and_nothing_else(before: str, after: str | None) -> None:
    assert rename(before) == (before if after is None else after)


def test_nested_tags_stay_without_children() -> None:
    text = "---\ntags: [todo, todo/x]\n---\n#todo #todo/x"
    assert rename(text, children=False) == "---\ntags: [task/open, todo/x]\n---\n#task/open #todo/x"


def test_only_the_case_can_change() -> None:
    text = "---\ntags: [ToDo, todo/x]\n---\n#TODO #todo"
    assert rename(text, to="Todo") == "---\ntags: [Todo, Todo/x]\n---\n#Todo #Todo"


def test_cards_of_a_canvas_keep_their_escapes() -> None:
    canvas = '{"nodes":[{"id":"1","type":"text","text":"a \\"b\\"\\n#todo `#todo` \\u00e9 #todo/x"},{"type":"file"}]}'
    assert rename(canvas, path="A.canvas") == canvas.replace("\\n#todo", "\\n#task/open").replace(
        "#todo/x", "#task/open/x"
    )


@pytest.mark.parametrize(
    "block",
    [
        "tags: [todo\n",
        "tags: &a [todo]\nother: *a\n",
        "tags: b\ntags: todo\n",
        "{tags: [todo]}\n",
        "tags: [&x todo]\nother: *x\n",
    ],
)
def test_properties_that_cannot_be_changed_alone_are_refused(block: str) -> None:
    with pytest.raises(InvalidProperties):
        rename(f"---\n{block}---\n#todo")


def test_unreadable_properties_without_the_tag_do_not_matter() -> None:
    assert rename("---\na: [\n---\n#todo") == "---\na: [\n---\n#task/open"


def test_unreadable_properties_in_which_the_tag_is_part_of_a_word_do_not_matter() -> None:
    assert rename("---\na: [todos, my-todo\n---\n#todo") == "---\na: [todos, my-todo\n---\n#task/open"


def test_a_drawing_is_refused() -> None:
    with pytest.raises(InvalidArguments, match="drawing"):
        rename("---\nexcalidraw-plugin: parsed\n---\n#todo")


@pytest.mark.parametrize(
    ("old", "to"), [("a b", "c"), ("a", "12"), ("a", "b//c"), ("a", "/b"), ("", "b"), ("a", "b,c")]
)
def test_a_name_that_is_no_tag_is_refused(old: str, to: str) -> None:
    with pytest.raises(InvalidArguments, match="is not a tag"):
        TagRename.of(old, to)


TAGS = st.sampled_from(["todo", "Todo", "todo/x", "b", "task", "x y", "todo, b", "#todo"])
VALUES = st.lists(TAGS.map(lambda tag: f'"{tag}"'), min_size=1, max_size=5).map(lambda tags: f"[{', '.join(tags)}]")
BLOCKS = st.lists(TAGS.map(lambda tag: f"\n  - '{tag}'"), min_size=1, max_size=5).map("".join)
BODY = st.lists(st.sampled_from(["#todo", "#b", "`#todo`", "word", "\n", "[[#todo]]", "#TODO/y", "~~~"]), max_size=8)


@given(st.one_of(VALUES, BLOCKS), BODY.map(" ".join))
def test_a_note_has_the_tags_it_should_have_and_the_rest_of_its_words(tags: str, body: str) -> None:
    text = f"---\na: 1 # todo\ntags: {tags}\nz: [todo]\n---\n{body}"
    rename_ = TagRename.of("todo", "task")
    try:
        after = rename(text, to="task")
    except BridgeError:
        return
    before = [tag.name for tag in parse(NOTE, text.encode()).tags]
    expected = {(rename_.apply(tag) or tag).casefold() for tag in before}
    assert {tag.name.casefold() for tag in parse(NOTE, after.encode()).tags} == expected
    assert after.startswith("---\na: 1 # todo\n")
    assert "\nz: [todo]\n---\n" in after
    assert after.rpartition("---\n")[2].lower().count("#task") == rename(body, to="task").lower().count("#task")
    assert rename(after, to="task") == after
