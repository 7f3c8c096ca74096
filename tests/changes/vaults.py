"""In-memory vaults with an index, for tests of planned changes and their outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from bridge.changes.draft import Draft
from bridge.changes.effect import PlanAndEffect
from bridge.changes.view import LinkSources, VaultView
from bridge.errors import NoteNotFound
from bridge.index.note import IndexedNote, pack_note
from bridge.markdown.documents import read_document
from bridge.markdown.kinds import is_document
from bridge.markdown.names import Names
from bridge.types import VaultPath
from bridge.vault.plan import Plan
from bridge.vault.rules import Rules

Files = dict[VaultPath, bytes]


@dataclass
class Paper:
    """A vault that consists only of its files."""

    files: Files
    notes: dict[VaultPath, IndexedNote] = field(default_factory=dict)
    rules: Rules = field(default_factory=Rules)

    @classmethod
    def of(cls, files: Mapping[str, str | bytes], **rules: Any) -> "Paper":
        paper = cls({}, rules=Rules(**rules))
        for path, data in files.items():
            paper.put(VaultPath(path), data.encode() if isinstance(data, str) else data)
        return paper

    def put(self, path: VaultPath, data: bytes) -> None:
        self.files[path] = data
        if self.rules.indexes(path, len(data)):
            note = read_document(path, data)
            self.notes[path] = pack_note(
                note, mtime_ns=0, size=len(data), passages=0, left_out=(), language=None, recipe=""
            )

    def drop(self, path: VaultPath) -> bytes:
        self.notes.pop(path, None)
        return self.files.pop(path)

    def read(self, path: VaultPath) -> bytes:
        if path not in self.files or self.rules.denies(path):
            raise NoteNotFound(f"There is no note `{path}`.")
        return self.files[path]

    def view(self, bookmarks: bytes = b"") -> VaultView:
        names = Names(path for path in self.files if not self.rules.denies(path))
        draft = Draft(self.read, self.files.__contains__)
        links = LinkSources(draft, names, dict(self.notes), self.rules)
        return VaultView(names, dict(self.notes), links, self.read, self.rules, bookmarks)

    def carry_out(self, planned: PlanAndEffect) -> "Paper":
        """Apply a plan, as a draft does."""
        draft = Draft(self.read, lambda path: path in self.files)
        draft.take(planned.plan)
        moved = {path: path_after(path, planned.plan) for path in self.files}
        taken = {step.path for step in planned.plan.steps if step.kind == "remove"}
        written = {step.path for step in planned.plan.steps if step.kind == "put"}
        after = Paper({}, rules=self.rules)
        for path, now in moved.items():
            if now in written:
                after.put(now, draft.read(now))
            elif path not in taken:
                after.files[now] = self.files[path]
                if path in self.notes:
                    after.notes[now] = replace(self.notes[path], path=now)
        for path in written - {*moved.values()}:
            after.put(path, draft.read(path))
        return after

    def texts(self) -> dict[str, str]:
        return {str(path): data.decode() for path, data in self.files.items() if is_document(path)}


def path_after(path: VaultPath, plan: Plan) -> VaultPath:
    """Return where a file is after a plan."""
    for step in plan.steps:
        if step.kind == "move" and step.to is not None:
            if path == step.path:
                path = step.to
            elif step.before is None and path.startswith(f"{step.path}/"):
                path = VaultPath(step.to + path[len(step.path) :])
    return path
