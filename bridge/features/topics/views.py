"""Text views of topics."""

import json
from collections.abc import Iterable
from typing import Any

import orjson

from bridge.api.markup import Answer, Column, Element, Line, Segment, Table, notice, notices, path_of
from bridge.text.counts import count_of, count_shown
from bridge.text.invisible import inline
from bridge.types import SHORT_DIGEST

TOPICS = (
    Column("path", role="path"),
    Column("aliases", lambda aliases: " · also " + ", ".join(map(inline, aliases))),
    Column("kind", lambda kind: f" · {inline(kind)}", detail=True),
    Column("notes", lambda notes: f" · {count_of(notes, 'note')}"),
    Column("definition", lambda text: f" · {inline(text)}"),
)

SUGGESTED = (
    Column("path", role="path"),
    Column("probability", " · {:.0%}"),
    Column("why", lambda why: " · " + ", ".join(why)),
    Column("said", lambda said: f" · says “{inline(said)}”"),
    Column("near", lambda count: _have_it(count, "near note")),
    Column("linked", lambda count: _have_it(count, "linked note"), detail=True),
    Column("value", lambda value: f" · {inline(value)}"),
)


def topic_list_view(answer: Answer) -> Iterable[Element]:
    """Show the folders with their meanings, then a topic a line; of a note, its topics and suggestions; or findings."""
    yield from notices(answer["notices"])
    if answer["folder"] is None:
        return
    if answer.get("findings") is not None:
        yield from _findings(answer)
        return
    if (note := answer.get("note")) is not None:
        yield from _note_topics(answer, note)
        return
    shown = count_shown(len(answer["topics"]), answer["total"], "topic")
    yield notice(f"{shown} in {inline(answer['folder'])}")
    for one in answer["kinds"]:
        if one["kind"] and one["meaning"]:
            yield notice(f"{inline(one['kind'])} ({one['topics']}): {inline(one['meaning'])}")
    yield Table(TOPICS, answer["topics"])


def _note_topics(answer: Answer, note: Answer) -> Iterable[Element]:
    has = ", ".join(inline(one["name"]) for one in answer["topics"]) or "none"
    yield notice(f"Topics in the property {inline(note['property'])}: {has}")
    if note["suggested"]:
        learnt = f", learnt from {count_of(note['learnt_from'], 'note')}" if note["learnt_from"] else ""
        yield notice(f"Suggested, with a probability of {note['least']:.0%} at least{learnt}:")
    else:
        yield notice(note["why_none"] or "No other topic is probable enough.")
    yield Table(SUGGESTED, note["suggested"])


def _findings(answer: Answer) -> Iterable[Element]:
    if total := answer["total"]:
        shown = count_shown(len(answer["findings"]), total, "finding")
        yield notice(f"{shown}; give the edits of those to be done to change_set")
    elif not answer["notices"]:
        yield notice("The topics are in order.")
    for one in answer["findings"]:
        yield Line(path_of(one["path"]), f" · {_sentence(one)}")
        yield from (Line("  ", Segment(_edit(edit), short=_edit_json(edit))) for edit in one["edits"])


def _have_it(count: int, what: str) -> str:
    return f" · {count_of(count, what)} {'has' if count == 1 else 'have'} it" if count else ""


def _sentence(one: Any) -> str:
    topic, count = inline(one["topic"] or ""), count_of(one["notes"], "note")
    match one["kind"]:
        case "values":
            return "; ".join(map(_stray, one["values"]))
        case "orphan":
            return "no note has this topic, and nothing links to it"
        case "rare":
            return f"only {count} {'has' if one['notes'] == 1 else 'have'} this topic"
        case "alike":
            return f"may be the same as {topic}: {', '.join(one['why'])}"
        case _:
            return f"would be a topic of {count}: {', '.join(map(inline, one['examples'][:3]))}"


def _stray(value: Any) -> str:
    shown = inline(value["value"])
    match value["problem"]:
        case "missing":
            return f"its topic {shown} is no note"
        case "outside":
            return f"its topic {shown} is a note outside the topic folder"
        case _:
            return f"the rules prefer {inline(value['instead'])} to {shown}"


def _edit_json(edit: Any) -> str:
    given = {name: value for name, value in edit.items() if value is not None and value not in ("", [], {})}
    if "digest" in given:
        given["digest"] = given["digest"][:SHORT_DIGEST]
    text = orjson.dumps(given).decode()
    # What cannot be seen must stay in a name, and be seen.
    return text if inline(text) == text else json.dumps(given).replace("<", "\\u003c")


def _edit(edit: Any) -> str:
    match edit["op"]:
        case "merge_notes":
            return f"merge_notes into {inline(edit['into'])}"
        case "move_note":
            return f"move_note to {inline(edit['to'])}"
        case "set_properties":
            values = ", ".join(
                f"{inline(name)} {', '.join(map(inline, map(str, given)))}"
                for name, given in edit["properties"].items()
            )
            return f"set_properties {inline(edit['path'])} {values or 'without ' + ', '.join(edit['remove'])}"
        case op:
            return f"{op} {inline(edit['path'])}"
