"""Copying a note into the global vault, and bringing the copy up to date."""

import asyncio
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

from msgspec import Meta, field
from msgspec.structs import asdict, replace

from bridge.api.agreement import open_folder, set_up_requests
from bridge.api.arguments import require_plain_name
from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.markup import Column, Element, Section, Table, notice, notices
from bridge.api.note_text import open_note, read_text
from bridge.api.redact import redact_denied
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, WriteOptions, Written, execute_requests, nothing_written
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext, read_unchanged
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import SetProperties
from bridge.engine.agents_folder import AgentsFolder, agents_folder
from bridge.errors import ChangeConflict, ConfirmationRequired, InvalidArguments, NoteExists
from bridge.features.memory.public import (
    BODY_DIGEST,
    COPY,
    ORIGIN,
    PROJECT,
    PROMOTION,
    call_global_vault,
    is_copy_of,
    origin_of,
    read_memory,
)
from bridge.markdown.edit.draft import normalise_newlines
from bridge.markdown.edit.properties import edit_properties
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.kinds import title_of
from bridge.markdown.links import percent_decode, target_file, target_subpath
from bridge.markdown.names import Names
from bridge.markdown.note import Link, Note, Value, property_of, texts_of
from bridge.records import Record
from bridge.search.related import find_related
from bridge.text.diff import unified_diff
from bridge.text.invisible import inline
from bridge.text.overlap import find_overlaps
from bridge.types import Digest, VaultPath

KEPT_PROPERTIES: Final = (
    *("type", "kind", "tags", "aliases", "scope", "confidence", "tier", "resolved", "superseded_by", "expires"),
    *("title", "valid_from", "valid_until", "private_to", "deny_agents"),
)
"""Properties that a copy keeps: the kind of note, who may be told about it, and how long it is valid."""

_BRACKET: Final = re.compile(r"[\[\]]")
_SIZE: Final = re.compile(r"\d+(x\d+)?")
_VAULT: Final = re.compile(r"(obsidian://open\?vault=)[^&)\s]*")


class CopiedText(Record):
    """The text of a copy, without properties."""

    text: str
    embeds: tuple[str, ...]
    """What the note shows and the copy only links to, as written."""


def open_address(vault: str, path: str, place: str = "") -> str:
    return f"obsidian://open?vault={quote(vault, safe='')}&file={quote(path.removesuffix('.md') + place, safe='')}"


def copy_text(note: Note, vault: str, names: Names, copy: VaultPath, there: Names) -> CopiedText:
    """Return the text of a note for another vault; a link that means a note there too stays as it is."""
    parts: list[str] = []
    embeds: list[str] = []
    end = note.body
    for link in note.links:
        start = link.span[0]
        target = names.resolve(link.target, note.path, link.kind).path
        if start < end or target is None or _is_there(link, copy, there):
            continue
        place = target_subpath(link.target)
        place = percent_decode(place) if link.kind == "markdown" else place
        address, is_itself = open_address(vault, target, place), target == note.path
        linked = f"[[{title_of(copy)}{place}]]" if is_itself else f"[{_label(link, target)}]({address})"
        parts += [note.text[end:start], linked]
        end = link.span[1]
        if link.embed and not is_itself:
            embeds.append(note.text[slice(*link.span)])
    return CopiedText("".join((*parts, note.text[end:])).lstrip("\n"), tuple(embeds))


def kept_properties(properties: Mapping[str, Value], type_: str | None) -> dict[str, Value]:
    """Return the properties that a copy keeps; without another type, a journal or plain note becomes a pattern."""
    kept = {name: value for name, value in properties.items() if name.casefold() in KEPT_PROPERTIES}
    own = next((name for name in kept if name.casefold() == "type"), "type")
    if type_ is not None or (kept.get(own) or "journal") == "journal":
        kept[own] = type_ or "pattern"
    return kept


def without_vaults(text: str) -> str:
    """Return a text without the vaults in its addresses, in which copies of one note from two vaults differ."""
    return _VAULT.sub(r"\1", normalise_newlines(text).strip())


def _is_there(link: Link, copy: VaultPath, there: Names) -> bool:
    """Return whether a link in the copy leads to a file of the other vault; one within the note always does."""
    return not target_file(link.target, link.kind) or there.resolve(link.target, copy, link.kind).path is not None


def _label(link: Link, target: VaultPath) -> str:
    if link.kind == "markdown" and link.shown:
        return link.shown
    shown = "" if link.embed and _SIZE.fullmatch(link.shown or "") else link.shown or ""
    name = title_of(target) if target.endswith(".md") else target.rpartition("/")[2]
    place = target_subpath(link.target).strip("#^").replace("#", " > ").strip()
    return _BRACKET.sub(r"\\\g<0>", shown or " > ".join(filter(None, (name, place))))


TEXT_DIGEST_DIGITS = 16


class RenewCopy(Request, kw_only=True, tag="promote_note"):
    """Replaces the text of a copy, if it is still as it was read."""

    text: str
    digest: Digest
    properties: Mapping[str, Any] = field(default_factory=dict)

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        old = read_unchanged(self.path, self.digest, draft, context).decode("utf-8", "surrogateescape")
        cut = cut_frontmatter(old)
        new = f"{old[: cut[1] if cut else 0]}{self.text}".encode("utf-8", "surrogateescape")
        draft.replace(
            self.path, edit_properties(self.path, new, self.properties, (), context.obsidian().property_types)
        )
        return Effect()


def body_digest(text: str) -> str:
    """Return the digest of a text without properties; blank lines around it and names of vaults do not count."""
    return hashlib.sha256(without_vaults(text).encode()).hexdigest()[:TEXT_DIGEST_DIGITS]


def body_of(note: Note) -> str:
    return note.text[note.body :]


async def find_copy(call: Call, other: Call, note: Note) -> Note | None:
    """Return the copy of a note in the global vault; None if there is none.

    A copy names its original. After that was moved, it is found by the address that the original has.
    """
    notes, ids = other.vault.index.notes, call.host.ids
    path = next((path for path, one in notes.items() if is_copy_of(one.properties, ids, note.path)), None)
    if path is None:
        addresses = texts_of(property_of(note.properties, COPY))
        named = (one for one in notes.values() if copy_address(other, one.path) in addresses)
        path = next((one.path for one in named if _is_from(one.properties, call)), None)
    return None if path is None else await asyncio.to_thread(open_note, other.vault, path)


def copy_address(other: Call, path: VaultPath) -> str:
    return open_address(other.host.root.name, path)


def origin_properties(call: Call, path: VaultPath, text: str, before: Mapping[str, Value]) -> dict[str, Value]:
    origins = [one for one in texts_of(before.get(ORIGIN)) if not _is_replaced(call, path, one)]
    # Of a single original it is known that other names are former ones.
    others = texts_of(before.get(PROJECT)) if origins else ()
    projects = [*dict.fromkeys((*others, call.host.root.name))]
    origins.append(origin_of(call.host.id, path))
    return {
        PROJECT: projects[0] if len(projects) == 1 else projects,
        ORIGIN: origins[0] if len(origins) == 1 else origins,
        BODY_DIGEST: body_digest(text),
    }


def _is_replaced(call: Call, path: VaultPath, origin: str) -> bool:
    id_, _, there = origin.partition("/")
    return id_ in call.host.ids and (there == path or not call.vault.files.has(VaultPath(there)))


def _is_from(properties: Mapping[str, Value], call: Call) -> bool:
    return any(one.startswith(f"{id_}/") for one in texts_of(property_of(properties, ORIGIN)) for id_ in call.host.ids)


MAX_COMPARED_NOTES: Final = 8

MAX_TEXT_CHARS: Final = 20_000
"""Characters of a text that are compared."""

MIN_OVERLAP: Final = 0.6
"""The share of a note's word sequences from which another repeats it."""

MIN_COSINE: Final = 0.9
"""The similarity in meaning from which it does."""


class LikeNote(Record):
    """A note of the global vault that says much of the same.

    Attributes:
        vault: The global vault, by name.
        path: The note.
        share: The share of the text that it contains, 0–1.
        cosine: Similarity in meaning; null without a model.
    """

    vault: str
    path: VaultPath
    share: float
    cosine: float | None = None


async def find_like_notes(call: Call, other: Call, note: Note) -> tuple[LikeNote, ...]:
    """Return the notes of the global vault that repeat a note, the most similar first."""
    vault, text = other.vault, note.text[note.body :][:MAX_TEXT_CHARS]
    cosines = await _cosines(call, other, note.path)
    near = await find_related(await vault.sources_among("all"), path=None, text=text, limit=MAX_COMPARED_NOTES)
    paths = dict.fromkeys((*(hit.path for hit in near.hits), *cosines))
    texts = {path: await asyncio.to_thread(read_text, vault, path) for path in paths}
    shares = dict(await asyncio.to_thread(find_overlaps, text, texts, least=MIN_OVERLAP))
    found = (
        LikeNote(other.host.name, path, round(shares.get(path, 0.0), 2), cosines.get(path))
        for path in paths
        if path in shares or path in cosines
    )
    return tuple(sorted(found, key=lambda one: (-max(one.share, one.cosine or 0.0), one.path)))


async def _cosines(call: Call, other: Call, path: VaultPath) -> dict[VaultPath, float]:
    """Return the notes that are close in meaning to a note of another vault; none unless one model reads both."""
    index, there = call.vault.index, other.vault.index.view("all")
    vector = index.vector_of(path) if index.answering_model == there.answering_model else None
    if vector is None:
        return {}
    found = {}
    for hit in await there.nearest(vector, MAX_COMPARED_NOTES):
        # By its best passage so far; what counts is the whole note.
        if (whole := there.vector_of(hit.path)) is not None and (cosine := float(vector @ whole)) >= MIN_COSINE:
            found[hit.path] = round(cosine, 2)
    return found


class CopiedNote(Written, kw_only=True):
    """The change of the global vault.

    Attributes:
        vault: The global vault, by name.
    """

    vault: str


class PromotedNote(Record):
    """A note that was copied into the global vault.

    Attributes:
        outcome: `copied`, `updated`, `joined` to the copy of the same note from another vault, `unchanged` since it was
            copied, or `outdated` where it changed since, and `update` was not given.
        copy: The change of the global vault; for `outdated`, what `update` would change.
        original: The change of the note, which then names its copy.
        change_ids: The ids of the changes made or proposed, that of the copy first; each is undone in its own vault.
        like: Notes of the global vault that say much of the same.
        warnings: What the copy lacks.
    """

    outcome: Literal["copied", "updated", "joined", "unchanged", "outdated"]
    copy: CopiedNote
    original: Written
    change_ids: tuple[str, ...]
    like: tuple[LikeNote, ...] = ()
    warnings: tuple[str, ...] = ()


class Promotion(Record):
    """What is to be done in the global vault."""

    outcome: Literal["copied", "updated", "joined", "unchanged", "outdated"]
    path: VaultPath
    requests: Sequence[Request] = ()
    like: tuple[LikeNote, ...] = ()
    agreed: AgentsFolder | None = None
    """The agents' folder to which the user agrees by this call."""


@operation(
    example={"path": "Bread/Rye bread.md", "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=(
        "copy a note into the global vault",
        "promote a note so that other projects know it",
        "share a pattern with all projects",
        "make a lesson available in every vault",
    ),
)
async def promote_note(
    call: Call,
    path: VaultPath,
    folder: Annotated[str, Meta(max_length=1_000)] | None = None,
    type: Annotated[str, Meta(max_length=100)] | None = None,  # noqa: A002
    *,
    update: bool = False,
    options: WriteArguments,
) -> PromotedNote:
    """Copy a note into the global vault, for all projects; note and copy then name each other.

    Links to notes that are not in the global vault become addresses that open the note in Obsidian.

    Args:
        path: The note.
        folder: Folder of the global vault for a new copy; by default that of its memories for one, else `Patterns`.
        type: The copy's property `type`; by default that of the note, and `pattern` for a journal, a note without one,
            and a memory outside the agents' folder.
        update: Bring an existing copy up to date.

    Raises:
        NoSuchVault: No global vault is set, or it is not served.
        NoteNotFound: No such note.
        NoteExists: The global vault has another note of this name there.
        ConfirmationRequired: The global vault has a note that says much of the same, or the user did not agree to its
            agents' folder yet.
        ChangeConflict: The copy was edited since, so that `update` would lose that.
        PathKept: The settings keep the note or the copy as it is.
        InvalidArguments: The note is in the global vault already, or is not Markdown.
    """
    call.vault.require_keyword()
    other, _ = call_global_vault(call, everywhere=True)
    if other is None:
        raise InvalidArguments(f"`{path}` is in the global vault already.", hint="Promote a note of another vault.")
    other.vault.require_keyword()
    note = await asyncio.to_thread(open_note, call.vault, path)
    if note.kind != "note":
        raise InvalidArguments(f"`{path}` is not Markdown.", hint="Only Markdown notes can be promoted.")
    known = await find_copy(call, other, note)
    kept, agents = kept_properties(note.properties, type), agents_folder(other.vault.settings)
    is_memory = read_memory(path, kept, title="") is not None
    if folder is None:
        folder = agents.memory if is_memory else "Patterns"
    require_plain_name(folder, "folder")
    name = f"{folder.strip().strip('/')}/{path.rpartition('/')[2]}".lstrip("/")
    place = known.path if known is not None else other.vault.files.locate(name)
    there = other.vault.names.copy()
    there.add(place)
    copied = copy_text(note, call.host.root.name, call.vault.names, place, there)
    if known is not None:
        todo = renew(call, known, note, copied, update=update)
    else:
        if is_memory and not agents.holds(place):
            kept = kept_properties(note.properties, type or "pattern")
        todo = await begin(call, other, note, place, copied, kept)
        if todo.outcome == "copied" and agents.holds(place):
            agents, agreed = open_folder(other, options)
            todo = replace(todo, requests=(*set_up_requests(other, agents), *todo.requests), agreed=agreed)
    flag = SetProperties(path=path, properties={PROMOTION: True, COPY: copy_address(other, todo.path)})
    done = await make_promotion(call, other, flag, todo, options)
    linked = (f"Not shown in the copy, only linked: {one}" for one in copied.embeds)
    visible: PromotedNote = redact_denied(done, other.host.files.rules)
    return replace(visible, warnings=(*visible.warnings, *linked))


def renew(call: Call, known: Note, note: Note, copied: CopiedText, *, update: bool) -> Promotion:
    """Return what is to be done about a note that has a copy."""
    now, kept = body_digest(body_of(known)), property_of(known.properties, BODY_DIGEST)
    properties = origin_properties(call, note.path, copied.text, known.properties)
    if body_digest(copied.text) in {now, kept}:
        named = {name: value for name, value in properties.items() if name != BODY_DIGEST}
        # The vault or the note was moved since.
        moved = any(property_of(known.properties, name) != value for name, value in named.items())
        return Promotion("unchanged", known.path, (SetProperties(known.path, properties=named),) if moved else ())
    renewal = RenewCopy(path=known.path, text=copied.text, digest=known.digest, properties=properties)
    if not update:
        return Promotion("outdated", known.path, (renewal,))
    if now != kept:
        raise ChangeConflict(
            f"The copy `{known.path}` was edited since it was made, so that it is not replaced.",
            hint="Change the copy yourself, or delete it and promote the note again.",
            path=known.path,
            diff=unified_diff(body_of(known), copied.text, known.path),
        )
    return Promotion("updated", known.path, (renewal,))


async def begin(
    call: Call, other: Call, note: Note, place: VaultPath, copied: CopiedText, kept: Mapping[str, Value]
) -> Promotion:
    """Return what is to be done about a note that has no copy yet."""
    like = await find_like_notes(call, other, note)
    taken = (place,) if other.vault.files.has(place) else ()
    for path in dict.fromkeys((*taken, *(one.path for one in like))):
        same = other.vault.index.notes.get(path)
        if same is None or not property_of(same.properties, ORIGIN):
            continue
        twin = await asyncio.to_thread(open_note, other.vault, path)
        if body_digest(body_of(twin)) == body_digest(copied.text):
            properties = origin_properties(call, note.path, body_of(twin), twin.properties)
            return Promotion("joined", path, (SetProperties(path=path, properties=properties),))
    if taken:
        raise NoteExists(
            f"`{place}` already exists in the vault {other.host.name}.",
            hint="Give another `folder`, or rename the note before.",
            path=place,
        )
    properties = dict(kept) | origin_properties(call, note.path, copied.text, {})
    return Promotion("copied", place, (CreateNote(path=place, text=copied.text, properties=properties),), like)


async def make_promotion(
    call: Call, other: Call, flag: SetProperties, todo: Promotion, options: WriteOptions
) -> PromotedNote:
    """Make the copy, then let the note name it; nothing is written if one of the two cannot be."""
    refusal = refuse_repetition(other, todo)
    if refusal is not None and not (options.dry_run or call.is_confirmed(options.confirm)):
        raise refusal
    trial = replace(options, dry_run=True)
    flagged = await execute_requests(call, [flag], trial, operation="promote_note")
    if not todo.requests:
        copy = nothing_written(todo.path, "It was copied before, and has not changed since.")
    else:
        tries = trial if todo.outcome == "outdated" else options
        copy = await execute_requests(other, todo.requests, tries, operation="promote_note", agreed=todo.agreed)
    if refusal is not None and options.dry_run:
        copy = replace(copy, confirmation=refusal.message)
    waits = copy.state == "proposed" and flagged.state == "applied"
    if flagged.files and not waits and not options.dry_run:
        flagged = await execute_requests(call, [flag], options, operation="promote_note")
    elif not flagged.files or waits:
        why = "It is flagged when it is promoted again, once the copy was accepted." if waits else "It is flagged."
        flagged = nothing_written(flag.path, why, digest=flagged.digest)
    warnings = ("The note was changed since it was copied; `update` brings the copy up to date.",)
    return PromotedNote(
        outcome=todo.outcome,
        copy=CopiedNote(**asdict(copy), vault=other.host.name),
        original=flagged,
        change_ids=tuple(one.change_id for one in (copy, flagged) if one.change_id is not None),
        like=todo.like,
        warnings=warnings if todo.outcome == "outdated" else (),
    )


def refuse_repetition(other: Call, todo: Promotion) -> ConfirmationRequired | None:
    if not todo.like:
        return None
    first = todo.like[0]
    says = f"says {first.share:.0%} of it" if first.share else f"says nearly the same (cosine {first.cosine})"
    return ConfirmationRequired(
        f"`{first.path}` of the vault {other.host.name} {says} already.",
        would=f"copy the note to `{todo.path}` of the vault {other.host.name}, though `{first.path}` there {says}",
        hint=f"Add what is new to `{first.path}` instead, or repeat the call with `confirm`.",
        path=first.path,
        share=first.share,
        cosine=first.cosine,
    )


SIMILAR_NOTE = (
    Column("path", role="path"),
    Column("vault", " · in {}"),
    Column("share", " · says {:.0%} of it"),
    Column("cosine", " · cosine {}"),
)


def promoted_view(promoted: PromotedNote) -> Iterable[Element]:
    """Show the copy, then the note that was copied."""
    yield notice(f"{promoted.outcome}, in the vault {inline(promoted.copy.vault)}:")
    yield from notices(promoted.warnings, "note: ")
    yield from written_view(promoted.copy)
    if promoted.like:
        yield Section("Similar", Table(SIMILAR_NOTE, promoted.like))
    yield notice("The note itself:")
    yield from written_view(promoted.original)
