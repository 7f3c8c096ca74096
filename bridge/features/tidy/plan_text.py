"""The note of a plan: what is written into it, and where."""

import asyncio
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.changes.requests.move_note import MoveNote
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments, NoteChanged
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
from bridge.markdown.note import sole_item
from bridge.records import Record
from bridge.text.invisible import one_line
from bridge.types import Digest, NewPath, VaultPath


class WrittenPlan(Record):
    """The plan that a new one takes the place of."""

    digest: Digest
    ticked: Collection[tuple[str, str]]
    """The check and the words of each finding that a person ticked and that is not applied yet."""
    is_in_use: bool
    """Whether there are such findings, or a person wrote into the note."""


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


EXPLAINED: Final = (
    "Tick what is right. Nothing changes until the plan is applied, in the pane *Tidy* or by `vaultside apply-plan`."
    " The words of a line may be changed, its `^g…` may not. To have another value than the proposed one, end a line"
    f" with `{INSTEAD.strip()} another value`, before its `^g…`."
)


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
    request: Request
    """What writes it, in place of the plan before."""
    findings: tuple[PlannedFinding, ...]
    rows: Sequence[tuple[str, str, str]]
    """The id, the check and the data of each finding, for the ledger."""

    def keep(self, vault: OpenVault) -> None:
        """Record it as a plan that was made here. Blocks."""
        Ledger(vault.store.database).add_plan(self.id, self.rows, line_digests(self.text))


async def build_plan_note(
    vault: OpenVault, tried: TriedFindings, replaced: WrittenPlan | None = None
) -> PlanNote | None:
    """Return the note of a plan, which takes the place of the plan before; None without findings."""
    return await asyncio.to_thread(_build, vault, tried, replaced) if tried.findings else None


def _build(vault: OpenVault, tried: TriedFindings, replaced: WrittenPlan | None) -> PlanNote:
    findings = {f"g{number}": one for number, one in enumerate(tried.findings, 1)}
    plan = secrets.token_hex(8)
    now = datetime.now().astimezone()
    ticked = {
        id_
        for id_, one in findings.items()
        if one.is_ticked or (replaced is not None and (one.check, one.text) in replaced.ticked)
    }
    text = write_plan([EXPLAINED], _sections(findings, ticked))
    properties = {"type": TYPE, "plan": plan, "made": now.strftime("%Y-%m-%dT%H:%M")}
    path = agents_folder(vault.settings).plan
    request: Request = CreateNote(path=NewPath(path), text=text, properties=properties)
    if replaced is not None:
        data = build_note(path, text, properties).decode()
        request = PlanNoteChange(path=path, edit=lambda _: data, digest=replaced.digest)
    return PlanNote(
        plan,
        path,
        text,
        request,
        tuple(describe_finding(id_, one, ticked=id_ in ticked) for id_, one in findings.items()),
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


def _sections(findings: Mapping[str, TidyFinding], ticked: Collection[str]) -> list[PlanSection]:
    sections: list[PlanSection] = []
    for check in CHECKS:
        own = {id_: one for id_, one in findings.items() if one.check == check.name}
        if not own:
            continue
        lines = [
            PlanLine(id_, id_ in ticked, finding_line(one), 0)
            for id_, one in sorted(own.items(), key=lambda each: -each[1].confidence)
        ]
        title = check.name.replace("_", " ").capitalize()
        sections.append(PlanSection(title, check.sentence, tuple(lines)))
    return sections
