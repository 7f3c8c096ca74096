"""Reading a plan's note as a person left it, and what of it still holds."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from bridge.api.note_names import no_such_note
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments, NoteNotFound, TextNotFound
from bridge.features.tidy.finding import TidyFinding, decode_finding
from bridge.features.tidy.ledger import KeptFinding, Ledger
from bridge.features.tidy.plan_note import FORMER_TYPE, TYPE, PlanLine, PlanText, line_digests, read_plan, split_value
from bridge.features.tidy.plan_text import WrittenPlan, finding_line, with_value
from bridge.markdown.decode import digest_of
from bridge.markdown.note import Note, field_of
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.state.change_records import Change
from bridge.types import Digest, VaultPath


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
    plan: PlanText
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
        return [line.id for line in self.plan.lines if line.ticked]


async def open_plan(vault: OpenVault, path: VaultPath | None) -> OpenPlan:
    """Read a plan; without a path the one there is."""
    return await asyncio.to_thread(_open, vault, path or agents_folder(vault.settings).plan)


async def written_plan(vault: OpenVault) -> WrittenPlan | None:
    """Return the plan that a new one takes the place of; None if there is no note of one."""
    return await asyncio.to_thread(_read_written, vault)


def _read_written(vault: OpenVault) -> WrittenPlan | None:
    path = agents_folder(vault.settings).plan
    try:
        data, _ = vault.files.read(path)
    except NoteNotFound:
        return None
    note = parse(path, data)
    if field_of(note.properties, "type") != TYPE:
        return None
    try:
        plan = _open(vault, path)
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


def _open(vault: OpenVault, path: VaultPath) -> OpenPlan:
    data = _read_note(vault, path)
    id_, kept = _identify(vault, parse(path, data))
    # As bytes that are not UTF-8 would be, so that writing it back changes nothing else.
    text = data.decode("utf-8", "surrogateescape")
    plan = read_plan(text)
    findings: dict[str, ListedFinding] = {}
    altered: dict[str, str] = {}
    for line in plan.lines:
        if line.id in plan.repeated:
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
    return OpenPlan(path, id_, text, digest_of(data), plan, findings, altered)


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
    if type_ == FORMER_TYPE:
        raise InvalidArguments(f"`{path}` was made by an earlier version.", hint="`plan_tidy` makes a new one.")
    kept = Ledger(vault.store.database).findings(id_) if isinstance(id_, str) else {}
    if type_ != TYPE or not isinstance(id_, str) or not kept:
        raise InvalidArguments(f"`{path}` is not a plan that was made here.", hint="`plan_tidy` makes one.")
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
