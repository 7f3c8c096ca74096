"""Text views of results about the graph and about missing links."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bridge.mcp.text import Answer, View, inline, quote_path
from bridge.text.budget import fit_words
from bridge.text.counts import count_of

MAX_ENTRIES = 50
"""Most entries of one kind; the rest is counted."""

MAX_NAMED = 3
"""Most notes named beside an entry."""

MAX_SENTENCE = 160
"""Most characters of a step's sentence."""

Entry = Mapping[str, Any]


def neighbours(answer: Answer) -> Iterable[str]:
    """Format the notes around a note, one per line."""
    yield from section(node_count(answer, "notes around it"), answer["nodes"], neighbour)
    if not answer["nodes"]:
        yield "Nothing is around it."


def neighbour(one: Entry) -> str:
    """Format a neighbour: its distance, the note in between, and the kinds of connection."""
    via = f" via {quote_path(one['via'])}" if one["via"] else ""
    return f"{quote_path(one['path'])} · {count_of(one['distance'], 'step')}{via} · {', '.join(one['kinds'])}"


def paths(answer: Answer) -> Iterable[str]:
    """Format each path between two notes, with the sentences of its links."""
    for number, path in enumerate(answer["paths"], start=1):
        yield f"{number}. {quote_path(path['notes'][0])} ({count_of(len(path['steps']), 'step')})"
        yield from map(step, path["steps"])
    if not answer["paths"]:
        yield "Nothing joins the two."


def step(one: Entry) -> str:
    """Format a step of a path, with `←` against a link's direction, and where the link is."""
    line = f":{one['line']}" if one["line"] else ""
    where = f", {quote_path(one['note'])}{line}" if one["note"] else ""
    says = f" — {fit_words(inline(one['text']), MAX_SENTENCE)}" if one["text"] else ""
    arrow = "←" if one["note"] == one["target"] else "→"
    return f"   {arrow} {quote_path(one['target'])} ({one['kind']}{where}){says}"


def insights(answer: Answer) -> Iterable[str]:
    """Format the insights, part by part; a note listed as a hub is not repeated for its PageRank."""
    yield counts(answer["counts"])
    hubs = {one["path"] for one in answer.get("hubs") or ()}
    more = False
    for name, (title, line) in INSIGHT_PARTS.items():
        found = answer.get(name)
        if found is None:
            continue
        entries, total = (
            (found["notes"], found["total"]) if isinstance(found, dict) else (found, part_total(answer, name))
        )
        more = more or answer["offset"] + len(entries) < total
        others = [one for one in entries if name != "pagerank" or one["path"] not in hubs]
        besides = ", besides the hubs" if len(others) < len(entries) else ""
        yield from section(f"{title}{besides}{f' ({total:,})' if total else ''}", others, line)
    if more:
        yield "`parts`, with `limit` and `offset`, shows more of a part."


def part_total(answer: Answer, part: str) -> int:
    """Return the total of a part; 0 if not known."""
    return answer["totals"].get(part) or 0


def report(answer: Answer) -> Iterable[str]:
    """Format the problems of a vault's links."""
    unresolved = answer["unresolved"]
    yield f"{count_of(unresolved, 'name')} that links ask for {'has' if unresolved == 1 else 'have'} no note."
    for sort, (title, line) in REPORT_SECTIONS.items():
        yield from section(f"{title} ({answer['totals'][sort]:,})", answer[sort], line)
    if (onward := answer.get("next_offset")) is not None:
        yield f"`offset: {onward}` shows more."
    if not any(answer["totals"].values()):
        yield "Every link leads somewhere, and no note's name stands without a link where it should have one."
    if answer["rate"] is not None:
        yield f"Of suggested links {answer['accepted']} were accepted and {answer['declined']} declined."


def prospects(answer: Answer) -> Iterable[str]:
    """Format the link candidates without a note, one per line."""
    yield from more_pages(len(answer["prospects"]), answer["total"], answer["offset"], "name")
    for one in answer["prospects"]:
        said = f"{one['kind']}, {count_of(one['notes'], 'note')}, {one['confidence']:.0%}"
        yield f"- {inline(one['name'])} ({said}): {first_notes(one['examples'])}"
    if not answer["total"]:
        yield "No name that several notes say lacks a note."


def history(answer: Answer) -> Iterable[str]:
    """Format the changes of the graph week by week."""
    for week in answer["weeks"]:
        yield f"{week['week']}: {counts(week['counts'])}"
        for name in ("appeared", "vanished"):
            if week[name]:
                yield f"  {name}: {', '.join(map(quote_path, week[name]))}"
        if week["grown"]:
            grown = (f"{quote_path(one['path'])} {one['more']:+}" for one in week["grown"])
            yield f"  joined to more or fewer: {', '.join(grown)}"
    yield f"Recorded since {answer['since']}, on the days on which a bridge ran."


def view(answer: Answer) -> Iterable[str]:
    """Format a graph view as text, the largest nodes first; coordinates are for programs that draw."""
    yield node_count(answer, f"nodes with {count_of(len(answer['edges']), 'edge')}")
    yield from section(
        "Communities", answer["communities"], lambda one: f"{inline(one['name'])} ({count_of(one['size'], 'note')})"
    )
    largest = sorted(answer["nodes"], key=lambda node: -node["joined"])
    yield from section("Largest", largest, lambda one: f"{node_name(one)} · joined to {one['joined']}")


def section(title: str, entries: Sequence[Any], line: Callable[[Any], str]) -> Iterable[str]:
    """Format a section of entries, one per line; nothing if there are none."""
    if not entries:
        return
    yield f"{title}:"
    yield from (f"- {line(entry)}" for entry in entries[:MAX_ENTRIES])
    if len(entries) > MAX_ENTRIES:
        yield f"… and {len(entries) - MAX_ENTRIES} more"


def node_count(answer: Answer, what: str) -> str:
    """Say how many of all nodes are listed."""
    shown, total = len(answer["nodes"]), answer["total"]
    return f"{shown} of {total} {what}" + ("; `limit` shows more" if shown < total else "")


def more_pages(shown: int, total: int, offset: int, word: str) -> Iterable[str]:
    """Say which entries of a list are shown and how to get more; nothing if all are."""
    if shown == total:
        return
    end = offset + shown
    which = f"{offset + 1}-{end} of {count_of(total, word)}" if shown else f"`offset` is behind the last of {total:,}"
    yield which + (f"; `offset: {end}` shows more" if shown and end < total else "")


def counts(found: Entry) -> str:
    """Format the counts of notes, links and names."""
    each = (("notes", "note"), ("links", "link"), ("stubs", "name"))
    return f"{', '.join(count_of(found[part], word) for part, word in each)} without a note"


def first_notes(notes: Sequence[str]) -> str:
    """Format the first few notes."""
    return ", ".join(map(quote_path, notes[:MAX_NAMED])) + (" …" if len(notes) > MAX_NAMED else "")


def node_name(one: Entry) -> str:
    """Format a node of a graph view."""
    return quote_path(one["path"]) if one["path"] else f"{inline(one['title'])} ({one['type']})"


def broken_link(one: Entry) -> str:
    """Format an unresolved link that likely refers to a note of another name."""
    return (
        f"[[{inline(one['name'])}]] in {first_notes(one['notes'])} → {quote_path(one['meant'])} ({inline(one['why'])})"
    )


def stub(one: Entry) -> str:
    """Format a name without a note."""
    return f"[[{inline(one['name'])}]] wanted by {one['wanted']}: {first_notes(one['notes'])}"


def unlinked_mention(one: Entry) -> str:
    """Format a note that is mentioned without a link: by which names, and where."""
    said = ", ".join(f"“{inline(name)}”" for name in one["said"])
    places = [f"{quote_path(place['path'])}:{place['line']}" for place in one["places"][:MAX_NAMED]]
    rest = " …" if one["mentioned"] > len(places) else ""
    say = "says" if one["mentioned"] == 1 else "say"
    return f"{quote_path(one['path'])}: {count_of(one['mentioned'], 'note')} {say} {said}: {', '.join(places)}{rest}"


def ambiguous(one: Entry) -> str:
    """Format a name of several notes."""
    links = count_of(one["links"], "link")
    return f"{inline(one['name'])} means {first_notes(one['notes'])}; {links}, as in {first_notes(one['sources'])}"


def hub(one: Entry) -> str:
    """Format a central note."""
    return (
        f"{quote_path(one['path'])} · {one['score']:.0f} of 100, PageRank {one['pagerank']}, joined to {one['joined']}"
    )


def community(one: Entry) -> str:
    """Format a community of notes."""
    return f"{one['number']} “{inline(one['name'])}”, {count_of(one['size'], 'note')}: {first_notes(one['notes'])}"


def pair(one: Entry) -> str:
    """Format two notes and what is known about the pair."""
    if "holds" in one:
        known = f"holds {one['holds']}"
    elif "together" in one:
        known = f"linked to together by {one['together']}"
    else:
        known = count_of(one["links"], "link")
    return f"{quote_path(one['source'])} — {quote_path(one['target'])} ({known})"


INSIGHT_PARTS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "hubs": ("Hubs", hub),
    "pagerank": ("Where readers come by most", hub),
    "orphans": ("No links at all", quote_path),
    "dead_ends": ("Linked to, link nowhere", quote_path),
    "sources": ("Link, not linked to", quote_path),
    "stubs": ("Wanted", stub),
    "communities": ("Communities", community),
    "bridges": ("Sole links between parts", pair),
    "articulations": ("Hold the graph together", lambda one: f"{quote_path(one['path'])} holds {one['holds']}"),
    "strong_pairs": ("Linked both ways most", pair),
    "gaps": ("Perhaps to be linked", pair),
}

REPORT_SECTIONS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "broken": ("Likely mean a note", broken_link),
    "stubs": ("Mean none", stub),
    "unlinked": ("Mentioned without a link", unlinked_mention),
    "ambiguous": ("Names of several notes", ambiguous),
}

GRAPH_VIEWS: Mapping[str, View] = {
    "Neighbours": neighbours,
    "GraphPaths": paths,
    "GraphInsights": insights,
    "GraphView": view,
    "GraphHistory": history,
    "LinkReport": report,
    "NameProspects": prospects,
}
