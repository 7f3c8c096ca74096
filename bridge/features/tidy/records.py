"""The results of the operations that tidy, and how they read."""

from collections.abc import Iterable
from typing import Literal

from bridge.api.change_view import forecast_lines
from bridge.api.markup import Column, Diff, Element, Line, Segment, Table, aside, notice, notices, path_of
from bridge.changes.forecast import CountForecast
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import Exact, VaultPath

FindingState = Literal["open", "proposed", "applied", "stale"]


class PlannedFinding(Record):
    """A finding in a plan.

    Attributes:
        id: Its id in the plan, which is the block id of its line.
        check: The check that found it.
        text: What is done.
        why: The evidence.
        confidence: How sure it is, 0–1.
        ticked: Whether it is to be applied.
        notes: The notes that it is about.
        state: `open`, `proposed` if a change that applies it waits for the user, `applied`, or `stale`: a note changed.
        value: What it writes; the user may put another value into its line, after `· instead:`. Null if it has none.
    """

    id: str
    check: str
    text: str
    why: str
    confidence: float
    ticked: bool
    notes: tuple[VaultPath, ...]
    state: FindingState
    value: str | None


class CheckRun(Record):
    """A check that looked through the vault.

    Attributes:
        check: Its name.
        found: Findings, those included that the plan has no room for.
        complete: Whether it looked at everything.
    """

    check: str
    found: int
    complete: bool


class TidyPlan(Record):
    """A plan that was made.

    Attributes:
        path: The note of the plan; null if nothing was found.
        findings: Its findings.
        left_out: Findings that the plan has no room for.
        forecast: The counts that would differ if all that is very likely right (.85 and more) were applied.
        checks: The checks that looked.
        notices: Remarks, such as on muted checks.
        state: `applied` if the note was written, `proposed` if it waits for the user.
        change_id: The change that wrote it; null without a note.
    """

    path: VaultPath | None
    findings: tuple[PlannedFinding, ...]
    left_out: int
    forecast: tuple[CountForecast, ...]
    checks: tuple[CheckRun, ...]
    notices: tuple[str, ...]
    state: Literal["applied", "proposed"]
    change_id: str | None


class ShownPlan(Record):
    """A plan as its note says now.

    Attributes:
        path: The note of the plan.
        findings: The findings that are listed in it, in its order.
        ticked: How many are ticked.
        forecast: The counts that would differ if all that is ticked were applied.
        notices: What cannot be applied.
        diff: Unified diff of what `finding` would change; absent without one.
    """

    path: VaultPath
    findings: tuple[PlannedFinding, ...]
    ticked: int
    forecast: tuple[CountForecast, ...]
    notices: tuple[str, ...]
    diff: Exact | None = None


class DroppedFinding(Record):
    """A ticked finding that was not applied.

    Attributes:
        id: Its id in the plan.
        why: Why not.
    """

    id: str
    why: str


class AppliedCheck(Record):
    """What was applied of one check.

    Attributes:
        check: The check.
        findings: The ids of its findings that were applied.
        texts: What these do, whatever their lines say.
        dropped: Ticked findings that were not, and why.
        state: `applied`, `proposed` if it waits for the user, or `left_out` if nothing of it was left to do.
        change_id: The change, the same for all checks; null if there is none, as in a dry run.
    """

    check: str
    findings: tuple[str, ...]
    texts: tuple[str, ...]
    dropped: tuple[DroppedFinding, ...]
    state: Literal["applied", "proposed", "left_out"]
    change_id: str | None


class AppliedPlan(Record):
    """What was applied of a plan, as one change.

    Attributes:
        path: The note of the plan.
        checks: Each check with ticked findings.
        session: The session by which `undo_change` undoes all of it; null if nothing was written.
        files: Files written, moved or removed.
        forecast: The counts that differ; what was written was compared with them.
        dry_run: Whether this is a dry run; nothing was written.
        confirmation: Why a dry run's change needs confirmation; null if it does not.
    """

    path: VaultPath
    checks: tuple[AppliedCheck, ...]
    session: str | None
    files: int
    forecast: tuple[CountForecast, ...]
    dry_run: bool
    confirmation: str | None = None


class JudgedFinding(Record):
    """A finding that was judged.

    Attributes:
        id: Its id in the plan.
        check: The check that found it.
        ticked: Whether it is ticked now.
        dismissed: Whether it is left out of plans from now on.
        muted: Whether its check is left out of plans now, since nearly all of its findings were rejected.
    """

    id: str
    check: str
    ticked: bool
    dismissed: bool
    muted: bool


class TidyRule(Record):
    """A check, and how the user judged it.

    Attributes:
        check: Its name.
        looks_for: What it looks for.
        accepted: Findings that the user accepted or applied.
        rejected: Findings that the user rejected.
        rate: Expected share of findings that are accepted; .5 before any judgement.
        muted: Whether it is left out of plans.
        why: Why it is muted; empty if it is not.
        ticked: Whether the user has all that it finds ticked in new plans.
    """

    check: str
    looks_for: str
    accepted: int
    rejected: int
    rate: float
    muted: bool
    why: str
    ticked: bool


class TidyRules(Record):
    """The checks.

    Attributes:
        rules: The checks, in the order of plans.
    """

    rules: tuple[TidyRule, ...]


FINDINGS = (
    Column("id"),
    Column("ticked", lambda ticked: " · ticked" if ticked else ""),
    Column("state", value=lambda finding: "" if finding.state == "open" else finding.state),
    Column("check", " · {}", detail=True),
    Column("text", lambda text: f" · {inline(text)}"),
    Column("confidence", " · {:.0%}"),
    Column("why", lambda why: f" · {inline(why)}", detail=True),
)
RULES = (
    Column("check"),
    Column("rate", " · {}", pipe=True),
    Column("accepted", " · {} accepted"),
    Column("rejected", " · {} rejected"),
    Column("why", " · muted: {}"),
    Column("ticked", lambda ticked: " · always ticked" if ticked else ""),
    Column("looks_for", " · {}", detail=True),
)


def tidy_plan_view(plan: TidyPlan) -> Iterable[Element]:
    yield from notices(plan.notices)
    if plan.path is None:
        yield notice("Nothing else is to be done." if plan.notices else "Nothing was found that is out of order.")
        return
    waits = " · waits for the user" if plan.state == "proposed" else ""
    if plan.change_id is None:
        yield notice("A dry run: the plan was not written.")
    yield Line("plan ", path_of(plan.path), waits)
    yield from forecast_lines(plan.forecast, "If all that is very likely right were applied: ")
    yield Table(FINDINGS, plan.findings)
    if plan.change_id is not None:
        yield notice(aside("Tick in the note what is right; `apply_plan` then does it."))
    if plan.left_out:
        yield notice(f"{count_of(plan.left_out, 'more finding')} with a higher `limit`.")


def shown_plan_view(plan: ShownPlan) -> Iterable[Element]:
    yield from notices(plan.notices)
    yield Line(f"{plan.ticked} of {count_of(len(plan.findings), 'finding')} ticked")
    yield from forecast_lines(plan.forecast, "If what is ticked were applied: ")
    yield Table(FINDINGS, plan.findings)
    if diff := plan.diff:
        yield Diff(diff)


def applied_plan_view(plan: AppliedPlan) -> Iterable[Element]:
    if confirmation := plan.confirmation:
        yield notice(confirmation)
    if not plan.checks:
        yield notice("Nothing is ticked.")
    for one in plan.checks:
        done = "would apply" if plan.dry_run else one.state.replace("_", " ")
        yield Line(f"{one.check} · {done} {count_of(len(one.findings), 'finding')}")
        yield from (Line(f"{id_} · {inline(text)}") for id_, text in zip(one.findings, one.texts, strict=True))
        yield from (notice(f"{dropped.id} is left out: {inline(dropped.why)}") for dropped in one.dropped)
    yield from forecast_lines(plan.forecast)
    if plan.session:
        yield Line("undo all of it: ", Segment(f"`undo_change {plan.session}`", "hint"))


def tidy_rules_view(known: TidyRules) -> Iterable[Element]:
    yield Table(RULES, known.rules)
