"""Text views as JSON, so that a program without the operations can print results."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from bridge.api.markup import Answer, Diff, Document, Element, Line, RecordList, Section, Segment, Table
from bridge.api.registry import view_of


def add_view(operation: str, answer: bytes) -> bytes:
    """Return an operation's result, as JSON, together with its text view."""
    view = orjson.dumps(view_json(operation, orjson.loads(answer)))
    return b'{"result":' + answer + b',"view":' + view + b"}"


def view_json(operation: str, answer: Answer) -> Sequence[Mapping[str, Any]]:
    return [element_json(element) for element in view_of(operation)(answer)]


def element_json(element: Element) -> Mapping[str, Any]:
    match element:
        case str() | Line():
            return line_json(Line(element) if isinstance(element, str) else element)
        case Table():
            return {"kind": "table", **table_json(element)}
        case RecordList():
            return {"kind": "records", **records_json(element)}
        case Section(entries=entries):
            head = segments_json(element.head(element.size).segments)
            return {"kind": "section", "title": element.title, "head": head, **records_json(entries)}
        case Document(text=text, end=end):
            return {"kind": "document", "text": text, "end": end}
        case Diff(text=text):
            return {"kind": "diff", "text": text}


def records_json(entries: Table | RecordList | Sequence[Line | str]) -> Mapping[str, Any]:
    match entries:
        case Table():
            return {"records": table_json(entries), "lines": None}
        case RecordList(table=table, lines=lines):
            return {"records": table_json(table), "lines": [element_json(line) for line in lines]}
        case lines:
            return {"records": None, "lines": [element_json(line) for line in lines]}


def line_json(line: Line) -> Mapping[str, Any]:
    return {"kind": "line", "segments": segments_json(line.segments), "notice": line.notice}


def segments_json(segments: Sequence[Segment]) -> Sequence[tuple[str, str]]:
    return [(segment.text, segment.role) for segment in segments]


def table_json(table: Table) -> Mapping[str, Any]:
    names = [column.name for column in table.columns]
    return {
        "columns": names,
        "paths": [column.name for column in table.columns if column.role == "path"],
        "details": [column.name for column in table.columns if column.detail],
        "rows": [{name: row.get(name) for name in names} for row in table.rows],
    }
