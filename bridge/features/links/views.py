"""Text views of a note's links, of suggested ones, and of what a vault's links lack."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import astuple

from bridge.api.change_view import beginning_of, change_state, way_back
from bridge.api.markup import (
    Column,
    Diff,
    Element,
    Line,
    RecordList,
    Section,
    Segment,
    Table,
    aside,
    notice,
    notices,
    path_of,
)
from bridge.api.page import page_notice
from bridge.features.links.apply import LinkEdit
from bridge.features.links.operations import NoteLink, NoteLinks, NoteMention
from bridge.features.links.report import LinkReport, NameProspects
from bridge.features.links.suggest import LinkSuggestion, LinkSuggestions
from bridge.markdown.links import ResolvedLink
from bridge.text.budget import cut_reasons, fit_words
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import SHORT_DIGEST

MAX_SENTENCE = 160
"""Most characters that a model reads of the sentence around a link."""

MAX_LINKS = 100
"""Most links of one kind that a model reads."""

Entry = TypeVar("Entry")


def note_links_view(found: NoteLinks) -> Iterable[Element]:
    if found.digest:
        yield Line(Segment(f"digest {found.digest}", "muted"))
    totals = found.totals
    yield from _section("Links to", found.links, _own_link, totals.links, found.offset)
    yield from _section("Linked from", found.backlinks, _backlink, totals.backlinks, found.offset)
    yield from _section("Unresolved", found.unresolved, _own_link, totals.unresolved, found.offset)
    yield from _section("Mentioned without a link", found.mentions or (), _mention, found.mentions_total, found.offset)
    if not any((totals.links, totals.backlinks, totals.unresolved, found.mentions_total)):
        yield notice("No links." if found.mentions_total is None else "No links, and no mentions.")


def _section(
    title: str, found: Sequence[Entry], show: Callable[[Entry], Line], total: int | None, offset: int
) -> Iterable[Section]:
    if total:
        yield Section(title, RecordList(Table(LINKS, found), [*map(show, found)]), total, "link", offset, MAX_LINKS)


def _own_link(one: NoteLink) -> Line:
    target = path_of(one.path, _fragment(one)) if one.path else Segment(f"[[{inline(one.target)}]]")
    return Line(f"line {one.line} → ", target, *_label(one))


def _backlink(one: NoteLink) -> Line:
    part = _fragment(one)
    return Line(path_of(one.path or "", f":{one.line}"), *_day(one), f" → {part}" if part else "", *_label(one))


def _mention(one: NoteMention) -> Line:
    said = f" says “{inline(one.text)}”"
    return Line(path_of(one.path, f":{one.line}"), *_day(one), said, *_sentence(one.context))


def _day(one: NoteLink | NoteMention) -> Iterable[str]:
    return (f" ({one.day})",) if one.day and one.day not in (one.path or "") else ()


def _fragment(one: NoteLink) -> str:
    if one.block:
        return f"#^{inline(one.block)}"
    return f"#{inline(one.heading)}" if one.heading else ""


def _label(one: NoteLink) -> Iterable[str | Segment]:
    yield f" “{inline(one.text)}”" if one.text != one.target else ""
    yield " (embed)" if one.embed else ""
    yield from _sentence(one.context) if one.context else ()


def _sentence(context: str) -> Iterable[str | Segment]:
    sentence = inline(context)
    return " — ", Segment(sentence, "muted", fit_words(sentence, MAX_SENTENCE))


def _target(one: NoteLink | NoteMention) -> str:
    return (one.target or _fragment(one)) if isinstance(one, NoteLink) else ""


LINKS = (
    Column("path", role="path"),
    Column("line"),
    Column("target", value=_target),
    *map(Column, ("text", "context")),
)


def resolved_link_view(found: ResolvedLink) -> Iterable[Element]:
    if found.path is None:
        yield notice("It points to no note.")
    else:
        block = f"#^{inline(found.block)}" if found.block else ""
        yield Line(path_of(found.path, f"#{inline(found.heading)}" * bool(found.heading) + block))


def link_edit_view(edit: LinkEdit) -> Iterable[Element]:
    if not edit.links:
        yield notice("There is nothing to link.")
    made = f" · change {edit.change_id}" if edit.change_id else ""
    yield notice(f"{change_state(edit.change_id, edit.state, dry_run=edit.dry_run)}: ", path_of(edit.path), made)
    digest = f"as it is now: {edit.before[:SHORT_DIGEST]}" if edit.dry_run else edit.digest[:SHORT_DIGEST]
    yield notice(f"digest {digest}")
    for left in edit.refused:
        yield notice("not linked: ", path_of(left.target), f" in line {left.line}: {inline(left.why)}")
    yield from notices(edit.warnings, "note: ")
    yield Diff(edit.diff) if edit.dry_run or not edit.change_id else beginning_of(edit.diff)
    yield from way_back(edit.change_id, edit.state)


def suggestions_view(found: LinkSuggestions) -> Iterable[Element]:
    if found.digest:
        yield notice(f"digest {found.digest[:SHORT_DIGEST]}")
    yield RecordList(Table(SUGGESTIONS, found.suggestions), [*map(_suggestion, found.suggestions)])
    if not found.suggestions:
        yield notice("There is no link to suggest.")
    yield from notices(found.notices)


SUGGESTIONS = (
    Column("path", role="path", value=lambda one: one.target),
    Column("line", value=lambda one: one.lines[0]),
    *map(Column, ("text", "score")),
    Column("why", value=lambda one: "; ".join(one.why)),
)


def _suggestion(one: LinkSuggestion) -> Line:
    why = [*map(inline, one.why)]
    text = Segment(f"“{inline(one.text)}”", "title")
    reasons = Segment("; ".join(why), "muted", cut_reasons(why))
    score = aside(f" · {one.score:.2f}")
    return Line(f"- line {one.lines[0]} ", text, " → ", path_of(one.target), " (", reasons, ")", score)


PROSPECTS = (
    Column("name", "- {}"),
    Column("notes", lambda notes: f" ({count_of(notes, 'note')}"),
    Column("confidence", ", {:.0%})"),
    Column("examples", ": {}", role="path", most=3),
)


def prospects_view(found: NameProspects) -> Iterable[Element]:
    none = notice("No name that several notes link to lacks a note.")
    yield page_notice(found.prospects, found, "name") if found.total else none
    yield Table(PROSPECTS, found.prospects)
    if found.dismissed:
        yield notice(f"{found.dismissed} more dismissed")


NOTES_COLUMN = Column("notes", " in {}", role="path", most=3)

REPORT_SECTIONS: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    "broken": (
        "Likely mean a note",
        (Column("name", "[[{}]]"), NOTES_COLUMN, Column("meant", " → {}", role="path"), Column("why", " ({})")),
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
            Column("said", " {}", value=lambda one: [f"“{inline(name)}”" for name in one.said]),
            Column("places", ": {}", "path", lambda one: [f"{each.path}:{each.line}" for each in one.places], most=3),
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


def link_report_view(report: LinkReport) -> Iterable[Element]:
    unresolved = report.unresolved
    yield f"{count_of(unresolved, 'name')} that links ask for {'has' if unresolved == 1 else 'have'} no note."
    for kind, (title, columns) in REPORT_SECTIONS.items():
        if rows := getattr(report, kind):
            yield Section(title, Table(columns, rows), getattr(report.totals, kind))
    if report.next_offset is not None:
        yield notice(f"`offset: {report.next_offset}` shows more.")
    if not any(astuple(report.totals)):
        yield "Every link leads somewhere, and no note's name stands without a link where it should have one."
    if report.rate is not None:
        yield f"Of suggested links {report.accepted} were accepted and {report.declined} declined."
    yield from notices(report.notices)
