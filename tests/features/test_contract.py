"""Every example answers alike over HTTP, as a tool and as a command; what is wrong is refused in one shape."""

import re
import shlex
from collections.abc import Mapping
from typing import Any, get_args, get_origin

import msgspec
import pytest

from bridge.api.hints import strip_hint
from bridge.api.operation import Operation
from bridge.api.presets import listed_tools
from bridge.errors import BridgeError
from bridge.export.catalogue import command_line
from bridge.features import operations
from bridge.types import VaultPath
from tests.features.fresh import BETWEEN_VAULTS, example_of
from tests.features.served import Answer, Served
from tests.mcp.client import connected, text_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANSWERED = pytest.mark.parametrize(
    "operation",
    [operation for operation in operations() if operation.name not in BETWEEN_VAULTS],
    ids=lambda operation: operation.name,
)
EVERY = pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.name)
PATHS = [
    (operation, argument.name)
    for operation in operations()
    for argument in operation.arguments
    if VaultPath in (argument.hint, *getattr(argument.hint, "__args__", ()))
]
EVERY_PATH = pytest.mark.parametrize(("operation", "name"), PATHS, ids=[f"{o.name}-{name}" for o, name in PATHS])

OUTSIDE = (
    "../outside.md", "a/../../outside.md", "/etc/passwd", "//server/share.md", "C:\\notes\\a.md", "c:/a.md",
    "a\x00.md", "..", ".", "", " ", ".obsidian/app.json", ".git/config", "a\\..\\b.md", "a" * 5000,
)  # fmt: skip

CODES = {
    "invalid_arguments", "unauthorized", "forbidden", "bad_host", "rate_limited", "too_large", "busy", "cancelled",
    "internal", "not_ready", "model_missing", "no_such_vault", "no_such_operation", "note_not_found", "outside_vault",
    "protected_path", "note_exists", "note_changed", "folder_not_found", "heading_not_found", "ambiguous_heading",
    "block_not_found", "text_not_found", "invalid_properties", "change_not_found", "change_conflict",
    "expectation_failed", "confirmation_required", "declined", "settings_unreadable", "job_not_found", "disk_full",
    "read_only", "server_not_found", "server_failed",
}  # fmt: skip


CHANGES = {"change_id", "preview", "id", "time", "client", "expires", "session"}
"""What differs from change to change."""

SETTING_UP = {"hand_over", "record_correction", "remember", "set_up_memory"}
"""Operations that set up the agents' folder, which is proposed where an agent cannot ask the user."""

JOURNAL = {"save_session"}
"""Operations whose note says what else the session did, and is named after its time and client."""

OWN = re.compile(
    r"^\+(?:id|created|agent|session|updated|valid_until): .*$|(?<= · )by [^·\n]+(?= · \d{4}-)"
    r"|(?<=/)\d{4}-\d\d-\d\d \d{4}(?= )",
    re.MULTILINE,
)
"""What tells when and by whom a memory or a correction was written or replaced, and the minute of a handoff."""


def masked(value: Any) -> Any:
    """Take out what differs from call to call."""
    match value:
        case dict():
            return {
                k: "…"
                if k in {"took_ms", "modified", "job_id", "free", "message", "judged", "useful", "code", *CHANGES}
                else masked(v)
                for k, v in value.items()
            }
        case list():
            return [masked(item) for item in value]
        case str():
            return OWN.sub("…", value)
        case _:
            return value


def refused(answer: Answer) -> dict[str, Any]:
    """Check the shape of a refusal and return it."""
    error: dict[str, Any] = answer.json["error"]
    assert set(answer.json) == {"error"}
    assert error["code"] in CODES
    assert error["message"]
    assert error["hint"]
    assert "Traceback" not in answer.body.decode()
    assert "\n" not in error["message"]
    return error


@ANSWERED
async def test_the_documented_command_says_the_same_as_http(sample: Served, operation: Operation) -> None:
    example = await example_of(operation, sample)
    before, _, words = command_line(operation, example).rpartition(" | ")
    ran = await sample.command(
        *shlex.split(words)[1:],
        "--json",
        cwd=sample.bridge.find(None).root,
        stdin=shlex.split(before)[1].encode() if before else b"",
    )
    assert (ran.status, ran.err) == (0, "")
    answer = await sample.call(operation.name, **await example_of(operation, sample))
    if operation.scope == "admin":
        # The runtime token is never enough; the command changes the file itself.
        assert refused(answer)["code"] == "forbidden"
        return
    assert answer.status == 200, answer.body
    if operation.complete == "admin":
        # The command reads the file itself, and shows what the runtime token must not.
        both = zip(ran.json["settings"], answer.json["settings"], strict=True)
        assert {one["name"] for one, other in both if one != other} == {"deny"}
    elif operation.name in JOURNAL:
        assert ran.json.keys() == answer.json.keys()
        assert [len(one["changed"]) for one in (ran.json, answer.json)] == [2, 2]
    else:
        assert masked(ran.json) == masked(answer.json)


@pytest.mark.parametrize(
    "operation",
    [tool for tool in listed_tools("full").values() if tool.name not in BETWEEN_VAULTS],
    ids=lambda operation: operation.name,
)
async def test_the_tool_says_the_same_as_http(sample: Served, operation: Operation) -> None:
    example = await example_of(operation, sample)
    async with connected(sample, preset="full") as client:
        answer = await client.call_tool(operation.name, dict(example))
    direct = await sample.call(operation.name, **await example_of(operation, sample))
    if operation.name == "open_pairing":  # for programs that the user starts
        assert (answer.is_error, text_of(answer).partition(":")[0]) == (True, "forbidden")
        return
    if operation.scope == "admin":
        assert (answer.is_error, text_of(answer).partition(":")[0]) == (True, refused(direct)["code"])
        return
    assert text_of(answer)
    if operation.name in {*JOURNAL, "apply_plan", "author_workflow"}:  # of an agent, what the latter do is proposed
        assert answer.structured_content.keys() == direct.json.keys()
    else:
        state = {"state": "proposed"} if operation.name in SETTING_UP else {}
        assert masked(answer.structured_content) == {**masked(direct.json), **state}


@ANSWERED
async def test_the_example_answers_as_its_schema_says(sample: Served, operation: Operation) -> None:
    if operation.scope == "admin":
        return
    answer = await sample.call(operation.name, **await example_of(operation, sample))
    msgspec.json.decode(answer.body, type=operation.result)


@EVERY
async def test_an_unknown_argument_is_refused_with_the_nearest(sample: Served, operation: Operation) -> None:
    if operation.scope == "admin":
        return
    meant = operation.arguments[0].name if operation.arguments else "vault"
    error = refused(await sample.call(operation.name, **{meant[:-1] + "x": 1}))
    assert (error["code"], f"`{meant}`" in error["message"]) == ("invalid_arguments", True)


@EVERY
async def test_a_wrong_type_is_refused(sample: Served, operation: Operation) -> None:
    for argument in operation.arguments:
        if operation.scope != "admin":
            wrong = [[]] if get_origin(strip_hint(argument.hint)) is Mapping else {"wrong": [[]]}
            answer = await sample.call(operation.name, **{**operation.example, argument.name: wrong})
            assert (refused(answer)["code"], answer.status) == ("invalid_arguments", 400)


@EVERY
async def test_what_is_no_object_is_refused(sample: Served, operation: Operation) -> None:
    for body in (b"[]", b"1", b'"a"', b"null", b"{", b"\xff", b"[" * 5000, b'{"a":' * 5000 + b"1" + b"}" * 5000):
        answer = await sample.request("POST", f"/api/{operation.name}", data=body)
        assert (refused(answer)["code"], answer.status) == ("invalid_arguments", 400)


@EVERY
async def test_an_unknown_vault_is_refused(sample: Served, operation: Operation) -> None:
    if operation.scope == "admin":
        return
    arguments = {**await example_of(operation, sample), "vault": "nowhere"}
    answer = await sample.call(operation.name, **arguments)
    assert (refused(answer)["code"], answer.status) == ("no_such_vault", 404)
    assert refused(await sample.call(operation.name, vault=7))["code"] == "invalid_arguments"


@EVERY_PATH
async def test_a_path_that_leaves_the_vault_is_refused(sample: Served, operation: Operation, name: str) -> None:
    hint = next(argument.hint for argument in operation.arguments if argument.name == name)
    for path in OUTSIDE:
        value = [path] if "tuple" in str(hint) else path
        if not value and not operation.destructive and type(None) in get_args(hint):
            # An empty text is read as left out, where nothing may be lost by that.
            continue
        error = refused(await sample.call(operation.name, **{**operation.example, name: value}))
        assert error["code"] in {"outside_vault", "protected_path", "invalid_arguments", "note_not_found"}, path


@EVERY_PATH
async def test_a_link_out_of_the_vault_is_not_followed(sample: Served, operation: Operation, name: str) -> None:
    root = sample.bridge.find(None).root
    outside = root.parent / "outside.md"
    outside.write_text("the secret word is zxcvb")
    link = root / "Way out.md"
    if not link.is_symlink():
        link.symlink_to(outside)
    answer = await sample.call(operation.name, **{**operation.example, name: "Way out.md"})
    assert b"zxcvb" not in answer.body


@pytest.mark.parametrize("operation", ["read_note", "note_links", "wait_until_indexed", "related_notes"])
async def test_a_missing_note_names_the_closest(sample: Served, operation: str) -> None:
    answer = await sample.call(operation, path="Bread/Starters/Sourdouh starter.md")
    error = refused(answer)
    assert (error["code"], answer.status) == ("note_not_found", 404)
    assert "Bread/Starters/Sourdough starter.md" in error["closest"]
    assert "Bread/Starters/Sourdough starter.md" in error["message"]


async def test_a_note_that_is_left_out_is_refused_with_the_reason(sample: Served) -> None:
    error = refused(await sample.call("related_notes", path="Help/Ten searches.md"))
    assert error["code"] == "note_not_found"
    assert error["message"] == (
        "`Help/Ten searches.md` is not in the index: Left out by Obsidian's excluded files: `Help/`."
    )
    assert error["hint"] == "See `index_status`."
    error = refused(await sample.call("find_notes", linked_from="Attachments/crumb.png"))
    assert error["message"].startswith("`Attachments/crumb.png` is not in the index")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "…?!",
        '"',
        '"unbalanced',
        "((",
        "-",
        "OR",
        "path:",
        "[a:",
        "*",
        "' OR 1=1 --",
        "\x00",
        "a" * 10_000,
        "ß" * 9_999,
        "🦀",
        "tag:#",
        "((((((((((((" * 100,
    ],
)
@pytest.mark.parametrize("mode", ["keyword", "hybrid", "semantic"])
async def test_a_strange_query_is_refused_or_honestly_empty(sample: Served, query: str, mode: str) -> None:
    answer = await sample.call("search", query=query, mode=mode)
    if answer.status == 200:
        assert isinstance(answer.json["hits"], list)
    else:
        assert refused(answer)["code"] == "invalid_arguments"


async def test_a_hundred_kilobyte_query_is_refused(sample: Served) -> None:
    answer = await sample.call("search", query="word " * 20_000)
    assert (refused(answer)["code"], answer.status) == ("invalid_arguments", 400)


async def test_every_error_class_has_a_code_of_the_contract_and_a_hint() -> None:
    def below(kind: type[BridgeError]) -> list[type[BridgeError]]:
        return [kind, *(inner for sub in kind.__subclasses__() for inner in below(sub))]

    for kind in below(BridgeError):
        if kind.__module__ == "bridge.errors":
            assert kind.code in CODES
            assert kind.hint
            assert re.fullmatch(r"[A-Z].*\.", kind().message)
