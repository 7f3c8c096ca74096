"""The questions of a workflow to the vault, and their answers as lists."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from bridge.bases.evaluate import Budget, Evaluation, check_functions
from bridge.bases.note_files import NoteFiles
from bridge.bases.syntax import Node, parse_expression
from bridge.bases.values import Result
from bridge.changes.draft import Draft, path_after_move
from bridge.changes.requests.base import RequestContext
from bridge.engine.agents_folder import AgentsFolder
from bridge.errors import InvalidArguments, NoteNotFound, NoteUnreadable, TooLarge
from bridge.features.sessions.public import NO_CHANGES
from bridge.features.workflows.parse import MAX_RESULTS
from bridge.index.note import IndexedNote, IndexedTask, pack_note
from bridge.markdown.documents import read_document
from bridge.markdown.edit.tasks import task_blocks
from bridge.markdown.kinds import is_document, kind_of
from bridge.markdown.names import Names, note_name
from bridge.markdown.note import Value
from bridge.markdown.tasks import TaskSettings, parse_task, strip_ids
from bridge.search.filters import (
    NOTE_KEYS,
    TaskFilter,
    filter_notes,
    filter_tasks,
    require_status,
    sort_notes,
    sort_tasks,
)
from bridge.search.model import SearchRequest
from bridge.search.snippet import clean_text
from bridge.text.invisible import one_line
from bridge.types import SHORT_DIGEST, VaultPath

_NO_PATH: Final = VaultPath("")


class DraftState:
    """The notes of a vault as they would be after the steps of a draft so far; denied ones are not among them."""

    def __init__(self, draft: Draft, context: RequestContext, root: Path, budget: Budget) -> None:
        self._draft = draft
        self._context = context
        self._root = root
        self._view = context.view(draft)
        self._notes = {path: note for path, note in self._view.notes.items() if path in self._view.names}
        self._taken = len(draft.steps)
        self._files: NoteFiles | None = None
        self._budget = budget

    @property
    def notes(self) -> Mapping[VaultPath, IndexedNote]:
        self._follow()
        return self._notes

    @property
    def names(self) -> Names:
        self._follow()
        return self._view.names

    def find(self, written: str) -> VaultPath | None:
        """Return the note that is named by its path or name, or by a link to it; None if there is none."""
        target = written.strip().removeprefix("[[").removesuffix("]]").partition("|")[0].strip()
        names = self.names
        for path in (VaultPath(target), VaultPath(f"{target}.md")):
            if path in names:
                return path
        return names.resolve(target, _NO_PATH).path if target else None

    def text(self, path: VaultPath) -> str:
        return self._draft.read(path).decode("utf-8", "surrogateescape")

    def passes(self, node: Node, path: VaultPath | None, given: Mapping[str, Result]) -> bool:
        """Return whether an expression is true of a note, or by itself."""
        return bool(self.select(node, [path or _NO_PATH], given))

    def select(self, node: Node, paths: Collection[VaultPath], given: Mapping[str, Result]) -> frozenset[VaultPath]:
        """Return the notes for which an expression is true."""
        self._follow()
        if self._files is None:
            types = self._context.obsidian().property_types
            self._files = NoteFiles(self._notes, self._view.names, self._root, types, self._context.now)
        query = Evaluation(self._files, budget=self._budget, given=given)
        return frozenset(path for path in paths if query.passes(node, path))

    def _follow(self) -> None:
        """Read the notes again that steps since the last look have changed."""
        steps = self._draft.steps[self._taken :]
        if not steps:
            return
        self._taken = len(self._draft.steps)
        self._view = self._context.view(self._draft)
        self._files = None
        changed: set[VaultPath] = set()
        for step in steps:
            changed.add(step.path)
            if step.kind == "move" and step.to is not None:
                inside = [path for path in (*self._notes, *changed) if path.startswith(f"{step.path}/")]
                changed.update(inside)
                changed.update(path_after_move(path, step.path, step.to) or path for path in (step.path, *inside))
        for path in changed:
            self._notes.pop(path, None)
            if path in self._view.names and is_document(path) and kind_of(path) != "pdf":
                with suppress(NoteNotFound, NoteUnreadable, TooLarge):
                    self._notes[path] = self._parse(path, self._draft.read(path))

    def _parse(self, path: VaultPath, data: bytes) -> IndexedNote:
        note = read_document(path, data, max_pdf_pages=0)
        now_ns = int(self._context.now.timestamp() * 1e9)
        return pack_note(note, mtime_ns=now_ns, size=len(data), passages=0, left_out=(), language=None, recipe="")


USABLE_ARGUMENTS: Final[Mapping[str, frozenset[str]]] = {
    "list_sessions": frozenset({"client", "since", "until", "limit"}),
    "find_notes": frozenset({"folder", "tags", "properties", "types", "where", "sort", "limit"}),
    "list_tasks": frozenset(
        {"path", "folder", "status", "due_on", "due_after", "due_before", "tags", "text", "where", "sort", "limit"}
    ),
    "search": frozenset({"query", "folder", "tags", "properties", "mode", "types", "limit"}),
    "summarise": frozenset({"paths", "tags", "modified_after", "modified_before", "length", "focus"}),
}
"""The arguments that a step may give."""

LIST_NAMES: Final[Mapping[str, str]] = {
    "list_sessions": "lines",
    "find_notes": "notes",
    "list_tasks": "tasks",
    "search": "hits",
    "summarise": "sentences",
}
"""The name of the list in each result."""

Bound = Mapping[str, Any]
"""The arguments of a question, checked as those of the operation are."""


def find_notes(state: DraftState, bound: Bound, given: Mapping[str, Result], apart: str | None) -> Mapping[str, Value]:
    chosen = _choose(state, bound, given, apart)
    sort = str(bound["sort"])
    if (key := NOTE_KEYS.get(sort.removeprefix("-"))) is None:
        raise InvalidArguments(f"A workflow cannot sort by `{sort}`.", hint="Sort by path, title or modified.")
    ordered = sort_notes(chosen, key, reverse=sort.startswith("-"))
    return _result("notes", [note_facts(note) for note in ordered[: _limit(bound)]], len(ordered))


def list_tasks(
    state: DraftState, bound: Bound, given: Mapping[str, Result], apart: str | None, settings: TaskSettings
) -> Mapping[str, Value]:
    """Answer `list_tasks`; its arguments are those of `find_notes`, and what boxes mean."""
    require_status(bound["status"])
    path: VaultPath | None = bound["path"]
    if path is not None and path not in state.notes:
        return _result("tasks", [], 0)
    chosen = [state.notes[path]] if path is not None else _choose(state, bound, given, apart)
    criteria = TaskFilter(
        bound["status"],
        tuple(bound["tags"]),
        bound["text"],
        bound["due_on"],
        bound["due_after"],
        bound["due_before"],
    )
    found = sort_tasks(filter_tasks(chosen, criteria, settings), bound["sort"])
    shown = found[: _limit(bound)]
    blocks = {path: task_blocks(path, state.text(path)) for path in {note.path for note, _ in shown}}
    listed = {(note.path, task.line) for note, task in shown}
    tasks: list[Value] = [
        {
            "path": note.path,
            "heading": next((one.text for one in note.headings[::-1] if one.line < task.line), ""),
            "name": note_name(note.path),
            "line": task.line,
            "text": parse_task(task.text).text,
            "status": task.status,
            "due": task.due,
            "tags": list(task.tags),
            "digest": note.digest,
            "written": (written := strip_ids(task.text)),
            "block": blocks[note.path].get(task.line, f"[{task.status}] {written}"),
            "nested": any((note.path, line) in listed for line in _lines_around(note, task)),
        }
        for note, task in shown
    ]
    return _result("tasks", tasks, len(found))


def _lines_around(note: IndexedNote, task: IndexedTask) -> Iterator[int]:
    parents = {each.line: each.parent for each in note.tasks}
    line = task.parent
    while line is not None:
        yield line
        line = parents.get(line)


def list_hits(hits: Sequence[Any]) -> Mapping[str, Value]:
    """Return what `search` answered, in the form of the other questions."""
    found: list[Value] = [
        {"path": hit.path, "name": note_name(hit.path), "title": hit.title} for hit in hits[:MAX_RESULTS]
    ]
    return _result("hits", found, len(hits))


def list_sentences(sentences: Iterable[Any]) -> Mapping[str, Value]:
    """Return what `summarise` answered, in the form of the other questions."""
    found: list[Value] = [
        {"path": one.path, "name": note_name(one.path), "line": one.lines[0], "text": one.text} for one in sentences
    ]
    return _result("sentences", found, len(found))


HEADINGS: Final = {"decision": "Decided", "outcome": "Done", "question": "Left open", "task": "Left open"}
"""Where a review says what journals say."""

_BOXES: Final = TaskSettings()
_NOT_IN_LINK: Final = re.compile(r"[\[\]|#^]+")


def list_journal_lines(
    sessions: Iterable[Any], notes: Mapping[VaultPath, IndexedNote], folder: AgentsFolder
) -> Mapping[str, Value]:
    """Return what journals say, the oldest first, each line with a heading, and as the text of a review.

    A task that another session did, or that was ticked since, is left out.
    """
    kept = [one for one in sessions if one.note is not None and tells_something(one)][::-1]
    changed = dict.fromkeys(path for one in kept for path in one.changed if path in notes and not folder.holds(path))
    boxes = (task for path in changed for task in notes[path].tasks if not _BOXES.is_open(task.status))
    done = {line.text for one in kept for line in one.told if line.what == "outcome"}
    done |= {clean_text(parse_task(task.text).text) for task in boxes}
    found: list[Value] = []
    sections: dict[str, list[str]] = {name: [] for name in ("Worked on", "Decided", "Left open")}
    for one in kept:
        told = [(HEADINGS[line.what], line.text) for line in one.told if line.what != "task" or line.text not in done]
        lines = [(heading, one_line(text)) for heading, text in (("Worked on", one.title), *told)]
        found += (
            {"path": one.note, "name": note_name(one.note), "heading": name, "text": text} for name, text in lines
        )
        left = one_line(one.where_left_off)
        own = {
            "Worked on": [
                one_line(one.summary) if one.summary != one.title else "",
                *(f"- {text}" for heading, text in lines if heading == "Done"),
            ],
            "Decided": [f"- {text}" for heading, text in lines if heading == "Decided"],
            "Left open": [f"- {text}" for heading, text in (("Left open", left), *lines) if heading == "Left open"],
        }
        own["Left open"] = [
            line for at, line in enumerate(own["Left open"]) if line[2:] and (not at or line[2:] not in left)
        ]
        for name, texts in own.items():
            if name == "Worked on" or texts:
                sections[name] += (f"- {_link(one.note, one.title)}", *(f"  {text}" for text in texts if text))
    sections["What was changed"] = [f"- {_link(path, note_name(path))}" for path in changed]
    text = "\n\n".join("\n".join((f"## {name}\n", *own)) for name, own in sections.items() if own)
    return {**_result("lines", found[:MAX_RESULTS], len(found)), "text": text}


def tells_something(session: Any) -> bool:
    """Return whether a session did more than read, and what it did was not all undone."""
    told = [line for line in session.told if line.text != NO_CHANGES]
    return any((session.changed, told, session.goal, session.summary, session.where_left_off))


def _link(path: VaultPath, shown: str) -> str:
    target = path.removesuffix(".md")
    label = " ".join(_NOT_IN_LINK.sub(" ", one_line(shown)).split())
    return (
        f"`{path}`" if _NOT_IN_LINK.search(target) else f"[[{target}|{label}]]" if label != target else f"[[{target}]]"
    )


def no_results(do: str) -> Mapping[str, Value]:
    """Return the answer to a question that was never asked."""
    return {**_result(LIST_NAMES[do], [], 0), **({"text": ""} if do == "list_sessions" else {})}


def join_results(do: str, before: Mapping[str, Value], more: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return two answers to a question as one, in which each note or task stands once."""
    name = LIST_NAMES[do]
    joined: dict[tuple[Value, ...], Value] = {}
    for answer in (before, more):
        found = answer[name]
        for one in found if isinstance(found, list) else ():
            if isinstance(one, Mapping):
                joined.setdefault((one["path"], one.get("line"), one.get("text")), one)
    left_out = sum(int(str(answer["total"])) - int(str(answer["count"])) for answer in (before, more))
    texts = [str(answer["text"]) for answer in (before, more) if answer.get("text")]
    result = _result(name, list(joined.values())[:MAX_RESULTS], len(joined) + left_out)
    return {**result, **({"text": "\n\n".join(texts)} if "text" in more else {})}


def _choose(state: DraftState, bound: Bound, given: Mapping[str, Result], apart: str | None) -> list[IndexedNote]:
    folder = str(bound["folder"] or "")
    inside = apart is None or f"{folder}/".casefold().startswith(f"{apart}/".casefold())
    notes = {path: note for path, note in state.notes.items() if inside or not path.startswith(f"{apart}/")}
    request = SearchRequest(
        query="",
        folder=folder or None,
        tags=() if "status" in bound else bound["tags"],
        properties=bound.get("properties") or {},
        types=bound.get("types") or (),
    )
    passing = filter_notes(notes, request)
    paths = list(notes) if passing is None else [path for path in notes if path in passing]
    if bound["where"].strip():
        node = parse_expression(bound["where"])
        check_functions([node])
        true = state.select(node, paths, given)
        paths = [path for path in paths if path in true]
    return [notes[path] for path in paths]


def note_facts(note: IndexedNote) -> Value:
    return {
        "path": note.path,
        "name": note_name(note.path),
        "folder": note.path.rpartition("/")[0],
        "title": note.title,
        "type": note.note_type,
        "tags": list(note.tags),
        "digest": note.digest[:SHORT_DIGEST],
        "properties": note.properties,
    }


def _result(name: str, found: list[Value], total: int) -> Mapping[str, Value]:
    return {name: found, "count": len(found), "total": total, "first": found[0] if found else None}


def _limit(bound: Bound) -> int:
    return min(int(bound["limit"]), MAX_RESULTS)
