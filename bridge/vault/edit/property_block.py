"""A note's text and the properties in it: what each holds, and where it stands."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from yaml import YAMLError

from bridge.errors import InvalidProperties
from bridge.types import Span, VaultPath
from bridge.vault.edit.entries import Entry, line_end, read_entries
from bridge.vault.lines import LineIndex
from bridge.vault.note import Value
from bridge.vault.properties import MAX_BLOCK, cut_frontmatter, explain, load_properties

BY_HAND: Final = "Change it by hand in the note, or set other properties."


@dataclass(frozen=True, slots=True)
class PropertyBlock:
    """A note's text, and the properties in it."""

    text: str
    span: Span
    """Between the `---` lines."""
    body: int
    """0 when there is no block."""
    newline: str
    values: Mapping[str, Value]
    entries: tuple[Entry, ...]

    @classmethod
    def read(cls, path: VaultPath, text: str) -> "PropertyBlock":
        """Find the properties of a note.

        Raises:
            InvalidProperties: They cannot be read.
        """
        cut = cut_frontmatter(text)
        if cut is None:
            first_line = text.partition("\n")[0]
            return cls(text, (0, 0), 0, "\r\n" if first_line.endswith("\r") else "\n", {}, ())
        (start, end), body = cut
        yaml, lines = text[start:end], LineIndex(text)
        if end - start > MAX_BLOCK:
            raise InvalidProperties(f"The properties of `{path}` are larger than {MAX_BLOCK // 1024} KiB.")
        strange = next((at for at, c in enumerate(yaml) if "\ud800" <= c <= "\udfff"), None)
        if strange is not None:
            line = lines.at(start + strange)
            raise InvalidProperties(f"Line {line} of `{path}` holds bytes that are not UTF-8.", line=line)
        try:
            values = load_properties(yaml).values
        except YAMLError as error:
            raise InvalidProperties(explain(error, start, lines), path=path) from None
        entries = read_entries(yaml)
        if entries is None:
            raise InvalidProperties(
                f"The properties of `{path}`, line 2, stand in braces.", hint="Write them as `name: value` lines first."
            )
        newline = text[slice(*line_end(text, 0))]
        return cls(text, (start, end), body, newline, values, entries)

    def own(self, name: str) -> str:
        """Return the note's own spelling of a name.

        Raises:
            InvalidProperties: It has several.
        """
        if name in self.values:
            return name
        found = [own for own in self.values if own.casefold() == name.casefold()]
        if len(found) > 1:
            raise InvalidProperties(
                f"`{name}` may be {' or '.join(f'`{own}`' for own in found)}.", hint="Name it exactly."
            )
        return found[0] if found else name

    def entry(self, name: str) -> Entry:
        """Return where a property stands.

        Raises:
            InvalidProperties: It cannot be changed alone.
        """
        found = [entry for entry in self.entries if entry.name == name]
        if not found:
            raise InvalidProperties(f"`{name}` is written in a way that cannot be changed safely.", hint=BY_HAND)
        if len(found) > 1:
            where = LineIndex(self.text)
            lines = " and ".join(str(where.at(self.span[0] + entry.lines[0])) for entry in found)
            raise InvalidProperties(f"`{name}` stands more than once, in lines {lines}.", hint=BY_HAND)
        others = frozenset[str]().union(*(entry.value.aliases for entry in self.entries if entry.name != name))
        if found[0].value.anchors & others:
            anchor = min(found[0].value.anchors & others)
            raise InvalidProperties(f"Another property refers to `{name}` as `*{anchor}`.", hint=BY_HAND)
        return found[0]

    def without(self, names: Collection[str]) -> str:
        """Return the block without the lines of some properties."""
        kept, end = [], 0
        yaml = self.text[slice(*self.span)]
        for entry in self.entries:
            if entry.name in names:
                kept.append(yaml[end : entry.lines[0]])
                end = entry.lines[1]
        return "".join([*kept, yaml[end:]])
