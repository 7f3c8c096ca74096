import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.errors import BridgeError, InvalidArguments, OutsideVault, ProtectedPath
from bridge.types import VaultPath
from bridge.vault.paths import MAX_PATH_CHARS, at_or_below, display_path, find_flaw, is_hidden, parents, vault_path
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("a.md", "a.md"),
        ("A/b.md", "A/b.md"),
        ("./A//b.md", "A/b.md"),
        ("A/./b.md", "A/b.md"),
        ("Folder/", "Folder"),
        ("cafe\u0301.md", "café.md"),
        ("a b…c.md", "a b…c.md"),
        ("What: an answer.md", "What: an answer.md"),
        ("A: one letter.md", "A: one letter.md"),
        ("a..b.md", "a..b.md"),
    ],
)
def test_a_path_is_made_plain(written: str, path: str) -> None:
    assert vault_path(written) == path


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../a.md",
        "A/../../a.md",
        "A/..",
        "A/../b.md",
        "/etc/passwd",
        "//server/a",
        "C:/a.md",
        "C:a.md",
        "c:\\a.md",
        "\\\\server\\a.md",
        "A\\..\\a.md",
        "A\\b.md",
        "a\x00.md",
        "a\n.md",
        "a\x1b[2J.md",
    ],
)
def test_a_path_that_may_lead_out_is_refused(path: str) -> None:
    with pytest.raises(OutsideVault):
        vault_path(path)


@pytest.mark.parametrize(
    "path", [".obsidian/app.json", "A/.git/config", ".trash/a.md", ".hidden.md", "A/...", "\u200b.git/config"]
)
def test_a_hidden_path_is_refused(path: str) -> None:
    with pytest.raises(ProtectedPath):
        vault_path(path)


@pytest.mark.parametrize("path", ["", ".", "./", "a" * (MAX_PATH_CHARS + 1), "\ud800.md"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidArguments):
        vault_path(path)


def test_windows_has_more_names_to_refuse() -> None:
    assert find_flaw("A/con.md", windows=True) == "is a name that Windows keeps for itself"
    assert find_flaw("A/note.", windows=True) == "is a name that Windows keeps for itself"
    assert find_flaw("a.md:stream", windows=True) == "reads as a drive or a stream of Windows"
    assert find_flaw("A/conduct.md", windows=True) is None
    assert find_flaw("A/con.md", windows=False) is None


def test_hidden_means_a_dot_in_front_of_any_part() -> None:
    assert is_hidden("A/.b/c.md")
    assert not is_hidden("A/b.c.md")
    assert not is_hidden("Ä/b.md")


def test_what_is_at_or_below_some_places() -> None:
    known = [VaultPath(p) for p in ("A/b.md", "A/C/d.md", "AB/c.md", "e.md")]
    assert at_or_below(["A/"], known) == {"A/b.md", "A/C/d.md"}
    assert at_or_below({"A/C", "e.md"}, known) == {"A/C/d.md", "e.md"}
    assert at_or_below([""], known) == set(known)
    assert at_or_below([], known) == set()
    assert parents("A/C/d.md") == ["A", "A/C"]


def test_messages_carry_no_terminal_commands() -> None:
    assert display_path("a\x1b[2J\ud800") == "a\\x1b[2J\\ud800"
    assert display_path("x" * 300) == "x" * 200 + "…"


@given(st.text() | st.text("./\\:aC\u0301.~\x00 \u200b", max_size=20))
@example("a/\u200b../b")
@example("．．/a")
def test_no_path_leads_out(path: str) -> None:
    root = Path("/vault")
    try:
        found = Vault(root, Rules()).locate(path)
    except (OutsideVault, ProtectedPath, InvalidArguments):
        return
    real = os.path.normpath(root / found)
    assert real.startswith("/vault/")
    assert not any(part.startswith(".") for part in found.split("/"))
    assert vault_path(found) == found


def test_every_refusal_says_the_way_out() -> None:
    for path in ("", "../a", ".obsidian/x", "C:\\a"):
        with pytest.raises(BridgeError) as caught:
            vault_path(path)
        assert caught.value.hint
        assert caught.value.message.endswith(".")
