"""Attachments that no note uses."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from bridge.changes.requests.move_note import DeleteNote
from bridge.errors import BridgeError
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.markdown.decode import digest_of
from bridge.markdown.kinds import is_document, title_of
from bridge.notebook.plan_note import code_words
from bridge.types import VaultPath

ENDINGS: Final = (
    *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".avif"),
    *(".mp3", ".m4a", ".wav", ".ogg", ".flac", ".mp4", ".mov", ".webm", ".mkv"),
)
_EXPORT: Final = re.compile(r"(?:\.excalidraw)?(?:\.light|\.dark)?\.(?:svg|png)")

LARGEST: Final = 20 * 2**20
"""Bytes of a file that is looked at; the digest of a larger one takes too long."""


class UnusedAttachments:
    """Finds images, sounds and films that nothing links to and whose names no note says."""

    name = "attachments"
    sentence = "Images, sounds and films that no note links to or names."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each attachment that can be deleted."""
        vault = garden.vault
        links = vault.indexer.link_resolver.resolved_links
        if links is None:
            return
        unused = {
            path
            for path in vault.names
            if path.lower().endswith(ENDINGS)
            and not is_document(path)
            and garden.is_inside(path)
            and garden.may_change(path)
            and not links.sources(path)
        }
        unused -= self._said(garden, unused)
        for path in sorted(unused):
            garden.budget.pause()
            try:
                data, stat = vault.files.read(path)
            except BridgeError:
                continue
            if stat.size > LARGEST:
                continue
            yield GardenFinding(
                check=self.name,
                notes=(path,),
                text=f"Delete {code_words(path)}",
                why="no note links to it or says its name",
                # It may be used by something that is no note.
                confidence=0.6,
                request=DeleteNote(path=path, digest=digest_of(data)),
            )

    def _said(self, garden: Garden, paths: set[VaultPath]) -> set[VaultPath]:
        names: defaultdict[str, set[VaultPath]] = defaultdict(set)
        for path in paths:
            names[path.rpartition("/")[2].lower()].add(path)
        # A file that shares its name with a used one is named, too.
        linked = {path.rpartition("/")[2].lower() for path in garden.vault.names if path not in paths}
        # A drawing is exported beside its note, as `Plan.svg` or `Plan.dark.svg`.
        titles = {title_of(path).lower().removesuffix(".excalidraw") for path in garden.graph_snapshot.notes}
        used = {name for name in names if name in linked or _EXPORT.sub("", name) in titles}
        found = {path for name in used for path in names[name]}
        left = {name: named for name, named in names.items() if name not in used}
        bases = [path for path in garden.vault.names if path.lower().endswith(".base")]
        for path in (*garden.graph_snapshot.notes, *bases):
            garden.budget.pause()
            text = _read_text(garden, path)
            for name in [name for name in left if name in text]:
                found |= left.pop(name)
            if not left:
                break
        return found


def _read_text(garden: Garden, path: VaultPath) -> str:
    try:
        return garden.vault.files.read(path)[0].decode("utf-8", "replace").lower()
    except BridgeError:
        return ""
