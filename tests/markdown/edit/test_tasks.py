"""A task's box changes, and nothing else that was not asked for."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidArguments, NoteChanged
from bridge.markdown.edit.tasks import leading_tag, task_text, toggle_task, uses_dataview_fields
from bridge.markdown.note import Task
from bridge.markdown.parse import parse
from bridge.markdown.tasks import TaskSettings
from bridge.types import VaultPath

NOTE = VaultPath("A.md")
TODAY = date(2026, 1, 31)
PLUGIN = TaskSettings(done_dates=True, cancelled_dates=True)
FIELDS = TaskSettings(done_dates=True, cancelled_dates=True, dataview=True)


def after(line: str, status: str | None = None, settings: TaskSettings | None = None) -> str:
    """Toggle the task of a note's third line and return what the line is then."""
    data = f"# A\r\n\n{line}\n- [ ] other\n".encode()
    changed = toggle_task(NOTE, data, 3, today=TODAY, status=status, settings=settings).data.decode()
    assert changed.startswith("# A\r\n\n")
    assert changed.endswith("\n- [ ] other\n")
    return changed[len("# A\r\n\n") : -len("\n- [ ] other\n")]


@pytest.mark.parametrize(
    ("line", "status", "changed"),
    [
        ("- [ ] a", None, "- [x] a"),
        ("- [x] a", None, "- [ ] a"),
        ("* [/] a  ", None, "* [x] a  "),
        ("10) [ ] [ ] a\r", None, "10) [x] [ ] a\r"),
        ("> [!todo]\n".replace("\n", " ") + "x", None, None),
        ("> - [ ] a", None, "> - [x] a"),
        ("- - [ ] a", None, "- - [x] a"),
        ("- [ ]", None, "- [x]"),
        ("- [ ] a", "/", "- [/] a"),
        ("- [ ] a", "é", "- [é] a"),
        ("- [ ] a", " ", "- [ ] a"),
        # A date goes with the mark that it belongs to, whoever wrote it.
        ("- [x] a ✅ 2026-01-01 #b ^c", None, "- [ ] a #b ^c"),
        ("- [x] a [completion:: 2026-01-01] b", None, "- [ ] a b"),
        ("- [-] a ❌ 2026-01-01 📅 2026-02-01", " ", "- [ ] a 📅 2026-02-01"),
        ("- [X] a ✅ 2026-01-01", "x", "- [x] a ✅ 2026-01-01"),
    ],
)
def test_only_the_box_changes(line: str, status: str | None, changed: str | None) -> None:
    if changed is None:
        with pytest.raises(InvalidArguments, match=r"not a task; its tasks are in lines 4\."):
            after(line, status)
    else:
        assert after(line, status) == changed


@pytest.mark.parametrize(
    ("line", "status", "settings", "changed"),
    [
        ("- [ ] a", None, PLUGIN, "- [x] a ✅ 2026-01-31"),
        ("- [ ] a 📅 2026-01-01 ^b\r", None, PLUGIN, "- [x] a 📅 2026-01-01 ✅ 2026-01-31 ^b\r"),
        ("- [ ] a", "-", PLUGIN, "- [-] a ❌ 2026-01-31"),
        ("- [ ] a", None, FIELDS, "- [x] a [completion:: 2026-01-31]"),
        ("- [ ] a [due:: 2026-01-01]", None, PLUGIN, "- [x] a [due:: 2026-01-01] [completion:: 2026-01-31]"),
        ("- [ ] a 📅 2026-01-01", None, FIELDS, "- [x] a 📅 2026-01-01 ✅ 2026-01-31"),
        ("- [-] a ❌ 2026-01-01", "x", PLUGIN, "- [x] a ✅ 2026-01-31"),
        ("- [ ] a", None, TaskSettings(done_dates=True, global_filter="#task"), "- [x] a"),
        ("- [ ] #task a", None, TaskSettings(done_dates=True, global_filter="#task"), "- [x] #task a ✅ 2026-01-31"),
        ("- [ ] a", "/", PLUGIN, "- [/] a"),
        ("- [ ] a ✅ 2026-01-01", None, PLUGIN, "- [x] a ✅ 2026-01-01"),
    ],
)
def test_the_day_is_added_where_the_tasks_plugin_adds_it(
    line: str, status: str | None, settings: TaskSettings, changed: str
) -> None:
    assert after(line, status, settings) == changed


def test_what_the_plugin_would_do_besides_is_told() -> None:
    recurs = toggle_task(NOTE, "- [ ] a 🔁 every day".encode(), 1, today=TODAY)
    assert recurs.warnings == ("This task recurs; only Obsidian's Tasks plugin writes the next one.",)
    goes = toggle_task(NOTE, b"- [ ] a [onCompletion:: delete]", 1, today=TODAY)
    assert goes.warnings == ("Obsidian's Tasks plugin would `delete` this task now; it stays.",)
    assert toggle_task(NOTE, goes.data, 1, today=TODAY).warnings == ()


@pytest.mark.parametrize("text", ["a", " a ", "a 📅 2026-01-01", "- [ ] a 📅 2026-01-01"])
def test_the_task_that_was_seen_is_the_one_that_changes(text: str) -> None:
    data = "- [ ] a 📅 2026-01-01\n- [ ] b\n".encode()
    done = toggle_task(NOTE, data, 1, today=TODAY, text=text)
    assert (done.before.status, done.after) == (" ", Task("x", "a 📅 2026-01-01", 1))
    with pytest.raises(NoteChanged, match="it is in line 1 now") as raised:
        toggle_task(NOTE, data, 2, today=TODAY, text=text)
    assert raised.value.facts["lines"] == [1]


def test_another_text_in_the_line_is_refused() -> None:
    with pytest.raises(NoteChanged, match="that line has other text"):
        toggle_task(NOTE, b"- [ ] a\n- [ ] a\n", 1, today=TODAY, text="b")
    with pytest.raises(NoteChanged, match="that line has other text"):
        toggle_task(NOTE, b"- [ ] a\n- [ ] a\n\n", 3, today=TODAY, text="a")


@pytest.mark.parametrize("status", ["", "xx", "\n", "\x00"])
def test_a_box_holds_one_character(status: str) -> None:
    with pytest.raises(InvalidArguments, match="one character"):
        after("- [ ] a", status)


def test_code_is_no_task() -> None:
    with pytest.raises(InvalidArguments, match="it has none"):
        toggle_task(NOTE, b"```\n- [ ] a\n```\n", 2, today=TODAY)


def test_bytes_that_are_not_utf8_stay() -> None:
    assert toggle_task(NOTE, b"\xef\xbb\xbf- [ ] a\xff\n\xfe", 1, today=TODAY).data == b"\xef\xbb\xbf- [x] a\xff\n\xfe"


@given(st.text("-*[] x\n\t>#`$%1.()\\é📅", max_size=60), st.integers(1, 8), st.sampled_from(" x/-é]["))
def test_any_box_changes_alone_or_not_at_all(text: str, line: int, status: str) -> None:
    data = text.encode()
    try:
        done = toggle_task(NOTE, data, line, today=TODAY, status=status)
    except InvalidArguments:
        return
    before, now = text.split("\n"), done.data.decode().split("\n")
    assert [at for at, pair in enumerate(zip(before, now, strict=True), 1) if pair[0] != pair[1]] in ([], [line])
    assert len(before[line - 1]) == len(now[line - 1])
    assert next(task for task in parse(NOTE, done.data).tasks if task.line == line).status == status


def test_new_tasks_are_written_as_the_notes_others_are() -> None:
    signs, fields = Task(" ", "a 📅 2026-01-01", 1), Task(" ", "a [due:: 2026-01-01]", 2)
    assert not uses_dataview_fields((signs,), FIELDS)
    assert uses_dataview_fields((fields, Task(" ", "a", 3)), PLUGIN)
    assert [uses_dataview_fields((), each) for each in (PLUGIN, FIELDS)] == [False, True]


def test_the_text_of_a_new_task() -> None:
    assert task_text(" Buy flour ") == "Buy flour"
    assert task_text("نان می\u200cخرم 👩\u200d🍳") == "نان می\u200cخرم 👩\u200d🍳"
    assert task_text("Buy flour ^id", due="2026-01-31", priority="high") == "Buy flour ⏫ 📅 2026-01-31 ^id"
    assert (
        task_text("Buy", due="2026-01-31", priority="low", dataview=True) == "Buy [priority:: low] [due:: 2026-01-31]"
    )
    filtered = TaskSettings(global_filter="#task")
    assert [task_text(text, settings=filtered) for text in ("Buy", "Buy #task")] == ["#task Buy", "Buy #task"]


@pytest.mark.parametrize(
    ("texts", "tag"),
    [
        (["#task a", "#task b", "#task c", "#task d", "e"], "#task"),
        (["#task a", "#task b", "c"], ""),
        (["#task a", "#todo b"], ""),
        (["a #task", "b #task"], ""),
        (["#1 a", "#1 b"], ""),
        ([], ""),
    ],
)
def test_the_tag_of_new_tasks_is_that_of_nearly_all_others(texts: list[str], tag: str) -> None:
    assert leading_tag(texts) == tag


@pytest.mark.parametrize(
    ("text", "due"),
    [("", None), ("a\nb", None), ("\u200b", None), ("a\u2028b", None), ("a", "tomorrow"), ("a", "2026-02-30")],
)
def test_a_task_is_one_line_and_a_date_is_a_day(text: str, due: str | None) -> None:
    with pytest.raises(InvalidArguments):
        task_text(text, due=due)
