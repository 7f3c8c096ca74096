"""The vault as a draft leaves it: what conditions and questions of a policy see."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from bridge.bases.evaluate import Budget, Evaluation
from bridge.bases.note_files import NoteFiles
from bridge.bases.syntax import Node
from bridge.bases.values import Result
from bridge.changes.draft import Draft, path_after_move
from bridge.changes.requests.base import RequestContext
from bridge.errors import NoteNotFound, NoteUnreadable, TooLarge
from bridge.index.note import IndexedNote, pack_note
from bridge.markdown.documents import read_document
from bridge.markdown.kinds import is_document, kind_of
from bridge.markdown.names import Names
from bridge.types import VaultPath

_NOWHERE: Final = VaultPath("")


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
        return names.resolve(target, _NOWHERE).path if target else None

    def text(self, path: VaultPath) -> str:
        return self._draft.read(path).decode("utf-8", "surrogateescape")

    def passes(self, node: Node, path: VaultPath | None, given: Mapping[str, Result]) -> bool:
        """Return whether an expression is true of a note, or by itself."""
        return bool(self.select(node, [path or _NOWHERE], given))

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
