"""A memory: a note of the agents' folder, read as a record of typed values.

Every field may be missing or wrong, since people write such notes as well; a wrong one counts as missing and is named.
The body and all other properties belong to the user.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, get_args

from bridge.features.injections.public import denied_agents
from bridge.markdown.note import Value, sole_item
from bridge.records import dataclass
from bridge.types import VaultPath

MemoryKind = Literal[
    "raw",
    "learning",
    "error",
    "decision",
    "plan",
    "fact",
    "preference",
    "instruction",
    "persona",
    "open_question",
]
"""What a memory says."""

Tier = Literal["hot", "warm", "cold", "archived"]
"""How present a memory is: by its use, unless the note says otherwise."""

TYPE: Final = "memory"
"""The value of the property `type` that makes a note a memory."""

STANDING: Final = frozenset({"preference", "instruction", "persona"})
"""Kinds that apply whatever is asked."""

CLOSED: Final = frozenset({"resolved", "superseded", "archived", "closed", "done", "answered"})
"""Values of `status` by which a memory is over."""

HOT_S, WARM_S = 14 * 86_400.0, 90 * 86_400.0
"""Seconds since its last use for which a memory is hot, and warm."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory."""

    path: VaultPath
    title: str
    kind: MemoryKind = "raw"
    id: str = ""
    created: float = 0.0
    updated: float = 0.0
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    """Names of notes, as in the links."""
    agent: str | None = None
    tier: Tier | None = None
    """As the note says; None if its use decides."""
    confidence: float = 1.0
    pinned: bool = False
    private_to: str | None = None
    deny_agents: frozenset[str] = frozenset()
    """Clients that it is kept from, folded."""
    expires: float | None = None
    valid_from: float | None = None
    valid_until: float | None = None
    superseded_by: str | None = None
    conflicts_with: tuple[str, ...] = ()
    resolved: bool = False
    problems: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.title, *self.aliases)

    @property
    def begins(self) -> float:
        """When it began to hold."""
        return self.created if self.valid_from is None else self.valid_from

    @property
    def is_over(self) -> bool:
        """Whether it is archived, superseded or resolved, at any time."""
        return self.tier == "archived" or self.resolved or self.superseded_by is not None

    @property
    def is_archived_only(self) -> bool:
        return self.tier == "archived" and not self.resolved and self.superseded_by is None

    @property
    def is_global(self) -> bool:
        return not self.scope or any(word.rpartition(":")[2] in {"universal", "global"} for word in self.scope)

    @property
    def is_standing(self) -> bool:
        """Whether it applies whatever is asked: pinned, or a preference, instruction or persona of no one scope."""
        return self.kind != "open_question" and (self.pinned or (self.kind in STANDING and self.is_global))

    def is_valid(self, now: float) -> bool:
        """Return whether it has begun and has neither ended nor expired."""
        return (
            (self.valid_from is None or self.valid_from <= now)
            and (self.valid_until is None or now < self.valid_until)
            and (self.expires is None or now < self.expires)
        )

    def boundaries(self) -> Iterator[float]:
        return (time for time in (self.valid_from, self.valid_until, self.expires) if time is not None)

    def is_for(self, client: str | None) -> bool:
        folded = (client or "").casefold()
        return folded not in self.deny_agents and (
            self.private_to is None or (client is not None and folded == self.private_to.casefold())
        )

    def is_within(self, scope: Sequence[str]) -> bool:
        return not scope or self.is_global or bool({word.casefold() for word in self.scope} & set(scope))

    def tier_at(self, now: float, last_used: float | None = None) -> Tier:
        """Return its tier by what the note says, else by its last use or change."""
        if self.tier is not None:
            return self.tier
        age = now - max(self.updated, last_used or 0.0)
        return "hot" if age < HOT_S else "warm" if age < WARM_S else "cold"


def read_memory(
    path: VaultPath,
    properties: Mapping[str, Value],
    *,
    title: str,
    aliases: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    modified: float = 0.0,
) -> Memory | None:
    own = {name.casefold(): sole_item(value) for name, value in properties.items()}
    if not (isinstance(kind := own.get("type"), str) and kind.strip().casefold() == TYPE):
        return None
    fields = _Fields(own)
    created = fields.time("created")
    updated = fields.time("updated")
    return Memory(
        path=path,
        title=fields.text("title") or title,
        kind=fields.choice("kind", get_args(MemoryKind)) or "raw",  # type: ignore[arg-type]
        id=fields.text("id") or "",
        created=modified if created is None else created,
        updated=modified if updated is None else updated,
        tags=tags,
        aliases=aliases,
        scope=fields.texts("scope"),
        about=tuple(map(link_name, fields.texts("about"))),
        agent=fields.text("agent"),
        tier=fields.choice("tier", get_args(Tier)),  # type: ignore[arg-type]
        confidence=fields.share("confidence"),
        pinned=fields.flag("pinned"),
        private_to=fields.text("private_to"),
        deny_agents=denied_agents(properties),
        expires=fields.time("expires"),
        valid_from=fields.time("valid_from"),
        valid_until=fields.time("valid_until"),
        superseded_by=next(map(link_name, fields.texts("superseded_by")), None),
        conflicts_with=tuple(map(link_name, fields.texts("conflicts_with"))),
        resolved=fields.is_closed(),
        problems=tuple(fields.problems),
    )


class _Fields:
    """Reads properties as typed values, and notes those that are wrong."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values
        self.problems: list[str] = []

    def text(self, name: str) -> str | None:
        return next(iter(self.texts(name)), None)

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._values.get(name)
        values = value if isinstance(value, list | tuple) else [] if value is None else [value]
        if any(isinstance(one, list | tuple | Mapping) for one in values) or isinstance(value, Mapping):
            self._reject(name, "a text or a list of texts")
            return ()
        return tuple(text for one in values if one is not None and (text := str(one).strip()))

    def choice(self, name: str, choices: Sequence[str]) -> str | None:
        text = self.text(name)
        if text is None or text.casefold() in choices:
            return text and text.casefold()
        self._reject(name, f"one of {', '.join(choices)}")
        return None

    def flag(self, name: str) -> bool:
        value = self._values.get(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        self._reject(name, "true or false")
        return False

    def share(self, name: str) -> float:
        value = self._values.get(name, 1.0)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
            return float(value)
        self._reject(name, "a number from 0 to 1")
        return 1.0

    def time(self, name: str) -> float | None:
        value = self._values.get(name)
        if value is None:
            return None
        try:
            return datetime.fromisoformat(str(value).strip()).astimezone().timestamp()
        except (ValueError, OverflowError, OSError):
            self._reject(name, "a date such as 2027-02-01")
            return None

    def is_closed(self) -> bool:
        status, resolved = self._values.get("status"), self._values.get("resolved", self._values.get("resolved_at"))
        return (isinstance(status, str) and status.strip().casefold() in CLOSED) or bool(resolved)

    def _reject(self, name: str, wanted: str) -> None:
        self.problems.append(f"`{name}` must be {wanted}.")


def link_name(written: str) -> str:
    """Return the name in a link, without brackets, heading, alias and extension; other text as it is."""
    text = written.strip()
    if text.startswith("[[") and text.endswith("]]"):
        text = text[2:-2]
    return text.partition("|")[0].partition("#")[0].strip().removesuffix(".md")


def link_to(name: str) -> str:
    return f"[[{link_name(name)}]]"
