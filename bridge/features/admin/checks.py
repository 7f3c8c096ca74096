"""What doctor looks at of settings, the model and tokens."""

import contextlib
import shlex
from collections.abc import Callable
from pathlib import Path

from bridge.access.tokens import Tokens
from bridge.api.call import Call
from bridge.api.feature import Finding, Fix, make_finding
from bridge.errors import BridgeError
from bridge.models.catalogue import DEFAULT_MODEL, MULTILINGUAL_MODEL
from bridge.models.folder import InstalledModel, find_chat_model, find_model, find_reranker, installed_models
from bridge.models.install import verify
from bridge.models.model_setup import read_model_setup
from bridge.settings.file import load_settings


def check_settings(call: Call) -> Finding:
    path = call.bridge.settings_path
    _, problems = load_settings(path)
    if problems:
        return make_finding(
            "settings", "warn", "; ".join(p.message for p in problems), f"Correct these lines in {path}."
        )
    return make_finding(
        "settings", "ok", f"{path} is in order." if path.exists() else "All settings have their defaults."
    )


def check_model(call: Call) -> Finding:
    """Look whether the model of the settings is there and is what it claims to be."""
    if (setup := read_model_setup()) is not None:
        return make_finding("model", "warn" if setup.state == "running" else "fail", setup.message, setup.hint)
    named = load_settings(call.bridge.settings_path)[0].model
    # A vault uses the one that is there until the fitting one is.
    there = {model.spec.id for model in installed_models(call.bridge.models_dir)} & {DEFAULT_MODEL, MULTILINGUAL_MODEL}
    for wanted in {named} if named else fitting_models(call) or there or {DEFAULT_MODEL}:
        try:
            find_model(call.bridge.models_dir, wanted)
            verify(call.bridge.models_dir, wanted)
        except BridgeError as error:
            fix = Fix("Install the model", f"vaultside models install {shlex.quote(wanted)}", None)
            return make_finding(
                "model", "warn" if there - {wanted} and not named else "fail", error.message, error.hint, fix
            )
    return make_finding("model", "ok", f"{wanted} is installed in {call.bridge.models_dir}.")


def fitting_models(call: Call) -> set[str]:
    found = set()
    for host in call.bridge.vaults.values():
        with contextlib.suppress(BridgeError):
            found |= {host.vault.backfill.choice.id} if host.vault.backfill.choice else set()
    return found


def check_chat_model(call: Call) -> Finding:
    return _check_chosen(call, "chat model", "chat_model", find_chat_model, "answers are quotes from notes")


def check_reranker(call: Call) -> Finding:
    return _check_chosen(call, "reranker", "rerank_model", find_reranker, "a search with `mode=deep` is hybrid")


def _check_chosen(
    call: Call, name: str, setting: str, find: Callable[[Path, str], InstalledModel], without: str
) -> Finding:
    wanted = getattr(load_settings(call.bridge.settings_path)[0], setting)
    if not wanted:
        return make_finding(name, "ok", f"None is chosen: {without}.")
    try:
        installed = find(call.bridge.models_dir, wanted)
    except BridgeError as error:
        fix = Fix("Install the model", f"vaultside models install {shlex.quote(wanted)}", None)
        return make_finding(name, "warn", error.message, error.hint, fix)
    return make_finding(name, "ok", f"{wanted} is installed at {installed.path}.")


def check_global_vault(call: Call) -> Finding:
    try:
        found = call.bridge.global_vault()
    except BridgeError as error:
        return make_finding("global vault", "warn", error.message, error.hint)
    if found is None:
        return make_finding("global vault", "ok", "None is set: each vault is by itself.")
    return make_finding("global vault", "ok", f"{found.name} is served.")


def check_tokens(call: Call) -> Finding:
    held = Tokens(call.bridge.folders.tokens)
    count = len(held.clients())
    if held.aside.exists():
        fix = Fix("Give a client a new token", "vaultside tokens create", None)
        do = f"Give clients new tokens with `{fix.command}` or `pair`, then delete {held.aside}."
        return make_finding("tokens", "warn", f"The tokens of clients were damaged and lie in {held.aside}.", do, fix)
    return make_finding("tokens", "ok", f"{count} client{'' if count == 1 else 's'} can call with tokens of their own.")
