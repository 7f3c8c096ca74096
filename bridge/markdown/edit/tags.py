"""Renames a tag in a file: in its properties, in its text outside code and links, and in the cards of a canvas."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from bridge.errors import InvalidArguments, InvalidProperties
from bridge.markdown.decode import BOM, encode_like
from bridge.markdown.documents import is_drawing
from bridge.markdown.edit.draft import open_draft
from bridge.markdown.edit.properties import PropertyBlock, edit_properties, read_items
from bridge.markdown.edit.yaml_write import YamlReplacement, apply_replacements
from bridge.markdown.embedded_text import json_strings, read_json, read_json_string
from bridge.markdown.frontmatter import cut_frontmatter, is_tag_property, read_frontmatter
from bridge.markdown.note import Value
from bridge.markdown.parse import parse, parse_structure
from bridge.markdown.tags import find_tags, is_tag
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.text.scripts import NAME_END, NAME_START
from bridge.types import VaultPath

_SEPARATOR: Final = re.compile(r"([,\s]+)")


class TagRename(Record):
    """A tag, without `#`, and its new name."""

    old: str
    to: str
    children: bool = True
    """Whether nested tags follow: `old/child` becomes `to/child`."""

    @classmethod
    def of(cls, old: str, to: str, *, children: bool = True) -> "TagRename":
        names = [name.strip().removeprefix("#") for name in (old, to)]
        for name in names:
            if not is_tag(name) or "" in name.split("/"):
                raise InvalidArguments(
                    f"`{name}` is not a tag.",
                    hint="A tag has letters, digits, `-`, `_` and `/` between its levels, and not only digits.",
                )
        return cls(names[0], names[1], children)

    def apply(self, tag: str) -> str | None:
        """Return the new name of a tag; None when the rename does not concern it."""
        levels, old = tag.split("/"), fold_case(self.old).split("/")
        if [fold_case(level) for level in levels[: len(old)]] != old or (len(levels) > len(old) and not self.children):
            return None
        new = "/".join([self.to, *levels[len(old) :]])
        return None if new == tag else new


class EditedTags(Record):
    """The bytes of a file after a rename, and how many tags were written differently."""

    data: bytes
    count: int


def rename_tag(path: VaultPath, data: bytes, rename: TagRename) -> EditedTags:
    """Rename a tag in a Markdown note or a canvas; everything else stays byte for byte."""
    if path.lower().endswith(".canvas"):
        return _rename_in_canvas(path, data, rename)
    draft = open_draft(path, data)
    values, inside = _rename_in_properties(path, draft.text, rename)
    text = edit_properties(path, data, values).removeprefix(BOM).decode() if values else draft.text
    changes = [
        YamlReplacement((offset + 1, end), new)
        for name, (offset, end) in find_tags(draft.text, draft.body, draft.structure)
        if (new := rename.apply(name)) is not None
    ]
    if changes and is_drawing(path, read_frontmatter(draft.text, draft.lines).properties):
        raise InvalidArguments(f"`{path}` is a drawing that shows the tag.", hint="Rename it in Excalidraw.")
    grown = len(text) - len(draft.text)
    moved = [YamlReplacement((one.span[0] + grown, one.span[1] + grown), one.text) for one in changes]
    return EditedTags(encode_like(data, apply_replacements(text, moved)), inside + len(changes))


def _rename_in_properties(path: VaultPath, text: str, rename: TagRename) -> tuple[Mapping[str, Value], int]:
    cut = cut_frontmatter(text)
    if cut is None or fold_case(rename.old) not in fold_case(text[slice(*cut[0])]):
        return {}, 0
    try:
        block = PropertyBlock.read(path, text)
    except InvalidProperties:
        named = f"(?<!/){NAME_START}{re.escape(fold_case(rename.old))}{NAME_END}"
        if re.search(named, fold_case(text[slice(*cut[0])])):
            raise
        return {}, 0
    changes: dict[str, Value] = {}
    count = 0
    for name, value in block.values.items():
        if is_tag_property(name):
            items, renamed = _rename_items(read_items(value), rename)
            if renamed:
                changes[name] = items if isinstance(value, list | tuple) else items[0]
                count += renamed
    return changes, count


def _rename_items(items: tuple[Value, ...], rename: TagRename) -> tuple[list[Value], int]:
    """Return the values of a tag property after a rename; a tag that the note then has twice is taken out."""
    stays = {fold_case(tag) for item in items for tag in _tags_in(item) if rename.apply(tag) is None}
    done: list[Value] = []
    count = 0
    for item in items:
        if not isinstance(item, str):
            done.append(item)
            continue
        parts: list[str] = []
        changed = False
        # Tags at even places, what separates them at odd ones.
        for at, part in enumerate(_SEPARATOR.split(item)):
            sign, tag = ("#", part[1:]) if part.startswith("#") else ("", part)
            new = rename.apply(tag) if at % 2 == 0 and is_tag(tag) else None
            if new is None:
                parts.append(part)
                continue
            count, changed = count + 1, True
            if fold_case(new) in stays:
                # Its separator goes with it.
                parts = parts[:-1] if parts else parts
                parts.append("")
                continue
            stays.add(fold_case(new))
            parts.append(sign + new)
        text = _join_parts(parts) if changed else item
        done += [text] if text or not changed else []
    if not done:
        raise InvalidProperties("The tags cannot be read.")
    return done, count


def _join_parts(parts: list[str]) -> str:
    """Join tags and separators; a separator at either end stays only beside a tag."""
    text = "".join(parts)
    return _SEPARATOR.sub("", text, count=1) if parts and parts[0] == "" and _SEPARATOR.match(text) else text


def _tags_in(item: Value) -> Iterator[str]:
    if isinstance(item, str):
        for word in _SEPARATOR.split(item)[::2]:
            if is_tag(tag := word.removeprefix("#")):
                yield tag


def edit_tags(path: VaultPath, data: bytes, add: Sequence[str], remove: Collection[str]) -> bytes:
    """Add and remove tags in the properties of a note; one that it has anywhere is not added again.

    Raises:
        InvalidArguments: A tag to be removed stands in the text, where a sentence may need it.
    """
    note = parse(path, data)
    body = note.text.count("\n", 0, note.body) + 1
    leaving = {fold_case(tag) for tag in remove}
    if stays := next((tag for tag in note.tags if tag.line >= body and fold_case(tag.name) in leaving), None):
        raise InvalidArguments(f"`#{stays.name}` stands in the text of `{path}`, line {stays.line}.")
    values: dict[str, Value] = {}
    for name, value in note.properties.items():
        if is_tag_property(name):
            had = [tag for item in read_items(value) for tag in _tags_in(item)]
            kept = [tag for tag in had if fold_case(tag) not in leaving]
            if kept != had:
                values[name] = kept
    own = next(filter(is_tag_property, note.properties), "tags")
    known = {fold_case(tag.name) for tag in note.tags} - leaving
    if new := [tag for tag in add if fold_case(tag) not in known]:
        had = [tag for item in read_items(note.properties.get(own, ())) for tag in _tags_in(item)]
        values[own] = [*read_items(values.get(own, had)), *new]
    return edit_properties(
        path,
        data,
        {name: value for name, value in values.items() if value},
        [n for n, value in values.items() if not value],
    )


def _rename_in_canvas(path: VaultPath, data: bytes, rename: TagRename) -> EditedTags:
    try:
        text = data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidArguments(f"`{path}` contains bytes that are not UTF-8.") from None
    canvas, problems = read_json(text, "canvas")
    nodes = canvas.get("nodes")
    if problems or not isinstance(nodes, list):
        raise InvalidArguments(f"`{path}` cannot be read: {' '.join(problems) or 'it has no cards.'}")
    strings = json_strings(text)
    changes: list[YamlReplacement] = []
    for number, node in enumerate(nodes):
        match node:
            case {"type": "text", "text": str(words)} if "#" in words:
                card = read_json_string(text, strings["nodes", number, "text"])
                lead = len(card.text) - len(card.text.lstrip())
                shown = card.text.strip()
                structure, _ = parse_structure(shown, 0)
                for name, (offset, end) in find_tags(shown, 0, structure):
                    if (new := rename.apply(name)) is not None:
                        span = card.span((lead + offset + 1, lead + end))
                        changes.append(YamlReplacement(span, card.ink(new)))
    return EditedTags(encode_like(data, apply_replacements(text, changes)), len(changes))
