"""Drafts steps from changes that were made: what is the same in all of them stays, what differs becomes a variable."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Final, Literal

from msgspec.structs import replace

from bridge.bases.values import text_of
from bridge.errors import InvalidArguments
from bridge.features.workflows.examples import (
    FOLDER_FORMS,
    TEMPLATE,
    Example,
    ExampleComparison,
    are_alike,
    day_of,
    days_near,
    draft_note,
    escape,
    escape_text,
    forms_of,
    is_date,
    moment_template,
    read_example,
    variables_in,
)
from bridge.features.workflows.parse import MAX_RESULTS
from bridge.index.note import IndexedNote, Notes
from bridge.markdown.edit.headings import headings_in
from bridge.markdown.edit.properties import read_items
from bridge.markdown.kinds import kind_of
from bridge.markdown.names import note_name
from bridge.markdown.note import Value
from bridge.records import Record
from bridge.state.change_records import Change
from bridge.text.diff import diff_lines
from bridge.text.fold import fold_case
from bridge.types import Digest, VaultPath
from bridge.vault.paths import is_hidden

MIN_SHARE: Final = 0.5
"""Notes that were changed, as a share of those that a step would find."""
Fetch = Callable[[Digest], bytes | None]

_ITEM: Final = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+)(\[.\] )?(.*)", re.DOTALL)
_TIME: Final = re.compile(r"(\d\d?:\d\d)(?!\d)\W*")
_OPEN: Final = re.compile(r"^\s*[-*+] \[ \] *(.*\S)", re.MULTILINE)
_DONE: Final = re.compile(r"^\s*[-*+] \[[xX]\] *(.*\S)", re.MULTILINE)
_LINKS: Final = re.compile(r"(?:^[-*+] \[\[[^\[\]|#]+\]\] *\n?){2,}", re.MULTILINE)
"""A list of links and nothing else."""
_LINKED: Final = re.compile(r"\[\[([^\]|#]+)")
_NAME: Final = re.compile(r"[\w-]+")


class NoteChange(Record):
    """What a change did to one note."""

    before: Example | None
    """The note as it was; None if it was created."""
    after: Example
    day: date
    """When it was made."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What was done, in the order of the steps that do it again."""
        if self.before is None:
            return ("create",)
        differ = {
            "properties": self.before.properties != self.after.properties,
            "text": self.before.text != self.after.text,
            "move": self.before.path != self.after.path,
        }
        return tuple(name for name, done in differ.items() if done)


class NoteSelection(Record):
    """What a step finds: the notes that are to be changed."""

    arguments: Mapping[str, Value]


class DraftedSteps(Record):
    """Steps that do again what was done."""

    steps: Sequence[Mapping[str, Value]]
    variables: Mapping[str, Mapping[str, Value]]
    left_out: tuple[str, ...] = ()
    text_left_out: tuple[str, ...] = ()
    starter: str | None = None
    """The starter that does it instead."""
    remark: str | None = None


class VaultFacts(Record):
    """What a draft needs to know of the vault."""

    daily: Callable[[date], VaultPath]
    name_links: Callable[[Sequence[str]], str]
    """Returns what the notes are called that some links name."""
    folder_of: Callable[[Sequence[str]], str | None]
    """Returns the folder in which the notes are that some links name; None if they are not in one."""


def is_roll_over(earlier: str, later: str) -> bool:
    """Return whether the open tasks of a note, and none of those that are done, stand in a later one."""
    done = {*_DONE.findall(earlier)}
    return (
        bool(done)
        and {*_OPEN.findall(earlier)} == {*_OPEN.findall(later)} != set()
        and not done & {*_DONE.findall(later)}
    )


def draft_index(notes: Sequence[Example], facts: VaultFacts) -> DraftedSteps | None:
    """Return what makes notes that list those of a folder; None if they do not."""
    lists = [_LINKS.search(note.text) for note in notes]
    folders = [facts.folder_of(_LINKED.findall(found[0])) if found is not None else None for found in lists]
    if len(notes) < 2 or not all(folders):
        return None
    comparison = ExampleComparison(len(notes))
    names = [str(folder) for folder in folders]
    folder = names[0] if len({*names}) == 1 else comparison.variable("folder", names, "text")
    bare = [replace(note, text=_LINKS.sub("", note.text, count=1).rstrip("\n") + "\n") for note in notes]
    drafted = draft_note(bare, facts.daily, comparison)
    path = str(drafted.arguments["path"])
    if [note.path.rpartition("/")[0] for note in notes] == names:
        path = f"{folder}/{path.rpartition('/')[2]}"
    item: Value = {"op": "add_item", "text": "[[{{item.name}}]]"}
    steps: Sequence[Mapping[str, Value]] = (
        {"id": "found", "do": "find_notes", "folder": folder, "limit": MAX_RESULTS},
        {"id": "note", "do": "create_note", **drafted.arguments, "path": path},
        {"id": "line", "each": "steps.found.notes", "do": "edit_note", "path": "{{steps.note.path}}", "edits": [item]},
    )
    asked = {**comparison.variables, **drafted.variables}
    variables = {id_: asked[id_] for id_ in variables_in([*steps])}
    return DraftedSteps(steps, variables, drafted.left_out, drafted.text_left_out)


def draft_changes(
    examples: Sequence[Sequence[NoteChange]], facts: VaultFacts, selection: NoteSelection | None = None
) -> DraftedSteps:
    """Return the steps that do what each example did; with a selection, to each of the notes that it finds."""
    return _Draft(examples, facts, selection).draft()


class _Draft:
    def __init__(
        self, examples: Sequence[Sequence[NoteChange]], facts: VaultFacts, selection: NoteSelection | None
    ) -> None:
        self._examples = examples
        self._facts = facts
        self._selection = selection
        self._comparison = ExampleComparison(len(examples))
        self._steps: list[dict[str, Value]] = []
        self._known: dict[str, Mapping[str, Value]] = {}
        self._left: tuple[list[str], list[str]] = ([], [])

    def draft(self) -> DraftedSteps:
        if self._selection is not None:
            self._steps.append({"id": "found", "do": "find_notes", **self._selection.arguments})
        for column in zip(*self._examples, strict=True):
            if column[0].before is None:
                self._create([one.after for one in column])
            else:
                self._change(column, [one.before for one in column if one.before is not None])
        asked = {**self._comparison.variables, **self._known}
        variables = {id_: asked[id_] for id_ in variables_in([*self._steps])}
        return DraftedSteps(self._steps, variables, tuple(self._left[0]), tuple(self._left[1]))

    def _add(self, id_: str, do: str, path: str, **arguments: Value) -> None:
        each: Mapping[str, Value] = {"each": "steps.found.notes"} if self._selection is not None else {}
        taken = sum(str(step["id"]).startswith(id_) for step in self._steps)
        self._steps.append(
            {"id": id_ if not taken else f"{id_}_{taken + 1}", **each, "do": do, "path": path, **arguments}
        )

    def _create(self, notes: Sequence[Example]) -> None:
        drafted = draft_note(notes, self._facts.daily, self._comparison)
        self._add("note", "create_note", str(drafted.arguments["path"]))
        self._steps[-1] |= drafted.arguments
        self._known |= drafted.variables
        self._left[0].extend(drafted.left_out)
        self._left[1].extend(drafted.text_left_out)
        # Before the title, so that links lead to the note whatever becomes of its name.
        self._comparison.know([{note.path: f"{{{{steps.{self._steps[-1]['id']}.path}}}}"} for note in notes])

    def _change(self, column: Sequence[NoteChange], before: Sequence[Example]) -> None:
        path = self._path(column, before)
        kinds = column[0].kinds
        if "properties" in kinds:
            self._set_properties(path, column, before)
        if "text" in kinds:
            self._comparison.know([days_near(one.day) for one in column])
            for edits in zip(*map(_edits_of, before, (one.after for one in column)), strict=False):
                self._edit(path, edits)
        if "move" in kinds:
            self._add("move", "move_note", path, to=self._new_path(path, column, before))

    # -- which note ---------------------------------------------------------------------------------------------------

    def _path(self, column: Sequence[NoteChange], before: Sequence[Example]) -> str:
        paths = [note.path for note in before]
        days = [found for path in paths if (found := day_of(note_name(path))) is not None]
        names = [note_name(self._facts.daily(day)) for day in days]
        if self._selection is not None:
            path, prefix = "{{item.path}}", "item"
        elif names == [*map(note_name, paths)] and "move" not in column[0].kinds:
            self._comparison.know([days_near(day) for day in days])
            return "{{daily}}"
        elif len({*paths}) == 1 and (len(paths) > 1 or column[0].kinds == ("text",)):
            return escape_text(paths[0])
        else:
            (filled, *others) = self._comparison.fill(paths)
            if filled.startswith("{{steps.") and {*others} <= {filled}:
                return filled
            path = self._comparison.variable("note", [*paths], "note")
            prefix = path[2:-2]
        self._comparison.know([_facts_of(note, prefix) for note in before])
        return path

    def _new_path(self, path: str, column: Sequence[NoteChange], before: Sequence[Example]) -> str:
        own = path.replace(".path}}", "}}")[2:-2]
        paths = [one.after.path.split("/") for one in column]
        stems = [note_name(one.after.path) for one in column]
        kept = stems == [note_name(note.path) for note in before]
        name = f"{{{{{own}.name}}}}" if kept else self._value("name", stems)
        if all(one[:-1] == note.path.split("/")[:-1] for one, note in zip(paths, before, strict=True)):
            return f"{{{{{own}.folder}}}}/{name}.md" if all(len(one) > 1 for one in paths) else f"{name}.md"
        if len({*map(len, paths)}) > 1:
            return f"{self._value('folder', ['/'.join(one[:-1]) for one in paths])}/{name}.md"
        folders = [self._folder(parts) for parts in zip(*(one[:-1] for one in paths), strict=True)]
        return "/".join([*folders, f"{name}.md"])

    def _folder(self, parts: Sequence[str]) -> str:
        """Return a folder that notes were moved to; also one that all have in common may be that of their year."""
        filled = {*self._comparison.fill(parts)}
        is_form = len(filled) == 1 and ":" in next(iter(filled))
        return filled.pop() if is_form else self._value("folder", parts)

    def _value(self, name: str, texts: Sequence[str]) -> str:
        """Return a text that all have, or a template that makes them."""
        filled = self._comparison.fill(texts)
        if len({*texts}) == 1 and (len(texts) > 1 or "{{" not in filled[0]):
            return escape_text(texts[0])
        return filled[0] if len({*filled}) == 1 else self._comparison.variable(name, texts, "text")

    # -- properties ---------------------------------------------------------------------------------------------------

    def _set_properties(self, path: str, column: Sequence[NoteChange], before: Sequence[Example]) -> None:
        own = "item" if path == "{{item.path}}" else path[2:-2] if path.startswith("{{variables.") else ""
        made: dict[str, Value] = {}
        removed: list[str] = []
        first, after = before[0].properties, column[0].after.properties
        for name in [*after, *(name for name in first if name not in after)]:
            pairs = [
                (note.properties.get(name), one.after.properties.get(name))
                for note, one in zip(before, column, strict=True)
            ]
            if all(old == new for old, new in pairs):
                continue
            if name not in after:
                removed.append(name)
            elif own and _NAME.fullmatch(name) and (added := _added_to(pairs)) is not None:
                made[name] = [f"{{{{{own}.properties.{name}}}}}", *map(escape, added)]
            else:
                made[name] = self._property(name, [new for _, new in pairs], [one.day for one in column])
        given: dict[str, Value] = {"properties": made} if made else {}
        self._add("mark", "set_properties", path, **given, **({"remove": removed} if removed else {}))

    def _property(self, name: str, values: Sequence[Value], days: Sequence[date]) -> Value:
        if all(text_of(value).startswith(day.isoformat()) for value, day in zip(values, days, strict=True)):
            return moment_template(values[0]) or escape(values[0])
        if all(value == values[0] for value in values):
            return escape(values[0])
        filled = {*self._comparison.fill([*map(text_of, values)])}
        return filled.pop() if len(filled) == 1 else self._comparison.variable(name, values)

    # -- text ---------------------------------------------------------------------------------------------------------

    def _edit(self, path: str, edits: Sequence["_Edit"]) -> None:
        if len({one.op for one in edits}) > 1:
            # The first item of a list is no item of a list yet.
            edits = [
                replace(one, op="insert_under", text=one.line, task=False) if one.op == "add_item" else one
                for one in edits
            ]
        first = edits[0]
        if any(one.op != first.op for one in edits):
            raise InvalidArguments("The examples change different places.", hint="Give changes that are alike.")
        made: dict[str, Value] = {"op": first.op}
        if first.op == "insert_under" and all(one.is_last for one in edits) and len({one.heading for one in edits}) > 1:
            made["op"] = "append"
        elif first.heading is not None and all(one.heading is not None for one in edits):
            made["heading"] = self._value("heading", [str(one.heading) for one in edits])
        if first.op == "replace_text":
            whole = path if path.startswith("{{") else ""
            digest = whole.replace(".path}}", "}}").replace("}}", ".digest}}")
            if not digest or path == "{{daily}}":
                raise InvalidArguments("Words of one note are not replaced again and again.", hint=_DO_AGAIN)
            made |= {
                "old": self._value("old", [one.old for one in edits]),
                "new": self._value("new", [one.text for one in edits]),
            }
            self._add("edit", "edit_note", path, edits=[made], digest=digest)
            return
        texts = {at: one.text for at, one in enumerate(edits)}
        made["text"] = self._insertion_text(texts)
        made |= {"task": True} if first.task else {}
        made |= {"create_heading": True} if "heading" in made and path == "{{daily}}" else {}
        self._add("line", "edit_note", path, edits=[made])

    def _insertion_text(self, texts: Mapping[int, str]) -> str:
        marks = [_ITEM.fullmatch(text) for text in texts.values()]
        begins = [found[1] + (found[2] or "") if found is not None and "\n" not in found[3] else "" for found in marks]
        rest = [text[len(begin) :] for text, begin in zip(texts.values(), begins, strict=True)]
        times = [found for text in rest if (found := _TIME.match(text)) is not None]
        if len(times) == len(rest):
            told = {at: text[found.end() :] for at, (text, found) in enumerate(zip(rest, times, strict=True))}
            default = told[0] if len(told) > 1 == len({*told.values()}) else None
            text = self._comparison.variable("text", [*told.values()], "text", default=default)
            form = "HH:mm" if len(times[0][1]) == len("09:30") else "H:mm"
            return f"{begins[0]}{{{{now:{form}}}}}{times[0][0][len(times[0][1]) :]}{text}"
        linked = [found[1] for text in rest if (found := _LINKED.search(text)) is not None]
        is_link = len(linked) == len(rest) and not TEMPLATE.search(self._comparison.fill(linked)[0])
        name = self._facts.name_links(linked) if is_link else "text"
        (filled, *others) = self._comparison.fill([*texts.values()])
        if {*others} <= {filled} and TEMPLATE.search(filled):
            return filled
        parts = self._comparison.parts(texts)
        if len(texts) > 1 and are_alike(parts, framed=True) and (made := self._comparison.write(parts, texts, name)):
            return made
        if len(linked) == len(rest) and all(text == f"[[{link}]]" for text, link in zip(rest, linked, strict=True)):
            return f"{begins[0]}{self._link_text(name, linked)}"
        return begins[0] + self._comparison.variable("text", rest, "text")

    def _link_text(self, name: str, linked: Sequence[str]) -> str:
        filled = {*self._comparison.fill(linked)}
        is_told = len(filled) == 1 and "{{" in next(iter(filled))
        return f"[[{filled.pop() if is_told else self._comparison.variable(name, linked, 'text')}]]"


_DO_AGAIN: Final = "Give changes that add lines, set properties, move or create notes, or replace the same words."


class _Edit(Record):
    """One edit of a text."""

    op: Literal["add_item", "insert_under", "append", "prepend", "replace_text"]
    text: str
    heading: str | None = None
    old: str = ""
    task: bool = False
    line: str = ""
    """An item with its marker."""
    is_last: bool = False
    """Whether it is the end of the note."""


def _edits_of(before: Example, after: Example) -> Iterator[_Edit]:
    """Yield the edits that make a text another, or raise InvalidArguments."""
    old, new = before.text.split("\n"), after.text.split("\n")
    for piece in diff_lines(old, new):
        gone, come = old[piece.before.start : piece.before.stop], new[piece.after.start : piece.after.stop]
        lines = "\n".join(come).strip("\n").split("\n") if any(map(str.strip, come)) else []
        if any(line.strip() for line in gone):
            parts = ExampleComparison(2).parts({0: "\n".join(gone), 1: "\n".join(come)})
            gaps = [part for part in parts if not isinstance(part, str)]
            if len(gaps) != 1 or not gaps[0][0]:
                raise InvalidArguments(f"What was taken out of `{after.path}` is no example.", hint=_DO_AGAIN)
            yield _Edit("replace_text", gaps[0][1], old=gaps[0][0])
        elif lines:
            yield _insertion(lines, piece.after.start, old, new, piece.before.start)


def _insertion(lines: Sequence[str], at: int, old: Sequence[str], new: Sequence[str], place: int) -> _Edit:
    above = [one for one in headings_in("\n".join(new)) if one.line <= at]
    heading = above[-1].text if above else None
    item = _ITEM.fullmatch(lines[0])
    begins = above[-1].line if above else 0
    section = [line for line in new[begins:at] if line.strip()]
    if item is not None and len(lines) == 1 and section and _ITEM.match(section[-1]):
        return _Edit("add_item", item[3], heading, task=item[2] is not None, line=lines[0])
    text = "\n".join(lines)
    if heading is not None and not lines[0].startswith("#"):
        return _Edit("insert_under", text, heading, is_last=not any(old[place:]))
    return _Edit("prepend" if place == 0 and any(line.strip() for line in old) else "append", text)


def _added_to(pairs: Sequence[tuple[Value, Value]]) -> Sequence[Value] | None:
    """Return what was added to each of some lists; None if it is not the same, or not all that was done."""
    added: list[list[Value]] = []
    for old, new in pairs:
        known = [] if old in (None, "") else old if isinstance(old, list) else [old]
        if not isinstance(new, list) or [one for one in new if one in known] != known:
            return None
        added.append([one for one in new if one not in known])
    return added[0] if all(one == added[0] for one in added) else None


def _facts_of(note: Example, prefix: str) -> Mapping[str, str]:
    """Return what a note says of itself, and the templates of that."""
    found: dict[str, str] = {note_name(note.path): f"{{{{{prefix}.name}}}}"}
    for name, value in note.properties.items():
        template = f"{{{{{prefix}.properties.{name}}}}}"
        if _NAME.fullmatch(name) and is_date(value):
            for text, form in forms_of(str(value), template, FOLDER_FORMS).items():
                found.setdefault(text, form)
        elif (
            _NAME.fullmatch(name)
            and isinstance(value, str | int)
            and not isinstance(value, bool)
            and len(str(value)) > 1
        ):
            found.setdefault(str(value), template)
    return found


def read_change(change: Change, fetch: Fetch, read: Callable[[VaultPath], bytes]) -> list[NoteChange]:
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
        elif step.kind in ("move", "remove"):
            raise InvalidArguments(f"The change `{change.id}` takes `{step.path}` away or moves it.", hint=_DO_AGAIN)
    now = {step.to or step.path: path for step, path in zip(change.steps, change.now, strict=False)}
    is_move = any(path != to for to, (path, _, _) in files.items())
    day = datetime.fromtimestamp(change.time).astimezone().date()
    found: list[NoteChange] = []
    for to, (path, before, after) in files.items():
        if kind_of(to) == "note" and (path != to or not is_move):
            texts = [None if digest is None else fetch(digest) for digest in (before, after)]
            if before == after:
                texts = [read(now.get(to, to))] * 2
            if None in (texts[1], texts[0] if before is not None else b""):
                raise InvalidArguments(f"What the change `{change.id}` wrote is no longer kept.", hint=_DO_AGAIN)
            notes = [
                None if data is None else read_example(one, data) for one, data in zip((path, to), texts, strict=True)
            ]
            found.append(NoteChange(notes[0], notes[1] or read_example(to, b""), day))
    return found


def select_notes(changes: Sequence[NoteChange], notes: Notes, description: str | None = None) -> NoteSelection | None:
    """Return what finds the notes that were changed, and hardly others; or what a description names of them."""
    before = {one.after.path: one.before for one in changes if one.before is not None}
    first = changes[0]
    if len(before) < len(changes) or first.before is None:
        return None
    shared = [*first.before.properties.items()]
    shared = [
        (name, value) for name, value in shared if all(one.properties.get(name) == value for one in before.values())
    ]
    kept = [
        (name, value) for name, value in shared if first.after.properties.get(name) == value and isinstance(value, str)
    ]
    tags = [tag for tag in _tags_of(first.before) if all(tag in _tags_of(one) for one in before.values())]
    folder = first.before.path.rpartition("/")[0]
    folder = folder if all(one.path.rpartition("/")[0] == folder for one in before.values()) else ""

    def fits(path: VaultPath, note: IndexedNote, arguments: Mapping[str, Value]) -> bool:
        one = before.get(path)
        place, own = (path, note.properties) if one is None else (one.path, one.properties)
        tagged = note.tags if one is None else _tags_of(one)
        name, value = next(iter(arguments.items()))
        is_there = place.startswith(f"{value}/") if name == "folder" else False
        is_tagged = name == "tags" and isinstance(value, list) and value[0] in tagged
        return is_there or is_tagged or (name == "where" and any(value == _equals(*pair) for pair in own.items()))

    ways: list[tuple[str, Mapping[str, Value]]] = [(tag, {"tags": [tag]}) for tag in tags]
    ways += [(value, {"where": _equals(name, value)}) for name, value in kept]
    ways += [(folder.rpartition("/")[2], {"folder": folder})] if folder else []
    added = [tag for tag in _tags_of(first.after) if all(tag not in _tags_of(one) for one in before.values())]
    best: tuple[float, Mapping[str, Value]] = (0.0, {})
    for word, arguments in ways:
        found = sum(fits(path, note, arguments) for path, note in notes.items())
        share = len(before) / max(found, 1)
        if description is not None:
            is_named = word not in added and fold_case(word) in fold_case(description)
            # A run finds what is left to be done.
            enough = is_named and bool(added)
            share = 2 - ("folder" in arguments)
        else:
            enough = share >= MIN_SHARE
        best = (share, arguments) if enough and share > best[0] else best
    if not best[1]:
        return None
    undone = [*filter(None, [best[1].get("where"), *(f'!file.hasTag("{tag}")' for tag in added)])]
    where: dict[str, Value] = {"where": " && ".join(map(str, undone))} if undone else {}
    return NoteSelection({**best[1], **where, "limit": MAX_RESULTS})


def _tags_of(note: Example) -> Sequence[str]:
    return [str(one).lstrip("#") for one in read_items(note.properties.get("tags") or [])]


def _equals(name: str, value: Value) -> str:
    return f"note[{json.dumps(name, ensure_ascii=False)}] == {json.dumps(value, ensure_ascii=False, default=str)}"
