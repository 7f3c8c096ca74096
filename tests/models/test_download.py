import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from bridge.errors import DiskFull, ModelUnusable
from bridge.models.catalogue import ModelSpec
from bridge.models.install import download, install_spec
from tests.models import disks
from tests.models.hub import Hub, serving

DATA = random.Random(4).randbytes(3_000_000)
DIGEST = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(Hub(DATA)) as running:
        yield running


def spec(hub: Hub, **more: object) -> ModelSpec:
    plain = ModelSpec(
        id="some-model",
        title="Some model",
        dimensions=384,
        window=256,
        pooling="mean",
        languages="English",
        license="MIT",
        source="download",
        url=hub.url,
        sha256=DIGEST,
    )
    return replace(plain, **more)


async def at_once(_seconds: float) -> None:
    """Do not wait between tries."""


def fetched(hub: Hub, folder: Path, **more: object) -> bytes:
    return download(spec(hub, **more), folder, lambda *_: None, at_once).path.read_bytes()


def test_a_file_comes_whole_and_tells_its_progress(hub: Hub, tmp_path: Path) -> None:
    steps: list[tuple[str, int, int | None]] = []
    part = download(spec(hub), tmp_path, lambda *step: steps.append(step), at_once)
    assert part.path.read_bytes() == DATA
    assert steps[0] == ("download", 0, len(DATA))
    assert steps[-1] == ("download", len(DATA), len(DATA))


def test_a_cut_connection_goes_on_where_it_stopped(hub: Hub, tmp_path: Path) -> None:
    hub.moods = ["cut:1000000", "cut:700000", "good"]
    assert fetched(hub, tmp_path) == DATA
    first, second, third = hub.ranges
    assert first is None
    assert second is not None
    assert third is not None
    assert 0 < int(second[6:-1]) < int(third[6:-1]) < len(DATA)


def test_a_second_run_goes_on_where_the_first_gave_up(hub: Hub, tmp_path: Path) -> None:
    hub.moods = ["cut:1000000", "status:503"]
    with pytest.raises(ModelUnusable, match="failed 5 times: the server answered 503") as failure:
        fetched(hub, tmp_path)
    assert failure.value.hint == "Run it again: it goes on where it stopped."
    hub.moods, hub.ranges = ["good"], []
    assert fetched(hub, tmp_path) == DATA
    assert hub.ranges[0] is not None


def test_a_whole_file_that_was_not_yet_placed_is_not_fetched_again(hub: Hub, tmp_path: Path) -> None:
    fetched(hub, tmp_path)
    assert fetched(hub, tmp_path) == DATA
    assert hub.ranges == [None, f"bytes={len(DATA)}-"]


def test_a_server_that_ignores_ranges_sends_it_all_again(hub: Hub, tmp_path: Path) -> None:
    hub.moods = ["cut:1000000", "whole"]
    assert fetched(hub, tmp_path) == DATA


def test_a_file_that_changed_meanwhile_is_fetched_from_its_beginning(hub: Hub, tmp_path: Path) -> None:
    hub.moods = ["cut:1000000", "status:503"]
    with pytest.raises(ModelUnusable):
        fetched(hub, tmp_path)
    hub.moods, hub.etag, hub.data = ["good"], '"two"', DATA[::-1]
    assert fetched(hub, tmp_path, sha256=None) == DATA[::-1]


def test_a_half_file_of_another_address_is_not_gone_on_with(hub: Hub, tmp_path: Path) -> None:
    hub.moods = ["cut:1000000", "status:503"]
    with pytest.raises(ModelUnusable):
        fetched(hub, tmp_path)
    hub.moods, hub.ranges = ["good"], []
    assert fetched(hub, tmp_path, url=hub.url + "?other") == DATA
    assert hub.ranges == [None]


def test_another_part_than_was_asked_for_is_thrown_away(hub: Hub, tmp_path: Path) -> None:
    hub.moods = ["cut:1000000", "wrong-part", "good"]
    assert fetched(hub, tmp_path) == DATA
    assert hub.ranges[-1] is None


def test_a_wrong_checksum_removes_the_file_and_refuses(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match=r"instead of 0000.*it was deleted"):
        fetched(hub, tmp_path, sha256="0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_the_checksum_that_the_hub_declares_is_held_against_the_file(hub: Hub, tmp_path: Path) -> None:
    hub.moods, hub.linked_etag = ["elsewhere", "good"], f'"{"0" * 64}"'
    with pytest.raises(ModelUnusable, match="it was deleted"):
        fetched(hub, tmp_path, sha256=None)
    hub.moods, hub.linked_etag = ["elsewhere", "good"], f'"{DIGEST}"'
    assert fetched(hub, tmp_path, sha256=None) == DATA


def test_a_file_of_another_length_than_the_catalogue_says_is_refused(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match="has 3000000 bytes instead of 5"):
        fetched(hub, tmp_path, size_bytes=5)


def test_a_body_without_length_that_ends_early_is_noticed(hub: Hub, tmp_path: Path) -> None:
    hub.moods, hub.data = ["bare"], DATA[:1000]
    with pytest.raises(ModelUnusable, match="1000 bytes came instead of 3000000"):
        fetched(hub, tmp_path, size_bytes=len(DATA))


@pytest.mark.parametrize(
    ("status", "message"), [(404, "There is no model at"), (401, "requires an account"), (403, "requires an account")]
)
def test_what_another_try_would_not_mend_is_said_at_once(hub: Hub, tmp_path: Path, status: int, message: str) -> None:
    hub.moods = [f"status:{status}"]
    with pytest.raises(ModelUnusable, match=message):
        fetched(hub, tmp_path)
    assert len(hub.ranges) == 1


def test_nobody_at_the_address_is_said_after_some_tries(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match="failed 5 times"):
        fetched(hub, tmp_path, url="http://127.0.0.1:1/model.gguf")


@pytest.mark.parametrize("address", ["http://192.0.2.1/model.gguf", "ftp://192.0.2.1/m", "file:///etc/hostname"])
def test_nothing_is_fetched_in_the_clear_from_elsewhere(hub: Hub, tmp_path: Path, address: str) -> None:
    with pytest.raises(ModelUnusable, match="is not an https address"):
        fetched(hub, tmp_path, url=address)
    hub.moods, hub.location = ["elsewhere"], address
    with pytest.raises(ModelUnusable, match="is not an https address"):
        fetched(hub, tmp_path)


def test_addresses_that_lead_in_circles_are_left(hub: Hub, tmp_path: Path) -> None:
    hub.moods = ["elsewhere"]
    with pytest.raises(ModelUnusable, match="redirects in circles"):
        fetched(hub, tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    with disks.small(folder):
        yield folder


def test_a_file_that_does_not_fit_is_not_begun(hub: Hub, small_disk: Path) -> None:
    with pytest.raises(DiskFull, match="needs 2 MiB more"):
        install_spec(small_disk, spec(hub), lambda *_: None)


def test_a_disk_that_fills_keeps_what_came(hub: Hub, small_disk: Path) -> None:
    hub.moods = ["bare"]
    with pytest.raises(DiskFull, match="no space in"):
        install_spec(small_disk, spec(hub), lambda *_: None)
    kept = (small_disk / "some-model.gguf.part").read_bytes()
    assert len(kept) > 500_000
    assert DATA.startswith(kept)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of a file's size")
def test_a_file_over_the_users_limit_is_a_full_disk_and_the_next_run_goes_on(hub: Hub, tmp_path: Path) -> None:
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
        "from pathlib import Path\n"
        "from bridge.errors import DiskFull\n"
        "from bridge.models.catalogue import ModelSpec\n"
        "from bridge.models.install import install_spec as fetch\n"
        f"spec = {spec(hub)!r}\n"
        "try:\n"
        "    fetch(Path(sys.argv[1]), spec, lambda *_: None)\n"
        "except DiskFull as full:\n"
        "    print(full.code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True, env=_with_bridge()
    )
    assert done.stdout == "disk_full\n"
    assert (tmp_path / "some-model.gguf.part").stat().st_size == 1_000_000
    assert fetched(hub, tmp_path) == DATA
    assert hub.ranges[-1] == "bytes=1000000-"


def _with_bridge() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
