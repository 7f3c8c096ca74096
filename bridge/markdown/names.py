"""Every file of a vault by name: resolves the file that a link means."""

import bisect
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from bridge.errors import NoteNotFound
from bridge.markdown.kinds import title_of
from bridge.markdown.links import ResolvedLink, fold_name, is_external, resolve_relative, split_target
from bridge.markdown.note import LinkKind
from bridge.text.closest import find_alike, likeness
from bridge.types import VaultPath


class Names:
    """All paths of a vault, attachments included.

    Adding, discarding and resolving cost time in proportion to the files of one name. Threads may look and copy while
    the event loop adds and discards.
    """

    def __init__(self, paths: Iterable[VaultPath] = ()) -> None:
        self._changing = threading.Lock()
        self._folded: dict[VaultPath, str] = {}
        self._by_name: dict[str, list[VaultPath]] = {}
        self._by_path: dict[str, list[VaultPath]] = {}
        for path in paths:
            self.add(path)

    def add(self, path: VaultPath) -> None:
        """Add a path; a known one changes nothing."""
        if path in self._folded:
            return
        folded = fold_name(path)
        name = file_name(folded)
        with self._changing:
            self._folded[path] = folded
            self._by_name[name] = insert_path(self._by_name.get(name, ()), path, shortest_path_key)
            self._by_path[folded] = insert_path(self._by_path.get(folded, ()), path, None)

    def discard(self, path: VaultPath) -> None:
        """Remove a path; an unknown one changes nothing."""
        with self._changing:
            folded = self._folded.pop(path, None)
            if folded is None:
                return
            for table, key in ((self._by_name, file_name(folded)), (self._by_path, folded)):
                if left := [other for other in table[key] if other != path]:
                    table[key] = left
                else:
                    del table[key]

    def copy(self) -> "Names":
        """Return a copy, which costs far less than building one."""
        other = Names()
        with self._changing:
            other._folded, other._by_name, other._by_path = dict(self._folded), dict(self._by_name), dict(self._by_path)
        return other

    def __contains__(self, path: object) -> bool:
        return path in self._folded

    def __len__(self) -> int:
        return len(self._folded)

    def __iter__(self) -> Iterator[VaultPath]:
        # A list, here and below: threads look through names while the event loop adds some.
        return iter([*self._folded])

    def resolve(self, target: str, source: VaultPath, kind: LinkKind = "wiki") -> ResolvedLink:
        """Resolve the file that a link means, as Obsidian does; aliases do not count."""
        if kind == "markdown" and is_external(target.strip()):
            return ResolvedLink(None, None, None)
        parts = split_target(target, kind)
        if not parts.file:
            return ResolvedLink(source if target.strip() else None, parts.heading, parts.block)
        if kind == "canvas":
            return ResolvedLink(self._exact(fold_name(parts.file), parts.file), parts.heading, parts.block)
        return ResolvedLink(self._find(parts.file, source), parts.heading, parts.block)

    def namesakes(self, path: VaultPath) -> tuple[VaultPath, ...]:
        """Return the other files of the same name in any folder, the nearest to the root first."""
        return tuple(other for other in self.with_name(path) if other != path)

    def with_name(self, name: str) -> tuple[VaultPath, ...]:
        """Return the files whose name is a path's last part, extension included, the nearest to the root first."""
        return tuple(self._by_name.get(file_name(fold_name(name)), ()))

    def find_path(self, path: str) -> tuple[VaultPath, ...]:
        """Return the files of a whole path, ignoring case and spelling."""
        return tuple(self._by_path.get(fold_name(path), ()))

    def below(self, folder: str) -> Iterator[VaultPath]:
        """Yield the files in a folder and its subfolders, ignoring case and spelling."""
        place = f"{fold_name(folder)}/"
        return (path for path, folded in [*self._folded.items()] if folded.startswith(place))

    def depends_on_source(self, file: str, kind: LinkKind = "wiki") -> bool:
        """Return whether links to a file can resolve differently in different notes, as when several have its name."""
        wanted = file_name(fold_name(file))
        candidates = self._by_name.get(wanted, ()) or self.with_name(f"{file}.md")
        return kind != "canvas" and (file.startswith(".") or len(candidates) > 1)

    def closest(self, path: str, limit: int = 3) -> list[VaultPath]:
        """Return the paths most similar to one that does not exist, best first."""
        wanted, names = fold_name(path).strip("/ "), dict(self._folded)
        # An extension shared by nearly every file makes no two of them similar.
        wholes = {known: folded.removesuffix(".md") for known, folded in names.items()}
        stems = {known: title_of(folded) for known, folded in names.items()}
        whole = find_alike(wanted.removesuffix(".md"), wholes.values(), by_words=False)
        name = find_alike(title_of(wanted), set(stems.values()))
        kin = file_name(wanted).rpartition(".")[2] if "." in file_name(wanted) else "md"

        def unlikeness(known: VaultPath) -> tuple[float, bool, VaultPath]:
            alike = max(whole.get(wholes[known], 0.0), name.get(stems[known], 0.0))
            return -alike - likeness(wanted, names[known]) / 2, not names[known].endswith(f".{kin}"), known

        near = (known for known in names if wholes[known] in whole or stems[known] in name)
        return sorted(near, key=unlikeness)[:limit]

    def has_folder(self, path: str) -> bool:
        return any(known.startswith(f"{path}/") for known in [*self._folded])

    def missing_error(self, path: VaultPath, what: str = "note") -> NoteNotFound:
        """Build the error for a missing file, naming the closest ones."""
        if self.has_folder(path):
            lists = "`find_notes` lists the notes in a `folder`."
            return NoteNotFound(f"`{path}` is a folder, not a {what}.", hint=lists, path=path, closest=[])
        closest = self.closest(path)
        hint = "Use one of these, or `find_notes` to list notes." if closest else None
        return NoteNotFound(
            f"There is no {what} `{path[:200]}`{suggest_names(closest)}", hint=hint, path=path, closest=closest
        )

    def _find(self, target: str, source: VaultPath) -> VaultPath | None:
        wanted = fold_name(target)
        candidates = self._by_name.get(file_name(wanted), []) if "." in file_name(wanted) else []
        if not candidates:
            # `.md` is added only to a name that no file has: `[[logo.png]]` never means `logo.png.md` beside
            # `logo.png`.
            target = f"{target}.md"
            wanted = fold_name(target)
            candidates = self._by_name.get(file_name(wanted), [])
        if not candidates:
            return None
        folder = fold_name(source).rpartition("/")[0]
        rooted = wanted.startswith("/")
        if wanted.startswith(("./", "../")):
            wanted = resolve_relative(folder, wanted)
            target = ""
        wanted = wanted.removeprefix("/")
        exact = self._exact(wanted, target)
        if exact is not None or rooted:
            return exact
        return self._nearest(candidates, wanted, folder)

    def _exact(self, wanted: str, target: str) -> VaultPath | None:
        """Return the file with this whole path; of several that differ in case, the one as written."""
        same = self._by_path.get(wanted, [])
        return VaultPath(target) if target in same else next(iter(same), None)

    def _nearest(self, candidates: Iterable[VaultPath], wanted: str, folder: str) -> VaultPath | None:
        """Return the first file that ends with `wanted`, preferring paths that begin with the linking note's folder.

        Both are compared as text, as Obsidian does: folder `A` is also the beginning of `AB/x.md`.
        """
        first: VaultPath | None = None
        for path in candidates:
            folded = fold_name(path)
            if folded.endswith(wanted):
                if folded.startswith(folder):
                    return path
                first = first or path
        return first


def insert_path(paths: Sequence[VaultPath], path: VaultPath, key: Callable[[VaultPath], Any] | None) -> list[VaultPath]:
    """Return a list with one more path; lists are never mutated, since copies of the names share them."""
    if not paths:
        return [path]
    longer = [*paths]
    bisect.insort(longer, path, key=key)
    return longer


def shortest_path_key(path: VaultPath) -> tuple[int, VaultPath]:
    return len(path) if path.isascii() else len(path.encode("utf-16-le", "surrogatepass")) // 2, path


def file_name(path: str) -> str:
    """Return a path's last part."""
    return path.rpartition("/")[2]


def note_name(path: str) -> str:
    """Return the name of a note as links have it: its last part without `.md`."""
    return file_name(path).removesuffix(".md")


def suggest_names(names: Sequence[str]) -> str:
    """Return the end of a "not found" sentence, with the closest names."""
    are = "is" if len(names) == 1 else "are"
    return f"; the closest {are} {', '.join(f'`{name}`' for name in names)}." if names else "."
