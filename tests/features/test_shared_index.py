"""The index beyond one machine."""

import shutil
from pathlib import Path

import pytest

from bridge.data_folder import Folders, vault_id
from tests.features.served import Served, command, readable, serving

NOTES = {"Rye.md": "# Rye\nBread of rye flour and water.\n", "Oven.md": "# Oven\nIt is hot.\n"}


@pytest.mark.model
async def test_a_second_device_embeds_nothing(tmp_path: Path, embedded: Path, models_dir: Path) -> None:
    first, second, file = tmp_path / "first/Notes", tmp_path / "second/Notes", tmp_path / "Notes.index"
    shutil.copytree(embedded / "Notes", first)
    shutil.copytree(embedded / "Notes", second)
    shutil.copytree(embedded / "index", Folders(tmp_path / "first/data").index(vault_id(first)))
    data = tmp_path / "second/data"
    async with serving([first], tmp_path / "first/data", models_dir) as served:
        await readable(served, meaning=True)
        ran = await served.command("export-index", "Notes.index", "--vault", str(first), "--json", cwd=tmp_path)
        assert (ran.status, ran.json["file"], ran.json["bytes"]) == (0, str(file), file.stat().st_size), ran.err
        again = await served.call("export_index", file=str(file))
        assert (again.code, str(file) in again.json["error"]["message"]) == ("invalid_arguments", True)
        assert (await served.call("export_index", file=str(file), overwrite=True)).json == ran.json
    taken = await command("import-index", str(file), "--vault", str(second), "--json", data=data, models=models_dir)
    assert taken.status == 0, taken.err
    assert taken.json == {
        "model": ran.json["model"],
        "texts": ran.json["texts"],
        "stored": ran.json["texts"],
        "missing": 0,
    }
    async with serving([second], data, models_dir) as served:
        await readable(served, meaning=True)
        (vault,) = (await served.call("status")).json["vaults"]
        assert (vault["embedded_total"], vault["pending"]["vectors"]) == (0, 0)
        found = (await served.call("search", query="bread that ferments by itself", mode="semantic", limit=3)).json
        assert found["hits"]


async def test_without_a_model_nothing_is_written_or_read(served: Served, tmp_path: Path) -> None:
    file = tmp_path / "Notes.index"
    assert (await served.call("export_index", file=str(file))).code in {"model_missing", "not_ready"}
    assert not file.exists()
    file.write_bytes(b"PK")
    assert (await served.call("import_index", file=str(file))).code in {"model_missing", "not_ready"}


async def test_files_that_cannot_be_meant_are_refused(served: Served, tmp_path: Path) -> None:
    for file, code in (
        ("Notes.index", "invalid_arguments"),
        (str(tmp_path / "no/x"), "folder_not_found"),
        (str(tmp_path), "invalid_arguments"),
        (str(tmp_path / "Notes/New.index"), "invalid_arguments"),
        (str(tmp_path / "other.txt"), "invalid_arguments"),
    ):
        (tmp_path / "other.txt").write_text("not exported")
        assert (await served.call("export_index", file=file, overwrite=True)).code == code
    assert (tmp_path / "other.txt").read_text() == "not exported"


async def test_only_programs_of_the_user_name_files(served: Served, tmp_path: Path) -> None:
    made = await served.command("tokens", "create", "agent", "--scope", "write")
    token = {"Authorization": f"Bearer {made.out.split()[-1]}"}
    for name in ("export_index", "import_index"):
        body = b'{"file": "%s"}' % str(tmp_path / "x").encode()
        answer = await served.request("POST", f"/api/{name}", headers=token, data=body)
        assert (answer.status, answer.code) == (403, "forbidden")
