import pickle

import pytest

from bridge.vault.rules import Rules


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".obsidian/app.json", "Hidden: Obsidian's own settings."),
        (".trash/a.md", "Hidden: Obsidian's trash."),
        (".git/", "Hidden: Git's own files."),
        ("A/.secret/b.md", "Hidden: its name or a folder's begins with a dot."),
        ("A/.Plan.md.icloud", "Still in iCloud: the file was not downloaded to this computer."),
        (
            "A/Plan.sync-conflict-20240131-101112-ABCDEFG.md",
            "A sync program's conflict copy; keep what you want of it and delete it.",
        ),
        (
            "Plan (Anna's conflicted copy 2024-01-31).md",
            "A sync program's conflict copy; keep what you want of it and delete it.",
        ),
        ("Archive/a.md", "Left out by the setting `exclude`: `Archive/**`."),
        ("Archive/", "Left out by the setting `exclude`: `Archive/**`."),
        ("_assets/", "Left out by Obsidian's excluded files: `_assets/`."),
        ("_ASSETS/a.md", "Left out by Obsidian's excluded files: `_assets/`."),
        ("A/draft 1.md", r"Left out by Obsidian's excluded files: `/draft \d/`."),
        ("A/Plan.md", None),
        ("A/", None),
        ("A/draft 1/", None),
        ("Conflicted copy.md", None),
    ],
)
def test_each_reason_can_be_read(path: str, reason: str | None) -> None:
    rules = Rules(("*.tmp", "Archive/**"), 1000, ("_assets/", r"/draft \d/"))
    assert rules.reason(path) == reason


def test_a_large_file_is_left_out() -> None:
    rules = Rules((), 2 * 1024 * 1024, ())
    assert rules.reason("a.md", 2 * 1024 * 1024) is None
    assert rules.reason("a.md", 2 * 1024 * 1024 + 1) == "Larger than the limit of 2 MiB (setting `max_file_mb`)."


def test_that_a_file_is_no_document_is_no_reason() -> None:
    rules = Rules()
    assert rules.reason("a.png") is None
    assert not rules.indexes("a.png", 1)
    assert rules.indexes("a.md", 1)


def test_empty_and_broken_wishes_leave_nothing_out() -> None:
    rules = Rules(("", " ", "/"), 1000, ("", "/(/", "  "))
    assert rules.reason("a.md") is None
    assert rules.reason("A/") is None


def test_rules_travel_to_other_processes() -> None:
    rules = Rules(("Archive/**",), 10, ("/a/",))
    sent = pickle.loads(pickle.dumps(rules))
    assert sent == rules
    assert sent.reason("Archive/b.md") == rules.reason("Archive/b.md") is not None
