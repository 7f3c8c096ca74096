"""Text views of the most frequently called tools."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bridge.features import get_operation
from bridge.mcp import change_forms, graph_forms
from bridge.mcp.text import Answer, View, fields, inline, quote_path, short_digest
from bridge.text.budget import around_match, cost, cut, fit_words
from bridge.text.counts import count_of
from bridge.types import SHORT_DIGEST

HIT, SNIPPET, HEADING, WHY = 225, 110, 40, 80
"""Budgets for a hit and its parts: ten hits should stay below 800 tokens, and lines say where to read on."""

TASK_PARTS = ("due", "scheduled", "start", "done", "priority", "recurrence", "heading")

OBVIOUS_TYPES = ("a string", "a path", "a folder", "a digest", "true or false")
"""Argument types that need no mention beside the meaning."""

MAX_SHOWN = 100
"""Most links or tags of one kind; the rest is counted."""


def hits(answer: Answer) -> Iterable[str]:
    """Format a search result: two or three lines per note."""
    yield from notices(answer)
    found = answer["hits"]
    more = f"{len(found)} of {answer['total']} notes, " if answer["total"] > len(found) else ""
    if found:
        yield f"{more or 'Notes, '}each with its score, digest and why:"
    elif not answer["notices"]:
        yield "No note found."
    for number, hit in enumerate(found, start=1):
        yield from hit_passages(number, hit) if hit["passages"] else hit_lines(number, hit)


def hit_passages(number: int, hit: Mapping[str, Any]) -> Iterable[str]:
    """Format a hit with its full passages."""
    path = quote_path(hit["path"])
    yield f"{number}. {path} · {hit['score']:.2f} · {hit['digest']} · {reasons(hit['why'])}"
    for passage in hit["passages"]:
        first, last = passage["lines"]
        yield f"--- {path}:{first}-{last} ---"
        yield passage["text"]


def hit_lines(number: int, hit: Mapping[str, Any]) -> Iterable[str]:
    """Format a hit: the longer its path, the shorter its snippet."""
    first, last = hit["lines"]
    path, heading = quote_path(hit["path"]), inline(hit["heading"].rpartition(" > ")[2])
    place = f"{number}. {path}:{first}-{last}" + (f" # {fit_words(heading, HEADING)}" if heading not in path else "")
    why = f"{hit['score']:.2f} · {hit['digest']} · {reasons(hit['why'])}"
    room = min(SNIPPET, HIT - cost(place) - cost(why))
    yield place
    if snippet := around_match(inline(hit["snippet"]), room):
        yield f"   {snippet}"
    yield f"   {why}"


def reasons(why: Sequence[str]) -> str:
    """Format the reasons of a hit, as many as fit."""
    kept: list[str] = []
    for reason in map(inline, why):
        if cost("; ".join([*kept, reason])) <= WHY:
            kept.append(reason)
    return "; ".join(kept) or cut(inline("; ".join(why)), WHY)


def notices(answer: Answer) -> Iterable[str]:
    """Format a search's notices: how it differed from the request, and what could not be found yet."""
    unread, waiting = answer["freshness"]["pending_keyword"], answer["freshness"]["pending_vectors"]
    if unread:
        yield f"{unread:,} note{'s are' if unread > 1 else ' is'} not indexed yet."
    if waiting and answer["mode_used"] != "keyword":
        yield f"{waiting:,} passage{'s' if waiting > 1 else ''} cannot be found by meaning yet."
    yield from map(inline, answer["notices"])


def note(answer: Answer) -> Iterable[str]:
    """Format a note: what is needed to continue or to edit it, then its text unchanged, to the end."""
    yield from note_facts(answer)
    if answer.get("outline") is None:
        yield "--- text of the note, up to the end of this answer ---"
        yield answer["text"]


def note_facts(answer: Answer) -> Iterable[str]:
    """Format a note's facts other than its text."""
    first, last = answer["lines"]
    whole = (first, last) == (1, answer["total_lines"])
    lines, digest = f"lines {first}-{last} of {answer['total_lines']}", short_digest(answer["digest"])
    yield f"{quote_path(answer['path'])} · {lines} · digest {digest}"
    if answer.get("outline") is not None:
        yield from outline(answer)
        return
    if more := answer.get("next"):
        offset = f", offset: {more['offset']}" if more["offset"] else ""
        yield f"Cut; read on with lines: {more['lines']}{offset}."
    if not whole and answer["headings"]:
        yield f"sections: {join_limited(answer['headings'], ' | ')}"
    yield from map(inline, answer["problems"])


def outline(answer: Answer) -> Iterable[str]:
    """Format the sections of a note, one per line, and its properties."""
    yield from (f"{name}: {inline(value)}" for name, value in answer["properties"].items())
    for one in answer["outline"]:
        yield f"{one['lines'][0]}-{one['lines'][1]} # {inline(one['heading'])} ({one['chars']:,} characters)"
    if not answer["outline"]:
        yield "It has no headings."


def several_notes(answer: Answer) -> Iterable[str]:
    """Format several notes; each text ends with a marker of the note's digest, which no note can contain itself."""
    for part in answer["notes"]:
        if part["note"] is None:
            yield f"{inline(part['asked'])} · {inline(part['problem'])}"
            continue
        yield from note_facts(part["note"])
        if part["note"].get("outline") is None:
            end = f"--- end of {part['note']['digest'][:SHORT_DIGEST]} ---"
            yield f"--- text of the note, up to `{end}` ---"
            yield from (part["note"]["text"].removesuffix("\n"), end)


def note_list(answer: Answer) -> Iterable[str]:
    """Format a list of notes, one per line."""
    yield list_count(len(answer["notes"]), answer["total"], "note")
    yield from map(inline, answer["notices"])
    for one in answer["notes"]:
        tags = "".join(f" #{inline(tag)}" for tag in one["tags"])
        yield f"{quote_path(one['path'])} · {one['modified'][:10]} · {short_digest(one['digest'])}{tags}"


def tasks(answer: Answer) -> Iterable[str]:
    """Format a list of tasks, one per line, starting with what `toggle_task` needs."""
    yield list_count(len(answer["tasks"]), answer["total"], "task")
    yield from map(inline, answer["notices"])
    digests: set[str] = set()
    for one in answer["tasks"]:
        known = [f"{name} {inline(one[name])}" for name in TASK_PARTS if one[name] is not None]
        if one["path"] not in digests:
            digests.add(one["path"])
            known.append(f"digest {one['digest']}")
        yield " · ".join([f"{quote_path(one['path'])}:{one['line']} [{one['status']}] {inline(one['text'])}", *known])


def list_count(shown: int, total: int, what: str) -> str:
    """Say how many of a list are shown."""
    if shown == total:
        return count_of(total, what)
    more = "`offset` shows more" if shown else "`offset` is behind the last"
    return f"{shown:,} of {count_of(total, what)}; {more}"


def links(answer: Answer) -> Iterable[str]:
    """Format the links of a note, one per line."""
    if answer["digest"]:
        yield f"digest {answer['digest']}"
    totals = {**answer["totals"], "mentions": answer.get("mentions_total")}
    for name, (title, line) in LINK_SECTIONS.items():
        found, total = (answer.get(name) or ())[:MAX_SHOWN], totals[name]
        if total:
            pages = "".join(graph_forms.more_pages(len(found), total, answer["offset"], "link"))
            yield f"{title}{f' ({pages})' if pages else ''}:"
            yield from (f"- {line(one)}" for one in found)
    if not any(totals.values()):
        yield "No links." if totals["mentions"] is None else "No links, and no mentions."


def own_link(one: Mapping[str, Any]) -> str:
    """Format a link in the note: its line, and its target, resolved or not."""
    leads = f"{quote_path(one['path'])}{fragment(one)}" if one["path"] else f"[[{inline(one['target'])}]]"
    return f"line {one['line']} → {leads}{link_label(one)}"


def backlink(one: Mapping[str, Any]) -> str:
    """Format a link to the note: its place, and the part of the note it refers to."""
    part = fragment(one)
    return f"{quote_path(one['path'])}:{one['line']}{f' → {part}' if part else ''}{link_label(one)}"


def fragment(one: Mapping[str, Any]) -> str:
    """Format the heading or block that a link refers to."""
    if one.get("block"):
        return f"#^{inline(one['block'])}"
    return f"#{inline(one['heading'])}" if one.get("heading") else ""


def link_label(one: Mapping[str, Any]) -> str:
    """Format the text of a link if it is not its target, and its sentence if requested."""
    label = f" “{inline(one['text'])}”" if one["text"] != one["target"] else ""
    embeds = " (embed)" if one.get("embed") else ""
    sentence = f" — {fit_words(inline(one['context']), graph_forms.MAX_SENTENCE)}" if one.get("context") else ""
    return label + embeds + sentence


def mention(one: Mapping[str, Any]) -> str:
    """Format a mention of the note's name."""
    sentence = fit_words(inline(one["context"]), graph_forms.MAX_SENTENCE)
    return f"{quote_path(one['path'])}:{one['line']} says “{inline(one['text'])}” — {sentence}"


LINK_SECTIONS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "links": ("Links to", own_link),
    "backlinks": ("Linked from", backlink),
    "unresolved": ("Unresolved", own_link),
    "mentions": ("Mentioned without a link", mention),
}


def suggestions(answer: Answer) -> Iterable[str]:
    """Format the suggested links, one per line, and the digest that an edit needs."""
    if answer["digest"]:
        yield f"digest {short_digest(answer['digest'])}"
    for one in answer["suggestions"]:
        yield (
            f"- line {one['lines'][0]} “{inline(one['text'])}” → {quote_path(one['target'])} ({reasons(one['why'])})"
        )
    if not answer["suggestions"]:
        yield "There is no link to suggest."


def folders(answer: Answer) -> Iterable[str]:
    """Format the folders, one per line, each with its number of notes, including those below."""
    yield from (f"{quote_path(folder['path'])} · {folder['notes']}" for folder in answer["folders"])
    if not answer["folders"]:
        yield "No folders."


def tags(answer: Answer) -> Iterable[str]:
    """Format the tags on one line, each with its count."""
    yield from map(inline, answer["notices"])
    yield join_limited([f"#{tag['tag']} {tag['count']}" for tag in answer["tags"]], ", ") or "No tags."


COMMON_ARGUMENTS = {
    "dry_run": "dry_run?",
    "reason": "reason? (for the user)",
    "confirm": "confirm? (for large changes)",
}
"""Arguments that most writes take, listed once per result."""


def tools(answer: Answer) -> Iterable[str]:
    """Format the found tools, each with its purpose and arguments."""
    yield from map(inline, answer["notices"])
    for tool in answer["tools"]:
        right = f" (right in {tool['accuracy']:.0%} of {tool['judged']} cases)" if tool["accuracy"] is not None else ""
        yield f"{tool['name']} — {tool['summary']}{right}" + " (listed: call it directly)" * tool["listed"]
        for one in tool["arguments"] if not tool["listed"] else ():
            if one["name"] not in COMMON_ARGUMENTS:
                takes = "" if one["takes"].startswith(OBVIOUS_TYPES) else f" Takes {one['takes']}."
                yield f"  {one['name']}{'' if one['required'] else '?'}: {one['meaning']}{takes}"
    unlisted = [tool for tool in answer["tools"] if not tool["listed"]]
    for common, names in common_arguments(unlisted).items():
        yield f"{', '.join(names)} also take{'s' if len(names) == 1 else ''} {', '.join(common)}."
    if unlisted:
        yield "Run one by calling find_tool with its `name` and `arguments`."


def common_arguments(tools: Iterable[Mapping[str, Any]]) -> Mapping[tuple[str, ...], Sequence[str]]:
    """Group the tools' names by the common arguments they take; those that take none are left out."""
    by_common: dict[tuple[str, ...], list[str]] = {}
    for tool in tools:
        if common := tuple(
            COMMON_ARGUMENTS[one["name"]] for one in tool["arguments"] if one["name"] in COMMON_ARGUMENTS
        ):
            by_common.setdefault(common, []).append(tool["name"])
    return by_common


def tool_result(answer: Answer) -> Iterable[str]:
    """Format a tool's result as if it had been called directly."""
    return view_of(answer["name"])(answer["result"])


def join_limited(words: Sequence[str], between: str) -> str:
    """Join words, up to a limit."""
    rest = f"{between}… and {len(words) - MAX_SHOWN} more" if len(words) > MAX_SHOWN else ""
    return between.join(map(inline, words[:MAX_SHOWN])) + rest


VIEWS: Mapping[str, View] = {
    "SearchResult": hits,
    "ReadNote": note,
    "ReadNotes": several_notes,
    "FoundNotes": note_list,
    "NoteLinks": links,
    "FolderList": folders,
    "TagList": tags,
    "TaskList": tasks,
    "LinkSuggestions": suggestions,
    "FoundTools": tools,
    "RanTool": tool_result,
    **change_forms.CHANGE_VIEWS,
    **graph_forms.GRAPH_VIEWS,
}
"""The view of each result record."""


def view_of(tool: str) -> View:
    """Return the view of a tool's result; one field per line if there is no better one."""
    return VIEWS.get(get_operation(tool).result.__name__, fields)
