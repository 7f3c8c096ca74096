"""What is written down is what there is."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from bridge.api.hints import records_in
from bridge.api.registry import implied_errors
from bridge.api.signature import parse_docstring
from bridge.changes.requests.base import Request
from bridge.cli.catalogue import read_catalogue
from bridge.errors import error_classes
from bridge.events import Event
from bridge.export.__main__ import stale_files, write_or_remove
from bridge.export.catalogue import catalogue, command_catalogue, command_line, schema_digest
from bridge.export.openapi import openapi
from bridge.export.reference import (
    errors_page,
    operations_by_feature,
    page_name,
    reference_pages,
    settings_page,
)
from bridge.export.typescript import called_operations, events_module, operations_module, type_expression
from bridge.features import FEATURES, operations
from bridge.settings.schema import describe_settings

PAGES = reference_pages()
OPERATIONS = [(page_name(feature), each) for feature, group in operations_by_feature().items() for each in group]


@pytest.mark.process(brief=True)
@pytest.mark.parametrize("optimize", [[], ["-OO", "-B"]], ids=["plain", "without docstrings"])
def test_the_generated_files_are_up_to_date(optimize: list[str]) -> None:
    checked = subprocess.run(
        [sys.executable, *optimize, "-m", "bridge.export", "--check"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_page_of_a_feature_that_is_gone_is_out_of_date_until_it_is_removed(tmp_path: Path) -> None:
    kept, missing, gone = (tmp_path / name for name in ("search.md", "notes.md", "old.md"))
    kept.write_bytes(b"as generated")
    gone.write_bytes(b"of a feature of before")
    generated = {kept: b"as generated", missing: b"new"}
    stale = stale_files(generated, tmp_path)
    assert stale == [missing, gone]
    for path in stale:
        write_or_remove(path, generated)
    assert stale_files(generated, tmp_path) == []
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == generated


def test_the_catalogue_has_every_operation_whole() -> None:
    for entry in catalogue():
        assert set(entry) == {
            "name", "title", "description", "scope", "reads", "form", "arguments", "result_name", "result", "errors",
            "example",
        }  # fmt: skip
        assert set(entry["example"]) <= set(entry["arguments"]["properties"])
        assert set(entry["arguments"].get("required", [])) <= set(entry["example"])
        assert "invalid_arguments" in {error["code"] for error in entry["errors"]}


def test_the_command_line_knows_every_operation_as_it_is() -> None:
    known = json.loads(json.dumps(command_catalogue()))
    assert read_catalogue() == known
    for operation in operations():
        assert list(known["operations"][operation.name]["arguments"]) == [one.name for one in operation.arguments]


def references(value: Any) -> list[str]:
    """Return every reference in a schema."""
    match value:
        case {"$ref": str(reference), **rest}:
            return [reference, *references(rest)]
        case dict():
            return [found for held in value.values() for found in references(held)]
        case list():
            return [found for held in value for found in references(held)]
        case _:
            return []


def test_openapi_holds_together() -> None:
    described = openapi()
    schemas = described["components"]["schemas"]
    assert {reference.rpartition("/")[2] for reference in references(described)} <= set(schemas)
    assert all(reference.startswith("#/components/schemas/") for reference in references(described))
    for operation in operations():
        post = described["paths"][f"/api/{operation.name}"]["post"]
        assert post["operationId"] == operation.name
        assert {"200", "400", "401", "403", "421", "413", "500"} <= set(post["responses"])


def test_records_of_one_name_are_one_record() -> None:
    results = {operation.result.__name__: operation.result for operation in operations()}
    assert len(results) == len({operation.result for operation in operations()})


def section_of(heading: str, page: str) -> str:
    """Return what a page says under a heading."""
    level = heading.partition(" ")[0]
    found = re.search(rf"^{heading}\n(.*?)(?=^#{{2,{len(level)}}} |\Z)", page, re.DOTALL | re.MULTILINE)
    assert found is not None, heading
    return found[1]


@pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=lambda value: getattr(value, "name", value))
def test_the_page_of_a_feature_describes_every_argument_field_and_error(name: str, operation: Any) -> None:
    page = section_of(f"## {operation.name}", PAGES[name])
    for argument in operation.arguments:
        line = re.compile(rf"^- `{argument.name}` \(.*\): {re.escape(argument.meaning)}$", re.MULTILINE)
        assert line.search(page)
    # A request in a result is an operation, which has its own place.
    for record in (one for one in records_in(operation.result) if not issubclass(one, Request)):
        heading = f"### {record.__name__}"
        held = section_of(heading, PAGES[name]) if f"{heading}\n" in PAGES[name] else page
        for field, meaning in parse_docstring(record).section("Attributes").items():
            assert f"- `{field}`: {meaning}" in held
    implied = implied_errors(operation.arguments, vault=operation.vault)
    for error in (one for one in operation.errors if one not in implied):
        assert f"[`{error.code}`](../errors.md#{error.code})" in page
    assert f"$ {command_line(operation)}" in page


def test_each_feature_has_a_page_and_each_operation_a_line_in_the_list() -> None:
    assert set(PAGES) == {"README.md", *(page_name(feature.name) for feature in FEATURES)}
    listed = re.findall(r"^- \[`(\w+)`\]\(([\w-]+\.md)#(\w+)\): (.*)$", PAGES["README.md"], re.MULTILINE)
    assert listed == [(each.name, name, each.name, each.summary) for name, each in OPERATIONS]
    assert {each.name for _, each in OPERATIONS} == {each.name for each in operations()}


@pytest.mark.parametrize("name", PAGES)
def test_no_two_headings_of_a_page_have_the_same_anchor(name: str) -> None:
    headings = [heading.lower() for heading in re.findall(r"^#+ (.*)$", PAGES[name], re.MULTILINE)]
    assert len(set(headings)) == len(headings)


def test_the_settings_page_has_every_setting_with_its_default_and_range() -> None:
    page = settings_page()
    for setting in describe_settings():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{setting.name}` |"))
        assert setting.meaning in row
        assert f"| `{json.dumps(setting.default)}` |" in row
        assert setting.most is None or f"{setting.least:,} to {setting.most:,}" in row
        assert ("after a restart" in row) == setting.restart


@pytest.mark.parametrize("error", [*error_classes()], ids=lambda error: error.__name__)
def test_the_errors_page_has_every_error_with_its_status_and_way_out(error: Any) -> None:
    part = section_of(f"## {error.code}", errors_page())
    assert f"| {int(error.status)} | {(error.__doc__ or '').strip()} | {error.hint} |" in part


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.name)
def test_the_errors_page_names_who_raises_an_error_when(operation: Any) -> None:
    page = errors_page()
    general = {error.__doc__ for error in error_classes()}
    for error, when in operation.errors.items():
        part = section_of(f"## {error.code}", page)
        told = any(operation.name in line and line.endswith(when) for line in part.splitlines())
        assert told or (when in general and ("- any call\n" in part or "- any operation " in part))


def test_a_form_is_of_the_fields_and_not_of_the_words_about_them() -> None:
    plain = {"type": "object", "properties": {"description": {"type": "string"}}}
    told = {"type": "object", "description": "A note.", "properties": {"description": {"type": "string", "title": "D"}}}
    assert schema_digest(plain) == schema_digest(told)
    assert schema_digest(plain) != schema_digest({"type": "object", "properties": {"words": {"type": "string"}}})
    assert schema_digest(plain) != schema_digest({"type": "object", "properties": {"description": {"type": "integer"}}})


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"$ref": "#/$defs/Hit"}, "Hit"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}, "string | null"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "number"),
        ({"type": "array", "items": {"enum": ["note", "pdf"], "type": "string"}}, 'readonly ("note" | "pdf")[]'),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]}, "readonly [number, number]"),
        ({"type": "array", "items": {"type": "string"}}, "readonly string[]"),
        ({"type": "array", "items": {}}, "readonly unknown[]"),
        ({"type": "object", "additionalProperties": True}, "Readonly<Record<string, unknown>>"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Readonly<Record<string, number>>"),
        ({}, "unknown"),
    ],
)
def test_each_schema_has_its_type(schema: Any, written: str) -> None:
    assert type_expression(schema) == written


def test_typescript_names_every_operation_with_its_form() -> None:
    written = operations_module({entry["name"] for entry in catalogue()})
    for entry in catalogue():
        assert f'\t{entry["name"]}: "{entry["form"]}",' in written
        assert f"\t\tresult: {entry['result_name']};" in written


def test_typescript_has_what_the_plugin_calls_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "pane.ts").write_text(
        'link.call("search", {}); icon("no_operation"); answer.get("revoke_client")'
    )
    (tmp_path / "operations.ts").write_text(operations_module({"read_note"}))
    called = called_operations(tmp_path)
    assert called == {"search", "revoke_client"}
    written = operations_module(called)
    assert re.findall(r"^\t(\w+): \"", written, re.MULTILINE) == ["search", "revoke_client"]
    assert 'ADMIN: ReadonlySet<string> = new Set(["revoke_client"])' in written


def test_typescript_tells_events_apart_by_kind() -> None:
    written = events_module()
    for record in get_args(Event):
        assert f'export interface {record.__name__} {{\n\treadonly kind: "{record.kind}";' in written
        assert all(f"\treadonly {name}: " in written for name in record.__struct_fields__)
