"""The models folder: one GGUF file per model, with a small JSON file that describes it."""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from bridge.errors import ModelMissing, ModelUnusable
from bridge.models.catalogue import ModelSpec, Purpose, catalogue
from bridge.private_files import file_lock, write_private
from bridge.records import Record
from bridge.types import Digest

_FORMAT_VERSION = 1
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")


class InstalledModel(Record):
    """An installed model; `digest` is that of its GGUF file."""

    spec: ModelSpec
    path: Path
    digest: Digest


def installed_models(models_dir: Path) -> tuple[InstalledModel, ...]:
    found = []
    for about in sorted(models_dir.glob("*.json")):
        with contextlib.suppress(ModelMissing, ModelUnusable):
            found.append(find_model(models_dir, about.stem))
    return tuple(found)


_SETTINGS: Mapping[Purpose, str] = {"embed": "model", "chat": "chat_model", "rerank": "rerank_model"}
_KINDS: Mapping[Purpose, str] = {"embed": "an embedding model", "chat": "a chat model", "rerank": "a reranker"}


def find_model(models_dir: Path, id_: str, purpose: Purpose | None = None) -> InstalledModel:
    """Return an installed model, and require that it is for a purpose if one is given."""
    about, path = _description_path(models_dir, id_), weights_path(models_dir, id_)
    try:
        if not _ID.fullmatch(id_):
            raise FileNotFoundError
        facts = json.loads(about.read_bytes())
        size = path.stat().st_size
        model = InstalledModel(_read_spec(facts["spec"]), path, Digest(facts["sha256"]))
    except FileNotFoundError:
        raise ModelMissing(
            f"The model {id_} is not installed.", hint=f"Run `vaultside models install {id_}`."
        ) from None
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise _unusable(id_, f"The description {about.name} cannot be read ({error}).") from None
    if size != facts["size"]:
        raise _unusable(id_, f"The file {path.name} has {size} bytes instead of {facts['size']}.")
    if purpose is not None and model.spec.purpose != purpose:
        raise ModelUnusable(
            f"{model.spec.id} is {_KINDS[model.spec.purpose]} and cannot be the setting `{_SETTINGS[purpose]}`.",
            hint=f"`vaultside models use {model.spec.id}` puts it where it belongs.",
        )
    return model


def check_model(model: InstalledModel) -> None:
    try:
        found = file_digest(model.path)
    except OSError as error:
        raise _unusable(model.spec.id, f"The file {model.path.name} cannot be read ({error}).") from None
    if found != model.digest:
        raise _unusable(model.spec.id, f"The file {model.path.name} changed since it was installed.")


def record_model(models_dir: Path, spec: ModelSpec, digest: Digest, origin: str) -> InstalledModel:
    """Describe a GGUF file that is in its place; after this the model counts as installed."""
    path = weights_path(models_dir, spec.id)
    facts = {
        "format": _FORMAT_VERSION,
        "spec": to_builtins(spec),
        "sha256": digest,
        "size": path.stat().st_size,
        "origin": origin,
    }
    write_private(
        _description_path(models_dir, spec.id), json.dumps(facts, indent=2, ensure_ascii=False).encode() + b"\n"
    )
    return InstalledModel(spec, path, digest)


def weights_path(models_dir: Path, id_: str) -> Path:
    return models_dir / f"{id_}.gguf"


def file_digest(path: Path) -> Digest:
    with path.open("rb") as stream:
        return Digest(hashlib.file_digest(stream, "sha256").hexdigest())


def open_private(path: Path, *, append: bool = False) -> Any:
    """Open a file for writing that only the user can read."""
    flags = os.O_CREAT | os.O_WRONLY | getattr(os, "O_BINARY", 0) | (os.O_APPEND if append else os.O_TRUNC)
    return os.fdopen(os.open(path, flags, 0o600), "ab" if append else "wb")


@contextlib.contextmanager
def models_lock(models_dir: Path) -> Iterator[None]:
    """Create and lock the folder, waiting for other processes."""
    models_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with file_lock(models_dir / ".lock"):
        yield


def _description_path(models_dir: Path, id_: str) -> Path:
    return models_dir / f"{id_}.json"


def _read_spec(facts: dict[str, Any]) -> ModelSpec:
    if facts["source"] != "file":
        # The catalogue may be more accurate by now.
        for spec in catalogue():
            if spec.id == facts["id"]:
                if spec.source != facts["source"]:
                    raise ValueError("the model is made otherwise by now")
                return spec
    return ModelSpec(**{name: value for name, value in facts.items() if name in ModelSpec.__struct_fields__})


def _unusable(id_: str, message: str) -> ModelUnusable:
    return ModelUnusable(message, hint=f"Run `vaultside models install {id_}` to repair it.")
