"""Text views of a note's links, of suggested ones, and of what a vault's links lack."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bridge.api.change_view import written_view
from bridge.api.markup import (
    Answer,
    Column,
    Element,
    Line,
    RecordList,
    Section,
    Segment,
    Table,
    aside,
    notice,
    notices,
    page_notice,
    path_of,
)
from bridge.text.budget import cut_reasons, fit_words
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import SHORT_DIGEST

MAX_SENTENCE = 160
"""Most characters that a model reads of the sentence around a link."""

MAX_LINKS = 100
"""Most links of one kind that a model reads."""

Entry = Mapping[str, Any]


def note_links_view(answer: Answer) -> Iterable[Element]:
    if answer["digest"]:
        yield Line(Segment(f"digest {answer['digest']}", "muted"))
    totals = {**answer["totals"], "mentions": answer.get("mentions_total")}
    for name, (title, show) in LINK_SECTIONS.items():
        if total := totals[name]:
            found = answer.get(name) or ()
            entries = RecordList(Table(LINKS, [*map(_link_record, found)]), [*map(show, found)])
            yield Section(title, entries, total, "link", answer["offset"], MAX_LINKS)
    if not any(totals.values()):
        yield notice("No links." if totals["mentions"] is None else "No links, and no mentions.")


LINKS = (Column("path", role="path"), *map(Column, ("line", "target", "text", "context")))


def _link_record(one: Entry) -> Entry:
    return {**one, "target": one.get("target") or _fragment(one)}


def _own_link(one: Entry) -> Line:
    target = path_of(one["path"], _fragment(one)) if one["path"] else Segment(f"[[{inline(one['target'])}]]")
    return Line(f"line {one['line']} → ", target, *_label(one))


def _backlink(one: Entry) -> Line:
    part = _fragment(one)
    return Line(path_of(one["path"], f":{one['line']}"), f" → {part}" if part else "", *_label(one))


def _mention(one: Entry) -> Line:
    said = f" says “{inline(one['text'])}”"
    return Line(path_of(one["path"], f":{one['line']}"), said, *_sentence(one["context"]))


def _fragment(one: Entry) -> str:
    if one.get("block"):
        return f"#^{inline(one['block'])}"
    return f"#{inline(one['heading'])}" if one.get("heading") else ""


def _label(one: Entry) -> Iterable[str | Segment]:
    yield f" “{inline(one['text'])}”" if one["text"] != one["target"] else ""
    yield " (embed)" if one.get("embed") else ""
    yield from _sentence(one["context"]) if one.get("context") else ()


def _sentence(context: str) -> Iterable[str | Segment]:
    sentence = inline(context)
    return " — ", Segment(sentence, "muted", fit_words(sentence, MAX_SENTENCE))


LINK_SECTIONS: Mapping[str, tuple[str, Callable[[Entry], Line]]] = {
    "links": ("Links to", _own_link),
    "backlinks": ("Linked from", _backlink),
    "unresolved": ("Unresolved", _own_link),
    "mentions": ("Mentioned without a link", _mention),
}


def resolved_link_view(answer: Answer) -> Iterable[Element]:
    if answer["path"] is None:
        yield notice("It points to no note.")
    else:
        block = f"#^{inline(answer['block'])}" if answer["block"] else ""
        yield Line(path_of(answer["path"], f"#{inline(answer['heading'])}" * bool(answer["heading"]) + block))


def link_edit_view(answer: Answer) -> Iterable[Element]:
    if not answer["links"]:
        yield notice("There is nothing to link.")
    yield from written_view(answer)


def suggestions_view(answer: Answer) -> Iterable[Element]:
    if answer["digest"]:
        yield notice(f"digest {answer['digest'][:SHORT_DIGEST]}")
    found = answer["suggestions"]
    rows = [{**one, "path": one["target"], "line": one["lines"][0], "why": "; ".join(one["why"])} for one in found]
    yield RecordList(Table(SUGGESTIONS, rows), [*map(_suggestion, found)])
    if not answer["suggestions"]:
        yield notice("There is no link to suggest.")
    yield from notices(answer.get("notices", ()))


SUGGESTIONS = (Column("path", role="path"), *map(Column, ("line", "text", "score", "why")))


def _suggestion(one: Entry) -> Line:
    why = [*map(inline, one["why"])]
    text = Segment(f"“{inline(one['text'])}”", "title")
    reasons = Segment("; ".join(why), "muted", cut_reasons(why))
    score = aside(f" · {one['score']:.2f}")
    return Line(f"- line {one['lines'][0]} ", text, " → ", path_of(one["target"]), " (", reasons, ")", score)


PROSPECTS = (
    Column("name", "- {}"),
    Column("notes", lambda notes: f" ({count_of(notes, 'note')}"),
    Column("confidence", ", {:.0%})"),
    Column("examples", ": {}", role="path", most=3),
)


def prospects_view(answer: Answer) -> Iterable[Element]:
    none = notice("No name that several notes link to lacks a note.")
    yield page_notice(answer, "prospects", "name") if answer["total"] else none
    yield Table(PROSPECTS, answer["prospects"])
    if answer.get("dismissed"):
        yield notice(f"{answer['dismissed']} more dismissed")


NAMED = Column("notes", " in {}", role="path", most=3)

REPORT_SECTIONS: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    "broken": (
        "Likely mean a note",
        (Column("name", "[[{}]]"), NAMED, Column("meant", " → {}", role="path"), Column("why", " ({})")),
    ),
    "stubs": (
        "Names of no note",
        (
            Column("name", "[[{}]]"),
            Column("wanted", " wanted by {}"),
            Column("notes", ": {}", role="path", most=3),
        ),
    ),
    "unlinked": (
        "Mentioned without a link",
        (
            Column("path", role="path"),
            Column("mentioned", lambda notes: f": {count_of(notes, 'note')} say{'s' * (notes == 1)}"),
            Column("said", " {}"),
            Column("places", ": {}", role="path", most=3),
        ),
    ),
    "ambiguous": (
        "Names of several notes",
        (
            Column("name"),
            Column("notes", " means {}", role="path", most=3),
            Column("links", lambda links: f"; {count_of(links, 'link')}"),
            Column("sources", ", as in {}", role="path", most=3, detail=True),
        ),
    ),
}


def link_report_view(answer: Answer) -> Iterable[Element]:
    unresolved = answer["unresolved"]
    yield f"{count_of(unresolved, 'name')} that links ask for {'has' if unresolved == 1 else 'have'} no note."
    for kind, (title, columns) in REPORT_SECTIONS.items():
        if answer[kind]:
            rows = [*map(_unlinked_note, answer[kind])] if kind == "unlinked" else answer[kind]
            yield Section(title, Table(columns, rows), answer["totals"][kind])
    if (onward := answer.get("next_offset")) is not None:
        yield notice(f"`offset: {onward}` shows more.")
    if not any(answer["totals"].values()):
        yield "Every link leads somewhere, and no note's name stands without a link where it should have one."
    if answer["rate"] is not None:
        yield f"Of suggested links {answer['accepted']} were accepted and {answer['declined']} declined."
    yield from notices(answer.get("notices", ()))


def _unlinked_note(one: Entry) -> Entry:
    said = [f"“{inline(name)}”" for name in one["said"]]
    return {**one, "said": said, "places": [f"{place['path']}:{place['line']}" for place in one["places"]]}
