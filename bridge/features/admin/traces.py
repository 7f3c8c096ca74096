"""Finds what agents and the bridge wrote about notes before these were denied, since it stays readable."""

from collections.abc import Callable, Collection, Iterator, Sequence

from bridge.api.write import snapshot_fetcher
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.index.note import IndexedNote
from bridge.markdown.note import property_of, type_of
from bridge.markdown.parse import parse
from bridge.notebook.folder import agents_folder
from bridge.notebook.handoff_note import TYPE as HANDOFF
from bridge.notebook.journal_note import TYPE as JOURNAL
from bridge.notebook.plan_note import TYPE as PLAN
from bridge.state.change_records import Change, ChangeFilter
from bridge.text.fold import fold_case
from bridge.types import VaultPath

MOST_CHANGES = 2_000
"""The last changes whose texts are looked through."""

WRITTEN = frozenset({PLAN, JOURNAL, HANDOFF, "memory"})
"""Types of notes that agents and the bridge write, wherever the folder of agents was moved."""

NAMED = 200
"""Notes that are named of those that tell of denied ones."""


def watch_denied(bridge: Bridge) -> Callable[[], tuple[str, ...]]:
    """Note which notes can be read now; the returned function says what tells of those denied since. Both block."""
    before = {host: _readable_paths(host, vault) for host in bridge.vaults.values() if (vault := host.open_vault)}
    return lambda: tuple(line for host, paths in before.items() for line in _describe(host, paths))


def _readable_paths(host: Host, vault: OpenVault) -> set[VaultPath]:
    steps = [step for change in _last_changes(vault) for step in change.steps]
    former = {path for step in steps for path in (step.path, step.to) if path is not None}
    return {*vault.index.notes, *(path for path in former if not host.files.rules.denies(path))}


def _describe(host: Host, before: Collection[VaultPath]) -> Iterator[str]:
    vault = host.open_vault
    denied = {path for path in before if host.files.rules.denies(path)}
    if vault is None or not denied:
        return
    names = {fold_case(name) for path in denied for name in (path, path.removesuffix(".md"))}
    written = {path.removesuffix(".md") for path in denied}
    titles = {name.rpartition("/")[2] for name in names}

    def names_one(name: str, source: VaultPath) -> bool:
        key = fold_case(name)
        return key in names or (key in titles and vault.names.resolve(name, source).path is None)

    def tells(note: IndexedNote) -> bool:
        files = property_of(note.properties, "files")
        listed = [name for name in files if isinstance(name, str)] if isinstance(files, list | tuple) else []
        targets = [target.partition("#")[0] for target, _ in note.targets]
        if any(names_one(name, note.path) for name in (*listed, *targets)):
            return True
        if note.note_type != PLAN:
            return False
        # The findings of a plan are data, too.
        try:
            text = host.files.read(note.path)[0].decode("utf-8", "replace")
        except BridgeError:
            return False
        return any(name in text for name in written)

    agents = agents_folder(vault.settings)
    found = {
        path
        for path, note in vault.index.notes.items()
        if (agents.holds(path) or note.note_type in WRITTEN) and tells(note)
    }
    found |= {path for path, text in _former_texts(vault) if any(name in text for name in written)}
    if listed := sorted(found):
        more = f" and {len(listed) - NAMED} more" if len(listed) > NAMED else ""
        yield (
            f"{', '.join(f'`{path}`' for path in listed[:NAMED])}{more} still tell of notes that are denied now, or did"
            " so before, such as their names and tags. Add them to `deny` as well, which also erases them from the"
            " index and the history; of what you only delete, the history keeps the text."
        )


def _former_texts(vault: OpenVault) -> Iterator[tuple[VaultPath, str]]:
    """Yield what the history keeps of notes of agents and the bridge, also of those that are gone."""
    folder, fetch = agents_folder(vault.settings), snapshot_fetcher(vault)
    for change in _last_changes(vault):
        for step in change.steps:
            if step.kind not in ("put", "remove") or not step.path.endswith(".md"):
                continue
            for digest in filter(None, (step.before, step.after)):
                data = fetch(digest) or b""
                if folder.holds(step.path) or _is_written(step.path, data):
                    yield step.path, data.decode("utf-8", "replace")


def _last_changes(vault: OpenVault) -> Sequence[Change]:
    return vault.review.changes(ChangeFilter(), MOST_CHANGES, 0)


def _is_written(path: VaultPath, data: bytes) -> bool:
    has_type = b"\ntype:" in data[:2_000].lower()
    return has_type and type_of(parse(path, data).properties) in WRITTEN
