from typing import Any

from bridge.features.status.usage import Use, build_report
from bridge.state.call_log import CallRecord
from bridge.types import VaultPath
from tests.features.served import Served

A, B = VaultPath("A.md"), VaultPath("B.md")
SIZES = {A: 4_000, B: 400}


def call(tool: str, client: str | None = "one", **facts: Any) -> CallRecord:
    defaults = {
        "time": 1_000_000.0, "version": None, "session": None, "transport": None, "code": None, "ms": 1.0, "tokens": 10,
        "paths": (),
    }  # fmt: skip
    return CallRecord(**{**defaults, "tool": tool, "client": client, **facts})


def test_calls_are_counted_by_tool_and_by_client() -> None:
    report = build_report(
        [
            call("search", ms=1.0),
            call("search", "two", ms=3.0),
            call("search", ms=9.0, code="not_ready"),
            call("read_note", None, ms=5.0, code="note_not_found"),
            call("read_note", ms=2.0, code="note_not_found"),
        ],
        30,
        SIZES,
    )
    assert report.total == Use("all", 5, 3, 3.0, 9.0, 50, 0)
    assert report.tools == (Use("search", 3, 1, 3.0, 9.0, 30, 0), Use("read_note", 2, 2, 2.0, 5.0, 20, 0))
    assert [(use.name, use.calls) for use in report.clients] == [("one", 3), ("two", 1), ("unknown", 1)]
    assert [(error.code, error.calls) for error in report.errors] == [("note_not_found", 2), ("not_ready", 1)]


def test_a_note_counts_once_for_each_client_and_session_or_day() -> None:
    def whole(*calls: CallRecord) -> int:
        return build_report(calls, 30, SIZES).total.tokens_whole

    assert whole(call("search", paths=(A, B)), call("read_note", paths=(A,))) == 1_100
    assert whole(call("search", session="s1", paths=(A,)), call("search", session="s2", paths=(A,))) == 2_000
    assert whole(call("search", paths=(B,)), call("search", "two", paths=(B,))) == 200
    assert whole(call("search", paths=(B,)), call("search", time=1_100_000.0, paths=(B,))) == 200
    assert whole(call("search", paths=(A,), code="not_ready"), call("search", paths=(VaultPath("gone.md"),))) == 0


def test_half_and_nearly_all_are_told_of_a_hundred() -> None:
    total = build_report([call("search", ms=float(ms)) for ms in range(1, 101)], 30, SIZES).total
    assert (total.p50_ms, total.p95_ms) == (50.0, 95.0)


def test_nothing_called_is_nothing_to_report() -> None:
    report = build_report([], 30, SIZES)
    assert (report.total, report.tools, report.clients) == (Use("all", 0, 0, 0.0, 0.0, 0, 0), (), ())


NOTES = {"A.md": "# A\n" + "word " * 2_000, "B.md": "# B\n"}


async def test_the_calls_of_one_client_are_reported(served: Served) -> None:
    for agent, path in (("kitchen-agent/1.0", "A.md"), ("kitchen-agent/1.1", "no.md"), ("another", "B.md")):
        headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Client": agent}
        await served.request("POST", "/api/index_status", headers=headers, data=b'{"path": "%s"}' % path.encode())
    report = (await served.call("usage", client="kitchen-agent")).json
    assert (report["total"]["calls"], report["total"]["errors"]) == (2, 1)
    assert (report["total"]["tokens_whole"], report["errors"]) == (2_501, [{"code": "note_not_found", "calls": 1}])
    assert [client["name"] for client in report["clients"]] == ["kitchen-agent"]
    everyone = (await served.call("usage", days=1)).json
    assert {"kitchen-agent", "another"} < {client["name"] for client in everyone["clients"]}


async def test_the_command_shows_a_table(served: Served) -> None:
    await served.call("list_tags")
    # To find the bridge, a command asks it for its status; that is no call of the user's.
    for words in (["list-tags"], ["usage"]):
        ran = await served.command(*words, cwd=served.bridge.find(None).root)
        assert ran.status == 0
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert rows[0][:2] == ["all", "all"]
    assert ["list_tags", "tool", "2", "0"] in [row[:4] for row in rows]
    assert ["vaultside", "client", "1"] in [row[:3] for row in rows]
