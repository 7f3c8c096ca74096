"""Text views of workflows."""

from collections.abc import Iterable, Mapping
from typing import Any

from bridge.api.change_view import forecast_lines, written_view
from bridge.api.markup import Answer, Column, Element, Line, Table, notice, page_notice, path_of
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import SHORT_DIGEST

WORKFLOWS = (
    Column("path", role="path"),
    Column("approved", lambda approved: " · approved" if approved else " · not approved"),
    Column("changed", lambda changed: " (changed since)" if changed else ""),
    Column("description", lambda text: f" · {inline(text)}" if text else ""),
    Column("variables", lambda some: f" · takes {', '.join(one['name'] for one in some)}" if some else ""),
    Column("digest", lambda digest: f" · digest {digest[:SHORT_DIGEST]}" if digest else "", detail=True),
    Column("problems", lambda some: f" · {count_of(len(some), 'problem')}" if some else ""),
    Column("unreadable", lambda text: f" · {inline(text)}" if text else ""),
)


def workflow_page_view(answer: Answer) -> Iterable[Element]:
    """Show workflows, one per line, and the starters; or all about one."""
    if not answer["starters"]:
        for one in answer["workflows"]:
            yield from _workflow(one)
        return
    yield page_notice(answer, "workflows", "workflow")
    yield Table(WORKFLOWS, answer["workflows"])
    names = ", ".join(one["name"] for one in answer["starters"])
    yield notice(f"`author_workflow` writes one, also from a starter: {names}.")


def _workflow(one: Mapping[str, Any]) -> Iterable[Element]:
    state = "sound" if one["sound"] else "cannot run"
    approved = "approved" if one["approved"] else "not approved by the user"
    yield notice(f"{state} · {approved} · digest {one['digest'][:SHORT_DIGEST]}")
    if one["description"]:
        yield Line(inline(one["description"]))
    for variable in one["variables"]:
        yield Line(_variable(variable))
    yield from _problems(one["problems"])


def outcome_view(answer: Answer) -> Iterable[Element]:
    """Show what a workflow does: its conditions and steps, then the change."""
    if not answer["approved"]:
        yield notice(f"Not approved by the user; its digest is {answer['workflow_digest'][:SHORT_DIGEST]}.")
    holds = {True: "yes", False: "no", None: "not asked"}
    if answer["conditions"]:
        yield Line("conditions: " + ", ".join(f"{one['id']} {holds[one['holds']]}" for one in answer["conditions"]))
    for one in answer["steps"]:
        yield Line(f"{one['id']}: {_step(one)}", *((" · ", path_of(one["path"])) if one["path"] else ()))
    if answer["output"]:
        yield Line(inline(answer["output"]))
    yield from forecast_lines(answer["forecast"])
    yield from written_view(answer)


def written_workflow_view(answer: Answer) -> Iterable[Element]:
    yield from written_view(answer)
    yield notice(f"digest of the workflow: {answer['workflow_digest'][:SHORT_DIGEST]}; the user must approve it.")
    yield from _problems(answer["problems"])


def _problems(problems: Iterable[Mapping[str, Any]]) -> Iterable[Line]:
    for one in problems:
        yield Line(f"line {one['line']}: {inline(one['message'])}" + ("" if one["serious"] else " (a remark)"))


def _variable(one: Mapping[str, Any]) -> str:
    choices = f" of {', '.join(map(inline, one['choices']))}" if one["choices"] else ""
    default = "" if one["default"] is None else f", by default {inline(str(one['default']))}"
    needed = "" if one["required"] else ", optional" * (not default)
    meaning = f": {inline(one['description'])}" if one["description"] else ""
    return f"{inline(one['name'])} ({one['type']}{choices}{default}{needed}){meaning}"


def _step(one: Mapping[str, Any]) -> str:
    if one["state"] == "skipped":
        return f"{one['do']} skipped"
    found = "" if one["found"] is None else f", {one['found']:,} found"
    times = f" {one['turns']:,} times" if one["turns"] > 1 else ""
    return f"{one['do']}{times}{found}"
