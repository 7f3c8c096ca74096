"""Moving and deleting notes."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import ClassVar, Final

from bridge.changes.draft import Draft, path_after_move, plan_replacements
from bridge.changes.effect import Effect, PlanAndEffect, Reference, name_warnings
from bridge.changes.heading import follow_headings
from bridge.changes.relink import Shift, relink_file, verify_links
from bridge.changes.requests.base import ChangeKind, Request, RequestContext, read_unchanged, require_own
from bridge.changes.view import BOOKMARKS, VaultView
from bridge.errors import InvalidArguments, NoteExists, NoteNotFound, NoteUnreadable, PathKept, TooLarge
from bridge.markdown.decode import digest_of
from bridge.markdown.kinds import kind_of, title_of
from bridge.markdown.link_spans import LinkSpans
from bridge.markdown.links import find_flaw, fold_name
from bridge.markdown.note import LinkKind
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.types import Digest, NewPath, NoteOrFolder, VaultPath
from bridge.vault.plan import Plan, Step

_PATH_START: Final = r"(?<![^\s\"'\[(/=,:`])"
_PATH_END: Final = r"(?![^\s\"'\])#|^/,:`.]|\.(?!md\b))"


def name_pattern(moved: Mapping[VaultPath, VaultPath | None], folder: VaultPath | None = None) -> re.Pattern[str]:
    names = {folder} if folder else {name for path, to in moved.items() for name in _query_names(path, to)}
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(f"{_PATH_START}(?:{either}){_PATH_END}", re.IGNORECASE)


def _query_names(path: VaultPath, to: VaultPath | None) -> tuple[str, ...]:
    title = title_of(path)
    whole = (path, path.removesuffix(".md"))
    return whole if to is not None and title_of(to) == title else (*whole, title)


def is_bookmarked(data: bytes, moved: Collection[VaultPath], folder: VaultPath | None = None) -> bool:
    try:
        bookmark_paths = set(_paths(json.loads(data))) if data else set()
    except (ValueError, RecursionError):
        return False
    return any(path in bookmark_paths for path in moved) or folder in bookmark_paths


def _paths(value: object) -> Iterator[str]:
    match value:
        case dict():
            path = value.get("path")
            if isinstance(path, str):
                yield path
            for each in value.values():
                yield from _paths(each)
        case list():
            for each in value:
                yield from _paths(each)
        case _:
            return


class LinkUpdates(Record):
    """What a rename does to the content of files, which are listed by their paths before it."""

    changed: Mapping[VaultPath, bytes]
    read: Mapping[VaultPath, bytes]
    rewritten: tuple[Reference, ...]
    mended: tuple[Reference, ...]
    naming: tuple[VaultPath, ...]
    warnings: tuple[str, ...]


def update_links(view: VaultView, shift: Shift, names: re.Pattern[str]) -> LinkUpdates:
    """Rewrite every link that would break or resolve to another file, or to a heading in which such a link stands."""
    changed: dict[VaultPath, bytes] = {}
    read: dict[VaultPath, bytes] = {}
    rewritten: list[Reference] = []
    mended: list[Reference] = []
    warnings: list[str] = []
    affected = view.links.find_affected(shift.keys(), partial(_is_link_affected, shift), shift.moved)
    for path, data in view.read_sources(affected, warnings, shift.moved):
        read[path] = data
        after = relink_file(path, data, shift, view.links.spans)
        rewritten += after.rewritten
        mended += after.mended
        if after.rewritten:
            view.require_changeable(path)
            verify_links(path, after.before, after.data, shift, view.links.spans)
            changed[path] = after.data
    files = {path: (read[path], data) for path, data in changed.items()}
    # What does not follow is named among the broken links.
    rewritten += follow_headings(view, shift, files)[0]
    for path, (before, now) in files.items():
        read[path], changed[path] = before, now
    named = tuple(view.links.find_queries_with(names))
    return LinkUpdates(changed, read, tuple(rewritten), tuple(mended), named, tuple(warnings))


def _is_link_affected(shift: Shift, target: str, kind: LinkKind, source: VaultPath) -> bool:
    fate = shift.fate(target, kind, source)
    return fate.is_mended or not fate.stays


@ChangeKind(
    example={"path": "Bread/Starters", "to": "Bread/Leaven"},
    tasks=(
        "put a note into a folder",
        "give a note a new name",
        "change a note's name",
        "rename a note with its links",
        "move a note to another folder",
        "rename or move a folder",
        "move a file or picture",
        "change the title of a file",
    ),
)
class MoveNote(Request, tag="move_note"):
    """Move or rename a note, another file or a folder; every link to it is rewritten in its own style.

    Attributes:
        path: The file or folder.
        to: Its full new path, of a note also without `.md`, or the target folder with a trailing `/`.
        digest: Digest of the file as read; a changed file is refused.

    Raises:
        NoteNotFound: No such file or folder; the message names the closest.
        NoteExists: The new path exists.
        NoteChanged: Its content does not match `digest`.
        ProtectedPath: A read-only note would have to change.
    """

    relinks: ClassVar[bool] = True

    path: NoteOrFolder
    to: NewPath
    digest: Digest | None = None

    @property
    def result_path(self) -> VaultPath:
        return self.to

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        """Move the file in the draft, with the links to it."""
        view = context.view(draft)
        if self.path in view.names:
            read_unchanged(self.path, self.digest, draft, context)
        return move(self.path, self.to, view).add_to(draft)


@ChangeKind(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
    },
    tasks=("delete a note", "put a note into the trash", "remove a file"),
    required=("digest",),
)
class DeleteNote(Request, tag="delete_note"):
    """Delete a note as Obsidian does, to the trash chosen there; `undo_change` brings it back.

    Attributes:
        path: The note.
        digest: Digest of the note as read; a changed note is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        SettingsUnreadable: Obsidian's `app.json`, which selects the trash, cannot be read.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    digest: Digest | None = None

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view = context.view(draft)
        if self.path in view.names:
            data = read_unchanged(self.path, self.digest, draft, context)
            if self.digest is None:
                require_own(draft, self.path, data, lambda _: b"", "delete a note")
        context.obsidian().require("app.json", hint="which says where deleted files go.")
        return remove(self.path, view).add_to(draft)


_READ_SUFFIXES: Final = (".md", ".canvas", ".pdf", ".excalidraw", ".base")


class Move(Record):
    """The resolved paths of a move."""

    path: VaultPath
    to: VaultPath
    files: Mapping[VaultPath, VaultPath]
    folder: bool


def move(path: VaultPath, to: VaultPath, view: VaultView) -> PlanAndEffect:
    """Plan to move a file or folder, and to rewrite every link that would otherwise break."""
    relocation = _resolve_move(path, to, view)
    _check(relocation, view)
    shift = Shift.of(view.names, relocation.files)
    folder = relocation.path if relocation.folder else None
    found = update_links(view, shift, name_pattern(relocation.files, folder))
    named: list[str] = [shift.now(file) for file in found.naming]
    named += [BOOKMARKS] if is_bookmarked(view.bookmarks, relocation.files, folder) else []
    return PlanAndEffect(
        _plan(relocation, found, view),
        Effect(
            files=tuple(shift.now(file) for file in found.changed),
            moved=len(relocation.files),
            links_rewritten=len(found.rewritten),
            rewritten=found.rewritten,
            mended=found.mended,
            named_in=tuple(named),
            warnings=(*found.warnings, *name_warnings(named, found.mended)),
        ),
    )


def stale_name_warnings(draft: Draft) -> Iterator[str]:
    """Yield warnings about renamed notes that still contain the old name, or have the new one twice."""
    places = dict[VaultPath, None]()
    for step in draft.steps:
        if step.kind == "move" and step.to is not None:
            if step.before is None or step.path in places:
                places = {path_after_move(place, step.path, step.to) or place: None for place in places}
            places[step.to] = None
    for place in places:
        origin = draft.origin(place)
        if origin is None or kind_of(place) != "note" or not draft.is_file(place):
            continue
        old, new = title_of(origin), title_of(place)
        if fold_name(old) == fold_name(new):
            continue
        note = parse(place, draft.read(place))
        if any(fold_name(heading.text) == fold_name(old) for heading in note.headings[:1]):
            yield f"`{place}` still begins with the heading `{note.headings[0].text}`; `rename_heading` changes it."
        if any(fold_name(alias) == fold_name(new) for alias in note.aliases):
            yield f"`{place}` has its new name as an alias too."


def _resolve_move(path: VaultPath, to: VaultPath, view: VaultView) -> Move:
    if path in view.names:
        return Move(path, to, {path: to}, folder=False)
    below = {file: VaultPath(to + file[len(path) :]) for file in view.names if file.startswith(f"{path}/")}
    if not below:
        raise view.names.missing_error(path, "note or folder")
    return Move(path, to, below, folder=True)


def _check(relocation: Move, view: VaultView) -> None:
    path, to = relocation.path, relocation.to
    if path == to:
        raise InvalidArguments(f"`{path}` has this path already.", hint="Give another path.")
    if relocation.folder and to.startswith(f"{path}/"):
        raise InvalidArguments(f"The folder `{path}` cannot go into itself.", hint="Give a path outside of it.")
    name = to.rpartition("/")[2]
    if name != path.rpartition("/")[2] and (flaw := find_flaw(name)):
        raise InvalidArguments(f"No link can name `{to}`: it has `{flaw}` in it.", hint="Choose another name.")
    if not relocation.folder and _suffix(path) != _suffix(to) and {_suffix(path), _suffix(to)} & set(_READ_SUFFIXES):
        whole = f"`{to}/{path.rpartition('/')[2]}`"
        if view.names.has_folder(to):
            raise InvalidArguments(f"`{to}` is a folder.", hint=f"Give the whole path: {whole}?")
        other = f"`{to}{_suffix(path)}`, or in a folder {whole}"
        raise InvalidArguments(f"`{to}` would be another kind of file.", hint=f"Give the whole path: {other}?")
    for one in (path, to, *relocation.files, *relocation.files.values()):
        if view.rules.keeps(one):
            raise _path_kept_error(one)
    if taken := _existing_target(relocation, view):
        raise NoteExists(f"`{path}` cannot become `{to}`: there is `{taken}`.", path=taken)


def _existing_target(relocation: Move, view: VaultView) -> VaultPath | None:
    """Return a file at one of the targets, ignoring case and spelling, since some disks do not tell them apart."""
    spelled = (file for to in relocation.files.values() for file in view.names.find_path(to))
    others = (file for file in chain(spelled, view.names.below(relocation.to)) if file not in relocation.files)
    return next(others, None)


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    return f".{name.rpartition('.')[2].lower()}" if "." in name else ""


def _path_kept_error(path: VaultPath) -> PathKept:
    # The same message whether or not the file exists: the error must not reveal it.
    return PathKept(f"`{path}` must stay as it is: the user's settings say so.", path=path)


def _plan(relocation: Move, found: LinkUpdates, view: VaultView) -> Plan:
    if relocation.folder and not view.rules.deny:
        steps = [Step("move", relocation.path, to=relocation.to)]
    else:
        # File by file, so that denied files in the folder stay where the rule names them.
        data = ((file, to, found.read.get(file)) for file, to in relocation.files.items())
        steps = [
            Step("move", file, to=to, before=digest_of(view.read(file) if read is None else read))
            for file, to, read in data
        ]
        steps += [Step("remove_folder", folder) for folder in _emptied_folders(relocation)]
    relinked = plan_replacements(
        {relocation.files.get(file, file): (found.read[file], new) for file, new in found.changed.items()}
    )
    return Plan((*steps, *relinked.steps), relinked.blobs)


def _emptied_folders(relocation: Move) -> list[VaultPath]:
    left: set[str] = set()
    for file in relocation.files if relocation.folder else ():
        folder = file.rpartition("/")[0]
        while len(folder) >= len(relocation.path) and folder not in left:
            left.add(folder)
            folder = folder.rpartition("/")[0]
    return [VaultPath(folder) for folder in sorted(left, key=len, reverse=True)]


def remove(path: VaultPath, view: VaultView) -> PlanAndEffect:
    """Plan to delete a file; the links to it stay as they are, and the effect lists them."""
    if path not in view.names:
        raise view.names.missing_error(path, "file")
    if view.rules.keeps(path):
        raise PathKept(f"`{path}` must stay as it is: the user's settings say so.", path=path)
    data = view.read(path)
    shift = Shift.of(view.names, {}, gone=[path])
    named: list[str] = [source for source in view.links.find_queries_with(name_pattern({path: None})) if source != path]
    broken: list[Reference] = []
    for source in view.links.find_affected(shift.keys(), partial(_is_broken_by, shift)):
        if source == path:
            continue
        try:
            text = view.read(source)
        except (NoteNotFound, NoteUnreadable, TooLarge):
            continue
        broken += _broken_links(source, view.links.spans(source, text), shift)
    named += [BOOKMARKS] if is_bookmarked(view.bookmarks, [path]) else []
    step = Step("remove", path, before=digest_of(data))
    effect = Effect(broken=tuple(broken), named_in=tuple(named), warnings=name_warnings(named))
    return PlanAndEffect(Plan((step,), {digest_of(data): data}), effect)


def _is_broken_by(shift: Shift, target: str, kind: LinkKind, source: VaultPath) -> bool:
    return shift.before.resolve(target, source, kind).path in shift.gone


def _broken_links(source: VaultPath, spots: LinkSpans, shift: Shift) -> list[Reference]:
    """Return the links of a file to what is deleted; some resolve to another file of the same name."""
    return [
        Reference(source, spot.line, spot.target, shift.after.resolve(spot.target, source, spot.kind).path or "")
        for spot in spots.links
        if _is_broken_by(shift, spot.target, spot.kind, source)
    ]
