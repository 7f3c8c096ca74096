"""Reads what other memory systems export: mem0, the MCP reference server's `memory.json`, and basic-memory."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from bridge.errors import InvalidArguments
from bridge.markdown.parse import parse
from bridge.records import dataclass
from bridge.types import VaultPath

_TITLE = 80
"""Characters of a title that is made from a text."""

_KNOWN = "The export of mem0, a `memory.json` of the MCP reference server, or a folder of basic-memory is known."


@dataclass(frozen=True, slots=True)
class ExportedMemory:
    """A memory of another system."""

    title: str
    text: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


def read_export(text: str) -> list[ExportedMemory]:
    """Return the memories of an export."""
    documents = _documents(text)
    match documents:
        case [{"notes": dict(notes)}]:
            return [_from_note(str(name), str(content)) for name, content in sorted(notes.items())]
        case [{"results": list(rows)}] | [list(rows)]:
            found = list(_from_mem0(rows))
        case [{"entities": list(entities), "relations": list(relations)}]:
            found = list(_from_graph([*_with_type(entities, "entity"), *_with_type(relations, "relation")]))
        case _:
            found = list(_from_graph(documents))
    if not found:
        raise InvalidArguments("No memories were found in the export.", hint=_KNOWN)
    return found


def _documents(text: str) -> list[Any]:
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        raise InvalidArguments("The export is not JSON.", hint=_KNOWN) from None


def _with_type(rows: list[Any], kind: str) -> Iterator[Any]:
    return ({**row, "type": kind} for row in rows if isinstance(row, dict))


def _from_mem0(rows: list[Any]) -> Iterator[ExportedMemory]:
    for row in rows:
        if isinstance(row, dict) and isinstance(text := row.get("memory"), str) and text.strip():
            tags = row.get("categories")
            metadata = {"source": "mem0"}
            if isinstance(created := row.get("created_at"), str):
                metadata["source_created"] = created
            yield ExportedMemory(
                _title(text),
                text.strip(),
                tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
                metadata=metadata,
            )


def _from_graph(rows: list[Any]) -> Iterator[ExportedMemory]:
    entities: dict[str, dict[str, Any]] = {}
    relations: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        match row:
            case {"type": "entity", "name": str(name)}:
                entities[name] = row
            case {"type": "relation", "from": str(source), "to": str(target), "relationType": str(relation)}:
                relations[source].append(f"- {relation.replace('_', ' ')} [[{target}]]")
    for name, entity in entities.items():
        said = entity.get("observations")
        lines = [f"- {' '.join(str(one).split())}" for one in said] if isinstance(said, list) else []
        kind = entity.get("entityType")
        if lines + relations[name]:
            yield ExportedMemory(
                _title(name),
                "\n".join([*lines, *relations[name]]),
                tags=(kind,) if isinstance(kind, str) and kind.strip() else (),
                metadata={"source": "memory.json"},
            )


def _from_note(name: str, content: str) -> ExportedMemory:
    note = parse(VaultPath(name), content.encode("utf-8", "replace"))
    named = note.properties.get("title")
    title = named if isinstance(named, str) else note.title
    body = note.text[note.body :]
    if note.headings and (first := note.headings[0]).text == title and not note.text[note.body : first.span[0]].strip():
        body = note.text[first.span[1] :]
    return ExportedMemory(
        _title(title),
        body.strip(),
        tags=tuple(dict.fromkeys(tag.name for tag in note.tags)),
        aliases=note.aliases,
        metadata={"source": "basic-memory"},
    )


def _title(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _TITLE else f"{line[:_TITLE].rsplit(' ', 1)[0]} …"
