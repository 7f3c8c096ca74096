"""A memory: a note of the agents' folder, read as a record of typed values.

Every field may be missing or wrong, since people write such notes as well; a wrong one counts as missing and is named.
The body and all other properties belong to the user.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, ValidationError, convert

from bridge.api.hints import describe_hint
from bridge.features.injections.public import denied_agents
from bridge.markdown.note import Value, sole_item
from bridge.records import Record
from bridge.text.closest import find_mistyped
from bridge.text.fold import letters_and_digits
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.scripts import UNSPACED_CHARACTER
from bridge.text.words import words_of
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

STANDING_KINDS: Final = frozenset({"preference", "instruction", "persona"})
"""Kinds that apply whatever is asked."""

CLOSED_STATUSES: Final = frozenset({"resolved", "superseded", "archived", "closed", "done", "answered"})
"""Values of `status` by which a memory is over."""

HOT_S, WARM_S = 14 * 86_400.0, 90 * 86_400.0
"""Seconds since its last use for which a memory is hot, and warm."""


class Memory(Record):
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
        return self.kind != "open_question" and (self.pinned or (self.kind in STANDING_KINDS and self.is_global))

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
        kind=fields.choice("kind", MemoryKind) or "raw",
        id=fields.text("id") or "",
        created=modified if created is None else created,
        updated=modified if updated is None else updated,
        tags=tags,
        aliases=aliases,
        scope=fields.texts("scope"),
        about=tuple(map(link_name, fields.texts("about"))),
        agent=fields.text("agent"),
        tier=fields.choice("tier", Tier),
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

    def choice(self, name: str, choices: Any) -> Any:
        text = self.text(name)
        return self._convert(name, None if text is None else text.casefold(), choices)

    def flag(self, name: str) -> bool:
        return bool(self._convert(name, self._values.get(name), bool))

    def share(self, name: str) -> float:
        found = self._convert(name, self._values.get(name), Annotated[float, Meta(ge=0, le=1)])
        return 1.0 if found is None else float(found)

    def _convert(self, name: str, value: Any, hint: Any) -> Any:
        try:
            return None if value is None else convert(value, hint)
        except ValidationError:
            self._reject(name, describe_hint(hint))
            return None

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
        return (isinstance(status, str) and status.strip().casefold() in CLOSED_STATUSES) or bool(resolved)

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


MAX_NAME_WORDS: Final = 6
"""Words of the longest name that is found in a question."""

EXACT_PREFIX_LETTERS: Final = 2
"""Letters with which a mistyped name must begin as it should."""

MIN_TYPO_LETTERS: Final = 5
"""Letters of the shortest name that may lack a letter, have one too many or two swapped."""

MIN_REPLACED_LETTERS: Final = 8
"""Letters of the shortest name of which one letter may be another: `reach` is not `react`."""

MISTYPED_NAME_SCORE: Final = 0.9


class MemoryNames:
    """The names of memories, as their letters and digits only."""

    def __init__(self) -> None:
        self._paths: defaultdict[str, set[VaultPath]] = defaultdict(set)
        self._begun: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        """The names that begin with the same letters and are as long."""
        self._unspaced: set[str] = set()
        """The names in scripts without spaces, which are found inside a run of them."""

    def add(self, path: VaultPath, names: Iterable[str]) -> None:
        for key in filter(None, map(name_key, names)):
            self._paths[key].add(path)
            self._begun[key[:EXACT_PREFIX_LETTERS], len(key)].add(key)
            if UNSPACED_CHARACTER.search(key):
                self._unspaced.add(key)

    def remove(self, path: VaultPath, names: Iterable[str]) -> None:
        for key in filter(None, map(name_key, names)):
            self._paths[key].discard(path)
            if not self._paths[key]:
                del self._paths[key]
                self._begun[key[:EXACT_PREFIX_LETTERS], len(key)].discard(key)
                self._unspaced.discard(key)

    def find(self, question: str) -> Mapping[VaultPath, float]:
        """Return the memories that a question names, each with a score up to 1."""
        found: dict[VaultPath, float] = {}
        for key in question_keys(question):
            for name, score in self._alike(key):
                for path in self._paths[name]:
                    found[path] = max(score, found.get(path, 0.0))
        return found

    def covered_words(self, question: str) -> frozenset[str]:
        """Return the words of a question that are part of a name, folded."""
        words = words_of(question)
        return frozenset(
            word
            for start in range(len(words))
            for end in range(start + 1, min(start + MAX_NAME_WORDS, len(words)) + 1)
            if any(self._alike("".join(map(letters_and_digits, words[start:end]))))
            for word in words[start:end]
        )

    def find_named(self, name: str) -> frozenset[VaultPath]:
        return frozenset(self._paths.get(name_key(name), ()))

    def _alike(self, key: str) -> Iterator[tuple[str, float]]:
        if key in self._paths:
            yield key, 1.0
        if UNSPACED_CHARACTER.search(key):
            yield from ((name, 1.0) for name in self._unspaced if name in key and name != key)
        lengths = (len(key) - 1, len(key), len(key) + 1)
        near = (name for length in lengths for name in self._begun.get((key[:EXACT_PREFIX_LETTERS], length), ()))
        mistyped = find_mistyped(key, [name for name in near if name != key and may_be_mistyped(key, name)], 1)
        yield from ((name, MISTYPED_NAME_SCORE) for name, _ in mistyped)


def name_key(name: str) -> str:
    """Return a name's letters and digits, by which it is found; empty for one that any text could contain."""
    words = words_of(name)
    key = "".join(map(letters_and_digits, words))
    return "" if len(words) > MAX_NAME_WORDS or all(word in FUNCTION_WORDS for word in words) else key


def question_keys(question: str) -> Iterator[str]:
    words = [letters_and_digits(word) for word in words_of(question)]
    for start, first in enumerate(words):
        key = first
        yield key
        for word in words[start + 1 : start + MAX_NAME_WORDS]:
            key += word
            yield key


def may_be_mistyped(key: str, name: str) -> bool:
    longer = max(len(key), len(name))
    if longer < MIN_TYPO_LETTERS or not (key.isalpha() and name.isalpha()):
        return False
    return longer >= MIN_REPLACED_LETTERS or len(key) != len(name) or sorted(key) == sorted(name)
