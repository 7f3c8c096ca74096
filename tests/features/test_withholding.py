"""What was found before a rule came does not leave after it."""

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.api.hints import Folder
from bridge.api.redact import DeniedRecord, redact_value
from bridge.features.links import operations
from bridge.records import Record
from bridge.settings.file import save_settings
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from tests.features.served import PATIENCE_S, Served, serving, write_vault

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = {
    "Open.md": "# Open\n\nA codeword stands in [[Secret]]. ![[Secret]] and [[Other]]\n",
    "Other.md": "# Other\n\nA codeword, too.\n",
    "Private/Secret.md": "# Secret\n\nThe codeword itself, a codeword. [[Open]]\n",
}
RULES = Rules(deny=("Private/**",))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def raced(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """A bridge to which a rule came, and whose index does not know of it yet."""
    folder = tmp_path_factory.mktemp("raced")
    async with serving([write_vault(folder / "vault", NOTES)], folder / "data", folder / "models") as served:
        host = served.bridge.find(None)
        assert (await served.call("search", query="codeword")).body.count(b'"path"') == 3
        host.files = Vault(host.root, RULES)
        assert "Private/Secret.md" in host.vault.index.notes
        yield served


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("search", {"query": "codeword", "explain": True}),
        ("search", {"query": "secret"}),
        ("search", {"query": "path:Private"}),
        ("search_blocks", {"query": "codeword", "passage_tokens": 2_000}),
        ("search_blocks", {"query": "codeword", "paths": ["Open.md"]}),
        ("related_notes", {"path": "Open.md"}),
        ("find_notes", {}),
        ("find_notes", {"folder": "Private"}),
        ("find_notes", {"linked_from": "Open.md"}),
        ("list_folders", {}),
        ("note_links", {"path": "Open.md"}),
        ("resolve_link", {"link": "Secret", "source": "Open.md"}),
    ],
)
async def test_nothing_that_is_denied_now_leaves(raced: Served, operation: str, arguments: dict[str, Any]) -> None:
    answer = await raced.call(operation, **arguments)
    assert b"Private" not in answer.body.replace(b'"folder": "Private"', b"")
    assert b"The codeword itself" not in answer.body


@pytest.mark.parametrize("operation", ["read_note", "index_status"])
async def test_a_whole_answer_about_it_is_that_there_is_none(raced: Served, operation: str) -> None:
    answer = await raced.call(operation, path="Private/Secret.md")
    assert (answer.status, answer.code) == (404, "note_not_found")


@pytest.mark.asyncio(loop_scope="function")
async def test_a_call_that_a_rule_overtakes_is_answered_by_the_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving([write_vault(tmp_path / "vault", NOTES)], tmp_path / "data", tmp_path / "models") as served:
        begun, go_on, real = threading.Event(), threading.Event(), operations.gather_links

        def slowly(*given: Any) -> Any:
            found = real(*given)
            begun.set()
            assert go_on.wait(PATIENCE_S)
            return found

        monkeypatch.setattr(operations, "gather_links", slowly)
        calling = asyncio.create_task(served.call("note_links", path="Private/Secret.md"))
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Private/**"]}))
        go_on.set()
        answer = await calling
        missing = await served.call("note_links", path="Another/Secret.md")
        assert (answer.status, answer.body) == (404, missing.body.replace(b"Another", b"Private"))


class Inner(Record):
    path: VaultPath | None
    others: tuple[VaultPath, ...] = ()


class Outer(Record):
    records: tuple[Inner, ...]
    folder: Folder
    facts: Mapping[str, Any]


async def test_records_lists_and_keys_that_name_it_are_left_out() -> None:
    secret, open_ = VaultPath("Private/Secret.md"), VaultPath("Open.md")
    records = (Inner(secret), Inner(None), Inner(open_, (secret, open_)))
    facts = {"lanes": {secret: 1, open_: [{"a": Inner(secret)}, Inner(secret), Inner(None)]}, "Private": 2}
    assert redact_value(Outer(records, Folder("Open"), facts), RULES) == Outer(
        (Inner(None), Inner(open_, (open_,))),
        Folder("Open"),
        {"lanes": {open_: (Inner(None),)}, "Private": 2},
    )
    with pytest.raises(DeniedRecord):
        redact_value(Outer((), Folder("private"), {}), RULES)
