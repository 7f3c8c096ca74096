"""A handoff as Markdown: what one session leaves to the next, with claims whose proofs stand beside them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from bridge.index.note import IndexedNote
from bridge.markdown.note import Note
from bridge.markdown.sections import section_spans
from bridge.notebook.fields import field_of, time_written
from bridge.notebook.folder import AgentsFolder
from bridge.notebook.proof import Proof, parse_proof, plain_proof
from bridge.records import dataclass
from bridge.text.invisible import one_line, visible_text
from bridge.types import VaultPath

TYPE: Final = "handoff"
"""The value of the property `type` that makes a note a handoff."""

TAKEN: Final = "taken"
"""The value of `status` once somebody took it over."""

TEXTS: Final = {"Goal": "goal", "State": "state", "Next action": "next_action"}
LISTS: Final = {
    "Constraints": "constraints",
    "Unknowns": "unknowns",
    "Artifacts": "artifacts",
    "Stop conditions": "stop_conditions",
}
CLAIMS: Final = "Claims"
LEVEL: Final = 2
"""The level of these headings."""

_CLAIM: Final = re.compile(r"- \[(?P<box>.)\] (?P<text>.*?)(?: %%proof: (?P<proof>\{.*\})%%)?")


@dataclass(frozen=True, slots=True)
class ProvenClaim:
    """A claim with its proof, if it has one."""

    text: str
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class Handoff:
    """What is handed over."""

    goal: str
    state: str
    next_action: str
    constraints: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    stop_conditions: tuple[str, ...] = ()
    claims: tuple[ProvenClaim, ...] = ()


def handoff_name(goal: str, now: datetime) -> str:
    """Return the title of a handoff's note."""
    return f"{now:%Y-%m-%d %H%M} {one_line(goal)[:60].strip()}"


def handoff_properties(goal: str, now: datetime, client: str | None, session: str, to: str | None) -> dict[str, Any]:
    """Return the properties of a handoff that nobody took yet."""
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
    """Write the body of a handoff: texts as quotes, lists as items, claims as ticked tasks that a person can untick."""
    parts = [f"# {one_line(handoff.goal)}\n"]
    for heading, name in TEXTS.items():
        parts.append(_section(heading, (f"> {line}".rstrip() for line in _lines(getattr(handoff, name)))))
    for heading, name in LISTS.items():
        parts.append(_section(heading, (f"- {_flat(text)}" for text in getattr(handoff, name))))
    parts.append(_section(CLAIMS, map(_claim_line, handoff.claims)))
    return "\n".join(part for part in parts if part)


def read_handoff(note: Note) -> Handoff:
    """Read a handoff, however a person has edited it; claims whose box is not ticked are left out."""
    values: dict[str, Any] = dict.fromkeys(TEXTS.values(), "")
    for heading, lines in _sections(note):
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


def waiting_handoff(notes: Iterable[IndexedNote], folder: AgentsFolder, client: str | None) -> IndexedNote | None:
    """Return the newest handoff to a client, or to any, that nobody took."""
    me = (client or "").casefold()
    waiting = (
        note
        for note in notes
        if is_waiting(note, folder) and str(field_of(note.properties, "to") or me).casefold() == me
    )
    return max(waiting, key=handoff_age, default=None)


def is_waiting(note: IndexedNote, folder: AgentsFolder) -> bool:
    """Return whether a note is a handoff that nobody took."""
    return is_handoff(note, folder) and field_of(note.properties, "status") != TAKEN


def handoff_age(note: IndexedNote) -> tuple[float, float, VaultPath]:
    """Return by what handoffs are ordered, the oldest first."""
    return (time_written(note), note.modified, note.path)


def _section(heading: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return f"## {heading}\n\n{body}\n" if body else ""


def _lines(text: str) -> list[str]:
    return visible_text(text).strip().splitlines()


def _flat(text: str) -> str:
    return one_line(text) or "…"


def _claim_line(claim: ProvenClaim) -> str:
    line = f"- [x] {_flat(claim.text).replace('%%', '% %')}"
    if claim.proof is None:
        return line
    # A comment of Obsidian ends at the next `%%`.
    proof = json.dumps(plain_proof(claim.proof), ensure_ascii=False).replace("%", "\\u0025")
    return f"{line} %%proof: {proof}%%"


def _claims(lines: Iterable[str]) -> Iterator[ProvenClaim]:
    for line in lines:
        found = _CLAIM.fullmatch(line.rstrip())
        if found is not None and found["box"] in "xX":
            yield ProvenClaim(found["text"], _proof(found["proof"]))


def _proof(text: str | None) -> Proof | None:
    try:
        values = json.loads(text or "null")
    except ValueError:
        return None
    return parse_proof(values) if isinstance(values, Mapping) else None


def _sections(note: Note) -> Iterator[tuple[str, list[str]]]:
    for heading, (_, end) in zip(note.headings, section_spans(note.headings, len(note.text)), strict=True):
        if heading.level == LEVEL:
            yield heading.text, note.text[heading.span[1] : end].split("\n")
