"""Reading and changing the user's settings."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import MaxLen

from bridge.api.call import Call
from bridge.api.markup import Answer, Column, Element, Section, Table, notices
from bridge.api.registry import operation
from bridge.data_folder import find_known_vaults, read_vault_list
from bridge.errors import InvalidArguments
from bridge.features.admin.traces import watch_denied
from bridge.records import dataclass
from bridge.types import EXACT, Exact

GLOBS = {"exclude", "deny", "readonly"}
"""Settings that are lists of globs."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        name: Its name in the file.
        value: Its value; null for `deny` unless the caller may change it.
        default: Its default.
        type: Its type.
        meaning: Its effect.
        restart: Whether a change takes effect only after a restart.
    """

    name: str
    value: Annotated[Any, EXACT]
    default: Annotated[Any, EXACT]
    type: str
    meaning: str
    restart: bool


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model.

    Attributes:
        id: Its name in the settings.
        title: Its makers' name for it.
        purpose: `embed` for search by meaning, `chat` for writing answers, `rerank` for `mode=deep` of `search`.
        dimensions: Dimensions of its vectors; 0 for other models.
        window: Maximum tokens of a text, or of a prompt with its answer.
        size_mb: File size in MB; null if unknown.
        languages: Its languages.
        license: Its licence.
        installed: Whether it is on this machine.
        chosen: Whether the settings or the notes of a vault select it.
    """

    id: str
    title: str
    purpose: Literal["embed", "chat", "rerank"]
    dimensions: int
    window: int
    size_mb: float | None
    languages: str
    license: str
    installed: bool
    chosen: bool


@dataclass(frozen=True, slots=True)
class SettingsInUse:
    """The settings in use.

    Attributes:
        path: The settings file.
        settings: Every setting.
        problems: Rejected lines, and why; after a change of `deny`, also which notes still tell of what it hides.
        models: If asked for, models installable by name, and models made from files.
    """

    path: Exact
    settings: tuple[Setting, ...]
    problems: tuple[str, ...]
    models: tuple[ListedModel, ...] | None = None


@operation(
    example={},
    vault=False,
    complete="admin",
    tasks=(
        "show the settings",
        "configuration of the bridge",
        "what is excluded",
        "which embedding models are there",
        "which language models can write answers",
    ),
)
async def read_settings(call: Call, models: bool = False) -> SettingsInUse:
    """Show every setting with its value, default and meaning.

    Args:
        models: List the models that embed, chat or rank, installed or available; downloads nothing.
    """
    found = await asyncio.to_thread(settings_in_use, call)
    return replace(found, models=await asyncio.to_thread(read_models, call)) if models else found


@operation(
    example={"changes": {"max_pdf_pages": 200}},
    reads=False,
    idempotent=True,
    scope="admin",
    vault=False,
    tasks=("change a setting", "configure the bridge"),
)
async def change_settings(call: Call, changes: Mapping[str, Any]) -> SettingsInUse:
    """Change settings; other lines and comments of the file are kept.

    Args:
        changes: New values by name; null restores the default.
    """
    from bridge.settings.file import save_settings

    if not changes:
        raise InvalidArguments("`changes` names no setting.")
    for name in GLOBS & changes.keys():
        require_sound(name, changes[name])
    require_known_vault(call, changes.get("global_vault"))
    left = await asyncio.to_thread(watch_denied, call.bridge) if "deny" in changes else None
    await asyncio.to_thread(save_settings, call.bridge.settings_path, changes)
    await call.bridge.reload()
    found = await asyncio.to_thread(settings_in_use, call)
    return replace(found, problems=(*found.problems, *await asyncio.to_thread(left))) if left else found


def require_sound(name: str, globs: Any) -> None:
    """Refuse globs that would not protect what they seem to; that it is a list of them is checked elsewhere.

    Raises:
        InvalidArguments: One of them cannot be used.
    """
    from bridge.vault.globs import find_mistake

    for glob in globs if isinstance(globs, list | tuple) else ():
        if isinstance(glob, str) and (why := find_mistake(glob)) is not None:
            raise InvalidArguments(f"`{glob[:80]}` in `{name}` {why}.")


def require_known_vault(call: Call, name: Any) -> None:
    """Refuse a vault that is neither served nor was before; that its name is a text is checked elsewhere.

    Raises:
        InvalidArguments: No vault has this name or id, or several have the name.
    """
    if not isinstance(name, str) or not (name := name.strip()):
        return
    served = [host for host in call.bridge.vaults.values() if name in {host.id, host.name}]
    if len(served) == 1:
        return
    found = find_known_vaults(call.bridge.folders, name)
    if len(found) > 1:
        raise InvalidArguments(
            f"Several vaults are called `{name[:80]}`.", hint="Give the id of one; `status` lists them."
        )
    if not found:
        known = sorted({path.name for path in read_vault_list(call.bridge.folders).values() if path.is_dir()})
        raise InvalidArguments(
            f"`global_vault` must be the name or id of a vault; there is no `{name[:80]}`.",
            hint=f"Known vaults: {', '.join(known) or 'none'}. `vault-bridge serve VAULT…` adds one.",
        )


def settings_in_use(call: Call) -> SettingsInUse:
    """Read the settings file."""
    from bridge.settings.file import load_settings
    from bridge.settings.schema import describe_settings

    values, problems = load_settings(call.bridge.settings_path)
    kept_back = set() if "admin" in call.principal.scopes else {"deny"}
    return SettingsInUse(
        path=str(call.bridge.settings_path),
        settings=tuple(
            Setting(
                name=s.name,
                value=None if s.name in kept_back else values.value(s.name),
                default=s.default,
                type=s.type,
                meaning=s.meaning,
                restart=s.restart,
            )
            for s in describe_settings()
        ),
        problems=tuple(problem.message for problem in problems),
    )


NAMED = 3
"""Notes that are named of those that a glob means."""


@dataclass(frozen=True, slots=True)
class CheckedGlob:
    """One glob.

    Attributes:
        glob: The glob.
        problem: Why it is invalid; null if it is valid.
        notes: Matching notes, including those hidden by other rules; null if no vault is known.
        first: Some of them.
    """

    glob: Exact
    problem: str | None
    notes: int | None
    first: tuple[Exact, ...]


@dataclass(frozen=True, slots=True)
class CheckedGlobs:
    """The globs.

    Attributes:
        globs: In the given order.
    """

    globs: tuple[CheckedGlob, ...]


@operation(example={"globs": ["Garden/**", "*.secret.md"]}, scope="admin", vault=False, tool=False)
async def check_globs(
    call: Call, globs: Annotated[tuple[Annotated[str, MaxLen(1_000)], ...], MaxLen(500)]
) -> CheckedGlobs:
    """Report what is wrong with globs for `exclude`, `deny` and `readonly`, and which notes they match.

    Args:
        globs: The globs.
    """
    hosts = call.bridge.vaults.values() if call.vault_name is None else [call.host]
    # A command that may not use the running bridge for this opens none of its vaults, but knows where they are.
    roots = [host.root for host in hosts] or [*read_vault_list(call.bridge.folders).values()]
    return await asyncio.to_thread(compare_globs, [root for root in roots if root.is_dir()], globs)


def compare_globs(roots: Sequence[Path], globs: Sequence[str]) -> CheckedGlobs:
    """Compare globs with what vaults hold, whatever the rules say."""
    from bridge.vault.globs import GlobSet, find_mistake
    from bridge.vault.rules import Rules
    from bridge.vault.vault import Vault

    paths = [path for root in roots if globs for path in sorted(Vault(root, Rules()).scan().files)]
    found = []
    for glob in globs:
        problem, ban = find_mistake(glob), GlobSet((glob,))
        meant = [] if problem else [path for path in paths if ban.covers(path)]
        found.append(CheckedGlob(glob, problem, len(meant) if roots else None, tuple(meant[:NAMED])))
    return CheckedGlobs(tuple(found))


def read_models(call: Call) -> tuple[ListedModel, ...]:
    """Look into the models folder and the settings."""
    from bridge.models.catalogue import catalogue
    from bridge.models.folder import installed_models
    from bridge.settings.file import load_settings

    settings = load_settings(call.bridge.settings_path)[0]
    wanted = {settings.model, settings.chat_model, settings.rerank_model}
    wanted |= {model.id for host in call.bridge.vaults.values() if (model := host.progress().model)}
    here = {model.spec.id: model for model in installed_models(call.bridge.models_dir)}
    specs = {spec.id: spec for spec in (*catalogue(), *(model.spec for model in here.values()))}
    return tuple(
        ListedModel(
            id=spec.id,
            title=spec.title,
            purpose=spec.purpose,
            dimensions=spec.dimensions,
            window=spec.window,
            size_mb=in_mb(here[spec.id].path.stat().st_size if spec.id in here else spec.size_bytes),
            languages=spec.languages,
            license=spec.license,
            installed=spec.id in here,
            chosen=spec.id in wanted,
        )
        for spec in specs.values()
    )


def in_mb(size: int | None) -> float | None:
    """Return bytes as MB."""
    return None if size is None else round(size / 1e6, 1)


SETTINGS = (
    Column("name"),
    Column("value", ": {}"),
    Column("default", " (default {})"),
    Column("meaning", " — {}"),
)


MODELS = (
    Column("id"),
    Column("purpose", " · {}"),
    Column("size_mb", " · {} MB"),
    Column("installed", lambda installed: " · installed" if installed else ""),
    Column("chosen", lambda chosen: " · in use" if chosen else ""),
    Column("languages", " · {}", detail=True),
    Column("license", " · {}", detail=True),
)


def settings_view(answer: Answer) -> Iterable[Element]:
    """Show the settings in use, and the rejected lines of their file."""
    yield Table(SETTINGS, answer["settings"])
    yield from notices(answer.get("problems", ()))
    if answer.get("models"):
        yield Section("Models", Table(MODELS, answer["models"]))
