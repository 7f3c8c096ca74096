"""Reading and changing settings."""

from pathlib import Path
from typing import Any

import pytest

from bridge.api.call import OWNER, RUNTIME, Call
from bridge.data_folder import add_to_vault_list, vault_id
from bridge.engine.bridge import Bridge
from bridge.errors import Forbidden, InvalidArguments
from bridge.events import SettingsChanged
from bridge.features import get_operation


@pytest.fixture
def bridge(tmp_path: Path) -> Bridge:
    (tmp_path / "data").mkdir()
    return Bridge(tmp_path / "data", tmp_path / "models", [])


async def values(bridge: Bridge) -> dict[str, Any]:
    shown = await get_operation("read_settings").run(Call(bridge, RUNTIME), {})
    return {setting.name: setting.value for setting in shown.settings}


async def test_a_change_is_written_taken_up_and_told(bridge: Bridge) -> None:
    with bridge.events.subscribe() as queue:
        shown = await get_operation("change_settings").run(
            Call(bridge, OWNER), {"changes": {"workers": 2, "exclude": ["A/**"]}}
        )
    assert shown.path == str(bridge.settings_path)
    assert {setting.name: setting.value for setting in shown.settings} == {"workers": 2, "exclude": ("A/**",)}
    assert (bridge.settings.workers, bridge.settings.exclude) == (2, ("A/**",))
    assert queue.get_nowait().event == SettingsChanged()
    assert (await values(bridge))["workers"] == 2
    await get_operation("change_settings").run(Call(bridge, OWNER), {"changes": {"workers": None}})
    assert (await values(bridge))["workers"] == 0


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "names no setting"),
        ({"worker": 1}, "did you mean `workers`"),
        ({"workers": -1}, "must be at least 0"),
        ({"workers": True}, "must be"),
        ({"watch": "sometimes"}, "must be one of auto, poll, off"),
        ({"exclude": "A"}, r'^`exclude` must be a list of strings, such as \["A", "B"\]\.$'),
        ({"deny": ["Private/**", "[a"]}, r"`\[a` in `deny` has a"),
        ({"global_vault": "Nowhere"}, "must be the name or id of a vault; there is no `Nowhere`"),
        ({"global_vault": True}, "must be a text"),
    ],
)
async def test_a_wrong_change_is_refused_and_nothing_is_written(
    bridge: Bridge, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidArguments, match=sentence):
        await get_operation("change_settings").run(Call(bridge, OWNER), {"changes": changes})
    assert not bridge.settings_path.exists()


async def test_a_vault_that_was_served_before_may_be_the_global_one(bridge: Bridge, tmp_path: Path) -> None:
    homes = [tmp_path / "a" / "Notes", tmp_path / "b" / "Notes", tmp_path / "Main"]
    for home in homes:
        home.mkdir(parents=True)
    add_to_vault_list(bridge.folders, {vault_id(home): home for home in homes})
    change = get_operation("change_settings")
    for name in ("Main", vault_id(homes[0]), "", None):
        await change.run(Call(bridge, OWNER), {"changes": {"global_vault": name}})
        assert bridge.settings.global_vault == (name or "")
    with pytest.raises(InvalidArguments, match="Several vaults are called `Notes`"):
        await change.run(Call(bridge, OWNER), {"changes": {"global_vault": "Notes"}})
    with pytest.raises(InvalidArguments) as unknown:
        await change.run(Call(bridge, OWNER), {"changes": {"global_vault": "Mine"}})
    assert unknown.value.hint == "Known vaults: Main, Notes. `vaultside serve VAULT…` adds one."


async def test_only_an_admin_changes_settings(bridge: Bridge) -> None:
    with pytest.raises(Forbidden, match="admin"):
        await get_operation("change_settings").run(Call(bridge, RUNTIME), {"changes": {"workers": 2}})
    assert not bridge.settings_path.exists()


async def test_only_who_may_change_it_sees_what_is_denied(bridge: Bridge) -> None:
    for rules in ("", 'deny = ["Secret plans/**"]\nreadonly = ["Templates"]\n'):
        bridge.settings_path.write_text(rules)
        shown = await values(bridge)
        assert shown["deny"] is None
        assert shown["readonly"] == (("Templates",) if rules else ())
    owned = await get_operation("read_settings").run(Call(bridge, OWNER), {})
    assert next(s.value for s in owned.settings if s.name == "deny") == ("Secret plans/**",)


async def test_another_change_does_not_lift_a_rule_that_cannot_be_understood(bridge: Bridge) -> None:
    await get_operation("change_settings").run(Call(bridge, OWNER), {"changes": {"deny": ["Private/**"]}})
    bridge.settings_path.write_text('deny = "Private/**"\n')
    await get_operation("change_settings").run(Call(bridge, OWNER), {"changes": {"workers": 2}})
    assert (bridge.settings.deny, bridge.settings.workers) == (("Private/**",), 2)


async def test_lines_that_are_not_taken_are_told(bridge: Bridge) -> None:
    bridge.settings_path.write_text("worker = 3\nworkers = 2\n")
    shown = await get_operation("read_settings").run(Call(bridge, RUNTIME), {})
    assert shown.problems == ("unknown setting `worker`; did you mean `workers`?",)
    assert (await values(bridge))["workers"] == 2
