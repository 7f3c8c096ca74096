"""Notes as the index stores them, for tests."""

from collections.abc import Mapping

from bridge.index.note import IndexedNote
from bridge.markdown.note import Value
from bridge.types import Digest, NoteKind, VaultPath


def indexed(
    path: str,
    *,
    title: str | None = None,
    kind: NoteKind = "note",
    aliases: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    properties: Mapping[str, Value] | None = None,
    modified: float = 0.0,
) -> IndexedNote:
    return IndexedNote(
        path=VaultPath(path),
        title=title if title is not None else path.rpartition("/")[2].rpartition(".")[0],
        kind=kind,
        aliases=aliases,
        tags=tags,
        properties=properties or {},
        digest=Digest("0" * 64),
        mtime_ns=int(modified * 1e9),
        size=1,
        passages=1,
    )


def by_path(*notes: IndexedNote) -> dict[VaultPath, IndexedNote]:
    return {note.path: note for note in notes}
