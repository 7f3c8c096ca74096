"""What a check sees of a vault, how much of the processor it may use, and what it finds."""

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Annotated, ClassVar, Final

from msgspec import Struct, ValidationError, convert, field, to_builtins

from bridge.api.note_times import tells_time
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect, merge_effects
from bridge.changes.requests.base import Request, RequestContext
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments
from bridge.features.entities.public import RULE_TYPES
from bridge.features.links.public import Corpus
from bridge.features.properties.public import Rule
from bridge.features.topics.public import (
    LikelyTopic,
    TopicSettings,
    VaultTopics,
    find_topic_folder,
    is_instructions,
)
from bridge.index.boilerplate import is_template
from bridge.index.note import IndexedNote, Notes
from bridge.markdown.kinds import is_index_note, title_of
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.settings.schema import Setting
from bridge.state.dismissals import Dismissal, DismissalKind, dismissal_key
from bridge.types import Digest, VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings
from bridge.vault.rules import GlobSet


class BudgetSpent(Exception):
    """A check has used the time of the processor that it may use."""


class CallerGone(Exception):
    """Nobody waits any more for the plan."""


CHECK_TIME_SHARE = 0.5
"""Share of the time left that a check may use while others are to come."""

TRIAL_TIME_SHARE = 0.4
"""Share of the time of a plan that is kept for trying what the checks find, and for its forecast."""

WHOLE_SHARE = 0.8
"""That of a check which finds nothing unless it comes to its end."""


class PlanBudget(Struct, eq=False):
    """The processor time of one plan, which searches go before."""

    vault: OpenVault
    seconds: float
    used: dict[str, float] = field(default_factory=dict)
    """Seconds by check."""
    visited: dict[str, set[VaultPath]] = field(default_factory=dict)
    """The notes that each check has looked at, of those that look at one after the other."""
    _is_left: bool = False
    _check: str = ""
    _ends: float = 0.0
    _since: float = 0.0

    def leave(self) -> None:
        """End the look through the vault at its next pause; call from any thread."""
        self._is_left = True

    def begin(self, check: str, left: int) -> None:
        """Begin a check, which may use a share of what is left while others are to come."""
        self._check = check
        rest = self._rest()
        self._ends = time.thread_time() + (rest * CHECK_TIME_SHARE if left else rest)
        self._since = time.perf_counter()

    def extend(self) -> None:
        """Give the check that has just begun more of the time, since it finds nothing unless it comes to its end."""
        self._ends = max(self._ends, time.thread_time() + self._rest() * WHOLE_SHARE)

    def _rest(self) -> float:
        return max(0.0, self.seconds * (1 - TRIAL_TIME_SHARE) - sum(self.used.values()))

    @property
    def for_trying(self) -> float:
        """The seconds in which what one group of findings does may be tried; as long again is left for the forecast."""
        return max(0.0, self.seconds - sum(self.used.values())) / 4

    def visit(self, notes: Iterator[IndexedNote]) -> Iterator[IndexedNote]:
        """Yield notes for one check, after which each counts as looked at; searches go first between them."""
        visited = self.visited.setdefault(self._check, set())
        for note in notes:
            self.pause()
            yield note
            visited.add(note.path)

    def pause(self) -> None:
        """Let searches go first."""
        if self._is_left:
            raise CallerGone
        self.vault.indexer.require_complete()
        self._since = self.vault.index.searches.give_way_in_thread(self._since)
        if time.thread_time() > self._ends:
            raise BudgetSpent


class TopicsToCheck(Record, eq=False):
    """The topics of a vault, and those that notes without one may have."""

    known: VaultTopics
    likely: Mapping[VaultPath, LikelyTopic | None]
    """The likeliest topic of each note that was looked at; None if none is probable enough."""
    left: frozenset[VaultPath]
    """Notes without one that are left for the next plan."""


class OrphansToCheck(Record, eq=False):
    """What the orphans are like."""

    alike: Mapping[VaultPath, Mapping[VaultPath, float]] = field(default_factory=dict)
    """By orphan that was looked at: the notes that are most like it, with their weights."""
    left: frozenset[VaultPath] = frozenset()
    """Orphans that are left for the next plan."""


class CheckScope(Record, eq=False, dict=True):
    """A vault as the checks see it: without denied notes, those of agents, and those that are to be left alone."""

    vault: OpenVault
    graph_snapshot: GraphSnapshot
    style: ObsidianSettings
    never: GlobSet
    budget: PlanBudget
    corpus: Corpus = field(default_factory=Corpus)
    texts: Mapping[VaultPath, str] = field(default_factory=dict)
    stated: Sequence[Rule] = ()
    folder: str = ""
    """Only findings about notes below it; empty for all."""
    skipped: frozenset[VaultPath] = frozenset()
    """Notes that were checked since they changed."""
    dismissed: Collection[Dismissal] = ()
    topics: TopicsToCheck | None = None
    orphans: OrphansToCheck = field(default_factory=OrphansToCheck)

    @cached_property
    def notes(self) -> Notes:
        """The notes that may be looked at: without templates, and what the bridge reads as rules."""
        folder, notes = self.style.template_folders, self.graph_snapshot.notes.items()
        return {
            path: note
            for path, note in notes
            if self._is_open(note) and not is_template(note, folder) and path not in self.rules
        }

    @cached_property
    def agents(self) -> Notes:
        """The notes of agents."""
        return self.vault.index.view("agents").notes

    @cached_property
    def rules(self) -> Notes:
        """Notes read as rules: workflows, schema notes, and files in the topic folder that are not topics."""
        return {
            path: note
            for path, note in self.graph_snapshot.notes.items()
            if note.note_type in RULE_TYPES or is_instructions(note) or (self.is_topic(path) and is_index_note(path))
        }

    @cached_property
    def _topic_folder(self) -> VaultPath | None:
        return find_topic_folder(self.vault.settings.section(TopicSettings).folder, self.graph_snapshot.notes)

    def is_topic(self, path: VaultPath) -> bool:
        """Return whether a note is in the topic folder."""
        return self._topic_folder is not None and path.startswith(f"{self._topic_folder}/")

    @cached_property
    def newest_ns(self) -> int:
        """When the note that changed last did."""
        return max((note.mtime_ns for note in self.notes.values()), default=0)

    def _is_open(self, note: IndexedNote) -> bool:
        return not (self.vault.files.rules.denies(note.path) or self.never.covers(note.path) or note.is_left_alone)

    def may_change(self, path: VaultPath) -> bool:
        """Return whether a file may be changed or made; what is renamed everywhere is renamed in templates, too."""
        if self.vault.files.rules.keeps(path) or self.never.covers(path):
            return False
        note = self.graph_snapshot.notes.get(path)
        return note is None or self._is_open(note)

    def is_inside(self, path: VaultPath) -> bool:
        return not self.folder or path.startswith(f"{self.folder}/")

    def fresh(self, *, without: Collection[VaultPath] = ()) -> Iterator[IndexedNote]:
        """Yield the notes to check one by one, those changed last first; searches go first between them."""
        yield from self.budget.visit(note for note in self.by_time if note.path not in without)

    @cached_property
    def by_time(self) -> Sequence[IndexedNote]:
        """The notes to check, those changed last first."""
        fresh = (
            note
            for path, note in self.notes.items()
            if path not in self.skipped
            and note.kind == "note"
            and self.is_inside(path)
            and not self.vault.files.rules.keeps(path)
        )
        return sorted(fresh, key=lambda note: (-note.mtime_ns, note.path))

    def read(self, note: IndexedNote) -> Note | None:
        """Read a note; None unless its file is as it is indexed."""
        try:
            data, _ = self.vault.files.read(note.path)
        except BridgeError:
            return None
        read = parse(note.path, data)
        # Text that is not UTF-8 cannot be edited, and a byte order mark moves every offset.
        return read if read.digest == note.digest and data == read.text.encode("utf-8", "surrogatepass") else None

    def is_blank(self, note: IndexedNote) -> bool:
        """Return whether a note has no text but its title, nor properties but that, empty ones and its times."""
        read, title = self.read(note) if note.size <= MAX_BLANK_BYTES else None, title_of(note.path)
        return (
            read is not None
            and {*body_lines(read)} <= {f"# {title}"}
            and all(value in (None, "", [], (), title) or tells_time(name) for name, value in read.properties.items())
        )


def body_lines(note: Note) -> list[str]:
    lines = (line.strip() for line in note.text[note.body :].splitlines())
    return [line for line in lines if line]


class TidySettings(Record):
    """The settings of plans to tidy a vault."""

    never: Annotated[
        tuple[str, ...],
        Setting("Globs of notes that plans leave alone, such as `Archive/**`.", title="Notes to leave alone"),
    ] = ()
    plan_every_days: Annotated[
        int,
        Setting(
            "Days after which a new plan is made while nobody uses the bridge; 0 for never.",
            title="Days between plans",
            least=0,
            most=365,
        ),
    ] = 0
    cpu_s: Annotated[
        int,
        Setting("Seconds of one processor that making a plan may take.", title="Seconds for a plan", least=1, most=600),
    ] = 15


MAX_BLANK_BYTES: Final = 1_000
"""Bytes of a note that may be empty."""

SURE_CONFIDENCE: Final = 0.85
"""Confidence from which a finding is very likely right."""

MAX_NAMED: Final = 50
"""Notes that a finding about many names."""

REMOVING_CHECKS: Final = frozenset(("duplicates", "empty_notes", "unfilled_notes", "attachments"))
"""Checks whose findings take a file away, so that the user cannot have all of them ticked."""


class DeleteFiles(Request, kw_only=True, tag="delete_files"):
    """Deletes files of a folder, as `delete_note` does each."""

    relinks: ClassVar[bool] = True

    path: VaultPath
    """The first of them."""
    digests: Mapping[VaultPath, Digest]

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        return merge_effects(DeleteNote(path, digest).plan(draft, context) for path, digest in self.digests.items())


FindingRequest = (
    CreateNote
    | EditNote
    | SetProperties
    | MergeNotes
    | MoveNote
    | DeleteNote
    | DeleteFiles
    | RenameTag
    | RenameProperty
)
"""The request of a finding."""


class TidyFinding(Record, kw_only=True):
    """Something out of order, with the request that mends it."""

    check: str = ""
    notes: tuple[VaultPath, ...]
    """The notes that it is about, the one that changes first."""
    text: str
    """What would be done, in a sentence in which notes are links."""
    why: str
    """The evidence, in a few words."""
    confidence: float
    request: FindingRequest
    key: str = ""
    """What tells it from other findings about the same notes."""
    kind: DismissalKind = "finding"
    """The report in which the same thing can be dismissed."""
    is_ticked: bool = False
    """Whether the user always has the findings of its check ticked."""

    @property
    def dismissal(self) -> Dismissal:
        match self.kind:
            case "merge":
                return Dismissal("merge", frozenset(self.notes[:2]))
            case "prospect":
                return Dismissal("prospect", frozenset(), dismissal_key(self.key))
            case "orphan":
                return Dismissal("orphan", frozenset(self.notes[:1]))
            case "violation":
                return Dismissal("violation", frozenset(self.notes[:1]), dismissal_key(self.key))
            case _:
                # What is about many notes is told by its words alone.
                notes = frozenset(self.notes if len(self.notes) <= 2 and not self.key.startswith("all ") else ())
                return Dismissal("finding", notes, dismissal_key(f"{self.check} {self.key}"))


def propose(
    request: FindingRequest,
    text: str,
    why: str,
    confidence: float,
    *others: VaultPath,
    notes: Iterable[VaultPath] = (),
    key: str = "",
    kind: DismissalKind = "finding",
) -> TidyFinding:
    """Return what is out of order with the note that a request changes and others, or with these notes."""
    about = tuple(notes) or (request.path, *others)
    return TidyFinding(notes=about, text=text, why=why, confidence=confidence, request=request, key=key, kind=kind)


Look = Callable[[CheckScope], Iterator[TidyFinding]]
"""Yields what is found; call in a thread."""


class TidyCheck(Record):
    """A check: one kind of disorder, found without a language model."""

    name: str
    sentence: str
    """What it looks for."""
    look: Look


def tidy_check(name: str, sentence: str) -> Callable[[Look], TidyCheck]:
    return partial(TidyCheck, name, sentence)


def encode_finding(finding: TidyFinding, digests: Mapping[VaultPath, Digest]) -> str:
    return json.dumps({**to_builtins(finding), "digests": dict(digests)})


def decode_finding(record: str) -> tuple[TidyFinding, Mapping[VaultPath, Digest]]:
    try:
        facts = json.loads(record)
        digests = facts.pop("digests")
        return convert(facts, TidyFinding), digests
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise InvalidArguments("The plan was made by another version.", hint="Make a new plan.") from error
