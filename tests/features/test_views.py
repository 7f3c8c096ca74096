"""Results as text: agents and people read the same words, and every result can be read."""

import re
import shutil
import sys
from collections.abc import AsyncIterator, Iterable

import pytest
import pytest_asyncio

from bridge.api.call import OWNER, Call
from bridge.api.markup import Diff, Document, Element, Line, RecordList, Section, Table
from bridge.api.operation import Operation
from bridge.api.registry import VIEWS, show
from bridge.api.schemas import encode_seen
from bridge.cli import render
from bridge.cli.console import cell
from bridge.features import operations
from bridge.mcp.text import format_result
from bridge.records import Record
from tests.conftest import SAMPLE
from tests.features.fresh import BETWEEN_VAULTS, example_of
from tests.features.results import as_json, drawn
from tests.features.served import Served, readable, serving

GENERIC = {
    "claim_change", "acknowledge_change", "judge_link", "index_status", "report_changes", "wait_until_indexed",
    "reindex", "job_status", "pause_indexing", "resume_indexing", "open_pairing",
    "give_feedback", "judge_memory", "give_note",
    "dismiss", "judge_finding", "export_index", "import_index", "publish", "retract",
}  # fmt: skip
"""Operations whose results are shown field by field: few facts, or for programs."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def plain_sample(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """The sample vault, searched by words only."""
    folder = tmp_path_factory.mktemp("plain")
    shutil.copytree(SAMPLE, folder / "sample")
    async with serving([folder / "sample"], folder / "data", folder / "no models") as served:
        await readable(served)
        yield served


def words(text: str) -> set[str]:
    """Return the words of a text; names of operations and options, and times, are several, however they are written.

    A person is not shown seconds and the zone of a time.
    """
    text = re.sub(r"(\dT\d\d:\d\d):\d\d(?:Z|[+-]\d\d:\d\d)", r"\1", text)
    return set(re.findall(r"\w+", re.sub(r"_|(?<=\d)T(?=\d)", " ", text)))


def only_for_models(elements: Iterable[Element]) -> set[str]:
    """Return the words that tables and documents add where columns and files need none, and what only programs need."""
    found: set[str] = words("Done")
    for element in elements:
        match element:
            case Table(columns=columns, rows=rows):
                for column in columns:
                    values = [as_json(column.value_of(row)) for row in rows]
                    shown = set() if column.pipe else words(" ".join(map(cell, values)))
                    found |= words(" ".join(map(column.format, values))) - shown
            case Section(entries=Table() as table):
                found |= only_for_models([table])
            case RecordList(lines=lines) | Section(entries=RecordList(lines=lines)):
                found |= only_for_models(lines)
            case Section(entries=entries) if not isinstance(entries, Table | RecordList):
                found |= only_for_models(entries)
            case Document():
                found |= words(element.marker)
            case Line(segments=segments):
                # Scores, digests and previews are of use to programs, which also know a field by its name.
                found |= words(" ".join(one.short or "" for one in segments if not one.text or one.role == "hint"))
                found |= {one.short for one in segments if one.short in ("True", "False", "true", "false")}
            case _:
                pass
    return found


def only_for_people(elements: Iterable[Element]) -> set[str]:
    """Return the words that are left out or shortened for models, and the headings of columns."""
    found: set[str] = words("vaultside")
    for element in elements:
        match element:
            case Line(segments=segments):
                found |= words(" ".join(one.text for one in segments if one.short is not None))
            case Table(columns=columns, rows=rows):
                found |= words(" ".join(column.name for column in columns))
                for column in columns:
                    values = [as_json(column.value_of(row)) for row in rows]
                    if isinstance(column.form, str) and column.most is None and column.form:
                        values = [value for value in values if isinstance(value, bool | float | dict)]
                    found |= words(" ".join(map(cell, values)))
            case Section(entries=Table() as table):
                found |= only_for_people([table]) | (set() if table.rows else words(element.head(0).text(short=False)))
            case RecordList(lines=lines) | Section(entries=RecordList(lines=lines)):
                found |= only_for_people(lines)
            case Section(entries=entries) if not isinstance(entries, Table | RecordList):
                found |= only_for_people(entries)
            case Diff(text=text):
                cut = text.count("\n") > element.most or max(map(len, text.split("\n"))) > element.width
                found |= words(text) if cut else set()
            case _:
                pass
    return found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    "operation",
    [operation for operation in operations() if operation.name not in BETWEEN_VAULTS],
    ids=lambda operation: operation.name,
)
async def test_an_agent_and_a_person_read_the_same_words(
    plain_sample: Served, operation: Operation, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A person reads a terminal, wide enough for every table; a pipe is for programs.
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100000")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    arguments = await example_of(operation, plain_sample)
    result, _ = encode_seen(await operation.run(Call(plain_sample.bridge, OWNER), arguments))
    elements = list(show(result))
    capsys.readouterr()
    render.show(operation.name, drawn(result))
    out, err = capsys.readouterr()
    told = words(format_result(result, quotes=False))
    read = words(re.sub(r"\x1b\[[0-9;]*m", "", f"{out}\n{err}"))
    assert read
    assert told - read <= only_for_models(elements)
    assert read - told <= only_for_people(elements)


def test_every_result_has_a_view_or_is_generic_on_purpose() -> None:
    assert {operation.name for operation in operations() if operation.result not in VIEWS} == GENERIC
    assert VIEWS.keys() <= {operation.result for operation in operations()}


class NoteOfJob(Record):
    path: str
    tags: tuple[str, ...]


class Job(Record):
    job_id: str
    total: int
    notes: tuple[NoteOfJob, ...]
    error: str | None


def test_a_result_without_a_view_is_shown_field_by_field(capsys: pytest.CaptureFixture[str]) -> None:
    result = Job("7", 3, (NoteOfJob("A.md", ("b",)),), None)
    assert format_result(result, quotes=False) == "job_id: 7\ntotal: 3\nnotes:\n- path: A.md · tags: b"
    render.show("job_status", drawn(result))
    assert capsys.readouterr().out == "job_id: 7\ntotal: 3\nnotes:\n- path: A.md · tags: b\n"
