"""Records corrections."""

import asyncio
import hashlib
import re
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator
from datetime import date, datetime
from typing import Annotated, Final, Literal, get_args

from msgspec import Meta
from msgspec.structs import asdict, replace

from bridge.api.agreement import open_folder, set_up_requests
from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.markup import Element, Line
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, client_name, execute_requests, nothing_written
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments, NoteNotFound, ProtectedPath
from bridge.markdown.edit.apply import find_text
from bridge.markdown.links import inside_wiki
from bridge.records import Record
from bridge.state.link_feedback import LinkFeedback
from bridge.text.fold import fold_case
from bridge.text.invisible import one_line
from bridge.text.lines import add_lines, change_lines
from bridge.text.secrets import require_plain
from bridge.text.word_boundary import is_whole_word
from bridge.types import Span, VaultPath

NOTE: Final = "Corrections.md"
"""The name of the note in the agents' folder."""

CorrectionKind = Literal["wrong_link", "wrong_name", "wrong_fact", "wrong_place", "general"]

_HEAD: Final = """\
---
type: corrections
---
What was found to be wrong, and what agents must know. Tick what is corrected, or delete it; lines of your own are told,
too.

"""
_LINE: Final = re.compile(
    rf"- \[(?P<box>.)\] (?P<kind>{'|'.join(get_args(CorrectionKind))}) · (?P<text>[^·\n]+?)"
    rf"(?: · in \[\[(?P<about>{inside_wiki()}+)\]\])?"
    r"(?: · by (?P<client>[^·\n]+?))? · (?P<day>\d{4}-\d\d-\d\d)"
    r"(?: · (?:applied|dismissed)(?:: [^·\n]+?)?)?(?: ✅ \d{4}-\d\d-\d\d)? \^(?P<id>c-[0-9a-f]{8})\s*"
)
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[(?P<box>.)\]\s+)?(?P<text>\S.*)")
_BLOCK: Final = re.compile(r"\s+\^[\w-]+\s*$")
_QUOTATION: Final = r"[“\"„«`‘']{name}[”\"“»`’']"
_OLD_NAME, _NEW_NAME = (_QUOTATION.replace("{name}", rf"(?P<{name}>[^“”\"„«»`\n]{{3,80}}?)") for name in ("old", "new"))
_WORD: Final = r"[^\s“”\"„«»`→>·][^→>\n]{1,78}?[^\s“”\"„«»`→>·.]"
_REPLACEMENTS: Final = (
    rf"{_OLD_NAME}\s*(?:→|[-=]>)\s*{_NEW_NAME}\.?",
    rf"(?P<old>{_WORD})\s*(?:→|[-=]>)\s*(?P<new>{_WORD})\.?",
    rf"{_OLD_NAME}\s+(?:should|must)\s+be\s+(?:spelt\s+|spelled\s+|written\s+)?{_NEW_NAME}\.?",
    rf"{_OLD_NAME}\s+is\s+(?:spelt|spelled|written)\s+{_NEW_NAME}\.?",
    rf"(?:it\s+is\s+|write\s+|say\s+)?{_NEW_NAME},?\s+(?:not|instead\s+of)\s+{_OLD_NAME}\.?",
    rf"not\s+{_OLD_NAME},?\s+but\s+{_NEW_NAME}\.?",
)
"""The sentences that say which words stand for which; compiled when the first is looked for."""


class Correction(Record):
    """A correction in the note."""

    id: str
    """The block id of its line."""
    kind: CorrectionKind
    text: str
    about: str
    """The path of the note that is wrong; empty if none is named."""
    client: str
    day: date
    is_open: bool = True


def new_correction(kind: CorrectionKind, text: str, about: str, client: str, day: date) -> Correction:
    """Return a correction; the same words on the same note have the same id."""
    shown = _plain(text)
    key = "\n".join((kind, about, " ".join(shown.casefold().split())))
    return Correction(f"c-{hashlib.sha256(key.encode()).hexdigest()[:8]}", kind, shown, about, _plain(client), day)


def read_corrections(text: str) -> Iterator[Correction]:
    """Yield the corrections of a note; a line that is written differently is none."""
    return filter(None, map(_parse, text.splitlines()))


def add_correction(text: str, new: Correction) -> str:
    """Return the note with a correction after the last one; every other line stays as it is."""
    if any(one.id == new.id for one in read_corrections(text)):
        return change_lines(text, lambda line: _write(new) if (one := _parse(line)) and one.id == new.id else line)
    return add_lines(text or _HEAD, [_write(new)], lambda line: _parse(line) is not None)


def open_items(text: str) -> list[str]:
    """Return the texts of all list items of a note, without the tasks that are ticked, in order."""
    found = (_ITEM.fullmatch(line) for line in text.splitlines())
    return [_BLOCK.sub("", item["text"]) for item in found if item and (item["box"] or " ") == " "]


class Replacement(Record):
    """Words that should be others."""

    old: str
    new: str
    about: str
    """The path of the note that is wrong, without `.md`; empty for all."""

    @property
    def key(self) -> str:
        """What tells the findings of it from those of others."""
        return f"{self.old} {self.new}"

    def spans(self, text: str) -> list[Span]:
        """Return where the old words stand in a text, where they are not inside of others."""
        return [span for span in find_text(text, self.old) if is_whole_word(text, *span, surely=True)]


def open_replacements(text: str) -> Iterator[Replacement]:
    """Yield the open corrections that only say which words should be which, those in a person's own lines, too."""
    return filter(None, map(_open_replacement, text.splitlines()))


def settle_replacements(text: str, applied: Collection[Replacement]) -> str:
    """Return the note with the open tasks of some replacements ticked; every other line stays as it is."""

    def settle(line: str) -> str:
        if _open_replacement(line) not in applied:
            return line
        if (known := _parse(line)) is not None:
            return _write(replace(known, is_open=False))
        item = _ITEM.fullmatch(line)
        return f"{line[: item.start('box')]}x{line[item.end('box') :]}" if item and item["box"] else line

    return change_lines(text, settle)


def _open_replacement(line: str) -> Replacement | None:
    known, item = _parse(line), _ITEM.fullmatch(line)
    if known is not None:
        words, about, is_open = known.text, known.about, known.is_open and known.kind != "wrong_link"
    elif item is not None:
        words, about, is_open = _BLOCK.sub("", item["text"]).strip(), "", (item["box"] or " ") == " "
    else:
        return None
    found = _read_replacement(words) if is_open else None
    return None if found is None else Replacement(*found, about)


def _read_replacement(text: str) -> tuple[str, str] | None:
    for pattern in _REPLACEMENTS:
        if (found := re.fullmatch(pattern, text.strip(), re.IGNORECASE)) is not None:
            old, new = found["old"].strip(), found["new"].strip()
            # Otherwise the new words would be found again.
            return None if Replacement(old, new, "").spans(new) else (old, new)
    return None


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[·\n]|\s\^(?=[\w-]+$)", " ", one_line(text)).split())


def _parse(line: str) -> Correction | None:
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    try:
        day = date.fromisoformat(found["day"])
    except ValueError:
        return None
    kind = next(each for each in get_args(CorrectionKind) if each == found["kind"])
    about, client = found["about"] or "", found["client"] or ""
    return Correction(found["id"], kind, found["text"], about, client, day, found["box"] == " ")


def _write(one: Correction) -> str:
    box, end = (" ", "") if one.is_open else ("x", " · applied")
    about = f" · in [[{one.about}]]" if one.about else ""
    by = f" · by {one.client}" if one.client else ""
    return f"- [{box}] {one.kind} · {one.text}{about}{by} · {one.day.isoformat()}{end} ^{one.id}"


Words = Annotated[str, Meta(min_length=1, max_length=500)]


class LineChange(Request, kw_only=True):
    """Changes lines of a note, which may not exist yet; whatever else it says stays byte for byte."""

    @abstractmethod
    def edit(self, text: str) -> str:
        """Return the text of the note as it is to be."""

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        there = draft.has(self.path)
        text = draft.read(self.path).decode("utf-8", "surrogateescape") if there else ""
        (draft.replace if there else draft.create)(self.path, self.edit(text).encode("utf-8", "surrogateescape"))
        return Effect()


class CorrectionsChange(LineChange, kw_only=True, tag="record_correction"):
    """Adds a correction to the note."""

    added: Correction

    def edit(self, text: str) -> str:
        return add_correction(text, self.added)


class RecordedCorrection(Written, kw_only=True):
    """A correction that was recorded.

    Attributes:
        id: Its id, which is also the block id of its line.
        declined: Whether the wrong link was declined, so that it is not suggested in that note again.
    """

    id: str
    declined: bool = False


@operation(
    example={"kind": "wrong_fact", "text": "Rye needs more water than the table says", "dry_run": True},
    reads=False,
    scope="write",
    tasks=(
        "record that something in the notes is wrong",
        "the user corrected you: write the correction down",
        "this link is wrong, do not suggest it again",
    ),
)
async def record_correction(
    call: Call,
    kind: CorrectionKind,
    text: Words,
    path: VaultPath | None = None,
    target: VaultPath | None = None,
    words: Annotated[str, Meta(max_length=200)] | None = None,
    *,
    options: WriteArguments,
) -> RecordedCorrection:
    """Record a correction as a task in `Corrections.md` of the agents' folder; briefings tell open ones.

    `list_tasks` lists them by the path of that note, `toggle_task` ticks one; the same words again open it again.

    Args:
        kind: What is wrong; a `wrong_link` with `path` and `target` is not suggested there again.
        text: What is wrong and what is right, in a sentence.
        path: The note that is wrong.
        target: For a wrong link, the note that it leads to.
        words: For a wrong link, the linked words; by default the title of the target.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        ConfirmationRequired: The user did not agree to the agents' folder yet.
        InvalidArguments: The text holds a secret, or `target` is given without `path` or for another kind.
    """
    vault = call.vault
    vault.require_keyword()
    require_plain(text=text)
    for note in filter(None, (path, target)):
        if note not in vault.index.notes:
            raise no_such_note(vault, note)
    if target is not None and (path is None or kind != "wrong_link"):
        raise InvalidArguments("`target` is for a `wrong_link` in the note `path`.")
    folder, agreed = open_folder(call, options)
    today = datetime.now().astimezone().date()
    new = new_correction(kind, text, (path or "").removesuffix(".md"), client_name(call) or "", today)
    if not new.text:
        raise InvalidArguments("`text` says nothing.")
    place = folder.place(NOTE)
    known = {one.id: one for one in await asyncio.to_thread(stored_corrections, vault)}
    if new.id in known and known[new.id].is_open:
        made = nothing_written(place, f"This is recorded already, as `{new.id}`.")
    else:
        requests: list[Request] = set_up_requests(call, folder)
        requests.append(CorrectionsChange(path=place, added=new))
        made = await execute_requests(call, requests, options, operation="record_correction", agreed=agreed)
    declines = False
    if path is not None and target is not None and not options.dry_run:
        declines = True
        form = fold_case(words or vault.index.notes[target].title).strip()
        feedback = LinkFeedback(path, target, form, 0, 1, int(not call.is_user))
        await asyncio.to_thread(vault.store.feedback.add, feedback)
    return RecordedCorrection(**asdict(made), id=new.id, declined=declines)


def stored_corrections(vault: OpenVault) -> list[Correction]:
    """Return the corrections of the note as it is on disk; none without a readable note. Blocks."""
    try:
        data, _ = vault.files.read(agents_folder(vault.settings).place(NOTE))
    except (NoteNotFound, ProtectedPath):
        return []
    return list(read_corrections(data.decode("utf-8-sig", "replace")))


def recorded_view(recorded: RecordedCorrection) -> Iterable[Element]:
    """Show a recorded correction: its id, then the change."""
    yield Line(f"correction {recorded.id}" + (" · this link is not suggested again" if recorded.declined else ""))
    yield from written_view(recorded)
