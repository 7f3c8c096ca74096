"""When notes were created and changed, also where the times of files tell of a copy only."""

import os
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from bridge.api.note_times import NoteTimes, find_copy
from bridge.index.note import IndexedNote
from bridge.markdown.parse import parse
from bridge.types import VaultPath
from bridge.vault.open_file import birth_time

COPIED = 1_900_000_000.0
OTHERS = {f"{number}.md": "Text.\n" for number in range(60)}


def indexed(root: Path, notes: Mapping[str, str], mtime: float = COPIED) -> dict[str, IndexedNote]:
    found = {}
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
        os.utime(root / path, (mtime, mtime))
        note = parse(VaultPath(path), text.encode())
        found[path] = IndexedNote(
            note.path, note.title, note.kind, (), (), note.properties, note.digest, int(mtime * 1e9), 0, 0
        )
    return found


def day(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds).astimezone().date().isoformat()


@pytest.mark.parametrize(
    ("name", "created", "modified"),
    [
        ("created", "2021-02-03", None),
        ("Page created", "2021-02-03", None),
        ("date_created", "2021-02-03", None),
        ("createTime", "2021-02-03", None),
        ("date modified", None, "2021-02-03"),
        ("last-updated", None, "2021-02-03"),
        ("geändert am", None, "2021-02-03"),
        ("创建时间", "2021-02-03", None),
        ("更新日", None, "2021-02-03"),
        ("created by", None, None),
        ("updated price", None, None),
        ("date", None, None),
    ],
)
def test_properties_of_a_copied_vault_tell_the_time(
    tmp_path: Path, name: str, created: str | None, modified: str | None
) -> None:
    notes = indexed(tmp_path, {**OTHERS, "Rye.md": f"---\n{name}: 2021-02-03\n---\n"})
    times = NoteTimes(tmp_path, find_copy([note.mtime for note in notes.values()]))
    assert day(times.creation_time(notes["Rye.md"])) == (created or day(birth_time(tmp_path / "Rye.md")))
    assert day(times.modification_time(notes["Rye.md"])) == modified


def test_a_file_that_was_written_after_the_copy_has_its_own_time(tmp_path: Path) -> None:
    notes = indexed(tmp_path, OTHERS)
    later = indexed(tmp_path, {"Rye.md": "---\nmodified: 2021-02-03\n---\n"}, COPIED + 86_400)["Rye.md"]
    times = NoteTimes.of([*notes.values(), later], tmp_path)
    assert times.modification_time(later) == COPIED + 86_400


def test_few_notes_or_many_days_are_no_copy() -> None:
    assert find_copy([]) is None
    assert find_copy([COPIED] * 20) is None
    assert find_copy([COPIED + 3600 * number for number in range(200)]) is None
    assert find_copy([*(COPIED + number for number in range(120)), *(3600.0 * number for number in range(100))]) == (
        COPIED,
        COPIED + 119,
    )


@pytest.mark.process
def test_git_tells_when_a_copied_note_was_changed(tmp_path: Path) -> None:
    notes = indexed(tmp_path / "Notes", {**OTHERS, "Bread/Grüner Roggen.md": "One.\n"})

    def git(*arguments: str, when: str) -> None:
        dated = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        settings = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.invalid")
        subprocess.run(["git", *settings, *arguments], cwd=tmp_path, check=True, env={**os.environ, **dated})

    git("init", "--quiet", when="2020-01-01T12:00:00Z")
    git("add", "--all", when="2020-01-01T12:00:00Z")
    git("commit", "--quiet", "--message", "All.", when="2020-01-01T12:00:00Z")
    changed = indexed(tmp_path / "Notes", {"Bread/Grüner Roggen.md": "Two.\n", "3.md": "Three.\n"})
    git("commit", "--quiet", "--all", "--message", "Some.\n\nMore.", when="2022-05-06T12:00:00Z")
    times = NoteTimes.of(notes.values(), tmp_path / "Notes", commits=True)
    assert day(times.modification_time(changed["Bread/Grüner Roggen.md"])) == "2022-05-06"
    assert day(times.modification_time(changed["3.md"])) == "2022-05-06"
    assert times.modification_time(notes["4.md"]) is None
