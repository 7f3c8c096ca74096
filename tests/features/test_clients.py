"""What the user's own programs show of clients, models and globs."""

from pathlib import Path
from typing import Any

import pytest

from bridge.access.tokens import Tokens
from bridge.api.call import OWNER, RUNTIME, Call
from bridge.engine.bridge import Bridge
from bridge.errors import Forbidden, InvalidArguments
from bridge.features import get_operation
from bridge.models.catalogue import DEFAULT_MODEL


@pytest.fixture
def bridge(tmp_path: Path) -> Bridge:
    (tmp_path / "data").mkdir()
    return Bridge(tmp_path / "data", tmp_path / "models", [])


async def test_clients_are_listed_with_what_becomes_of_their_changes(bridge: Bridge) -> None:
    tokens = Tokens(bridge.folders.tokens)
    tokens.create("Quill", ["read", "write"])
    tokens.create("Pen", ["write", "read"], "full")
    await get_operation("change_settings").run(Call(bridge, OWNER), {"changes": {"apply_clients": ["quill"]}})
    shown = await get_operation("read_settings").run(Call(bridge, OWNER), {"clients": True})
    assert [(c.name, c.scopes, c.preset, c.applies, c.links) for c in shown.clients] == [
        ("Quill", ("read", "write"), None, True, False),
        ("Pen", ("read", "write"), "full", False, False),
    ]
    await get_operation("change_settings").run(
        Call(bridge, OWNER), {"changes": {"apply_clients": ["*"], "auto_link_clients": ["Pen"]}}
    )
    shown = await get_operation("read_settings").run(Call(bridge, OWNER), {"clients": True})
    assert [(c.applies, c.links) for c in shown.clients] == [(True, False), (True, True)]


async def test_a_client_that_is_revoked_is_listed_no_more(bridge: Bridge) -> None:
    tokens = Tokens(bridge.folders.tokens)
    _, token = tokens.create("Quill", ["read"])
    shown = await get_operation("revoke_client").run(Call(bridge, OWNER), {"client": "quill"})
    assert (shown.clients, tokens.holder(token)) == ((), None)
    with pytest.raises(InvalidArguments, match="no such client"):
        await get_operation("revoke_client").run(Call(bridge, OWNER), {"client": "quill"})


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("read_settings", {"clients": True}),
        ("read_settings", {"globs": ["Garden/**"]}),
        ("revoke_client", {"client": "Quill"}),
    ],
)
async def test_agents_are_shown_nothing_of_it(bridge: Bridge, operation: str, given: dict[str, Any]) -> None:
    with pytest.raises(Forbidden):
        await get_operation(operation).run(Call(bridge, RUNTIME), given)


async def test_models_are_listed_with_the_one_that_is_chosen_whether_it_is_here_or_not(bridge: Bridge) -> None:
    await get_operation("change_settings").run(Call(bridge, OWNER), {"changes": {"model": "bge-small-en-v1.5"}})
    shown = await get_operation("read_settings").run(Call(bridge, RUNTIME), {"models": True})
    assert [m.id for m in shown.models if m.chosen] == ["bge-small-en-v1.5"]
    assert not any(m.installed for m in shown.models)
    assert shown.models[0].size_mb == 25.3


@pytest.mark.model
async def test_a_model_that_is_installed_says_so(tmp_path: Path, models_dir: Path) -> None:
    (tmp_path / "data").mkdir()
    shown = await get_operation("read_settings").run(
        Call(Bridge(tmp_path / "data", models_dir, []), RUNTIME), {"models": True}
    )
    assert [m.installed for m in shown.models if m.id == DEFAULT_MODEL] == [True]
    # Each vault's notes decide, and there is none.
    assert not any(m.chosen for m in shown.models)
