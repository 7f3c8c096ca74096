"""A handoff as Markdown: what one session leaves to the next, with claims whose proofs are checked in the vault."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import chain, filterfalse
from typing import Annotated, Any, Final, Literal, TypeVar

from msgspec import DecodeError, Meta, json
from msgspec.structs import asdict

from bridge.api.call import Call
from bridge.api.hints import Scalar
from bridge.api.note_names import find_file
from bridge.api.note_text import open_note
from bridge.engine.agents_folder import AgentsFolder
from bridge.errors import AmbiguousHeading, BridgeError, HeadingNotFound, NoteNotFound
from bridge.index.note import IndexedNote, time_written
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.apply import similar_lines
from bridge.markdown.note import Note, Task, field_of
from bridge.markdown.sections import find_section, quote_lines, read_sections, write_section
from bridge.markdown.tasks import TaskSettings
from bridge.records import Record
from bridge.text.budget import shorten
from bridge.text.content_terms import terms_of
from bridge.text.days import add_years, cut_days, full_days
from bridge.text.function_words import function_words, spoken_languages
from bridge.text.invisible import one_line
from bridge.text.sentence import names_in, negates, numbers_of
from bridge.text.stems import DEFAULT, language_of
from bridge.text.words import words_of
from bridge.types import Digest, VaultPath, is_same_digest

T = TypeVar("T")

Short = Annotated[str, Meta(max_length=1_000)]
Long = Annotated[str, Meta(max_length=5_000)]
Items = Annotated[tuple[Short, ...], Meta(max_length=50)]

Outcome = Literal["still_true", "changed", "gone", "unchecked"]

MAX_QUOTED_CHARS: Final = 160

_TASK: Final = re.compile(r"(?P<path>.+?\.md):(?P<line>[0-9]{1,9})(?:\s+(?P<text>.*))?")
_TASK_FORM, _LINK_FORM = "a task is named as `path:line text`, with `status`", "a link is named as `path → path`"
_FORMS: Final = (
    *(("path", "quote"), ("path", "digest"), ("path", "heading"), ("path", "property", "value"), ("task", "status")),
    *(("link",), ("change_id", "state"), ("file", "sha256"), ("command", "result"), ("url",)),
)
"""The fields of a proof of each form, of which the first is needed, and of a note the second."""

_ARROW: Final = re.compile(r"\s*(?:→|->)\s*")
_BOXES: Final = TaskSettings()


class Proof(Record):
    """What a claim rests on: one of `path` with `quote`, `digest`, `heading` or `property`; else a field of its own.

    Attributes:
        path: The note.
        quote: Text in it.
        digest: SHA-256 of the file.
        heading: A heading in it, such as `A > B`.
        property: A property in it, with `value`.
        value: That property's value; null if it has none.
        change_id: A change, with `state`.
        state: That change's state.
        task: A task as `path:line text`, with `status`.
        status: Its box character, `open` or `done`.
        link: A link as `path → path`.
        file: Any file, with `sha256`.
        sha256: The SHA-256 of that file.
        command: A command, with `result`; never checked.
        result: What that command printed.
        url: A web page; never checked.
    """

    path: VaultPath | None = None
    quote: Long | None = None
    digest: Digest | None = None
    heading: Short | None = None
    property: Short | None = None
    value: Scalar | tuple[Scalar, ...] = None
    change_id: Short | None = None
    state: Short | None = None
    task: Short | None = None
    status: Short | None = None
    link: Short | None = None
    file: VaultPath | None = None
    sha256: Digest | None = None
    command: Short | None = None
    result: Long | None = None
    url: Short | None = None


class Claim(Record):
    """Something that the next session may rely on.

    Attributes:
        text: The claim, in one sentence.
        proof: What shows it, checked now and when it is read: `{path, quote}`, `{path, heading}`, `{path, property,
            value}`, `{task: "path:line text", status}`, `{link: "path → path"}`, `{change_id, state}`.
    """

    text: Short
    proof: Proof | None = None


class Handoff(Record):
    """What is handed over.

    Attributes:
        goal: What is to be reached.
        state: How far it is.
        next_action: What to do first.
        constraints: What must not be done or changed.
        unknowns: What is not known yet.
        artifacts: Notes and files that matter, as links or paths.
        stop_conditions: When to stop and ask.
        claims: What can be relied on, each with a proof of it; a false one is refused.
    """

    goal: Long
    state: Long
    next_action: Long
    constraints: Items = ()
    unknowns: Items = ()
    artifacts: Items = ()
    stop_conditions: Items = ()
    claims: Annotated[tuple[Claim, ...], Meta(max_length=50)] = ()


class ProofCheck(Record):
    """Whether a proof holds, and why not or where."""

    outcome: Outcome
    why: str = ""


class VaultEvidence:
    """The vault of a call; its methods block."""

    def __init__(self, call: Call) -> None:
        self._vault = call.vault

    def note(self, path: VaultPath) -> Note | None:
        with suppress(NoteNotFound):
            return open_note(self._vault, path)
        return None

    def file_digest(self, path: VaultPath) -> Digest | None:
        with suppress(NoteNotFound):
            return digest_of(self._vault.files.read(path)[0])
        return None

    def moved_to(self, path: VaultPath) -> VaultPath | None:
        files = self._vault.files
        return self._vault.store.journal.moved_to(path, lambda one: files.has(one) and not files.rules.denies(one))

    def find(self, name: str) -> VaultPath:
        try:
            return find_file(self._vault.files, self._vault.names, name)
        except BridgeError:
            return VaultPath(name)

    def links_of(self, note: Note) -> Iterator[VaultPath]:
        for link in note.links:
            target = self._vault.names.resolve(link.target, note.path, link.kind).path
            if target is not None:
                yield target

    def change_state(self, change: str) -> str | None:
        found = self._vault.store.journal.change(change)
        return None if found is None else found.state


def plain_proof(proof: Proof) -> dict[str, Any]:
    return {
        name: value
        for name, value in asdict(proof).items()
        if value is not None or (name == "value" and proof.property is not None)
    }


def check_proof(proof: Proof | None, facts: VaultEvidence) -> ProofCheck:
    match proof:
        case _ if proof is None or proof == Proof():
            verdict = ProofCheck("unchecked", "no proof was given")
        case _ if (flaw := _find_flaw(proof)) is not None:
            verdict = ProofCheck("changed", flaw)
        case Proof(path=path) if path is not None:
            verdict = _check_at(path, facts, facts.note, lambda note: _check_note(proof, note))
        case Proof(file=file) if file is not None:
            verdict = _check_at(file, facts, facts.file_digest, lambda digest: _check_digest(digest, proof.sha256))
        case Proof(change_id=change) if change is not None:
            verdict = _check_change(facts.change_state(change), proof.state)
        case Proof(task=task) if task is not None:
            verdict = _check_task(task, proof.status or "", facts)
        case Proof(link=link) if link is not None:
            verdict = _check_link(link, facts)
        case _:
            verdict = ProofCheck("unchecked", "commands and web pages are not checked")
    return verdict


def _find_flaw(proof: Proof) -> str | None:
    """Return how a proof is written that has no form."""
    given = {name for name, value in asdict(proof).items() if value is not None}
    if any(given.issubset(form) and given.issuperset(form[: 1 + ("path" in form)]) for form in _FORMS):
        return None
    forms = ", ".join(f"`{{{', '.join(form)}}}`" for form in _FORMS)
    return _TASK_FORM if "task" in given else _LINK_FORM if "link" in given else f"a proof is one of {forms}"


def find_gap(claim: str, proof: Proof | None) -> str | None:
    """Return why a quote, heading or value does not show its claim, whatever the note says; None if it may."""
    shown = None if proof is None else proof.quote or proof.heading
    if shown is None:
        return None if proof is None or proof.value is None else _find_other_value(claim, str(proof.value))
    if negates(claim) and not negates(shown):
        return "that something stands in a note does not show what is not so"
    language, spoken = language_of(f"{claim}\n{shown}"), tuple(map(_languages_of, (claim, shown)))
    left_out = function_words(language).union(*map(function_words, chain(*spoken)))
    told, quoted = (
        frozenset(terms_of(" ".join(filterfalse(left_out.__contains__, words_of(text))), language, numbers=True))
        for text in (claim, shown)
    )
    # Texts of two languages need not have a word in common.
    is_foreign = all(spoken) and spoken[0].isdisjoint(spoken[1]) and any(map(str.isalpha, shown))
    if told and told.isdisjoint(quoted) and not is_foreign:
        return "its proof says none of its words"
    names = (frozenset(terms_of(names_in(text), language)) for text in (claim, shown))
    if all(one and one <= own for one, own in zip((told - quoted, quoted - told), names, strict=True)):
        return f"its proof says “{shorten(one_line(shown), MAX_QUOTED_CHARS)}”"
    return _find_other_value(claim, shown)


def _languages_of(text: str) -> frozenset[str | None]:
    """Return the languages in which a short text may be; none if nothing tells."""
    return frozenset(spoken_languages(words_of(text)) or {language_of(text)} - {DEFAULT})


def _find_other_value(claim: str, shown: str) -> str | None:
    """Return which days and numbers each of two texts has that the other lacks; None if one has no other."""
    told, proved = (
        full_days(text) | {number.lstrip("0") or "0" for number in numbers_of(cut_days(text))}
        for text in (add_years(claim, [shown]), add_years(shown, [claim]))
    )
    said, instead = (", ".join(sorted(one)) for one in (told - proved, proved - told))
    return f"its proof says {instead}, not {said}" if said and instead else None


def _compare(fact: str, *, holds: bool) -> ProofCheck:
    return ProofCheck("still_true") if holds else ProofCheck("changed", fact)


def _check_change(state: str | None, wanted: str | None) -> ProofCheck:
    if state is None:
        return ProofCheck("gone", "the change is not known")
    return _compare(f"the change is {state}", holds=state == wanted)


def _check_at(
    path: VaultPath, facts: VaultEvidence, find: Callable[[VaultPath], T | None], check: Callable[[T], ProofCheck]
) -> ProofCheck:
    found, now = find(path), None
    if found is None and (now := facts.moved_to(path)) is not None:
        found = find(now)
    if found is None:
        return ProofCheck("gone", f"there is no `{path}`")
    verdict = check(found)
    if now is None:
        return verdict
    return ProofCheck(verdict.outcome, "; ".join(filter(None, (f"moved to `{now}`", verdict.why))))


def _check_note(proof: Proof, note: Note) -> ProofCheck:
    if proof.quote is not None:
        return _check_quote(proof.quote, note.text)
    if proof.digest is not None:
        return _compare(f"its digest is {note.digest[:12]}", holds=is_same_digest(note.digest, proof.digest))
    if proof.heading is not None:
        return _check_heading(proof.heading, note)
    name = (proof.property or "").casefold()
    found = [value for key, value in note.properties.items() if str(key).casefold() == name]
    value = found[0] if found else None
    fact = f"it has no property `{proof.property}`"
    if found:
        fact = f"`{proof.property}` is {shorten(str(value), MAX_QUOTED_CHARS)}"
    return _compare(fact, holds=_as_list(value) == _as_list(proof.value))


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, list | tuple) else value


def _check_quote(quote: str, text: str) -> ProofCheck:
    if not one_line(quote):
        return ProofCheck("changed", "the quote is empty")
    if one_line(quote) in one_line(text):
        return ProofCheck("still_true")
    lines = text.split("\n")
    wanted = next((line for line in quote.split("\n") if line.strip()), quote)
    near = similar_lines(lines, one_line(wanted), 0.0)
    if not near:
        return ProofCheck("changed", "the note is empty")
    line = shorten(one_line(lines[near[0] - 1]), MAX_QUOTED_CHARS)
    return ProofCheck("changed", f"it lacks the quote; the nearest line is {near[0]}: “{line}”")


def _check_heading(heading: str, note: Note) -> ProofCheck:
    try:
        find_section(note, heading)
    except AmbiguousHeading:
        return ProofCheck("still_true", "several headings have this name")
    except HeadingNotFound as error:
        return ProofCheck("changed", error.message.removesuffix("."))
    return ProofCheck("still_true")


def _check_digest(digest: Digest, wanted: Digest | None) -> ProofCheck:
    return _compare(f"its SHA-256 is {digest[:12]}…", holds=wanted is None or is_same_digest(digest, wanted))


def _check_task(task: str, status: str, facts: VaultEvidence) -> ProofCheck:
    named = _TASK.fullmatch(task.strip())
    if named is None:
        return ProofCheck("changed", _TASK_FORM)
    text, line = one_line(named["text"] or ""), int(named["line"])

    def check(note: Note) -> ProofCheck:
        found = [one for one in note.tasks if (text in one_line(one.text) if text else one.line == line)]
        if not found:
            return ProofCheck("changed", "there is no such task in the note")
        one = min(found, key=lambda one: abs(one.line - line))
        return _compare(f"its box is [{one.status}], in line {one.line}", holds=_has_status(one, status))

    return _check_at(facts.find(named["path"]), facts, facts.note, check)


def _has_status(task: Task, status: str) -> bool:
    match status:
        case "done":
            return _BOXES.meaning(task.status) == "done"
        case "open":
            return _BOXES.is_open(task.status)
        case _:
            return task.status == (status or task.status)


def _check_link(link: str, facts: VaultEvidence) -> ProofCheck:
    ends = [facts.find(end) for end in _ARROW.split(link.strip()) if end]
    if len(ends) != 2:
        return ProofCheck("changed", _LINK_FORM)
    source, target = ends
    targets = {target, facts.moved_to(target)}
    return _check_at(
        source,
        facts,
        facts.note,
        lambda note: _compare("it links there no longer", holds=not targets.isdisjoint(facts.links_of(note))),
    )


TYPE: Final = "handoff"
"""The value of the property `type` that makes a note a handoff."""

TAKEN_STATUS: Final = "taken"
"""The value of `status` once somebody took it over."""

TEXTS: Final = {"Goal": "goal", "State": "state", "Next action": "next_action"}
LISTS: Final = {
    "Constraints": "constraints",
    "Unknowns": "unknowns",
    "Artifacts": "artifacts",
    "Stop conditions": "stop_conditions",
}
CLAIMS: Final = "Claims"
_CLAIM: Final = re.compile(r"- (?:\[(?P<box>.)\] )?(?P<text>.*?)(?: %%proof: (?P<proof>\{.*\})%%)?")


def handoff_name(goal: str, now: datetime) -> str:
    return f"{now:%Y-%m-%d %H%M} {one_line(goal)[:60].strip()}"


def handoff_properties(goal: str, now: datetime, client: str | None, session: str, to: str | None) -> dict[str, Any]:
    values = {
        "type": TYPE,
        "title": one_line(goal)[:300],
        "status": "open",
        "created": now.isoformat(timespec="seconds"),
        "agent": client,
        "session": session,
        "to": to,
    }
    return {name: value for name, value in values.items() if value}


def write_handoff(handoff: Handoff) -> str:
    """Write the body of a handoff: texts as quotes, lists as items, proved claims as tasks that a person can untick."""
    parts = [f"# {one_line(handoff.goal)}\n"]
    for heading, name in TEXTS.items():
        parts.append(write_section(heading, quote_lines(getattr(handoff, name))))
    for heading, name in LISTS.items():
        parts.append(write_section(heading, (f"- {_flat(text)}" for text in getattr(handoff, name))))
    parts.append(write_section(CLAIMS, map(_claim_line, handoff.claims)))
    return "\n".join(part for part in parts if part)


def read_handoff(note: Note) -> Handoff:
    """Read a handoff, however a person has edited it; claims whose box is not ticked are left out."""
    values: dict[str, Any] = dict.fromkeys(TEXTS.values(), "")
    for heading, lines in read_sections(note.text):
        if heading in TEXTS:
            quoted = (line[1:].removeprefix(" ") if line.startswith(">") else line for line in lines)
            values[TEXTS[heading]] = "\n".join(quoted).strip()
        elif heading in LISTS:
            values[LISTS[heading]] = tuple(line[2:].strip() for line in lines if line.startswith(("- ", "* ")))
        elif heading == CLAIMS:
            values["claims"] = tuple(_claims(lines))
    return Handoff(**values)


def is_handoff(note: IndexedNote, folder: AgentsFolder) -> bool:
    return note.note_type == TYPE and folder.holds(note.path)


def waiting_handoffs(notes: Iterable[IndexedNote], folder: AgentsFolder, client: str | None) -> list[IndexedNote]:
    """Return the handoffs to a client, or to any, that nobody took, the newest first."""
    me = (client or "").casefold()
    waiting = (
        note
        for note in notes
        if is_handoff(note, folder)
        and field_of(note.properties, "status") != TAKEN_STATUS
        and str(field_of(note.properties, "to") or me).casefold() == me
    )
    return sorted(waiting, key=lambda note: (time_written(note), note.mtime, note.path), reverse=True)


def _flat(text: str) -> str:
    return one_line(text) or "…"


def _claim_line(claim: Claim) -> str:
    text = _flat(claim.text).replace("%%", "% %")
    if claim.proof is None or claim.proof == Proof():
        return f"- {text}"
    line = f"- {text}" if claim.proof.command or claim.proof.url else f"- [x] {text}"
    # A comment of Obsidian ends at the next `%%`.
    proof = json.encode(plain_proof(claim.proof)).decode().replace("%", "\\u0025")
    return f"{line} %%proof: {proof}%%"


def _claims(lines: Iterable[str]) -> Iterator[Claim]:
    for line in lines:
        found = _CLAIM.fullmatch(line.rstrip())
        if found is not None and found["box"] in {None, "x", "X"}:
            yield Claim(found["text"], _proof(found["proof"]))


def _proof(text: str | None) -> Proof | None:
    try:
        return json.decode(text or "null", type=Proof | None)
    except DecodeError:
        return None
