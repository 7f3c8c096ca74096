"""Any title becomes a name that every system and every link takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.types import VaultPath
from bridge.vault.paths import file_name_for, find_flaw, vault_path
from bridge.vault.write.preflight import name_warnings, require_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Dates are parsed once", "Dates are parsed once"),
        ('a/b\\c: "why?" [[x]]', "a b c why x"),
        ("???", "Memory"),
        ("...", "Memory"),
        ("con", "Memory con"),
        ("砂糖はどこ？", "砂糖はどこ？"),
        ("مرحبا", "مرحبا"),
        ("👩‍🌾 bakes", "👩‍🌾 bakes"),
        (" .hidden. ", "hidden"),
        ("\u200b.hidden", "hidden"),
        ("x" * 500, "x" * 180),
    ],
)
def test_a_title_becomes_a_name(title: str, name: str) -> None:
    assert file_name_for(title, lambda _: False, default="Memory") == name


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert file_name_for("Clay", {"Clay", "Clay 2"}.__contains__, default="Memory") == "Clay 3"


@given(st.text(max_size=300))
def test_any_title_is_taken_by_every_system(title: str) -> None:
    name = file_name_for(title, lambda _: False, default="Memory")
    path = vault_path(f"Agents/{name}.md")
    assert path == VaultPath(f"Agents/{name}.md")
    assert find_flaw(path, windows=True) is None
    require_name(path)
    assert name_warnings(path) == []
