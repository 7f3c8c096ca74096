"""What a task's line says beside its text."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.markdown.parse import parse
from bridge.markdown.tasks import TaskFacts, TaskSettings, TaskStatus, parse_task, strip_ids, task_signs
from bridge.types import VaultPath
from tests.evaldata import EVAL, needs_eval


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Buy flour", TaskFacts("Buy flour")),
        ("", TaskFacts("")),
        ("Buy flour 📅 2026-01-31", TaskFacts("Buy flour", due="2026-01-31")),
        ("Buy flour 📅2026-01-31", TaskFacts("Buy flour", due="2026-01-31")),
        ("Buy flour 🗓️ 2026-01-31", TaskFacts("Buy flour", due="2026-01-31")),
        ("x ⏳ 2026-01-01 🛫 2026-01-02", TaskFacts("x", scheduled="2026-01-01", start="2026-01-02")),
        ("x ➕ 2026-01-01 ✅ 2026-01-02", TaskFacts("x", created="2026-01-01", done="2026-01-02")),
        ("x ❌ 2026-01-01", TaskFacts("x", cancelled="2026-01-01")),
        ("x 🔺", TaskFacts("x", priority="highest")),
        ("x ⏬ ", TaskFacts("x", priority="lowest")),
        (
            "x 🔁 every week, when done 🏁 delete",
            TaskFacts("x", recurrence="every week, when done", on_completion="delete"),
        ),
        ("x 🆔 ab-1 ⛔ cd, ef", TaskFacts("x", id="ab-1", depends_on=("cd", "ef"))),
        ("x 📅 2026-01-31 #late ⏫ ^id", TaskFacts("x #late", due="2026-01-31", priority="high")),
        ("x #a #b/c", TaskFacts("x #a #b/c")),
        # The plugin reads from the end; what stands in front of words is a part of them.
        ("x 📅 2026-01-31 then", TaskFacts("x 📅 2026-01-31 then")),
        ("x 📅 2026-02-30", TaskFacts("x 📅 2026-02-30")),
        ("x 📅 ２０２６-01-31", TaskFacts("x 📅 ２０２６-01-31")),
        ("x 📅 2026-01-31 📅 2026-02-28", TaskFacts("x", due="2026-02-28")),
        ("x [due:: 2026-01-31]", TaskFacts("x", due="2026-01-31")),
        ("x (Due::2026-01-31), y [priority:: high]", TaskFacts("x y", due="2026-01-31", priority="high")),
        ("x [completion:: 2026-01-31] [repeat:: every day]", TaskFacts("x", done="2026-01-31", recurrence="every day")),
        ("x [dependsOn:: a,b] [id:: c]", TaskFacts("x", id="c", depends_on=("a", "b"))),
        ("x [due:: soon] [priority:: 5] [other:: 1]", TaskFacts("x [due:: soon] [priority:: 5] [other:: 1]")),
        ("x [[due]] [a](b)", TaskFacts("x [[due]] [a](b)")),
    ],
)
def test_dates_and_more_are_read_in_both_notations(text: str, facts: TaskFacts) -> None:
    assert parse_task(text) == facts


DAYS = st.none() | st.dates().map(str)
WORDS = st.none() | st.from_regex(r"[a-z]{1,8}", fullmatch=True)
FACTS: st.SearchStrategy[Any] = st.builds(
    TaskFacts,
    text=st.just("Words #tag"),
    due=DAYS,
    scheduled=DAYS,
    start=DAYS,
    created=DAYS,
    done=DAYS,
    cancelled=DAYS,
    priority=st.sampled_from([None, "highest", "high", "medium", "low", "lowest"]),
    recurrence=WORDS,
    on_completion=WORDS,
    id=WORDS,
    depends_on=st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), max_size=3).map(tuple),
)


@given(FACTS, st.booleans())
def test_what_is_written_reads_back(facts: TaskFacts, dataview: bool) -> None:
    assert parse_task(" ".join([facts.text, *task_signs(facts, dataview=dataview)])) == facts


@given(st.text(st.sampled_from("📅✅⏫🔁🆔 2026-01-31#a^x[]():due\ufe0f\t"), max_size=60))
def test_any_text_is_a_task_s(text: str) -> None:
    parse_task(text)


@pytest.mark.parametrize(
    "text",
    ["é" + " #a" * 50_000, "[due::" * 50_000, "✅" * 100_000, "a" + " " * 100_000 + "b::", "a" + " " * 100_000 + "^"],
    ids=["tags", "fields", "signs", "spaces", "spaces before an id"],
)
def test_hostile_repetition_is_only_text(text: str) -> None:
    assert parse_task(text).due is None


@pytest.mark.parametrize(
    ("status", "meaning", "following"),
    [
        (" ", "todo", "x"),
        ("x", "done", " "),
        ("X", "done", " "),
        ("/", "in_progress", "x"),
        ("-", "cancelled", " "),
        ("!", "other", "x"),
    ],
)
def test_a_box_means_what_the_plugin_and_themes_say(status: str, meaning: str, following: str) -> None:
    assert (TaskSettings().meaning(status), TaskSettings().next_status(status)) == (meaning, following)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Feed 🆔 a1b2 📅 2026-12-01 ^feed ", "Feed 📅 2026-12-01"),
        ("Feed [id:: a1b2] it [due:: 2026-12-01]", "Feed it [due:: 2026-12-01]"),
        ("Renew the 🆔 card today  ", "Renew the 🆔 card today  "),
        ("2 ^x is odd", "2 ^x is odd"),
    ],
)
def test_a_copy_has_no_id(line: str, kept: str) -> None:
    assert strip_ids(line) == kept


def test_the_user_s_own_marks_come_first() -> None:
    settings = TaskSettings(
        statuses={" ": TaskStatus("todo", "/"), "D": TaskStatus("done", ""), "p": TaskStatus("other", "pp")}
    )
    assert [settings.next_status(each) for each in " Dp"] == ["/", " ", "x"]
    assert [settings.meaning(each) for each in "D/p"] == ["done", "in_progress", "other"]


def test_what_is_forwarded_is_open_only_where_the_user_says_so() -> None:
    assert [box for box in " /xX->!?" if TaskSettings().is_open(box)] == [" ", "/", "!", "?"]
    own = TaskSettings(statuses={">": TaskStatus("todo", "x"), "!": TaskStatus("done", " ")})
    assert [box for box in ">!-" if own.is_open(box)] == [">"]


@pytest.mark.eval
@needs_eval
def test_the_plugin_s_own_examples_are_read() -> None:
    counted: Counter[str] = Counter()
    for file in sorted((EVAL / "vaults" / "obsidian-tasks-demo").rglob("*.md")):
        for task in parse(VaultPath(file.name), file.read_bytes()).tasks:
            facts = parse_task(task.text)
            for name in ("due", "scheduled", "start", "created", "done", "priority", "recurrence", "id", "depends_on"):
                counted[name] += bool(getattr(facts, name))
            # What is not read says so itself.
            read = (facts.due or "📅" not in task.text) and (facts.done or "✅" not in task.text)
            assert read or any(word in task.text for word in ("valid", "<%", "Tasks does not")), task.text
    assert counted["due"] > 80
    assert min(counted.values()) > 0, counted
