"""Text views of the graph of notes."""

from collections.abc import Iterable, Mapping
from typing import Any

from bridge.api.markup import Answer, Column, Element, Line, Section, Segment, Table, aside, notice, path_of
from bridge.text.budget import fit_words
from bridge.text.counts import count_of
from bridge.text.invisible import inline, quote_path

MAX_SENTENCE = 160
"""Most characters that a model reads of a step's sentence."""

PATH = Column("path", role="path")
NOTES = Column("notes", ": {}", role="path", most=3)
PAIR = (Column("source", role="path"), Column("target", " — {}", role="path"))

NEIGHBOURS = (
    Column("distance", lambda steps: f"- {count_of(steps, 'step')}"),
    Column("score", ""),
    PATH,
    Column("kinds"),
    Column("via", " via {}", role="path"),
)


def neighbours_view(answer: Answer) -> Iterable[Element]:
    if answer["nodes"]:
        yield _node_count(answer, "notes around it")
    else:
        yield notice("Nothing is around it.")
    yield Table(NEIGHBOURS, answer["nodes"])


def paths_view(answer: Answer) -> Iterable[Element]:
    for number, path in enumerate(answer["paths"], start=1):
        yield Line(f"{number}. ", path_of(path["notes"][0]), f" ({count_of(len(path['steps']), 'step')})")
        yield from map(_step, path["steps"])
    if not answer["paths"]:
        yield notice("Nothing joins the two.")


def _step(one: Mapping[str, Any]) -> Line:
    place = f":{one['line']}" if one["line"] else ""
    where = f", {quote_path(one['note'])}{place}" if one["note"] else ""
    sentence = f" — {inline(one['text'])}" if one["text"] else ""
    arrow = "←" if one["note"] == one["target"] else "→"
    return Line(
        Segment(f"   {arrow} ", "muted"),
        path_of(one["target"]),
        Segment(f" ({one['kind']}{where})", "muted"),
        Segment(sentence, short=fit_words(sentence, MAX_SENTENCE)),
    )


HUB = (
    PATH,
    Column("title", ""),
    Column("score", " · {:.0f} of 100"),
    Column("pagerank", ", PageRank {}"),
    Column("joined", ", joined to {}"),
    Column("community", ""),
)

INSIGHT_PARTS: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    "hubs": ("Hubs", HUB),
    "pagerank": ("Where readers come by most", HUB),
    "orphans": ("No links at all", (PATH,)),
    "dead_ends": ("Linked to, link nowhere", (PATH,)),
    "sources": ("Link, not linked to", (PATH,)),
    "stubs": ("Wanted", (Column("name", "[[{}]]"), Column("wanted", " wanted by {}"), NOTES)),
    "communities": (
        "Communities",
        (
            Column("number"),
            Column("name", " “{}”"),
            Column("size", lambda size: f", {count_of(size, 'note')}"),
            NOTES,
        ),
    ),
    "bridges": ("Sole links between parts", (*PAIR, Column("holds", " (holds {})"))),
    "articulations": ("Hold the graph together", (PATH, Column("title", ""), Column("holds", " holds {}"))),
    "strong_pairs": ("Linked both ways most", (*PAIR, Column("links", lambda links: f" ({count_of(links, 'link')})"))),
    "gaps": ("Perhaps to be linked", (*PAIR, Column("together", " (linked to together by {})"), Column("score", ""))),
}


def insights_view(answer: Answer) -> Iterable[Element]:
    """Show the insights, part by part; a note listed as a hub is not repeated for its PageRank."""
    yield _counts(answer["counts"])
    hubs = {one["path"] for one in answer.get("hubs") or ()}
    more = False
    for name, (title, columns) in INSIGHT_PARTS.items():
        if (found := answer.get(name)) is None:
            continue
        if isinstance(found, dict):
            rows, total = [{"path": path} for path in found["notes"]], found["total"]
        else:
            rows, total = found, answer["totals"].get(name) or 0
        more = more or answer["offset"] + len(rows) < total
        others = [one for one in rows if name != "pagerank" or one["path"] not in hubs]
        besides = ", besides the hubs" if len(others) < len(rows) else ""
        yield Section(f"{title}{besides}", Table(columns, others), total)
    if answer.get("dismissed"):
        yield notice(f"{answer['dismissed']} more notes without links are dismissed.")
    if more:
        yield notice("`parts`, with `limit` and `offset`, shows more of a part.")


COMMUNITIES = (Column("name"), Column("size", lambda size: f" ({count_of(size, 'note')})"))

NODES = (
    Column("node", role="path"),
    Column("title", ""),
    Column("type", lambda kind: "" if kind == "note" else f" ({kind})"),
    Column("joined", " · joined to {}"),
    Column("community", ""),
)

NODES_SHOWN = 200
"""Most nodes of a graph view that are listed; all of them, with coordinates, are for programs that draw."""


def picture_view(answer: Answer) -> Iterable[Element]:
    """Show a graph view as text, the largest nodes first."""
    yield _node_count(answer, f"nodes with {count_of(len(answer['edges']), 'edge')}")
    if answer["communities"]:
        yield Section("Communities", Table(COMMUNITIES, answer["communities"]))
    largest = sorted(answer["nodes"], key=lambda node: -node["joined"])[:NODES_SHOWN]
    if rows := [{**node, "node": node["path"] or inline(node["title"])} for node in largest]:
        yield Section("Largest", Table(NODES, rows))
    yield notice(aside("JSON has the positions and the edges."))


def graph_history_view(answer: Answer) -> Iterable[Element]:
    for week in answer["weeks"]:
        yield Line(Segment(week["week"], "title"), f": {_counts(week['counts'])}")
        for name in ("appeared", "vanished"):
            if week[name]:
                yield Line(f"  {name}: ", Segment(", ".join(map(quote_path, week[name])), "path"))
        if week["grown"]:
            grown = (f"{quote_path(one['path'])} {one['more']:+}" for one in week["grown"])
            yield Line("  joined to more or fewer: ", Segment(", ".join(grown), "path"))
    yield notice(f"Recorded since {answer['since']}, on the days on which a bridge ran.")


def _node_count(answer: Answer, what: str) -> Line:
    shown, total = len(answer["nodes"]), answer["total"]
    return notice(f"{shown:,} of {total:,} {what}" + ("; `limit` shows more" if shown < total else ""))


def _counts(found: Mapping[str, Any]) -> str:
    each = (("notes", "note"), ("links", "link"), ("stubs", "name"))
    return f"{', '.join(count_of(found[part], word) for part, word in each)} without a note"
