"""Whoever read a note too early is told what differs, and what their change would be on it now."""

from bridge.changes.rebase import preview_merge
from bridge.types import VaultPath

PATH = VaultPath("a.md")
READ = "".join(f"line {number}\n" for number in range(1, 31))


def test_what_differs_is_told_and_a_merge_offered() -> None:
    now, wanted = READ.replace("line 3\n", "three\n"), READ.replace("line 25\n", "wanted\n")
    found = preview_merge(PATH, READ.encode(), now.encode(), wanted.encode())
    assert "-line 3\n+three\n" in found.differs
    assert found.merged_diff is not None
    assert "-line 25\n+wanted\n" in found.merged_diff
    assert "three" not in found.merged_diff
    assert found.merged_text == now.replace("line 25\n", "wanted\n")


def test_no_merge_is_offered_where_the_two_contradict() -> None:
    now, wanted = READ.replace("line 3\n", "three\n"), READ.replace("line 4\n", "wanted\n")
    found = preview_merge(PATH, READ.encode(), now.encode(), wanted.encode())
    assert "three" in found.differs
    assert (found.merged_diff, found.merged_text) == (None, None)
    assert preview_merge(PATH, READ.encode(), now.encode(), None).merged_diff is None


def test_what_is_long_is_cut_at_a_line() -> None:
    read = "".join(f"line {number}\n" for number in range(1, 2_001))
    found = preview_merge(PATH, read.encode(), read.replace("line", "row").encode(), f"{read}more\n".encode())
    assert len(found.differs) < 4_100
    assert found.differs.splitlines()[-1].endswith("more characters")
    assert found.merged_diff is None


def test_a_picture_is_not_compared() -> None:
    assert preview_merge(PATH, b"\0a", b"\0b", b"\0c").differs == ""
