"""Text views of plans and checks."""

from collections.abc import Iterable

from bridge.api.change_view import forecast_lines
from bridge.api.markup import Answer, Column, Diff, Element, Line, Segment, Table, notice, notices, path_of
from bridge.text.counts import count_of
from bridge.text.invisible import inline

FINDINGS = (
    Column("id"),
    Column("ticked", lambda ticked: " · ticked" if ticked else ""),
    Column("state", lambda state: "" if state == "open" else f" · {state}"),
    Column("check", " · {}", detail=True),
    Column("text", lambda text: f" · {inline(text)}"),
    Column("confidence", " · {}"),
    Column("why", lambda why: f" · {inline(why)}", detail=True),
)
RULES = (
    Column("check"),
    Column("rate", " · {}"),
    Column("accepted", " · {} accepted"),
    Column("rejected", " · {} rejected"),
    Column("why", " · muted: {}"),
    Column("ticked", lambda ticked: " · always ticked" if ticked else ""),
    Column("looks_for", " · {}", detail=True),
)


def tidy_plan_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer["notices"])
    if answer["path"] is None:
        yield notice("Nothing was found that is out of order.")
        return
    waits = " · waits for the user" if answer["state"] == "proposed" else ""
    if answer["change_id"] is None:
        yield notice("A dry run: the plan was not written.")
    yield Line("plan ", path_of(answer["path"]), waits)
    yield from forecast_lines(answer["forecast"])
    yield Table(FINDINGS, answer["findings"])
    if answer["left_out"]:
        yield notice(f"{count_of(answer['left_out'], 'more finding')} with a higher `limit`.")


def shown_plan_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer["notices"])
    yield Line(f"{answer['ticked']} of {count_of(len(answer['findings']), 'finding')} ticked")
    yield from forecast_lines(answer["forecast"])
    yield Table(FINDINGS, answer["findings"])
    if diff := answer.get("diff"):
        yield Diff(diff)


def applied_plan_view(answer: Answer) -> Iterable[Element]:
    if confirmation := answer.get("confirmation"):
        yield notice(confirmation)
    if not answer["checks"]:
        yield notice("Nothing is ticked.")
    for one in answer["checks"]:
        done = "would apply" if answer["dry_run"] else one["state"].replace("_", " ")
        yield Line(f"{one['check']} · {done} {count_of(len(one['findings']), 'finding')}")
        yield from (Line(f"{id_} · {inline(text)}") for id_, text in zip(one["findings"], one["texts"], strict=True))
        yield from (notice(f"{dropped['id']} is left out: {inline(dropped['why'])}") for dropped in one["dropped"])
    yield from forecast_lines(answer["forecast"])
    if answer["session"]:
        yield Line("undo all of it: ", Segment(f"`undo_session {answer['session']}`", "hint"))


def tidy_rules_view(answer: Answer) -> Iterable[Element]:
    yield Table(RULES, answer["rules"])
