"""Files: unused attachments, daily notes elsewhere, duplicates, empty and unfilled notes, repeated headings."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby, pairwise
from typing import Any, Final

from msgspec.structs import replace

from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.errors import BridgeError
from bridge.features.entities.public import MergeReason, find_merge_pairs
from bridge.features.tidy.check_scope import (
    MAX_NAMED,
    SURE_CONFIDENCE,
    CheckScope,
    DeleteFiles,
    TidyFinding,
    body_lines,
    propose,
    tidy_check,
)
from bridge.features.tidy.plan_note import code_words, plain_words, plan_link
from bridge.index.boilerplate import is_template
from bridge.index.note import IndexedNote
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.requests import ReplaceLines
from bridge.markdown.kinds import is_document, is_index_note, title_of
from bridge.markdown.note import Note
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.fold import fold_letters
from bridge.types import Digest, VaultPath
from bridge.vault.obsidian_settings import daily_path

ENDINGS: Final = (
    *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".avif"),
    *(".mp3", ".m4a", ".wav", ".ogg", ".flac", ".mp4", ".mov", ".webm", ".mkv"),
)
_OF_A_SITE: Final = re.compile(r"favicon[\w-]*\.(?:png|svg)", re.IGNORECASE)
"""Files in the root of a vault that Obsidian Publish uses by their names."""

_EXPORT: Final = re.compile(r"(?:\.excalidraw)?(?:\.light|\.dark)?\.(?:svg|png)")

_OF_SUBJECT: Final = re.compile(r"\s+\([^()]*\)|\s+-\s.*")
"""What follows the subject in the name of a picture, as in `Ada Quill (2017) - Photo.jpg`."""

MAX_ATTACHMENT_BYTES: Final = 20 * 2**20
"""Bytes of a file that is looked at; the digest of a larger one takes too long."""


@tidy_check("attachments", "Images, sounds and films that no note links to or names.")
def attachments(scope: CheckScope) -> Iterator[TidyFinding]:
    vault = scope.vault
    links = vault.indexer.link_resolver.resolved_links
    if links is None:
        return
    unused = {
        path
        for path in vault.names
        if path.lower().endswith(ENDINGS)
        and not is_document(path)
        and not _OF_A_SITE.fullmatch(path)
        and scope.is_inside(path)
        and scope.may_change(path)
        and not links.sources(path)
    }
    unused -= _find_mentioned(scope, unused)
    by_folder = sorted(unused, key=lambda path: (path.rpartition("/")[0], path))
    for folder, paths in groupby(by_folder, key=lambda path: path.rpartition("/")[0]):
        found = [replace(one, check=attachments.name) for one in _delete_each(scope, paths)]
        # Who dismissed single files is asked for the others together.
        yield from (one for one in found if one.dismissal in scope.dismissed)
        if left := [one for one in found if one.dismissal not in scope.dismissed]:
            whole = _delete_all(folder, left[:MAX_NAMED])
            yield whole if len(left) > 1 or whole.dismissal in scope.dismissed else left[0]


def _delete_each(scope: CheckScope, paths: Iterable[VaultPath]) -> Iterator[TidyFinding]:
    for path in paths:
        scope.budget.pause()
        try:
            data, stat = scope.vault.files.read(path)
        except BridgeError:
            continue
        if stat.size > MAX_ATTACHMENT_BYTES:
            continue
        yield propose(
            DeleteNote(path=path, digest=digest_of(data)),
            f"Delete {code_words(path)}",
            "no note links to it or says its name",
            # It may be used by something that is no note.
            0.6,
        )


def _delete_all(folder: str, found: Sequence[TidyFinding]) -> TidyFinding:
    requests = (one.request for one in found)
    digests = {one.path: one.digest or Digest("") for one in requests if isinstance(one, DeleteNote)}
    names = [code_words(path.rpartition("/")[2]) for path in digests]
    shown = ", ".join([*names[:MAX_SHOWN_FILES], *(["…"] if len(names) > MAX_SHOWN_FILES else [])])
    return replace(
        found[0],
        notes=tuple(digests),
        text=f"Delete {count_of(len(names), 'file')} of {code_words(folder or '/')}: {shown}",
        why="no note links to them or says their names",
        request=DeleteFiles(path=next(iter(digests)), digests=digests),
        key=f"all {folder}",
    )


MAX_SHOWN_FILES: Final = 3
"""Files of a folder that a finding about many names."""


def _find_mentioned(scope: CheckScope, paths: set[VaultPath]) -> set[VaultPath]:
    names: defaultdict[str, set[VaultPath]] = defaultdict(set)
    for path in paths:
        names[path.rpartition("/")[2].lower()].add(path)
    # A file that shares its name with a used one is named, too.
    linked = {path.rpartition("/")[2].lower() for path in scope.vault.names if path not in paths}
    # A drawing is exported beside its note, as `Plan.svg` or `Plan.dark.svg`.
    titles = {title_of(path).lower().removesuffix(".excalidraw") for path in scope.graph_snapshot.notes}
    wanted = {target.lower() for note in scope.graph_snapshot.notes.values() for target, _ in note.targets}
    letters = {fold_letters(title) for title in titles | wanted}
    used = {
        name
        for name in names
        # What says the name of a note that there is or is wanted, such as `Atlas - Cover.jpg`, is material for it.
        if name in linked
        or _EXPORT.sub("", name) in titles
        or scope.corpus.names.forms(name.replace("_", " "))
        or fold_letters(_OF_SUBJECT.sub("", name.rpartition(".")[0])) in letters
    }
    found = {path for name in used for path in names[name]}
    left = {name: named for name, named in names.items() if name not in used}
    bases = [path for path in scope.vault.names if path.lower().endswith(".base")]
    for path in (*scope.graph_snapshot.notes, *bases):
        scope.budget.pause()
        text = _read_text(scope, path)
        for name in [name for name in left if name in text]:
            found |= left.pop(name)
        if not left:
            break
    return found


def _read_text(scope: CheckScope, path: VaultPath) -> str:
    """Return what a file says, in small letters, and once more without the links that were made inside names."""
    try:
        text = scope.vault.files.read(path)[0].decode("utf-8", "replace").lower()
    except BridgeError:
        return ""
    return f"{text}\n{_BRACKETS.sub('', text)}"


_BRACKETS: Final = re.compile(r"\[\[|\]\]")


MIN_DAILY_NOTES: Final = 3
"""Daily notes that must be in the folder."""

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


@tidy_check("daily_notes", "Daily notes outside of the folder that Obsidian's settings name.")
def daily_notes(scope: CheckScope) -> Iterator[TidyFinding]:
    style = scope.style
    inside = f"{style.daily_folder}/"
    if not style.daily_folder or sum(path.startswith(inside) for path in scope.notes) < MIN_DAILY_NOTES:
        return
    for note in scope.fresh():
        title = title_of(note.path)
        if not _DAY.fullmatch(title) or note.path.startswith(inside):
            continue
        try:
            to = daily_path(style, date.fromisoformat(title))
        except (BridgeError, ValueError):
            continue
        if title_of(to) != title or to in scope.vault.names or not scope.may_change(to):
            continue
        yield propose(
            MoveNote(path=note.path, to=to, digest=note.digest),
            f"Move {plan_link(note.path)} to {code_words(to.rpartition('/')[0])}",
            "Obsidian looks there for this day",
            # In another folder it may be filed on purpose.
            0.9 if "/" not in note.path else 0.7,
        )


MIN_CONFIDENCE: Final = 0.75
"""Confidence from which a merge is proposed."""

MIN_COMMON_SHARE: Final = 0.8
"""Share of common text of two texts of the same length from which they are proposed whatever their names."""

WORDS: Final[dict[MergeReason, str]] = {
    "name": "the same name",
    "alias": "one's name is the other's alias",
    "text": "common text",
    "stub": "one only points to the other",
    "neighbours": "common links",
}


@tidy_check("duplicates", "Two notes that may be one.")
def duplicates(scope: CheckScope) -> Iterator[TidyFinding]:
    scope.budget.pause()
    if scope.skipped.issuperset(scope.notes):
        return
    scope.budget.extend()
    learnt = scope.vault.index.view("notes").boilerplate
    texts = {path: learnt.blank(text) for path, text in scope.texts.items()}
    days = scope.style.daily_folder
    for pair in find_merge_pairs(scope.notes, texts, scope.graph_snapshot.graph, scope.budget.pause, days):
        if pair.confidence < MIN_CONFIDENCE:
            continue
        lengths = sorted(len(scope.texts[path]) for path in (pair.path, pair.into))
        # A short note often stands in a longer one, as a template or a quotation does.
        same_text = (pair.common or 0) >= MIN_COMMON_SHARE and lengths[0] >= MIN_COMMON_SHARE * lengths[1]
        if not same_text and not {"name", "alias", "stub"} & {*pair.why}:
            continue
        # A topic and the note of its name have their own places.
        if scope.is_topic(pair.path) != scope.is_topic(pair.into):
            continue
        note, other = scope.notes[pair.path], scope.notes[pair.into]
        is_copy = (
            same_text
            and "name" in pair.why
            and note.title != other.title
            and pair.path.rpartition("/")[0] == pair.into.rpartition("/")[0]
        )
        yield propose(
            MergeNotes(path=pair.path, into=pair.into, digest=note.digest),
            f"Merge {plan_link(pair.path)} into {plan_link(pair.into)}",
            ", ".join(WORDS[one] for one in pair.why),
            # What is lost by a wrong merge is hard to see, so that only copies beside each other are sure.
            round(pair.confidence if is_copy else min(SURE_CONFIDENCE - 0.01, pair.confidence), 2),
            pair.into,
            kind="merge",
        )


DAY_NS = 86_400 * 10**9
QUIET_DAYS = 7
"""Days for which nobody wrote into it."""


def is_abandoned(scope: CheckScope, note: IndexedNote) -> bool:
    """Return whether nothing links to a note, and the vault has been written for a week since it was."""
    is_old = scope.newest_ns - note.mtime_ns >= QUIET_DAYS * DAY_NS
    return is_old and not scope.graph_snapshot.graph.linked_from(note.path) - {note.path}


@tidy_check(
    "empty_notes", "Notes that say only their title and when they were written, without links to them, for a week."
)
def empty_notes(scope: CheckScope) -> Iterator[TidyFinding]:
    for note in scope.fresh():
        if is_abandoned(scope, note) and not is_index_note(note.path) and scope.is_blank(note):
            yield propose(
                DeleteNote(path=note.path, digest=note.digest),
                f"Delete {plan_link(note.path)}",
                "it is empty, and nothing links to it",
                # Its name may be what somebody wanted to keep.
                0.7,
            )


MAX_TEMPLATE_BYTES: Final = 20_000
"""Bytes of a template that is compared."""

MAX_FIELD_CHARS: Final = 40
"""Characters that a field of a template becomes at most."""

MIN_LETTERS_AROUND: Final = 4
"""Letters around the fields of a line by which it is known again."""

TITLE: Final = "\0"
"""Stands for the title of the note."""

_TASK: Final = re.compile(r"(?:[-*+]|\d+[.)])\s+\[.\]\s+\S")
_TITLE: Final = re.compile(r"\{\{\s*title\s*\}\}|<%[-_*]?\s*tp\.file\.title\s*[-_]?%>", re.IGNORECASE)
_MOMENT: Final = re.compile(r"\{\{\s*(?:date|time)\b.*?\}\}|<%[^%]*(?:date|now|moment)\b.*?%>", re.IGNORECASE)
_FIELD_VALUE: Final = re.compile(rf"(?=.*\d).{{1,{MAX_FIELD_CHARS}}}")
"""What becomes of the second kind of field."""


class TemplateText(Record, eq=False):
    """What a template gives to the notes that are made from it."""

    path: VaultPath
    lines: frozenset[str]
    filled: tuple[re.Pattern[str], ...]
    """The lines with fields for a day or time, as they may be filled."""
    properties: Mapping[str, Any]
    head: str
    """Its properties as they are written, which need not be YAML before their fields are filled."""

    def gives(self, line: str, title: str) -> bool:
        named = line.replace(title, TITLE)
        return any(one in self.lines or any(pattern.fullmatch(one) for pattern in self.filled) for one in (line, named))

    def sets(self, name: str, value: Any, title: str) -> bool:
        if value in (None, "", [], ()) or (name in self.properties and self.properties[name] == value):
            return True
        written = re.search(rf"(?m)^{re.escape(name)}\s*:.*", self.head)
        if written is None:
            return False
        is_moment = _MOMENT.search(written[0]) is not None and _FIELD_VALUE.fullmatch(str(value)) is not None
        return is_moment or (value == title and _TITLE.search(written[0]) is not None)


@tidy_check("unfilled_notes", "Notes that say no more than their template, without links to them, for at least a week.")
def unfilled_notes(scope: CheckScope) -> Iterator[TidyFinding]:
    templates = read_templates(scope)
    most = 2 * max((scope.graph_snapshot.notes[one.path].size for one in templates), default=0)
    for note in scope.fresh():
        if note.size > most or is_index_note(note.path) or not is_abandoned(scope, note):
            continue
        read = scope.read(note)
        template = None if read is None else find_template(read, templates)
        if template is not None:
            yield propose(
                DeleteNote(path=note.path, digest=note.digest),
                f"Delete {plan_link(note.path)}",
                f"it says no more than its template {plan_link(template.path)}, and nothing links to it",
                # Its name may be what somebody wanted to keep.
                0.7,
            )


def read_templates(scope: CheckScope) -> list[TemplateText]:
    folder = scope.style.template_folders
    found: list[TemplateText] = []
    for path, note in scope.graph_snapshot.notes.items():
        if note.kind != "note" or note.size > MAX_TEMPLATE_BYTES or not is_template(note, folder):
            continue
        read = scope.read(note)
        if read is not None and read.text.strip():
            found.append(read_template(path, read))
    return found


def read_template(path: VaultPath, read: Note) -> TemplateText:
    lines = [_TITLE.sub(TITLE, line) for line in body_lines(read)]
    known = (line for line in lines if _MOMENT.search(line))
    patterns = (
        re.compile(_FIELD_VALUE.pattern.join(map(re.escape, _MOMENT.split(line))))
        for line in known
        if sum(map(str.isalpha, _MOMENT.sub("", line))) >= MIN_LETTERS_AROUND
    )
    return TemplateText(path, frozenset(lines), tuple(patterns), read.properties, read.text[: read.body])


def find_template(note: Note, templates: list[TemplateText]) -> TemplateText | None:
    """Return the template of which a note says nothing but the text; None if it says more.

    A note of properties alone may be an entry of a list, of which the name is what counts, and tasks may be to be done.
    """
    title = title_of(note.path)
    lines = [line for line in body_lines(note) if line != f"# {title}"]
    for one in templates if lines and not any(map(_TASK.match, lines)) else ():
        if all(one.gives(line, title) for line in lines) and all(
            one.sets(name, value, title) for name, value in note.properties.items()
        ):
            return one
    return None


@tidy_check("headings", "Headings that stand twice, one right below the other.")
def headings(scope: CheckScope) -> Iterator[TidyFinding]:
    for note in scope.fresh():
        pairs = [
            (one, other)
            for one, other in pairwise(note.headings)
            if one.text.strip() and (one.text, one.level) == (other.text, other.level)
        ]
        read = scope.read(note) if pairs else None
        if read is None:
            continue
        lines = read.text.splitlines()
        for one, other in pairs:
            between = lines[one.line : other.line - 1]
            if any(line.strip() for line in between) or not lines[one.line - 1].lstrip().startswith("#"):
                continue
            yield propose(
                EditNote(
                    path=note.path,
                    edits=(ReplaceLines(lines=(one.line, other.line - 1), text=""),),
                    digest=note.digest,
                ),
                f"In {plan_link(note.path)}, remove the first of two headings “{plain_words(one.text)}”",
                f"lines {one.line} and {other.line}, with nothing between them",
                0.92,
                key=one.text,
            )
