"""The note of a plan: what is written into it, and where."""

import asyncio
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.forecast import CountForecast
from bridge.changes.requests.base import Request, RequestContext
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.agents_folder import agents_folder
from bridge.engine.apply_requests import ChangeLimits
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError, InvalidArguments, NoteChanged
from bridge.features.tidy.check_scope import TidySettings
from bridge.features.tidy.collect import CHECKS
from bridge.features.tidy.compose import TriedFindings, note_digests
from bridge.features.tidy.finding import TidyFinding, encode_finding
from bridge.features.tidy.ledger import Ledger
from bridge.features.tidy.plan_note import (
    INSTEAD,
    TYPE,
    PlanLine,
    PlanSection,
    line_digests,
    plain_words,
    write_plan,
)
from bridge.features.tidy.records import PlannedFinding
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.properties import build_note
from bridge.markdown.edit.requests import AddItem, ReplaceText
from bridge.markdown.note import field_of, sole_item
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.invisible import one_line
from bridge.types import Digest, NewPath, NoteOrFolder, VaultPath

DAY_S = 86_400.0


class WrittenPlan(Record):
    """The note of a plan that was made here."""

    id: str
    path: VaultPath
    digest: Digest
    made: float
    is_own: bool
    """Whether every line was written by the bridge, whatever its box."""


def written_plans(vault: OpenVault) -> list[WrittenPlan]:
    """Return the plans that have one note each among the plans, the oldest first. Blocks."""
    found = list(_read_plans(vault))
    ids = [one.id for one in found]
    return sorted((one for one in found if ids.count(one.id) == 1), key=lambda one: (one.made, one.path))


def _read_plans(vault: OpenVault) -> Iterator[WrittenPlan]:
    kept, folder = Ledger(vault.store.database).plans(), agents_folder(vault.settings).plans
    for path, indexed in list(vault.index.view("agents").notes.items()):
        if indexed.note_type != TYPE or not path.startswith(f"{folder}/"):
            continue
        try:
            data, _ = vault.files.read(path)
        except BridgeError:
            continue
        note = parse(path, data)
        plan = field_of(note.properties, "plan")
        if field_of(note.properties, "type") == TYPE and isinstance(plan, str) and plan in kept:
            body = note.text[note.body :]
            yield WrittenPlan(plan, path, digest_of(data), kept[plan].made, line_digests(body) <= kept[plan].lines)


async def retire_plans(vault: OpenVault) -> str:
    """Move the plans to the trash that are older than the settings say; return what was done, empty for nothing.

    A plan stays that has lines of somebody else, that is protected, or that a note of the user links to.
    """
    days = vault.settings.section(TidySettings).plans_keep_days
    if not days:
        return ""
    plans = await asyncio.to_thread(written_plans, vault)
    old = [one for one in plans if one.is_own and time.time() - one.made > days * DAY_S]
    if not old:
        return ""
    paths, folder = {one.path for one in old}, agents_folder(vault.settings).plans
    limits = ChangeLimits(
        lambda path: path in paths and not vault.files.rules.keeps(path), lambda path: path.startswith(f"{folder}/")
    )
    reason = f"{count_of(len(old), 'plan')} older than {count_of(days, 'day')}"
    by = Author("plan_tidy", reason=reason, confirmed=True)
    requests = [DeleteNote(path=one.path, digest=one.digest) for one in old]
    made = await vault.executor.carry_each(requests, by, limits=limits)
    gone = len(old) - len(made.refused)
    return f"Moved to the trash: {count_of(gone, 'plan')} older than {count_of(days, 'day')}." if gone else ""


def value_of(finding: TidyFinding) -> str | None:
    value = _value_of(finding.request)
    return value if value and value == one_line(value) and value == " ".join(value.split()) else None


def _value_of(request: Request) -> str | None:
    match request:
        case RenameTag(to=value) | RenameProperty(to=value):
            return value
        case MoveNote(to=path) | CreateNote(path=path):
            return path.removesuffix(".md")
        case SetProperties(properties=properties) if len(properties) == 1:
            (only,) = map(sole_item, properties.values())
            return only if isinstance(only, str) else None
        case EditNote(edits=(ReplaceText(new=value) | AddItem(text=value),)):
            return value
        case _:
            return None


def with_value(finding: TidyFinding, value: str, locate: Callable[[str], VaultPath]) -> TidyFinding:
    if value_of(finding) is None or INSTEAD in value:
        raise InvalidArguments("it has no value that can be changed.")
    request = _with_value(finding.request, value, locate)
    return replace(finding, text=f"{finding.text}, with “{plain_words(value)}” instead", request=request)


def _with_value(request: Request, value: str, locate: Callable[[str], VaultPath]) -> Request:
    changes: dict[str, Any] = {}
    match request:
        case RenameTag() | RenameProperty():
            changes["to"] = value
        case MoveNote():
            changes["to"] = locate(f"{value.removesuffix('.md')}.md")
        case CreateNote():
            changes["path"] = locate(f"{value.removesuffix('.md')}.md")
        case SetProperties(properties=properties):
            (kept,) = properties.values()
            changes["properties"] = dict.fromkeys(properties, [value] if isinstance(kept, list) else value)
        case EditNote(edits=(ReplaceText() as edit,)):
            changes["edits"] = (replace(edit, new=value),)
        case EditNote(edits=(AddItem() as edit,)):
            changes["edits"] = (replace(edit, text=value),)
    return replace(request, **changes)


_OWN_NAME: Final = re.compile(r"/Plan (\d{4}-\d\d-\d\d)(?: \d+)?\.md$")

COUNTS: Mapping[str, str] = {"dangling": "unresolved links"}
"""Counts that people know by another name."""

MAX_COUNTS = 12
"""Counts that the note shows."""


class PlanNoteChange(Request, kw_only=True, tag="apply_plan"):
    """Changes boxes and marks in the lines of a plan; every other byte stays."""

    edit: Callable[[str], str]
    digest: Digest | None = None
    """Of the note as it was read; a changed note is refused."""

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        data = draft.read(self.path)
        if self.digest is not None and digest_of(data) != self.digest:
            raise NoteChanged(f"`{self.path}` was changed meanwhile.", path=self.path)
        text = data.decode("utf-8", "surrogateescape")
        draft.replace(self.path, self.edit(text).encode("utf-8", "surrogateescape"))
        return Effect()


class PlanNote(Record):
    """The note of a plan that is to be written."""

    id: str
    path: VaultPath
    text: str
    requests: Sequence[Request]
    """What writes it, in place of a plan that nobody has touched."""
    findings: tuple[PlannedFinding, ...]
    rows: Sequence[tuple[str, str, str]]
    """The id, the check and the data of each finding, for the ledger."""

    def keep(self, vault: OpenVault) -> None:
        """Record it as a plan that was made here. Blocks."""
        Ledger(vault.store.database).add_plan(self.id, self.rows, line_digests(self.text))


async def build_plan_note(
    vault: OpenVault, tried: TriedFindings, replaced: WrittenPlan | None = None
) -> PlanNote | None:
    """Return the note of a plan, which may take the place of another plan; None without findings."""
    return await asyncio.to_thread(_build, vault, tried, replaced) if tried.findings else None


def _build(vault: OpenVault, tried: TriedFindings, replaced: WrittenPlan | None) -> PlanNote:
    findings = {f"g{number}": one for number, one in enumerate(tried.findings, 1)}
    plan = secrets.token_hex(8)
    now = datetime.now().astimezone()
    text = write_plan(_summary(tried), _sections(findings))
    properties = {"type": TYPE, "plan": plan, "made": now.strftime("%Y-%m-%dT%H:%M")}
    path = _free_path(vault, agents_folder(vault.settings).plans, now)
    requests: list[Request] = []
    if replaced is None:
        requests.append(CreateNote(path=path, text=text, properties=properties))
    else:
        day = _OWN_NAME.search(replaced.path)
        if day is None or day[1] == f"{now:%Y-%m-%d}":
            path = replaced.path
        else:
            requests.append(MoveNote(path=NoteOrFolder(replaced.path), to=NewPath(path), digest=replaced.digest))
        data = build_note(path, text, properties).decode()
        requests.append(PlanNoteChange(path=path, edit=lambda _: data, digest=replaced.digest))
    return PlanNote(
        plan,
        path,
        text,
        requests,
        tuple(describe_finding(id_, one, ticked=one.is_ticked) for id_, one in findings.items()),
        [(id_, one.check, encode_finding(one, note_digests(vault, one))) for id_, one in findings.items()],
    )


def describe_finding(id_: str, finding: TidyFinding, *, ticked: bool) -> PlannedFinding:
    return PlannedFinding(
        id_,
        finding.check,
        finding.text,
        finding.why,
        finding.confidence,
        ticked,
        finding.notes,
        "open",
        value_of(finding),
    )


def finding_line(finding: TidyFinding) -> str:
    return f"{finding.text} · {finding.confidence:.2f} · {finding.why}"


def _free_path(vault: OpenVault, folder: VaultPath, now: datetime) -> VaultPath:
    number = 1
    while True:
        path = VaultPath(f"{folder}/Plan {now:%Y-%m-%d}{f' {number}' if number > 1 else ''}.md")
        if not vault.files.has(path):
            return path
        number += 1


def _summary(tried: TriedFindings) -> list[str]:
    ticked = sum(one.is_ticked for one in tried.findings)
    explained = (
        "What could be tidied; what is very likely right is ticked already. Nothing is changed before this plan"
        " is applied: tick what is right, untick or delete what is not. The words of a line may be changed, its `^g…`"
        " may not. To have"
        f" another value than the proposed one, end a line with `{INSTEAD.strip()} another value`, before its `^g…`."
    )
    return [
        explained,
        f"If what is ticked now ({ticked} of {len(tried.findings)}) is applied: {counts_in_words(tried.forecast)}.",
    ]


def _sections(findings: Mapping[str, TidyFinding]) -> list[PlanSection]:

    sections: list[PlanSection] = []
    for check in CHECKS:
        own = {id_: one for id_, one in findings.items() if one.check == check.name}
        if not own:
            continue
        lines = [
            PlanLine(id_, one.is_ticked, finding_line(one), 0)
            for id_, one in sorted(own.items(), key=lambda each: -each[1].confidence)
        ]
        title = check.name.replace("_", " ").capitalize()
        sections.append(PlanSection(title, check.sentence, tuple(lines)))
    return sections


def counts_in_words(counts: Sequence[CountForecast]) -> str:
    if not counts:
        return "no count changes"
    shown = [
        f"{plain_words(COUNTS.get(one.name, one.name))} {one.before:,} → {one.after:,}" for one in counts[:MAX_COUNTS]
    ]
    more = [f"{len(counts) - MAX_COUNTS} more"] if len(counts) > MAX_COUNTS else []
    return " · ".join([*shown, *more])
