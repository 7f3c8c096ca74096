"""A journal as a record and as Markdown: what was handed over is read back as it was."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from bridge.features.sessions.journal_note import (
    ChangeBatch,
    ChangedNote,
    Failure,
    JournalFacts,
    JournalLine,
    JournalWords,
    journal_name,
    journal_properties,
    later_lines,
    note_link,
    read_words,
    told_lines,
    write_body,
)
from bridge.features.sessions.statements import JournalStatement
from bridge.markdown.edit.properties import build_note
from bridge.markdown.parse import parse
from bridge.types import VaultPath

START = datetime(2026, 11, 22, 14, 3, 11, tzinfo=UTC)
BEANS, RYE = VaultPath("Garden/Beans.md"), VaultPath("Rye.md")
FACTS = JournalFacts(
    session="5b1f0c9a77e1",
    client="claude-code",
    status="active",
    started=START,
    until=START + timedelta(minutes=47),
    calls=19,
    tokens=8_000,
    searches=6,
    read=((BEANS, 3), (RYE, 1), (VaultPath("Oats.md"), 2)),
    changes=(ChangeBatch("edit_note", (ChangedNote(BEANS, 3, 1),), ("The frost came early",)),),
    undone=(ChangeBatch("set_properties", (ChangedNote(RYE),)),),
    proposed=(ChangeBatch("edit_note", (ChangedNote(BEANS),)),),
    failures=(Failure("edit_note", "note_changed", (BEANS,), count=2),),
    previous=VaultPath("Agents/Sessions/2026-11-21 0900 claude-code.md"),
)


def note_of(words: JournalWords, facts: JournalFacts = FACTS) -> str:
    return build_note(VaultPath("a.md"), write_body(words, facts), journal_properties(words, facts)).decode()


def test_a_journal_says_what_the_records_say() -> None:
    note = parse(VaultPath("a.md"), note_of(JournalWords()).encode())
    assert note.properties["type"] == "journal"
    assert note.properties["duration_minutes"] == 47
    assert "goal" not in note.properties
    assert note.text.partition("# ")[2] == (
        "Beans: The frost came early\n\n"
        "## Approach\n\nSearched 6 times, read 3 notes, changed 1 note.\n\n"
        "## Problems\n\n- `edit_note` on `Garden/Beans.md` failed: `note_changed`, 2 times – The note changed"
        " since you read it.\n\n"
        "## Changes\n\n- `edit_note`: [[Garden/Beans|Beans]] +3 -1 – The frost came early\n"
        "- `set_properties`, undone: [[Rye]]\n\n"
        "## Open questions\n\n- `edit_note`, awaits approval: [[Garden/Beans|Beans]]\n\n"
        "## Related\n\n- [[Rye]]: read\n- [[Oats]]: read 2 times\n"
        "- [[Agents/Sessions/2026-11-21 0900 claude-code|2026-11-21 0900 claude-code]]: the session before\n"
    )
    assert read_words(note.text, note.properties) == JournalWords()


QUOTED = (
    JournalStatement("decision", "We decided to cover them.", BEANS, 7),
    JournalStatement("question", "Is the fleece “warm” enough?", BEANS, 8),
    JournalStatement("task", "Buy fleece", BEANS, 9),
    JournalStatement("outcome", "Sow again", RYE, 3),
)


def test_what_was_written_is_quoted_with_its_line_and_read_back() -> None:
    facts = replace(FACTS, changes=(ChangeBatch("edit_note", (ChangedNote(BEANS, 3, 1),)),), statements=QUOTED)
    text = note_of(JournalWords(), facts)
    assert "# We decided to cover them.\n" in text
    assert "## Key decisions\n\n- “We decided to cover them.” ([[Garden/Beans|Beans]], line 7)\n" in text
    assert "## Outcome\n\n- “Sow again” ([[Rye]], line 3)\n" in text
    assert (
        "## Open questions\n\n- “Is the fleece “warm” enough?” ([[Garden/Beans|Beans]], line 8)\n"
        "- To do: “Buy fleece” ([[Garden/Beans|Beans]], line 9)\n- `edit_note`, awaits"
    ) in text
    words = read_words(text, {})
    assert [*told_lines(words)] == [(QUOTED[at].what, QUOTED[at].text) for at in (0, 3, 1, 2)]
    # What is quoted again each time is not kept as if it had been handed over, nor said twice.
    later = JournalWords(decisions=(JournalLine("14:05", "We decided to cover them."),))
    assert words.merge(later) == later
    said = "- 14:05 We decided to cover them. (written in [[Garden/Beans|Beans]], line 7)\n"
    assert note_of(words.merge(later), facts).count(said) == 1
    assert note_of(words.merge(later), facts).count("“We decided") == 0
    assert read_words(note_of(later, facts), {}).decisions == later.decisions
    in_other_letters = JournalWords(decisions=(JournalLine("14:05", "we decided to cover them"),))
    assert "“We decided" not in note_of(in_other_letters, facts)


@pytest.mark.parametrize(
    ("said", "written", "is_same"),
    [
        ("Four nights in Kyoto, not two in Osaka", "We decided to stay four nights in Kyoto, not in Osaka.", True),
        ("Solo ETF ad accumulazione, per il fisco.", "Abbiamo deciso di usare solo ETF ad accumulazione.", True),
        ("Niente caffè dopo le 14.", "Ho deciso di non bere caffè dopo le 14, perché mi sveglio di notte.", True),
        ("Niente caffè dopo le 14.", "Ho deciso di bere caffè dopo le 14.", False),
        ("每个效应只保留一个案例", "我们决定每个效应只保留一个案例，因为多了看不完。", True),
        ("每天写日记", "我们决定每天不写日记。", False),
        ("先试四周168，因为更容易坚持", "我们决定先试四周168，再考虑52，因为168更容易坚持。", True),
        (
            "Raf en semilleros: aguanta el calor",
            "Hemos decidido sembrar Raf en semilleros, aguanta mejor el calor.",
            True,
        ),
        ("We decided to use rye in the starter.", "We decided to use wheat in the bread.", False),
        ("The release of 2015 is canonical here", "We decided that the release of 2014 is canonical here.", False),
        ("Cover the beans at night", "We decided not to cover the beans at night.", False),
        ("断食期间能喝黑咖啡吗？", "断食期间能喝牛奶吗？", False),
    ],
)
def test_what_is_said_in_other_words_is_told_once(said: str, written: str, is_same: bool) -> None:
    facts = replace(FACTS, statements=(JournalStatement("decision", written, BEANS, 7),))
    text = note_of(JournalWords(decisions=(JournalLine("14:05", said),)), facts)
    assert (f"- 14:05 {said} (written in [[Garden/Beans|Beans]], line 7)\n" in text) == is_same
    assert (f"“{written}”" in text) != is_same


def test_a_summary_of_what_was_written_stands_until_one_is_handed_over() -> None:
    facts = replace(FACTS, summary="Beans are covered. Frost comes at night.", commits=("0a1b2c3d4e5f",))
    note = parse(VaultPath("a.md"), note_of(JournalWords(), facts).encode())
    assert "## Summary\n\n“Beans are covered. Frost comes at night.”\n\n## Approach" in note.text
    assert (note.properties["summary"], note.properties["commits"]) == (facts.summary, ["0a1b2c3d4e5f"])
    assert read_words(note.text, note.properties).summary == ""
    own = note_of(JournalWords(summary="Covered."), facts)
    assert "## Summary\n\n> Covered.\n\n## Approach" in own
    assert "summary: Covered.\n" in own


def test_a_change_of_many_notes_is_one_line() -> None:
    notes = tuple(ChangedNote(VaultPath(f"Notes/{number}.md"), 1, 1) for number in range(752))
    batch = ChangeBatch("rename_property", notes, ("American spelling",))
    facts = replace(FACTS, changes=(*FACTS.changes, batch), undone=(batch,), proposed=(batch,))
    text = note_of(JournalWords(), facts)
    assert text.count("`rename_property` in 752 notes") == 3
    assert "`rename_property` in 752 notes, undone\n" in text
    assert "[[Notes/" not in text
    assert "- `rename_property` in 752 notes – American spelling\n" in text
    assert "changed 753 notes" in text
    assert "# rename_property in 752 notes\n" in note_of(
        JournalWords(), replace(facts, changes=(replace(batch, reasons=()),))
    )
    some = note_of(JournalWords(), replace(facts, changes=(replace(batch, notes=notes[:5]),)))
    assert "- `rename_property` in 5 notes: [[Notes/0|0]] +1 -1, [[Notes/1|1]] +1 -1, [[Notes/2|2]] +1 -1 – Am" in some
    assert "- `list_changes` with the session `5b1f0c9a77e1` lists all\n" in some


def test_a_summary_that_was_handed_over_gives_the_title() -> None:
    assert "# Covered.\n" in note_of(JournalWords(summary="Covered."))


def test_words_come_before_records_and_give_the_title() -> None:
    words = JournalWords(
        goal="Save the beans",
        summary="Two lines\nof summary.",
        decisions=(JournalLine("14:05", "Cover them."),),
        model="m-1",
    )
    text = note_of(words)
    assert "# Save the beans\n\n## Goal\n\n> Save the beans\n\n## Summary\n\n> Two lines\n> of summary.\n" in text
    assert "- 14:05 Cover them.\n" in text
    assert parse(VaultPath("a.md"), text.encode()).properties["summary"] == "Two lines of summary."


LINES = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=30)
TEXTS = st.lists(
    LINES | st.sampled_from(["## Later", "- 14:00 x", "> q", "---", "```", "", "# h", "  - x"]), max_size=4
)
SAID = TEXTS.map("\n".join)
ITEMS = st.lists(st.builds(JournalLine, st.sampled_from(["00:00", "14:05", "23:59"]), SAID), max_size=3).map(tuple)
WORDS = st.builds(
    JournalWords,
    SAID,
    SAID,
    SAID,
    SAID,
    ITEMS,
    ITEMS,
    ITEMS,
    ITEMS,
    ITEMS,
    st.just("m-1"),
    st.sampled_from([None, 2.5]),
)


@given(WORDS)
def test_words_are_read_back_from_any_journal(words: JournalWords) -> None:
    text = note_of(words)
    properties = dict(parse(VaultPath("a.md"), text.encode()).properties)
    found = read_words(text, properties)
    # What readers do not see is left out once.
    assert note_of(found) == text
    assert read_words(note_of(found), properties) == found
    for name in ("actions", "decisions", "problems", "outcomes", "questions"):
        assert [one.time for one in getattr(found, name)] == [one.time for one in getattr(words, name)]


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(read_words(text, {"cost_usd": "much"}), JournalWords)


def test_lists_are_joined_and_other_words_replaced() -> None:
    first = JournalWords(goal="One", decisions=(JournalLine("14:05", "a"),), cost_usd=1.0)
    later = JournalWords(goal="Two", decisions=(JournalLine("15:00", "a"), JournalLine("15:00", "b")))
    merged = first.merge(later)
    assert (merged.goal, merged.cost_usd) == ("Two", 1.0)
    assert merged.decisions == (JournalLine("14:05", "a"), JournalLine("15:00", "b"))
    assert later_lines(later) == ["- Goal: Two", "- 15:00 Decision: a", "- 15:00 Decision: b"]


def test_names_hold_the_local_time_and_what_a_file_name_may() -> None:
    assert journal_name("claude-code", START) == "2026-11-22 1403 claude-code"
    assert journal_name('a/b:c*"<>|#^[]', START) == "2026-11-22 1403 a b c"
    assert journal_name("///", START) == "2026-11-22 1403 agent"
    assert journal_name("エージェント", START) == "2026-11-22 1403 エージェント"
    assert note_link(VaultPath("A [b].md")) == "`A [b].md`"


def test_a_name_that_is_no_unicode_is_written_as_far_as_it_goes() -> None:
    path = VaultPath("caf\udce9.md")
    facts = replace(
        FACTS,
        changes=(ChangeBatch("edit_note", (ChangedNote(path, 1, 0),)),),
        read=((path, 1),),
        proposed=(ChangeBatch("edit_note", (ChangedNote(path),)),),
    )
    text = note_of(JournalWords(), facts)
    assert parse(VaultPath("a.md"), text.encode()).properties["files"] == ["caf?.md"]
    assert "- `edit_note`: [[caf?]] +1 -0" in text


def test_a_session_without_any_facts_has_a_title() -> None:
    bare = JournalFacts("1", "agent", "completed", START, START)
    assert write_body(JournalWords(), bare) == "# Session of agent\n"
    changes = (ChangeBatch("edit_note", (ChangedNote(BEANS, 1, 0), ChangedNote(RYE, 1, 0))),)
    assert write_body(JournalWords(), replace(bare, changes=changes)).startswith("# Beans\n")
    assert write_body(JournalWords(), replace(bare, read=((BEANS, 2),))).startswith("# Read Beans\n")
    some = write_body(JournalWords(), replace(bare, read=((BEANS, 2), (RYE, 1))))
    assert some.startswith("# Read Beans and 1 other note\n")


def test_a_session_that_failed_at_what_it_would_change_is_incomplete() -> None:
    done = replace(FACTS, status="completed", failures=(Failure("edit_note", "note_changed", (BEANS,), writes=True),))
    assert journal_properties(JournalWords(), done)["status"] == "incomplete"
    assert journal_properties(JournalWords(summary="Beans are covered."), done)["status"] == "completed"
    read = replace(done, failures=(Failure("read_note", "note_not_found"),))
    assert journal_properties(JournalWords(), read)["status"] == "completed"


@pytest.mark.parametrize(
    ("batches", "notable"),
    [
        ([("remember", VaultPath("Agents/Memory/a.md"), True)], False),
        ([("hand_over", VaultPath("Agents/Handoffs/a.md"), True)], True),
        ([("edit_note", BEANS, False)], True),
        ([("set_properties", BEANS, False), ("toggle_task", RYE, False)], False),
        ([("set_properties", BEANS, False), ("set_properties", RYE, False), ("toggle_task", "c.md", False)], True),
    ],
)
def test_memories_and_a_box_or_two_need_no_journal(batches: list[tuple[str, VaultPath, bool]], notable: bool) -> None:
    changes = tuple(ChangeBatch(name, (ChangedNote(path, of_agents=own),)) for name, path, own in batches)
    assert replace(FACTS, changes=changes, undone=(), proposed=()).is_notable is notable
