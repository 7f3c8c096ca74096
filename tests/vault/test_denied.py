import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import NoteNotFound, OutsideVault, ProtectedPath
from bridge.types import VaultPath
from bridge.vault.open_file import follow_to_file
from bridge.vault.rules import Rules
from bridge.vault.scan import Scan
from bridge.vault.vault import Vault
from tests.vault.trees import apart, grow, without_rights

PRIVATE = Rules(deny=("Private/**",))


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("Private/**", "Private"),
        ("Private/**", "Private/a.md"),
        ("Private/**", "PRIVATE/B/a.md"),
        ("private/", "Private/a.png"),
        ("secret*", "A/Secret plan.md/part.png"),
        ("A/*.md", "a/X.MD"),
        ("Straße/**", "STRASSE/a.md"),
        ("STRASSE/**", "Straße/a.md"),
        ("Été/**", apart("été/a.md")),
        (apart("Été/**"), "ÉTÉ/a.md"),
        ("Private/**", "Pri\u200bvate/a.md"),
        ("Pri\u200dvate/**", "private/a.md"),
        ("[A-C]/**", "b/a.md"),
        ("**", "a.md"),
    ],
)
def test_no_spelling_slips_through(glob: str, path: str) -> None:
    assert Rules(deny=(glob,)).denies(path)
    assert Rules(readonly=(glob,)).keeps(path)
    assert not Rules(readonly=(glob,)).denies(path)


@pytest.mark.parametrize("path", ["Privateer/a.md", "A/Private/a.md", "a.md", "Private.md"])
def test_a_rule_holds_for_nothing_else(path: str) -> None:
    assert not PRIVATE.denies(path)
    assert not PRIVATE.keeps(path)


def test_globs_that_name_nothing_close_nothing() -> None:
    rules = Rules(deny=("", " ", "/"), readonly=("\\\\",))
    assert not rules.denies("a.md")
    assert not rules.keeps("a.md")


def test_what_is_denied_is_not_found_and_not_mentioned(tmp_path: Path) -> None:
    plain = grow(tmp_path / "plain", "a.md", "Open/b.md", "Open/c.png")
    with_more = grow(
        tmp_path / "more", "a.md", "Open/b.md", "Open/c.png", "Private/d.md", "Private/e.png", "Private/F/g.canvas"
    )
    grow(with_more, "Private/.h.md.icloud", "Private/x.sync-conflict-20240101-101010-ABCDEFG.md", "Open/.d.md.icloud")
    (with_more / "Private/big.md").write_text("x" * 2000)
    (with_more / "Private/out.md").symlink_to("/etc/hostname")
    os.mkfifo(with_more / "Private/pipe.md")
    rules = Rules(max_file_bytes=1000, deny=("private/**", "Open/d.md"))
    found = Vault(with_more, rules).scan()
    assert set(found.files) == {"a.md", "Open/b.md"}
    assert (found.others, found.skipped) == (frozenset([VaultPath("Open/c.png")]), {})
    assert Vault(plain, rules).scan().files.keys() == found.files.keys()


def test_a_denied_folder_without_rights_is_not_mentioned() -> None:
    with without_rights() as root:
        grow(root, "a.md", "Private/b.md")
        (root / "Private").chmod(0)
        found = Vault(root, PRIVATE).scan()
        assert (found.skipped, found.unreadable) == ({}, frozenset())


def test_looking_at_a_denied_place_finds_nothing(tmp_path: Path) -> None:
    vault = Vault(grow(tmp_path, "a.md", "Private/b.md", "Private/c.png"), PRIVATE)
    assert vault.look(["Private", "Private/b.md", "private/c.png"]) == Scan({}, frozenset(), {})
    assert vault.stat(VaultPath("Private/b.md")) is None


def test_links_to_what_is_denied_lead_nowhere(tmp_path: Path) -> None:
    grow(tmp_path, "A/a.md", "Private/b.md", "Private/c.txt", "Private/D/")
    links = {
        "note.md": "Private/b.md",
        "text.md": "Private/c.txt",
        "folder": "Private/D",
        "whole": "Private",
        "round.md": "note.md",
        "gone.md": "nowhere.md",
    }
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    found = Vault(tmp_path, PRIVATE).scan()
    assert (set(found.files), found.others) == ({"A/a.md"}, frozenset())
    assert found.skipped == dict.fromkeys(links, "A symbolic link without a target.")


def refusal(vault: Vault, path: str) -> str:
    with pytest.raises(NoteNotFound) as refused:
        vault.read(VaultPath(path))
    return str(refused.value.wire()).replace(path[:200], "…")


@pytest.mark.parametrize(
    ("denied", "missing"),
    [
        ("Private/b.md", "Private/nothing.md"),
        ("private/B.md", "nowhere/B.md"),
        ("Private/D", "Private/E"),
        ("Private/b.md/c.md", "nowhere/b.md/c.md"),
        ("note.md", "gone.md"),
        ("whole/b.md", "hole/b.md"),
        ("Private/" + "x" * 300, "nowhere/" + "x" * 300),
        ("Private/pipe.md", "nowhere/pipe.md"),
    ],
)
def test_reading_what_is_denied_is_reading_what_is_not_there(tmp_path: Path, denied: str, missing: str) -> None:
    grow(tmp_path, "A/a.md", "Private/b.md", "Private/D/d.md")
    os.mkfifo(tmp_path / "Private/pipe.md")
    (tmp_path / "note.md").symlink_to("Private/b.md")
    (tmp_path / "gone.md").symlink_to("nowhere/b.md")
    (tmp_path / "whole").symlink_to("Private")
    (tmp_path / "hole").symlink_to("nowhere")
    vault = Vault(tmp_path, PRIVATE)
    assert refusal(vault, denied) == refusal(vault, missing)
    assert vault.read(VaultPath("A/a.md"))[0] == b"A/a.md"


def test_denial_does_not_need_folders_that_can_be_held_open(tmp_path: Path) -> None:
    grow(tmp_path, "Private/b.md")
    (tmp_path / "note.md").symlink_to("Private/b.md")
    for path in ("Private/b.md", "note.md"):
        with pytest.raises(NoteNotFound), follow_to_file(tmp_path, path, PRIVATE.denies, stepwise=False):
            pass


NAMES = st.sampled_from(["a.md", "B", "Private", "private", "é.md", "x.png"])
TREES = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), max_size=10)


@settings(max_examples=40, deadline=None)
@given(TREES, st.sampled_from(["Private", "Private/**", "**/private/*", "*.md", "B/?.md", "É.MD", "**"]))
def test_a_vault_with_a_denied_part_is_a_vault_without_it(paths: list[str], glob: str) -> None:
    rules = Rules(deny=(glob,))
    with without_rights() as whole, without_rights() as part:
        for path in paths:
            if not (whole / path).exists() and all(not parent.is_file() for parent in (whole / path).parents):
                grow(whole, path)
                if not rules.denies(path):
                    grow(part, path)
        seen, kept = Vault(whole, rules).scan(), Vault(part, Rules()).scan()
        assert (seen.files.keys(), seen.others, seen.skipped) == (kept.files.keys(), kept.others, kept.skipped)


def test_what_is_to_stay_is_not_writable(tmp_path: Path) -> None:
    grow(tmp_path, "Templates/t.md", "Private/p.md", "a.md")
    (tmp_path / "alias.md").symlink_to("Templates/t.md")
    (tmp_path / "folder").symlink_to("Templates")
    (tmp_path / "out").symlink_to("..")
    vault = Vault(tmp_path, Rules(deny=("Private",), readonly=("templates/**",)))
    said = set()
    for path in (
        "Templates/t.md",
        "TEMPLATES/new.md",
        "alias.md",
        "folder/new/deep.md",
        "Private/p.md",
        "Private/new.md",
    ):
        with pytest.raises(ProtectedPath) as refused:
            vault.require_writable(VaultPath(path))
        said.add(str(refused.value.wire()).replace(path, "…"))
    assert len(said) == 1
    with pytest.raises(OutsideVault):
        vault.require_writable(VaultPath("out/new.md"))
    vault.require_writable(VaultPath("a.md"))
    vault.require_writable(VaultPath("New/b.md"))
    assert vault.read(VaultPath("Templates/t.md"))[0] == b"Templates/t.md"


def test_what_is_remembered_of_folders_hides_no_link_in_them(tmp_path: Path) -> None:
    grow(tmp_path, "vault/a.md", "vault/Private/c.md", "outside/b.md")
    (tmp_path / "vault/out.md").symlink_to(tmp_path / "outside/b.md")
    (tmp_path / "vault/in.md").symlink_to("Private/c.md")
    (tmp_path / "vault/Link").symlink_to("Private")
    vault, folders = Vault(tmp_path / "vault", Rules(deny=("Private/**",))), dict[str, str]()
    vault.require_writable(VaultPath("a.md"), folders)
    with pytest.raises(OutsideVault):
        vault.require_writable(VaultPath("out.md"), folders)
    for path in ("in.md", "Link/c.md", "Link/new.md"):
        with pytest.raises(ProtectedPath):
            vault.require_writable(VaultPath(path), folders)
    vault.require_writable(VaultPath("b.md"), folders)


def test_a_file_that_moved_to_a_denied_place_is_recognised(tmp_path: Path) -> None:
    grow(tmp_path, "a.md", "b.md", "Private/c.md", ".trash/d.md")
    vault = Vault(tmp_path, Rules(deny=("Private/**", "*.secret.md")))
    lost = {stat: path for path, stat in vault.scan().files.items()}
    assert vault.moved_to_denied(lost) == {}
    (tmp_path / "a.md").rename(tmp_path / ".trash/a.md")
    assert vault.moved_to_denied(lost) == {}
    (tmp_path / "b.md").rename(tmp_path / "b.secret.md")
    assert vault.moved_to_denied(lost) == {"b.md": "b.secret.md"}
    (tmp_path / "Private/E").mkdir()
    (tmp_path / "b.secret.md").rename(tmp_path / "Private/E/b.md")
    assert vault.moved_to_denied(lost) == {"b.md": "Private/E/b.md"}
    assert Vault(tmp_path, Rules()).moved_to_denied(lost) == {}
