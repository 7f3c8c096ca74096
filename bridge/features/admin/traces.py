"""What agents and the bridge wrote about notes that are denied only now: it is readable, so the user is told of it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from bridge.errors import BridgeError
from bridge.markdown.note import property_of
from bridge.notebook.plan_note import TYPE
from bridge.text.fold import fold_case
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge
    from bridge.engine.host import Host
    from bridge.index.note import IndexedNote, Notes

NAMED = 20
"""Notes that are named of those that tell of denied ones."""


def watch_denied(bridge: "Bridge") -> Callable[[], tuple[str, ...]]:
    """Note what can be read now; the function that is returned blocks, and says what tells of notes denied since."""
    before = {host: dict(vault.index.notes) for host in bridge.vaults.values() if (vault := host.open_vault)}
    return lambda: tuple(line for host, notes in before.items() for line in _describe(host, notes))


def _describe(host: "Host", before: "Notes") -> Iterator[str]:
    vault = host.open_vault
    denied = {path for path in before if host.files.rules.denies(path)}
    if vault is None or not denied:
        return
    names = {fold_case(name) for path in denied for name in (path, path.removesuffix(".md"))}
    titles = {name.rpartition("/")[2] for name in names}

    def names_one(name: str, source: VaultPath) -> bool:
        key = fold_case(name)
        return key in names or (key in titles and vault.names.resolve(name, source).path is None)

    def tells(note: "IndexedNote") -> bool:
        files = property_of(note.properties, "files")
        listed = [name for name in files if isinstance(name, str)] if isinstance(files, list | tuple) else []
        targets = [target.partition("#")[0] for target, _ in note.targets]
        if any(names_one(name, note.path) for name in (*listed, *targets)):
            return True
        if note.note_type != TYPE:
            return False
        # The findings of a plan are data, too.
        try:
            text = host.files.read(note.path)[0].decode("utf-8", "replace")
        except BridgeError:
            return False
        return any(path in text for path in denied)

    found = sorted(path for path, note in vault.index.view("agents").notes.items() if tells(note))
    if found:
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        yield (
            f"{', '.join(f'`{path}`' for path in found[:NAMED])}{more} still tell of notes that are denied now, such as"
            " their names and tags. Add them to `deny` as well, which also erases them from the index and the history;"
            " of what you only delete, the history keeps the text."
        )
