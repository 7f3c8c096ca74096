"""Drafts steps from changes that were made: what is the same in all of them stays, what differs becomes a variable."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Final, Literal

from msgspec.structs import replace

from bridge.bases.values import text_of
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments
from bridge.features.workflows.examples import (
    DAILY_TEMPLATE,
    FOLDER_FORMS,
    TEMPLATE,
    DraftedSteps,
    Example,
    ExampleComparison,
    are_alike,
    day_of,
    days_near,
    draft_note,
    escape,
    escape_text,
    forms_of,
    keep_end,
    moment_template,
    read_example,
    word_pattern,
)
from bridge.features.workflows.parse import MAX_RESULTS, VariableKind
from bridge.features.workflows.templates import DAY_IN_NAME
from bridge.index.note import Notes
from bridge.markdown.edit.headings import headings_in
from bridge.markdown.edit.properties import read_items
from bridge.markdown.kinds import kind_of
from bridge.markdown.names import note_name
from bridge.markdown.note import Value
from bridge.markdown.tasks import is_date
from bridge.records import Record
from bridge.state.change_records import Change
from bridge.text.diff import diff_lines
from bridge.text.fold import fold_case
from bridge.text.scripts import NAME_CHARACTER
from bridge.types import Digest, VaultPath
from bridge.vault.obsidian_settings import daily_path, read_obsidian_settings
from bridge.vault.paths import is_hidden, parents

MIN_SHARE: Final = 0.5
"""Notes that were changed, as a share of those that a step would find."""

_ITEM: Final = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+)(\[.\] )?(.*)", re.DOTALL)
_TIME: Final = re.compile(r"(\d\d?:\d\d)(?!\d)\W*")
_OPEN_TASK: Final = re.compile(r"^\s*[-*+] \[ \] *(.*\S)", re.MULTILINE)
_DONE_TASK: Final = re.compile(r"^\s*[-*+] \[[xX]\] *(.*\S)", re.MULTILINE)
_LINKS: Final = re.compile(r"(?:^[-*+] \[\[[^\[\]|#]+\]\] *\n?){2,}", re.MULTILINE)
"""A list of links and nothing else."""
_LINK_TARGET: Final = re.compile(r"\[\[([^\]|#]+)")
_ALL_WORD: Final = re.compile(
    r"\b(?:all|every|each|alle[ns]?|jede[nrs]?|tous|toutes|chaque|todos|todas|cada|tutt[ei]|ogni|wszystki\w*|каждый|все[хм]?)\b"
    r"|所有|全部|每[个篇]|すべて|全て|모든",
    re.IGNORECASE,
)
"""Words for all of something."""
_LONG_WORD: Final = re.compile(f"{NAME_CHARACTER}{{4,}}")
"""A word that counts as another in the plural."""
_NAME: Final = re.compile(f"(?:{NAME_CHARACTER}|-)+")
_FORMED_TEMPLATE: Final = re.compile(r"(?<!\\)\{\{[^{}]*:")
"""A template with a form, as of a day."""
_OWN_PREFIXES: Final = ("{{item.", "{{variables.")
"""How the paths of notes begin of which templates read more."""
_REQUESTS: Final = ("merge_notes", "rename_heading", "toggle_task")
"""Changes that are steps with the same arguments."""
_DO_AGAIN: Final = "Give changes that add lines, set properties, or move, merge or create notes."


class NoteChange(Record):
    """What a change did to one note."""

    before: Example | None
    """The note as it was; None if it was created."""
    after: Example
    change: str
    day: date
    operation: str = ""
    arguments: Mapping[str, str] = {}
    """What its operation was given besides the note, where the step that does it again is this operation."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What was done, in the order of the steps that do it again."""
        if self.arguments:
            return (self.operation,)
        if self.before is None:
            return ("create",)
        differ = {
            "properties": self.before.properties != self.after.properties,
            "text": self.before.text != self.after.text,
            "move": self.before.path != self.after.path,
        }
        return tuple(name for name, done in differ.items() if done)


def is_roll_over(earlier: str, later: str) -> bool:
    """Return whether the open tasks of a note, and none of those that are done, stand in a later one."""
    done, left = {*_DONE_TASK.findall(earlier)}, {*_OPEN_TASK.findall(earlier)}
    return bool(done and left) and left == {*_OPEN_TASK.findall(later)} and done.isdisjoint(_DONE_TASK.findall(later))


def draft_index(notes: Sequence[Example], vault: OpenVault) -> DraftedSteps | None:
    """Return what makes notes that list those of a folder; None if they do not."""
    lists = [_LINKS.search(note.text) for note in notes]
    folders = [_only(map(folder_of, _notes_of(vault, found[0]))) if found is not None else None for found in lists]
    if len(notes) < 2 or not all(folders):
        return None
    comparison = ExampleComparison(len(notes))
    folder = _only(folders) or comparison.variable("folder", folders, "text")
    bare = [replace(note, text=_LINKS.sub("", note.text, count=1).rstrip("\n") + "\n") for note in notes]
    drafted = draft_note(bare, daily_of(vault), comparison)
    (created,) = drafted.steps
    if [folder_of(note.path) for note in notes] == folders:
        created = {**created, "path": f"{folder}/{str(created['path']).rpartition('/')[2]}"}
    item: Value = {"op": "add_item", "text": "[[{{item.name}}]]"}
    steps: Sequence[Mapping[str, Value]] = (
        {"id": "found", "do": "find_notes", "folder": folder, "limit": MAX_RESULTS},
        created,
        {"id": "line", "each": "steps.found.notes", "do": "edit_note", "path": "{{steps.note.path}}", "edits": [item]},
    )
    return replace(drafted, steps=steps, variables=comparison.variables_of(steps))


def daily_of(vault: OpenVault) -> Callable[[date], VaultPath]:
    return partial(daily_path, read_obsidian_settings(vault.root))


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _notes_of(vault: OpenVault, text: str) -> set[VaultPath]:
    """Return the notes that a text links to."""
    found = (vault.names.resolve(link, VaultPath("")).path for link in _LINK_TARGET.findall(text))
    return {path for path in found if path is not None and path in vault.index.notes}


def _own_of(path: str) -> str:
    """Return what reads more of the note with this path."""
    return path[2:-2].removesuffix(".path")


def _only(values: Iterable[str | None]) -> str | None:
    """Return what all values are."""
    each = {*values}
    return each.pop() if len(each) == 1 else None


def draft_changes(
    examples: Sequence[Sequence[NoteChange]], vault: OpenVault, selection: Mapping[str, Value] | None = None
) -> DraftedSteps:
    """Return the steps that do what each example did; with a selection, to each of the notes that it finds."""
    draft = _ChangeDraft(vault, examples, each=selection is not None)
    if selection is not None:
        draft.steps.append({"id": "found", "do": "find_notes", **selection})
    for column in zip(*examples, strict=True):
        before = [one.before for one in column if one.before is not None]
        if before:
            draft.change(column, before)
        else:
            draft.create([one.after for one in column])
    if any(step.get("path") == DAILY_TEMPLATE for step in draft.steps):
        skip = {"template": "{{daily:template}}", "if_exists": "skip"}
        draft.steps.insert(0, {"id": "today", "do": "create_note", "path": DAILY_TEMPLATE, **skip})
    variables = draft.comparison.variables_of(draft.steps)
    return DraftedSteps(draft.steps, variables, tuple(draft.left_out), tuple(draft.text_left_out))


class _ChangeDraft:
    """Adds the steps that do what was done to one note in each example."""

    def __init__(self, vault: OpenVault, examples: Sequence[Sequence[NoteChange]], *, each: bool) -> None:
        self._vault = vault
        self._each = each
        self._daily = daily_of(vault)
        self._several = any(len(each) > 1 for each in examples)
        self.comparison = ExampleComparison(len(examples))
        self._given: list[str] = []
        """The templates of notes that are given."""
        self.steps: list[Mapping[str, Value]] = []
        self.left_out: list[str] = []
        self.text_left_out: list[str] = []

    def _add(self, step: Mapping[str, Value]) -> str:
        each: Mapping[str, Value] = {"each": "steps.found.notes"} if self._each else {}
        taken = sum(str(one["id"]).startswith(str(step["id"])) for one in self.steps)
        id_ = f"{step['id']}_{taken + 1}" if taken else str(step["id"])
        self.steps.append({"id": id_, **each, **{name: value for name, value in step.items() if name != "id"}})
        return id_

    def create(self, notes: Sequence[Example]) -> None:
        drafted = draft_note(notes, self._daily, self.comparison)
        id_ = self._add(drafted.steps[0])
        self.left_out += drafted.left_out
        self.text_left_out += drafted.text_left_out
        # Before the title, so that links lead to the note whatever becomes of its name.
        self.comparison.know([{note.path: f"{{{{steps.{id_}.path}}}}"} for note in notes])

    def change(self, column: Sequence[NoteChange], before: Sequence[Example]) -> None:
        kinds, goes = column[0].kinds, "into" in column[0].arguments
        known = [*self._given]
        path = self._path([note.path for note in before], ("move",) if goes else kinds)
        if path.startswith(_OWN_PREFIXES) and path not in known:
            # A note that moved is read as it is now, with what later changes wrote into it.
            facts = (
                [replace(note, properties={}) for note in before] if kinds == ("move",) and self._several else before
            )
            self.comparison.know([_facts_of(note, _own_of(path)) for note in facts])
        if column[0].arguments:
            given = {name: self._argument(name, column) for name in column[0].arguments}
            digest = {"digest": f"{{{{{_own_of(path)}.digest}}}}"} if goes else {}
            self._add({"id": "change", "do": kinds[0], "path": path, **given, **digest})
        if "properties" in kinds:
            made = self._properties(path, column, before)
            self._add({"id": "mark", "do": "set_properties", "path": path, **made})
        if "text" in kinds:
            self.comparison.know([days_near(one.day) for one in column])
            for edits in zip(*map(_edits_of, before, (one.after for one in column)), strict=False):
                edit = self._edit(edits, is_daily=path == DAILY_TEMPLATE)
                self._add({"id": "line", "do": "edit_note", "path": path, "edits": [edit]})
        if "move" in kinds:
            to = self._new_path(_own_of(path), column, before)
            id_ = self._add({"id": "move", "do": "move_note", "path": path, "to": to})
            self.comparison.know([{one.after.path: f"{{{{steps.{id_}.path}}}}"} for one in column])

    def _path(self, paths: Sequence[VaultPath], kinds: Sequence[str]) -> str:
        days = [found for path in paths if (found := day_of(note_name(path))) is not None]
        names = [note_name(self._daily(day)) for day in days]
        if self._each:
            return "{{item.path}}"
        if names == [*map(note_name, paths)] and "move" not in kinds:
            self.comparison.know([days_near(day) for day in days])
            return DAILY_TEMPLATE
        if _only(paths) and "move" not in kinds and (len(paths) > 1 or kinds == ("text",)):
            return escape_text(paths[0])
        known = _only(self.comparison.fill(paths)) or ""
        if not known.startswith("{{steps.") and known not in self._given:
            known = self.comparison.variable("note", paths, "note")
            self._given.append(known)
        return known

    def _new_path(self, own: str, column: Sequence[NoteChange], before: Sequence[Example]) -> str:
        here, there = [note.path for note in before], [one.after.path for one in column]
        days = [DAY_IN_NAME.search(note_name(path)) for path in here]
        forms = [
            forms_of(day[0], f"{{{{{own}.name}}}}", FOLDER_FORMS) if day and is_date(day[0]) else {} for day in days
        ]
        self.comparison.know(forms)
        folders, names = [*map(folder_of, there)], [*map(note_name, there)]
        is_kept = all(folders) and folders == [*map(folder_of, here)]
        parts = [folder.split("/") for folder in folders]
        levels = zip(*parts, strict=True) if len({*map(len, parts)}) == 1 else [folders]
        made = (str(self._value("folder", level, "text")) for level in levels)
        folder = f"{{{{{own}.folder}}}}" if is_kept else "/".join(made)
        is_named = names == [*map(note_name, here)]
        name = f"{{{{{own}.name}}}}" if is_named else str(self._value("name", names, "text"))
        return f"{folder}/{name}.md" if folder else f"{name}.md"

    def _argument(self, name: str, column: Sequence[NoteChange]) -> Value:
        kind: VariableKind = "note" if name == "into" else "text"
        values = [one.arguments[name] for one in column]
        # Of a single task nobody knows that it is always this one.
        return self.comparison.variable(name, values, kind) if len(values) == 1 else self._value(name, values, kind)

    def _value(self, name: str, values: Sequence[Value], kind: VariableKind | None = None) -> Value:
        """Return what all have, a template that makes it, or a variable; the form of a day is rather a template."""
        filled = _only(self.comparison.fill([*map(text_of, values)]))
        is_template = filled is not None and (_FORMED_TEMPLATE if len(values) > 1 else TEMPLATE).search(filled)
        if not is_template and all(value == values[0] for value in values):
            return escape(values[0])
        return filled or self.comparison.variable(name, values, kind)

    def _properties(self, path: str, column: Sequence[NoteChange], before: Sequence[Example]) -> Mapping[str, Value]:
        made: dict[str, Value] = {}
        after = column[0].after.properties
        for name in after:
            pairs = [
                (note.properties.get(name), one.after.properties.get(name))
                for note, one in zip(before, column, strict=True)
            ]
            values = [new for _, new in pairs]
            if all(old == new for old, new in pairs):
                continue
            if path.startswith(_OWN_PREFIXES) and _NAME.fullmatch(name) and (added := _added_to(pairs)):
                made[name] = [f"{{{{{_own_of(path)}.properties.{name}}}}}", *map(escape, added)]
                continue
            is_day = all(map(str.startswith, map(text_of, values), (f"{one.day}" for one in column)))
            made[name] = (is_day and moment_template(values[0])) or self._value(name, values)
        removed: Value = [name for name in before[0].properties if name not in after]
        return {**({"properties": made} if made else {}), **({"remove": removed} if removed else {})}

    def _edit(self, edits: Sequence["_Edit"], *, is_daily: bool) -> Mapping[str, Value]:
        ops = {one.op for one in edits}
        # The first item of a list is no item of a list yet.
        op = "insert_under" if ops == {"add_item", "insert_under"} else _only(ops)
        if op is None:
            raise InvalidArguments("The examples change different places.", hint="Give changes that are alike.")
        headings = [one.heading for one in edits if one.heading is not None]
        made: dict[str, Value] = {"op": op}
        if op == "insert_under" and all(one.is_last for one in edits) and not _only(headings):
            made["op"] = "append"
        elif len(headings) == len(edits):
            made["heading"] = self._value("heading", headings, "text")
        items = [found for one in edits if op == "add_item" and (found := _ITEM.fullmatch(one.text)) is not None]
        made["text"] = self._text([found[3] for found in items] or [one.text for one in edits])
        made |= {"task": True} if items and items[0][2] else {}
        return made | ({"create_heading": True} if is_daily and "heading" in made else {})

    def _text(self, texts: Sequence[str]) -> str:
        marks = [_ITEM.fullmatch(text) for text in texts]
        begins = [found[1] + (found[2] or "") if found is not None and "\n" not in found[3] else "" for found in marks]
        rest = [text[len(begin) :] for text, begin in zip(texts, begins, strict=True)]
        times = [found for text in rest if (found := _TIME.match(text)) is not None]
        if len(times) == len(rest):
            said = [found.string[found.end() :] for found in times]
            default = said[0] if len(said) > 1 and _only(said) else None
            text = self.comparison.variable("text", said, "text", default=default)
            form = "HH:mm" if len(times[0][1]) == len("09:30") else "H:mm"
            return f"{begins[0]}{{{{now:{form}}}}}{times[0][0][len(times[0][1]) :]}{text}"
        filled = self.comparison.fill(texts)
        notes = {path for text in filled for path in _notes_of(self._vault, text)}
        kinds = (self._vault.index.notes[path].note_type or note_name(VaultPath(folder_of(path))) for path in notes)
        name = _only(kinds) or ("note" if notes else "text")
        told = dict(enumerate(texts))
        parts = self.comparison.parts(told)
        begin = ""
        if not are_alike(parts, framed=True):
            begin, told = begins[0], dict(enumerate(rest))
            parts = keep_end(self.comparison.parts(told))
        is_told = parts and (len(texts) > 1 or TEMPLATE.search(filled[0]))
        made = self.comparison.write(parts, told, name) if is_told else None
        return begin + made if made else begins[0] + self.comparison.variable("text", rest, "text")


class _Edit(Record):
    """One edit of a text."""

    op: Literal["add_item", "insert_under", "append", "prepend"]
    text: str
    heading: str | None = None
    is_last: bool = False
    """Whether it is the end of the note."""


def _edits_of(before: Example, after: Example) -> Iterator[_Edit]:
    """Yield the edits that make a text another, or raise InvalidArguments."""
    old, new = before.text.split("\n"), after.text.split("\n")
    for piece in diff_lines(old, new):
        if any(map(str.strip, old[piece.before.start : piece.before.stop])):
            raise InvalidArguments(f"What was taken out of `{after.path}` is no example.", hint=_DO_AGAIN)
        at = piece.after.start
        text = "\n".join(new[at : piece.after.stop]).strip("\n")
        above = next((one for one in headings_in(after.text)[::-1] if one.line <= at), None)
        section = [*filter(str.strip, new[above.line if above is not None else 0 : at])]
        is_item = bool(section and _ITEM.match(section[-1]) and _ITEM.match(text))
        heading = above.text if above is not None else None
        if is_item and "\n" not in text:
            yield _Edit("add_item", text, heading)
        elif heading is not None and text and not text.startswith("#"):
            yield _Edit("insert_under", text, heading, is_last=not any(old[piece.before.start :]))
        elif text:
            yield _Edit("prepend" if piece.before.start == 0 and before.text.strip() else "append", text)


def _added_to(pairs: Sequence[tuple[Value, Value]]) -> Sequence[Value]:
    """Return what was added at the end of each of some lists; nothing if it is not the same, or not all."""
    lists = [(read_items(old or []), new if isinstance(new, list) else []) for old, new in pairs]
    added = [new[len(known) :] for known, new in lists if new[: len(known)] == [*known]]
    return added[0] if added and added == [added[0]] * len(lists) else []


def _facts_of(note: Example, prefix: str) -> Mapping[str, str]:
    """Return what a note says of itself, and the templates of that."""
    found: dict[str, str] = {note_name(note.path): f"{{{{{prefix}.name}}}}"}
    for name, value in note.properties.items():
        if _NAME.fullmatch(name) and isinstance(value, str | int) and len(str(value)) > 1:
            template = f"{{{{{prefix}.properties.{name}}}}}"
            forms = forms_of(str(value), template, FOLDER_FORMS) if is_date(str(value)) else {str(value): template}
            found = {**forms, **found}
    return found


def read_change(vault: OpenVault, change: Change) -> list[NoteChange]:
    """Return what a change did to notes, in order; links that followed a move are left out.

    Of a note that only moved nothing is kept, so that it is read as it is now.
    """
    files: dict[VaultPath, tuple[VaultPath, Digest | None, Digest | None]] = {}
    for step in change.steps:
        if step.kind == "put":
            path, before, _ = files.get(step.path, (step.path, step.before, None))
            files[step.path] = (path, before, step.after)
        elif step.kind == "move" and step.before is not None and step.to is not None and not is_hidden(step.to):
            files[step.to] = files.pop(step.path, (step.path, step.before, step.before))
        elif step.kind in ("move", "remove") and change.operation != "merge_notes":
            raise InvalidArguments(f"The change `{change.id}` takes `{step.path}` away or moves it.", hint=_DO_AGAIN)
    now = {step.to or step.path: path for step, path in zip(change.steps, change.places, strict=False)}
    is_move = any(path != to for to, (path, _, _) in files.items())
    day = datetime.fromtimestamp(change.time).astimezone().date()
    fetch = vault.store.snapshots.read_sound
    found: list[NoteChange] = []
    for to, (path, before, after) in files.items():
        if kind_of(to) != "note" or (path == to and is_move):
            continue
        is_same = before == after
        earlier, later = (
            None if digest is None else vault.files.read(now.get(to, to))[0] if is_same else fetch(digest)
            for digest in (before, after)
        )
        if later is None or (earlier is None and before is not None):
            raise InvalidArguments(f"What the change `{change.id}` wrote is no longer kept.", hint=_DO_AGAIN)
        note = None if earlier is None else read_example(path, earlier)
        found.append(NoteChange(note, read_example(to, later), change.id, day))
    return [_as_request(change, found, day)] if change.operation in _REQUESTS else found


def _as_request(change: Change, found: Sequence[NoteChange], day: date) -> NoteChange:
    """Return a change as what was asked for: the note that it was asked of, and the other arguments."""
    arguments: dict[str, str] = {}
    here = max((one.after for one in found), key=lambda one: len(one.text), default=None)
    if here is not None and change.operation == "merge_notes":
        arguments["into"] = here.path
        here = next((Example(step.path, {}, "") for step in change.steps if step.kind == "remove"), None)
    for one in found if not arguments else ():
        lines = (one.before or one.after).text.split("\n"), one.after.text.split("\n")
        lost = [line for piece in diff_lines(*lines) for line in lines[0][piece.before.start : piece.before.stop]]
        if change.operation == "toggle_task" and lost and (task := _ITEM.fullmatch(lost[0])) is not None:
            here, arguments = one.after, {"text": task[3]}
        for heading, to in change.facts.renames:
            if any(line.startswith("#") and line.strip("# ") == heading for line in lost):
                here, arguments = one.after, {"heading": heading, "to": to}
    if here is None or not arguments:
        raise InvalidArguments(f"What the change `{change.id}` did cannot be told from the notes.", hint=_DO_AGAIN)
    return NoteChange(here, here, change.id, day, change.operation, arguments)


def asks_for_all(description: str) -> bool:
    return _ALL_WORD.search(description) is not None


def select_notes(
    changes: Sequence[NoteChange], notes: Notes, description: str | None = None
) -> tuple[Mapping[str, Value], int] | None:
    """Return what finds the notes that were changed, and how many it finds.

    It finds hardly others; or those that a description names.
    """
    before = {one.after.path: one.before for one in changes if one.before is not None}
    if len(before) < len(changes) or any(one.arguments for one in changes):
        return None
    old = [_traits_of(note, _tags_of(note)) for note in before.values()]
    tags = {tag for each in old for name, tag in each if name == "tags"}
    added = [tag for tag in _tags_of(changes[0].after) if tag not in tags]
    shared = {trait: word for trait, word in old[0].items() if all(trait in each for each in old)}
    given = _values_given(changes)
    if description is not None:
        is_asked = added or asks_for_all(description)
        shared = {
            trait: word
            for trait, word in shared.items()
            if is_asked and _names(description, word, but=[*added, *given.values()])
        }
    others = [
        _traits_of(Example(path, note.properties, ""), note.tags) for path, note in notes.items() if path not in before
    ]
    shares = {trait: len(old) / (len(old) + sum(trait in each for each in others)) for trait in shared}
    ways = sorted(shared, key=lambda trait: -shares[trait])
    if description is None:
        ways = [trait for trait in ways if shares[trait] >= MIN_SHARE][:1]
    elif ways:
        # A folder may be named besides what its notes are.
        kinds = [way for way in ways if way[0] == "tags"] or [way for way in ways if way[0] == "where"]
        ways = [*kinds[:1], *[way for way in shared if way[0] == "folder"][:1]]
    if not ways:
        return None
    found = dict(ways)
    # A run finds what is left to be done.
    left = [
        found.pop("where", ""),
        *(f'!file.hasTag("{tag}")' for tag in added),
        *(_where_test(name, "!=", value) for name, value in given.items()),
    ]
    arguments: dict[str, Value] = {name: [value] if name == "tags" else value for name, value in found.items()}
    arguments |= {"where": " && ".join(filter(None, left))} if any(left) else {}
    return {**arguments, "limit": MAX_RESULTS}, len(old) + sum(all(way in each for way in ways) for each in others)


def _names(description: str, word: str, but: Sequence[str]) -> bool:
    """Return whether a description names something, also in the plural."""
    if not (word := fold_case(word.strip())) or word in map(fold_case, but):
        return False
    given, inside = _LONG_WORD.findall(text := fold_case(description)), _LONG_WORD.findall(word)
    is_near = any(one.startswith(mine) or mine.startswith(one) for mine in inside for one in given)
    return is_near or re.search(word_pattern(word), text) is not None


def _values_given(changes: Sequence[NoteChange]) -> Mapping[str, str]:
    """Return the texts that each change gave a property, which had another value."""
    found: dict[str, str] = {}
    for name, value in changes[0].after.properties.items():
        values = [(one.before.properties.get(name), one.after.properties.get(name)) for one in changes if one.before]
        is_same = all(old != value == new for old, new in values)
        if is_same and isinstance(value, str) and not is_date(value):
            found[name] = value
    return found


def _where_test(name: str, sign: str, value: str) -> str:
    first, second = (json.dumps(one, ensure_ascii=False) for one in (name, value))
    return f"note[{first}].contains({second})" if sign == "contains" else f"note[{first}] {sign} {second}"


def _tags_of(note: Example) -> Sequence[str]:
    return [str(one).lstrip("#") for one in read_items(note.properties.get("tags") or [])]


def _traits_of(note: Example, tags: Iterable[str]) -> Mapping[tuple[str, str], str]:
    """Return the arguments of `find_notes` that find a note, and the word for each."""
    found = {("tags", tag): tag for tag in tags}
    for name, value in note.properties.items():
        sign = "contains" if isinstance(value, list) else "=="
        for one in read_items(value or []) if fold_case(name) != "tags" else ():
            if isinstance(one, str) and one.strip():
                found["where", _where_test(name, sign, one)] = one
    return found | {("folder", folder): note_name(folder) for folder in parents(note.path)[::-1]}
