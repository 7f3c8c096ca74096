"""Text views of profiles and of stale notes."""

from collections.abc import Iterable

from bridge.api.markup import Answer, Column, Element, Line, Section, Table, notice, notices, path_of
from bridge.text.counts import count_of, count_shown
from bridge.text.invisible import inline

SECTIONS = (
    Column("line", "{}:"),
    Column("heading", lambda heading: f" {inline(heading)}"),
    Column("words", " · {} words"),
)
TIES = (
    Column("path", role="path"),
    Column("strength", " · {}"),
    Column("mutual", lambda mutual: " · mutual" if mutual else ""),
)
RELATED = (
    Column("path", role="path"),
    Column("score", " · {}"),
    Column("why", lambda why: " · " + "; ".join(map(inline, why))),
)
MISSING = (
    Column("line", "{}:"),
    Column("text", lambda text: f" “{inline(text)}”"),
    Column("target", lambda path: f" → {inline(path)}"),
    Column("score", " · {}"),
)
RULES = (
    Column("kind", "{}"),
    Column("name", " {}"),
    Column("found", lambda found: f" · has {inline(found)}"),
    Column("expected", lambda expected: " · expected " + ", ".join(map(inline, expected))),
    Column("schema_note", lambda path: f" · {inline(path)}", detail=True),
)
TASKS = (
    Column("line", "{}:"),
    Column("text", lambda text: f" {inline(text)}"),
    Column("due", " · due {}"),
)
MEMORIES = (Column("path", role="path"), Column("title", lambda title: f" · {inline(title)}"))
FORMS = (
    Column("form", inline),
    Column("notes", " · {}"),
    Column("why", lambda why: " · " + ", ".join(why)),
    Column("examples", " · {}", role="path", most=3),
)
LISTS = (
    ("outline", "Sections", SECTIONS),
    ("ties", "Strongest ties", TIES),
    ("related", "Related, not linked", RELATED),
    ("missing_links", "Missing links", MISSING),
    ("rules", "Violated rules", RULES),
    ("tasks", "Open tasks", TASKS),
    ("memories", "Memories", MEMORIES),
    ("aliases", "Could be aliases", FORMS),
)


def note_profile_view(answer: Answer) -> Iterable[Element]:
    """Show a profile: what is a number in lines, then a table for each list."""
    yield Line(path_of(answer["path"]), f" · {inline(answer['title'])} · {count_of(answer['words'], 'word')}")
    made = f" · created {answer['created'][:10]}" if answer["created"] else ""
    yield Line(f"modified {answer['modified'][:10]}, {count_of(answer['age_days'], 'day')} ago{made}")
    yield from notices(answer["notices"])
    if links := answer.get("links"):
        rank = f" · rank {links['rank']}" if links["rank"] else ""
        yield Line(f"{links['links']} links · {links['backlinks']} backlinks{rank}")
        if links["unresolved"]:
            yield Line("unresolved: " + ", ".join(map(inline, links["unresolved"])))
    if structure := answer.get("structure"):
        place = f"hub {structure['hub']}, rank {structure['rank']} · PageRank {structure['pagerank']}"
        yield Line(f"{place} · community {structure['community']} of {count_of(structure['members'], 'note')}")
    if history := answer.get("history"):
        who = inline(history["client"] or "the user")
        reason = f" · {inline(history['reason'])}" if history["reason"] else ""
        yield Line(
            f"last change {history['change_id']} · {history['time'][:16]} · {history['operation']} · {who}{reason}"
        )
    if index := answer.get("index"):
        yield Line(f"{index['state']} · {index['embedded']} of {count_of(index['passages'], 'passage')} embedded")
    for name, title, columns in LISTS:
        if answer.get(name):
            yield Section(title, Table(columns, answer[name]))


STALE = (
    Column("path", role="path"),
    Column("age_days", " · {} days"),
    Column("backlinks", " · {} backlinks"),
    Column("why", lambda why: " · " + "; ".join(map(inline, why[2:]))),
    Column("score", " · {}", detail=True),
)


def stale_notes_view(answer: Answer) -> Iterable[Element]:
    """Show stale notes, one per line, the most urgent first."""
    yield notice(count_shown(len(answer["notes"]), answer["total"], "note"))
    yield from notices(answer["notices"])
    yield Table(STALE, answer["notes"])
