"""A disk that is full refuses a write in words and loses nothing; with room again the same write is made."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.system.sidecar import CallFailed, Sidecar, serving
from tests.system.test_data_folder import disk, fill, needs_mounts
from tests.system.vaults import fingerprint

NOTE = "Note.md"
EDIT = {"path": NOTE, "edits": [{"op": "append", "text": "More words. " * 2_000}]}


@contextmanager
def small(tmp_path: Path, full: str) -> Iterator[tuple[Path, Path, Path]]:
    """Yield a vault and a data folder, one of which is on a small disk, and that disk."""
    with disk(tmp_path / "disk", "size=64m") as place:
        folders = {"vault": tmp_path / "vault", "data": tmp_path / "data"} | {full: place / full}
        folders["vault"].mkdir()
        (folders["vault"] / NOTE).write_text("# Note\n\n" + "Words. " * 20_000)
        yield folders["vault"], folders["data"], place


def refused(bridge: Sidecar, operation: str, **arguments: object) -> str:
    """Return the code with which a call is refused."""
    with pytest.raises(CallFailed) as failure:
        bridge.call(operation, **arguments)
    return str(failure.value.error["code"])


@needs_mounts
@pytest.mark.parametrize("full", ["vault", "data"])
def test_a_full_disk_refuses_writes_and_loses_nothing(tmp_path: Path, full: str) -> None:
    with (
        small(tmp_path, full) as (vault, data, place),
        serving(vault, data_dir=data, models_dir=tmp_path / "none", log=tmp_path / "log") as bridge,
    ):
        bridge.wait_indexed(vectors=False)
        earlier = bridge.call("edit_note", path=NOTE, edits=[{"op": "append", "text": "An earlier one."}])
        before = (vault / NOTE).read_bytes()
        ballast = fill(place)
        kept = fingerprint(vault)
        assert refused(bridge, "edit_note", **EDIT) == "disk_full"
        assert refused(bridge, "create_note", path="New/Other.md", text="Beans. " * 2_000) == "disk_full"
        assert refused(bridge, "change_set", edits=[{"op": "edit_note", **EDIT}]) == "disk_full"
        now = fingerprint(vault)
        # A folder's own time tells that something was tried.
        assert {name: facts for name, facts in now.items() if name != "."} == {
            name: facts for name, facts in kept.items() if name != "."
        }
        assert (vault / NOTE).read_bytes() == before
        assert [change["id"] for change in bridge.call("list_changes")["changes"]] == [earlier["change_id"]]
        ballast.unlink()
        made = bridge.call("edit_note", **EDIT)
        assert (vault / NOTE).read_bytes().startswith(before)
        bridge.call("undo_change", change_id=made["change_id"])
        assert (vault / NOTE).read_bytes() == before
        assert "Traceback" not in bridge.errors()
