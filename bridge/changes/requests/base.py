"""What the kinds of change have in common: a record of what is wanted, and facts from which its operation is made."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, ClassVar, TypeVar

from msgspec import Meta, field

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.rebase import preview_merge
from bridge.changes.view import VaultView
from bridge.errors import BridgeError, InvalidArguments, NoteChanged
from bridge.markdown.decode import digest_of
from bridge.markdown.kinds import kind_of
from bridge.records import AbstractRecord, Record
from bridge.text.diff import decode_text, diff_lines, split_lines
from bridge.types import SHORT_DIGEST, Digest, VaultPath, is_same_digest
from bridge.vault.obsidian_settings import ObsidianSettings

Kind = TypeVar("Kind", bound="Request")

AppendedLinks = Annotated[int, Meta(ge=0, le=5)]
"""How many suggested links a note gets at its end."""


class RequestContext(Record):
    """What a request may need of the vault besides the notes that it names."""

    view: Callable[[Draft], VaultView]
    """Returns the names and links of the vault as in the draft."""
    obsidian: Callable[[], ObsidianSettings]
    now: datetime
    """In local time."""
    read_before: Callable[[Digest], bytes | None] = field(default=lambda _digest: None)
    """Returns recently read content by its digest; None when it is no longer known."""


class Request(Record, metaclass=AbstractRecord, tag_field="op"):
    """One change to the vault, requested on its own or in a change set.

    The docstring of each kind is that of its operation, whose arguments are the fields.
    """

    relinks: ClassVar[bool] = False
    """Whether it changes names, and so may affect links anywhere."""
    keeps_structure: ClassVar[bool] = False
    """Whether only words change that cannot affect the Markdown around them."""

    path: VaultPath

    @property
    def op(self) -> str:
        return operation_of(type(self))

    @property
    def result_path(self) -> VaultPath:
        return self.path

    @property
    def paths(self) -> Collection[VaultPath] | None:
        """The notes that it can change; None when it may be any, since links follow it."""
        return None if self.relinks else (self.path,)

    @property
    def skips_overtaken(self) -> bool:
        """Whether each of its notes changes on its own, so that those that others save meanwhile can be left out."""
        return self.keeps_structure

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        """Tags, properties, headings, aliases and texts that it replaces, each with the new one, empty if none."""
        return ()

    @property
    def agreement(self) -> str | None:
        """The id by which the agents' folder counts that it sets up, if it does."""
        return None

    @property
    def parts(self) -> "Sequence[Request]":
        """The requests that it consists of, once it is planned; itself unless it is made of others."""
        return (self,)

    @abstractmethod
    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        """Add the steps of the change to the draft, and return its effect."""


class ChangeKind(Record, kw_only=True):
    """What is known of a kind of change besides its record, which this decorates."""

    example: Mapping[str, Any]
    """Arguments of a dry run on the sample vault."""
    tasks: tuple[str, ...]
    """What it is good for, in a caller's words."""
    destructive: bool = True
    """Whether it can remove something that the user would miss."""
    idempotent: bool = False
    """Whether doing it twice has the effect of doing it once."""
    required: tuple[str, ...] = ()
    """Fields that only a change set may leave out."""
    bounds: Mapping[str, Any] = field(default_factory=dict)
    """Bounds of fields that do not hold in a change set, which never had them."""

    def __call__(self, record: type[Kind]) -> type[Kind]:
        KINDS[record] = self
        return record


KINDS: dict[type[Request], ChangeKind] = {}
"""Every kind of change, by its record."""


def operation_of(record: type[Request]) -> str:
    """Return the name of the operation that makes changes of a kind."""
    return str(record.__struct_config__.tag)


def require_note_path(path: VaultPath) -> None:
    if kind_of(path) != "note":
        raise InvalidArguments(f"`{path}` is not a Markdown path.", hint=f"Did you mean `{path}.md`?")


def read_unchanged(
    path: VaultPath,
    digest: Digest | None,
    draft: Draft,
    context: RequestContext,
    change: Callable[[bytes], bytes] | None = None,
) -> bytes:
    """Return a file's bytes in the draft, if the digest matches a version that it has or had in this change."""
    data = draft.read(path)
    if digest is not None and not any(is_same_digest(state, digest) for state in draft.states(path)):
        base, found = context.read_before(digest), digest_of(data)
        facts = _describe_difference(path, base, data, change)
        what = (
            f"`{path}` changed since you read it."
            if base is not None
            else f"`{path}` does not have the digest `{digest[:SHORT_DIGEST]}`, and no version known here had it."
        )
        raise NoteChanged(what, path=path, expected=digest, found=found, known=base is not None, **facts)
    return data


def _describe_difference(
    path: VaultPath, base: bytes | None, data: bytes, change: Callable[[bytes], bytes] | None
) -> dict[str, Any]:
    """Describe what changed since a file was read, and what the requested change would be on it now."""
    if base is None:
        return {}
    proposal = None
    if change is not None:
        with suppress(BridgeError):
            proposal = change(base)
    found = preview_merge(path, base, data, proposal)
    details = {"differs": found.differs, "merged_diff": found.merged_diff, "merged_text": found.merged_text}
    return {name: value for name, value in details.items() if value}


def require_lines(draft: Draft, path: VaultPath, data: bytes, digest: Digest | None = None) -> None:
    """Refuse line numbers when an earlier edit of the change may have shifted the lines that the client counted."""
    origin = draft.origin(path)
    if origin is None or data == draft.as_read(origin):
        return
    if digest is not None and is_same_digest(digest_of(data), digest):
        return
    raise InvalidArguments(
        f"An earlier edit of this set changed `{path}`, so line numbers may have shifted.",
        hint="Put both edits into one `edit_note`, or use `replace_text`.",
        path=path,
    )


def require_own(draft: Draft, path: VaultPath, data: bytes, change: Callable[[bytes], bytes], what: str) -> None:
    """Let a client that gives no digest remove only lines that this change itself has written."""
    origin = draft.origin(path)
    if origin is None:
        return
    first = draft.as_read(origin)
    if data != first:
        then, now, later = (split_lines(decode_text(each) or "") for each in (first, data, change(data)))
        own = {line for piece in diff_lines(then, now) for line in piece.after}
        if own.issuperset(line for piece in diff_lines(now, later) for line in piece.before):
            return
    raise InvalidArguments(
        f"`digest` is required to {what}: it identifies what you read.",
        hint="`read_note` and `find_notes` return it; its first 12 digits are enough.",
        path=path,
    )
