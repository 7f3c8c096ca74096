"""The plan: what is written into its note, what a person made of it, and what of it still holds."""

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from bridge.api.note_names import no_such_note
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.changes.requests.move_note import MoveNote
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments, NoteChanged, NoteNotFound, TextNotFound
from bridge.features.tidy.check_scope import TidyFinding, decode_finding, encode_finding
from bridge.features.tidy.collect import CHECKS, note_digests
from bridge.features.tidy.ledger import KeptFinding, Ledger
from bridge.features.tidy.plan_note import SWAP_MARK, TYPE, PlanLine, line_digests, plain_words, read_lines, split_value
from bridge.features.tidy.records import PlannedFinding
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.apply import MARKER
from bridge.markdown.edit.properties import build_note
from bridge.markdown.edit.requests import ReplaceText
from bridge.markdown.note import Note, field_of, sole_item
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.state.change_records import Change
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
        case EditNote(edits=(ReplaceText() as edit,)):
            return edit.new.removeprefix(_item_start(edit))
        case _:
            return None


def _item_start(edit: ReplaceText) -> str:
    """Return what stands before the text of an item that an edit adds below a line; empty if it adds none."""
    added = edit.new.removeprefix(f"{edit.old}\n")
    marker = None if added == edit.new else MARKER.match(added.lstrip())
    return edit.new[: len(edit.new) - len(added.lstrip()) + marker.end()] if marker else ""


def with_value(finding: TidyFinding, value: str, locate: Callable[[str], VaultPath]) -> TidyFinding:
    if value_of(finding) is None or SWAP_MARK in value:
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
            changes["edits"] = (replace(edit, new=f"{_item_start(edit)}{value}"),)
    return replace(request, **changes)


EXPLANATION: Final = (
    "Tick what is right. Nothing changes until the plan is applied, in the pane *Tidy* or by `vaultside apply-plan`."
    " The words of a line may be changed, its `^g…` may not. To have another value than the proposed one, end a line"
    f" with `{SWAP_MARK.strip()} another value`, before its `^g…`."
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


def build_plan_note(vault: OpenVault, proposed: Sequence[TidyFinding], replaced: WrittenPlan | None) -> PlanNote | None:
    """Return the note of a plan, which takes the place of the plan before; None without findings. Blocks."""
    if not proposed:
        return None
    findings = {f"g{number}": one for number, one in enumerate(proposed, 1)}
    plan = secrets.token_hex(8)
    now = datetime.now().astimezone()
    ticked = {
        id_
        for id_, one in findings.items()
        if one.is_ticked or (replaced is not None and (one.check, one.text) in replaced.ticked)
    }
    text = _write_text(findings, ticked)
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
    said = (finding.check, finding.text, finding.why, finding.confidence)
    return PlannedFinding(id_, *said, ticked, finding.notes, "open", value_of(finding))


def finding_line(finding: TidyFinding) -> str:
    return f"{finding.text} · {finding.confidence:.2f} · {finding.why}"


def _write_text(findings: Mapping[str, TidyFinding], ticked: Collection[str]) -> str:
    """Return the text of the note, without its properties: the findings of each check, the surest first."""
    parts = [EXPLANATION]
    for check in CHECKS:
        own = sorted(
            ((id_, one) for id_, one in findings.items() if one.check == check.name),
            key=lambda each: -each[1].confidence,
        )
        if own:
            tasks = "\n".join(f"- [{'x' if id_ in ticked else ' '}] {finding_line(one)} ^{id_}" for id_, one in own)
            parts.append(f"## {check.name.replace('_', ' ').capitalize()}\n\n{check.sentence}\n\n{tasks}")
    return "\n\n".join(parts) + "\n"


class ListedFinding(Record):
    """A finding that is listed in a plan's note, with what it was when the plan was made."""

    line: PlanLine
    """Its line, without marks and the value of a person."""
    written: str
    """What its line said when the plan was made."""
    finding: TidyFinding
    """The finding, with the value of a person."""
    digests: Mapping[VaultPath, Digest]
    change: Change | None
    """The change that applied it or is to; None if there is none, or it was undone or rejected."""

    @property
    def is_applied(self) -> bool:
        return self.change is not None and self.change.state == "applied"


class OpenPlan(Record):
    """A plan as its note says now."""

    path: VaultPath
    id: str
    text: str
    digest: Digest
    lines: Sequence[PlanLine]
    findings: Mapping[str, ListedFinding]
    """The listed findings that can be told apart, in the order of the note."""
    altered: Mapping[str, str]
    """Why the others cannot be applied, by their ids."""

    @property
    def reworded_ids(self) -> Sequence[str]:
        """The findings whose lines say something else than was written."""
        return [id_ for id_, one in self.findings.items() if one.line.text != one.written]

    def require_known(self, ids: Iterable[str]) -> None:
        """Require that some lines stand for findings of the plan."""
        for id_ in ids:
            if id_ in self.altered:
                hint = "Make a new plan, or correct the line."
                raise InvalidArguments(f"`^{id_}`: {self.altered[id_]}", hint=hint, finding=id_)

    def find(self, name: str) -> str:
        """Return the id of a listed finding, given as a person may write it."""
        id_ = name.strip().removeprefix("^")
        self.require_known([id_])
        if id_ not in self.findings:
            raise TextNotFound(f"The plan does not list `{id_}`.", hint="`show_plan` lists its findings.")
        return id_

    @property
    def ticked_ids(self) -> Sequence[str]:
        return [line.id for line in self.lines if line.ticked]


def written_plan(vault: OpenVault) -> WrittenPlan | None:
    """Return the plan that a new one takes the place of; None if there is no note of one. Blocks."""
    path = agents_folder(vault.settings).plan
    try:
        data, _ = vault.files.read(path)
    except NoteNotFound:
        return None
    note = parse(path, data)
    if field_of(note.properties, "type") != TYPE:
        return None
    try:
        plan = open_plan(vault, path)
    except InvalidArguments:
        # Another machine made it.
        return WrittenPlan(digest_of(data), (), is_in_use=True)
    left = [
        one
        for one in plan.findings.values()
        if one.line.ticked and not (one.finding.is_ticked or one.is_applied) and find_staleness(vault, one) is None
    ]
    is_own = line_digests(note.text[note.body :]) <= Ledger(vault.store.database).lines(plan.id)
    return WrittenPlan(
        plan.digest,
        [(one.finding.check, one.finding.text) for one in left],
        is_in_use=bool(left) or not is_own,
    )


def open_plan(vault: OpenVault, path: VaultPath | None) -> OpenPlan:
    """Read a plan; without a path the one there is. Blocks."""
    path = path or agents_folder(vault.settings).plan
    data = _read_note(vault, path)
    id_, kept = _identify(vault, parse(path, data))
    # As bytes that are not UTF-8 would be, so that writing it back changes nothing else.
    text = data.decode("utf-8", "surrogateescape")
    lines = read_lines(text)
    times = Counter(line.id for line in lines)
    findings: dict[str, ListedFinding] = {}
    altered: dict[str, str] = {}
    for line in lines:
        if times[line.id] > 1:
            altered[line.id] = "the id stands more than once."
        elif line.id not in kept or not kept[line.id].data:
            altered[line.id] = "the plan has no such finding."
        else:
            try:
                findings[line.id] = _list_finding(vault, line, kept[line.id])
            except BridgeError as error:
                altered[line.id] = error.message
    for one in _find_swapped(findings):
        altered[one] = "its line says what another finding is."
        del findings[one]
    return OpenPlan(path, id_, text, digest_of(data), lines, findings, altered)


def _read_note(vault: OpenVault, path: VaultPath) -> bytes:
    try:
        return vault.files.read(path)[0]
    except NoteNotFound:
        if path == agents_folder(vault.settings).plan:
            raise NoteNotFound("There is no plan.", hint="`plan_tidy` makes one.", path=path) from None
        raise no_such_note(vault, path) from None


def _identify(vault: OpenVault, note: Note) -> tuple[str, Mapping[str, KeptFinding]]:
    """Return the id of the plan that a note is, and what is kept of its findings."""
    path, type_, id_ = note.path, *(field_of(note.properties, name) for name in ("type", "plan"))
    kept = Ledger(vault.store.database).findings(id_) if isinstance(id_, str) else {}
    if type_ != TYPE or not isinstance(id_, str) or not kept:
        raise InvalidArguments(f"`{path}` is not a plan that was made here.", hint="`plan_tidy` makes a new one.")
    plans = agents_folder(vault.settings).plans
    if not path.startswith(f"{plans}/"):
        # There agents cannot write; anywhere else one could have ticked what a person did not.
        raise InvalidArguments(
            f"`{path}` is not among the plans.", hint=f"Move it back to `{plans}`, or make a new plan."
        )
    return id_, kept


def _list_finding(vault: OpenVault, line: PlanLine, kept: KeptFinding) -> ListedFinding:
    finding, digests = decode_finding(kept.data)
    written = " ".join(finding_line(finding).split())
    words, value = split_value(line.text, written)
    if value is not None:
        finding = with_value(finding, value, vault.files.locate)
    return ListedFinding(replace(line, text=words), written, finding, digests, _active_change(vault, kept.change))


def _find_swapped(findings: Mapping[str, ListedFinding]) -> list[str]:
    words = {one.written: id_ for id_, one in findings.items()}
    return [id_ for id_, one in findings.items() if words.get(one.line.text, id_) != id_]


def _active_change(vault: OpenVault, change: str) -> Change | None:
    found = vault.store.journal.change(change) if change else None
    return found if found is not None and found.state in ("applied", "proposed") else None


def find_staleness(vault: OpenVault, one: ListedFinding) -> str | None:
    """Return why a finding does not hold any more; None if it does. Blocks."""
    for path, digest in one.digests.items():
        try:
            now = digest_of(vault.files.read(path)[0])
        except BridgeError:
            return f"`{path}` is gone."
        if now != digest:
            return f"`{path}` has changed since."
    return None
