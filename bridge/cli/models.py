"""`vaultside models`: lists, installs, chooses and verifies models."""

import argparse
import os
import sys
from pathlib import Path

from msgspec.structs import asdict

from bridge.cli.console import json_line, log_warnings, print_message, table
from bridge.cli.progress import InstallProgress
from bridge.data_folder import Folders
from bridge.engine.parser_pool import rules_of
from bridge.errors import BridgeError
from bridge.models.catalogue import DEFAULT_MODEL, MULTILINGUAL_MODEL, SUGGESTED_CHAT_MODEL, ModelSpec, catalogue
from bridge.models.choice import choose_model
from bridge.models.folder import find_model, installed_models
from bridge.models.install import install as fetch
from bridge.models.install import measure_chat, use_file
from bridge.models.install import verify as check
from bridge.settings.file import load_settings, save_settings
from bridge.vault.vault import Vault

PURPOSES = {"embed": "search", "chat": "answer", "rerank": "rank"}
"""What people do with the models of each purpose."""

USES = {
    "embed": ("model", "is used from now on; the old vectors answer until the new ones are complete"),
    "chat": ("chat_model", "writes answers from now on; `vaultside models bench` tells how fast"),
    "rerank": ("rerank_model", "ranks what `search` with `mode=deep` finds from now on"),
}
"""The setting that chooses a model of each purpose, and what is said then."""


def main(given: argparse.Namespace) -> int:
    log_warnings()
    return {"list": list_models, "install": install, "use": use, "bench": bench, "verify": verify}[given.action](given)


def list_models(given: argparse.Namespace) -> int:
    here = {model.spec.id: model for model in installed_models(given.models_dir)}
    chosen = chosen_models(given.data_dir).values()
    specs = {spec.id: spec for spec in (*catalogue(), *(model.spec for model in here.values()))}
    rows = [model_row(spec, installed=spec.id in here, chosen=spec.id in chosen) for spec in specs.values()]
    if given.json:
        json_line({"models": rows})
    else:
        table(rows, ("id", "purpose", "state", "size", "languages", "license"))
    return 0


def model_row(spec: ModelSpec, *, installed: bool, chosen: bool) -> dict[str, object]:
    state = ("in use" if installed else "chosen, not installed") if chosen else "installed" if installed else ""
    size = f"{spec.size_bytes / 1e6:.0f} MB" if spec.size_bytes else ""
    return {
        "id": spec.id,
        "title": spec.title,
        "purpose": spec.purpose,
        "state": state,
        "dimensions": spec.dimensions,
        "size": size,
        "languages": spec.languages,
        "license": spec.license,
        "verified": spec.sha256 is not None or spec.source in ("wheel", "conversion"),
    }


def install(given: argparse.Namespace) -> int:
    id_ = fitting_model(given) if given.id and Path(given.id).is_dir() else given.id or DEFAULT_MODEL
    with InstallProgress() as steps:
        model = fetch(given.models_dir, id_, steps.show)
    print_message(f"{model.spec.id} is installed at {model.path}.")
    chosen = chosen_models(given.data_dir)
    if model.spec.id not in (*chosen.values(), *(() if chosen["embed"] else (DEFAULT_MODEL, MULTILINGUAL_MODEL))):
        print_message(f"Run `vaultside models use {model.spec.id}` to {PURPOSES[model.spec.purpose]} with it.")
    return 0


def fitting_model(given: argparse.Namespace) -> str:
    settings = load_settings(Folders(given.data_dir).settings)[0]
    vault = Vault(Path(given.id), rules_of(Path(given.id), settings))
    return settings.model or choose_model(vault, [*vault.scan().files]).id


def use(given: argparse.Namespace) -> int:
    """Choose a model; a file is copied first."""
    file = Path(given.model)
    if file.is_file() or is_path(given.model):
        with InstallProgress() as steps:
            model = use_file(given.models_dir, file, steps.show)
    else:
        model = find_model(given.models_dir, given.model)
    folders = Folders(given.data_dir)
    folders.make()
    setting, told = USES[model.spec.purpose]
    save_settings(folders.settings, {setting: model.spec.id})
    print_message(f"{model.spec.id} {told}.")
    return 0


def is_path(model: str) -> bool:
    """Return whether a name can only mean a file: no model of the catalogue has such a name."""
    return model.endswith(".gguf") or os.sep in model


def bench(given: argparse.Namespace) -> int:
    id_ = given.id or chosen_models(given.data_dir)["chat"]
    if not id_:
        print_message(f"No chat model is chosen. Run `vaultside models install {SUGGESTED_CHAT_MODEL}`.")
        return 1
    speed = measure_chat(find_model(given.models_dir, id_, "chat").path)
    if given.json:
        json_line({"id": id_, **asdict(speed)})
    else:
        sys.stdout.write(
            f"{id_}: reads {speed.prompt_tokens_per_s:,.0f} and writes {speed.answer_tokens_per_s:,.1f} tokens a"
            f" second, loads in {speed.load_s:.1f} s.\n"
        )
    return 0


def verify(given: argparse.Namespace) -> int:
    ids = given.id or [model.spec.id for model in installed_models(given.models_dir)]
    if not ids:
        print_message("No model is installed. Run `vaultside models install`.")
        return 1
    failed = False
    for id_ in ids:
        try:
            check(given.models_dir, id_)
        except BridgeError as error:
            failed = True
            print_message(f"{id_}: {error.message} {error.hint}")
        else:
            sys.stdout.write(f"{id_}: right\n")
    return int(failed)


def chosen_models(data_dir: Path) -> dict[str, str]:
    settings = load_settings(Folders(data_dir).settings)[0]
    return {"embed": settings.model, "chat": settings.chat_model, "rerank": settings.rerank_model}
