"""What the kinds of change have in common: a record of what is wanted, and facts from which its operation is made."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Annotated, Any, ClassVar, TypeVar

from annotated_types import Interval

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.view import VaultView
from bridge.records import dataclass
from bridge.types import Digest, VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings

Kind = TypeVar("Kind", bound="Request")

AppendedLinks = Annotated[int, Interval(ge=0, le=5)]
"""How many suggested links a note gets at its end."""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What a request may need of the vault besides the notes that it names."""

    view: Callable[[Draft], VaultView]
    """Returns the names and links of the vault as in the draft."""
    obsidian: Callable[[], ObsidianSettings]
    now: datetime
    """In local time."""
    read_before: Callable[[Digest], bytes | None] = field(default=lambda _digest: None)
    """Returns recently read content by its digest; None when it is no longer known."""


@dataclass(frozen=True, slots=True)
class Request(ABC):
    """One change to the vault, requested on its own or in a change set.

    The docstring of each kind is that of its operation, whose arguments are the fields.
    """

    relinks: ClassVar[bool] = False
    """Whether it changes names, and so may affect links anywhere."""
    keeps_structure: ClassVar[bool] = False
    """Whether only words change that cannot affect the Markdown around them."""

    path: VaultPath

    @property
    @abstractmethod
    def op(self) -> str:
        """The name of the operation."""

    @property
    def result_path(self) -> VaultPath:
        """The path afterwards of the note that the request is about."""
        return self.path

    @property
    def kept_facts(self) -> Mapping[str, object]:
        """What is kept with the change beside its steps."""
        return {}

    @property
    def parts(self) -> "Sequence[Request]":
        """The requests that it consists of, once it is planned; itself unless it is made of others."""
        return (self,)

    @abstractmethod
    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        """Add the steps of the change to the draft, and return its effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeKind:
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
        """Register a record as of this kind."""
        KINDS[record] = self
        return record


KINDS: dict[type[Request], ChangeKind] = {}
"""Every kind of change, by its record."""
