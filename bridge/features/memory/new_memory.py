"""A memory to be written: its arguments, and the note that they make."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Annotated, Final

import orjson
from msgspec import Meta, field

from bridge.api.hints import Properties
from bridge.api.moments import day
from bridge.errors import InvalidArguments
from bridge.features.memory.memory_note import TYPE, Memory, MemoryKind, link_name, link_to, name_key, read_memory
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Value
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.text.overlap import find_overlaps
from bridge.text.scripts import is_latin
from bridge.text.secrets import require_plain
from bridge.text.stems import STOP_WORDS, stem_words
from bridge.text.words import words_of
from bridge.types import VaultPath

NEARLY_SAME: Final = 0.8
"""The share from which two memories say nearly the same."""

SAME_SUBJECT: Final = 0.5
"""The share from which two memories about the same thing are about the same side of it."""

MAX_VALUE_WORDS: Final = 2
"""Words that another value may take."""

STATEMENTS: Final = frozenset({"fact", "decision", "plan", "preference", "instruction", "persona"})
"""Kinds of which two with one title contradict each other: a decision may revoke a plan."""

_NEGATIONS: Final = frozenset(
    "not no never none nothing cannot without nicht kein keine keinen nie ohne pas jamais sans non ne".split()  # noqa: SIM905
)


class Comparison(Record):
    """How a text relates to that of a memory."""

    share: float
    """How much they have in common, from 0 to 1."""
    contrary: bool
    """Whether they give different values for the same thing."""


def text_digest(text: str) -> str:
    """Return a digest that two texts share when they differ in case and spaces only."""
    return hashlib.sha256(" ".join(fold_case(text).split()).encode("utf-8", "replace")).hexdigest()[:16]


def compare_statements(new: Memory, text: str, others: Mapping[VaultPath, tuple[Memory, str]]) -> list[Comparison]:
    """Compare a new memory with existing ones."""
    own, digest, negates = _content(text), text_digest(text), _negates(text)
    overlaps = dict(find_overlaps(text, {path: other for path, (_, other) in others.items()}))

    def compare(old: Memory, old_text: str, overlap: float) -> Comparison:
        other = _content(old_text)
        dice = 2 * (own & other).total() / max(1, own.total() + other.total())
        share = max(dice, overlap)
        if not _share_scope(new, old):
            return Comparison(share, contrary=False)
        same_title = name_key(new.title) == name_key(old.title) != ""
        if same_title and STATEMENTS.issuperset((new.kind, old.kind)):
            return Comparison(share, contrary=digest != text_digest(old_text))
        same_subject = same_title or bool(_subjects(new) & _subjects(old))
        denies = negates != _negates(old_text)
        differs = dice >= SAME_SUBJECT and (denies or _is_value(own - other, other - own))
        return Comparison(share, contrary=(same_subject and differs) or (share >= NEARLY_SAME and denies))

    return [compare(old, old_text, overlaps.get(path, 0.0)) for path, (old, old_text) in others.items()]


def says_no_more(text: str, other: str) -> bool:
    """Return whether a text has no word that another lacks, and denies what the other denies."""
    return not _content(text) - _content(other) and _negates(text) == _negates(other)


def _content(text: str) -> Counter[str]:
    words = [word for word in words_of(text) if word not in STOP_WORDS]
    latin = [word for word in words if is_latin(word)]
    return Counter([*stem_words("english", latin), *(word for word in words if not is_latin(word))])


def _is_value(new: Counter[str], old: Counter[str]) -> bool:
    if any(map(_has_digit, new)) and any(map(_has_digit, old)):
        return True
    return 0 < new.total() <= MAX_VALUE_WORDS and 0 < old.total() <= MAX_VALUE_WORDS


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _negates(text: str) -> bool:
    return sum(word in _NEGATIONS or word.endswith("n't") for word in words_of(text)) % 2 == 1


def _subjects(memory: Memory) -> set[str]:
    names: Iterable[str] = (*memory.aliases, *memory.about)
    return {key for key in map(name_key, names) if key}


def _share_scope(one: Memory, other: Memory) -> bool:
    return one.is_global or other.is_within(tuple(map(str.casefold, one.scope)))


Title = Annotated[str, Meta(max_length=500)]
MemoryText = Annotated[str, Meta(max_length=51_200)]
Word = Annotated[str, Meta(max_length=100)]
Words = Annotated[tuple[Word, ...], Meta(max_length=20)]
Places = Annotated[tuple[Annotated[str, Meta(max_length=1_000)], ...], Meta(max_length=50)]
Share = Annotated[float, Meta(ge=0, le=1)]

MAX_METADATA_BYTES: Final = 10_240
"""Bytes of further properties, as JSON."""

OWN: Final = frozenset(
    {
        *("type", "id", "kind", "title", "created", "updated", "tags", "aliases", "scope", "about", "files", "agent"),
        *("session", "confidence", "expires", "pinned", "private_to", "supersedes", "superseded_by", "conflicts_with"),
    }
)
"""Properties that have an argument, or that only the bridge sets."""

_DAYS: Final = re.compile(r"(\d{1,5})\s*d(?:ays?)?")


class NewMemory(Record):
    """What to remember.

    Attributes:
        title: What it is about, in a line; also the note's name.
        text: What to remember, in a paragraph or a few; may contain links.
        kind: What it is; `raw` if unsorted.
        tags: Tags, without `#`.
        aliases: Other names by which a question may mean it.
        scope: Where it holds, such as `domain:code` or `project:oven`; everywhere if empty.
        about: Notes that it is about, by path or name.
        files: Files outside the vault.
        metadata: More properties, such as `valid_from` or `valid_until`.
        confidence: How sure it is.
        expires: Day on which it stops to hold, or a number of days such as `90d`.
        pinned: Return it from every `recall` in its scope.
        private: Return it to this client only.
    """

    title: Title
    text: MemoryText
    kind: MemoryKind = "raw"
    tags: Words = ()
    aliases: Words = ()
    scope: Words = ()
    about: Places = ()
    files: Places = ()
    metadata: Properties = field(default_factory=dict)
    confidence: Share = 1.0
    expires: Word | None = None
    pinned: bool = False
    private: bool = False


def require_sound(new: NewMemory) -> None:
    """Require that a memory can be written."""
    for name, text in (("title", new.title), ("text", new.text)):
        if not text.strip():
            raise InvalidArguments(f"`{name}` is empty.")
    lists = {"tags": new.tags, "aliases": new.aliases, "scope": new.scope, "about": new.about, "files": new.files}
    require_entries(lists)
    words = "\n".join(word for entries in lists.values() for word in entries)
    require_plain(title=new.title, text=new.text, words=words)
    if cut_frontmatter(new.text) is not None:
        raise InvalidArguments("`text` begins with properties.", hint="Pass them as `metadata`.")
    require_own_metadata(new.metadata)


def require_entries(lists: Mapping[str, Sequence[str]]) -> None:
    for name, entries in lists.items():
        if not all(map(str.strip, entries)):
            raise InvalidArguments(f"`{name}` has an empty entry.", hint="Leave it out.")


def require_own_metadata(metadata: Properties) -> None:
    """Require that further properties are none of those that the bridge sets, short, and without a secret."""
    written = orjson.dumps(dict(metadata)).decode()
    require_plain(metadata=written)
    if len(written.encode()) > MAX_METADATA_BYTES:
        raise InvalidArguments(f"`metadata` is longer than {MAX_METADATA_BYTES:,} bytes.")
    if taken := sorted(name for name in metadata if name.casefold() in OWN):
        raise InvalidArguments(f"`metadata` may not set `{taken[0]}`.", hint="Use the argument of that name, if any.")
    memory = read_memory(VaultPath(""), {"type": TYPE, **metadata}, title="")
    if memory is not None and memory.problems:
        raise InvalidArguments(f"In `metadata`, {memory.problems[0]}")


def memory_properties(new: NewMemory, *, client: str | None, session: str) -> dict[str, Value]:
    """Return the properties of a new memory's note, without those that have their defaults."""
    moment = datetime.now().astimezone()
    if new.private and client is None:
        raise InvalidArguments("A private memory needs a client with a name.", hint="Leave out `private`.")
    written: dict[str, Value] = {
        "id": f"memory-{moment:%Y%m%d}-{token_hex(3)}-{text_digest(new.text)}",
        "type": TYPE,
        "kind": new.kind,
        "title": new.title.strip(),
        "created": moment.isoformat(timespec="seconds"),
        "tags": [tag.strip().lstrip("#") for tag in new.tags],
        "aliases": [*new.aliases],
        "scope": [*new.scope],
        "about": [*map(link_to, new.about)],
        "files": [*new.files],
        "agent": client,
        "session": session,
        "confidence": None if new.confidence == 1 else new.confidence,
        "expires": None if new.expires is None else expiry_day(new.expires),
        "pinned": new.pinned or None,
        "private_to": client if new.private else None,
        **new.metadata,
    }
    return {name: value for name, value in written.items() if value is not None and value != []}


def expiry_day(written: str) -> str:
    today = datetime.now().astimezone().date()
    if days := _DAYS.fullmatch(written.strip()):
        expires = (today + timedelta(days=int(days[1]))).isoformat()
    else:
        try:
            expires = day("expires", written)
        except InvalidArguments as error:
            raise InvalidArguments(error.message, hint="A number of days is written as `90d`.") from None
    if expires <= today.isoformat():
        raise InvalidArguments(
            f"`expires` is {expires}, so that the memory would not hold any more.",
            hint="Name a later day or a number of days such as `90d`; `forget_memory` archives a memory.",
        )
    return expires


def preview_memory(path: VaultPath, new: NewMemory, properties: dict[str, Value]) -> Memory:
    memory = read_memory(path, properties, title=new.title, aliases=new.aliases, tags=new.tags)
    assert memory is not None  # noqa: S101 - the properties say what it is
    return memory


def names_of(links: Places) -> tuple[str, ...]:
    """Return the names of notes given by path, name or link."""
    return tuple(map(link_name, links))
