"""Settings, models and the clients that hold tokens, as the user reads and changes them."""

import asyncio
import contextlib
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import replace

from bridge.access.tokens import OPEN_S, SCOPES, Tokens
from bridge.api.call import Call
from bridge.api.feature import Check, Finding, Fix, make_finding
from bridge.api.markup import Column, Element, Section, Table, field, notice, notices
from bridge.api.registry import operation
from bridge.data_folder import find_known_vaults, read_vault_list
from bridge.engine.agents_folder import agents_folder
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, Forbidden, InvalidArguments, NotReady
from bridge.events import SettingsChanged
from bridge.features.handoffs.public import TYPE as HANDOFF
from bridge.features.sessions.public import TYPE as JOURNAL
from bridge.features.tidy.public import FORMER_TYPE, TYPE
from bridge.index.note import IndexedNote
from bridge.markdown.note import property_of, type_of
from bridge.markdown.parse import parse
from bridge.models.catalogue import DEFAULT_MODEL, MULTILINGUAL_MODEL, ModelSpec, Purpose, catalogue
from bridge.models.folder import find_model, installed_models
from bridge.models.install import verify
from bridge.models.model_setup import read_model_setup
from bridge.records import Record
from bridge.settings.file import load_settings, save_settings
from bridge.settings.schema import describe_settings
from bridge.state.change_records import Change, ChangeFilter
from bridge.text.counts import join_some
from bridge.text.fold import fold_case
from bridge.types import EXACT_MARK, Exact, Preset, Scope, VaultPath
from bridge.vault.rules import GlobSet, Rules, find_mistake
from bridge.vault.vault import Vault


class ListedClient(Record):
    """A client with its own token.

    Attributes:
        id: Its id.
        name: Its name.
        scopes: Its scopes.
        preset: Its tool preset, if its token sets one.
        created: When it got its token.
        last_used: Day of its last use; null if never used.
        applies: Whether its changes apply at once; others await approval.
        links: Whether note names become links in its text.
    """

    id: str
    name: str
    scopes: tuple[Scope, ...]
    preset: Preset | None
    created: str
    last_used: str | None
    applies: bool
    links: bool


class ListedClients(Record):
    """The clients.

    Attributes:
        clients: Oldest first.
    """

    clients: tuple[ListedClient, ...]


@operation(
    example={"client": "Cursor"},
    reads=False,
    idempotent=True,
    destructive=True,
    scope="admin",
    vault=False,
    tool=False,
    tasks=("take away a client's access",),
)
async def revoke_client(call: Call, client: str) -> ListedClients:
    """Revoke a client's token: its next request is refused and its open connections end.

    Args:
        client: Its name or id.

    Raises:
        InvalidArguments: No such client.
    """
    await asyncio.to_thread(Tokens(call.bridge.folders.tokens).revoke, client)
    call.bridge.events.publish(SettingsChanged())
    return ListedClients(await asyncio.to_thread(read_clients, call))


def read_clients(call: Call) -> tuple[ListedClient, ...]:
    """Read the clients and the settings; both blocks."""
    values, _ = load_settings(call.bridge.settings_path)
    return tuple(
        ListedClient(
            id=client.id,
            name=client.name,
            scopes=tuple(scope for scope in SCOPES if scope in client.scopes),
            preset=client.preset,
            created=client.created,
            last_used=client.last_used,
            applies=is_named(client.name, values.apply_clients),
            links=is_named(client.name, values.auto_link_clients),
        )
        for client in Tokens(call.bridge.folders.tokens).clients()
    )


def is_named(name: str, names: tuple[str, ...]) -> bool:
    return bool({each.casefold() for each in names} & {"*", name.casefold()})


class PairingOpened(Record):
    """A pairing code for one client.

    Attributes:
        code: Six digits for the client to send.
        expires_in_s: Seconds until the code expires.
    """

    code: str
    expires_in_s: int


@operation(
    example={},
    reads=False,
    scope="write",
    vault=False,
    tasks=("pair a new client", "let another program connect"),
)
async def open_pairing(call: Call) -> PairingOpened:
    """Let one client get its own token: show the code to the person, who gives it to the client.

    The client sends `POST /api/pair` with `{"code", "client"}`, any name and no token, and gets `{"token", "scopes",
    "client"}`: a token to read and write, and its final name. Five wrong codes or one success end the pairing. Only the
    runtime file's token can open it.

    Raises:
        Forbidden: The caller is itself a client, or an agent.
        NotReady: No running bridge for a client to reach.
    """
    call.principal.require_local("pair")
    if not call.is_user:
        # A token would outlive the agent's session, and nobody was asked.
        raise Forbidden("An agent may not let clients pair.", hint="Only the user may, by `vaultside pair`.")
    if call.bridge.pairing is None:
        raise NotReady("No bridge is running, so no client can pair.", hint="Start `vaultside serve`, then pair.")
    return PairingOpened(call.bridge.pairing.open(), round(OPEN_S))


def client_list_view(listed: ListedClients) -> Iterable[Element]:
    yield notice("Its token is revoked.")
    yield from list_clients(listed.clients)


def list_clients(clients: Sequence[ListedClient]) -> Iterable[Element]:
    yield from field("clients", clients)
    if not clients:
        yield notice("No client has a token.")


MAX_CHANGES = 2_000
"""The last changes whose texts are looked through."""

WRITTEN_TYPES = frozenset({FORMER_TYPE, TYPE, JOURNAL, HANDOFF, "memory", "workflow"})
"""Types of notes that agents and the bridge write, wherever the folder of agents was moved."""

MAX_TRACES = 200
"""Notes that are named of those that tell of denied ones."""


def watch_denied(bridge: Bridge) -> Callable[[], tuple[str, ...]]:
    """Note which notes can be read now; the returned function says what tells of those denied since. Both block."""

    def readable_paths(host: Host, vault: OpenVault) -> set[VaultPath]:
        steps = [step for change in _last_changes(vault) for step in change.steps]
        former = {path for step in steps for path in (step.path, step.to) if path is not None}
        return {*vault.index.notes, *(path for path in former if not host.files.rules.denies(path))}

    def copies(vault: OpenVault) -> list[tuple[VaultPath, Collection[VaultPath]]]:
        made = [change for change in _last_changes(vault) if change.facts.sources and change.state == "applied"]
        steps = [
            (change, place, step) for change in made for place, step in zip(change.places, change.steps, strict=True)
        ]
        return [(place, change.facts.sources) for change, place, step in steps if step.kind == "put"]

    open_vaults = [(host, vault) for host in bridge.vaults.values() if (vault := host.open_vault)]
    before = {host: (readable_paths(host, vault), copies(vault)) for host, vault in open_vaults}
    return lambda: tuple(line for host, (paths, copied) in before.items() for line in _describe(host, paths, copied))


def _describe(
    host: Host, before: Collection[VaultPath], copied: Iterable[tuple[VaultPath, Collection[VaultPath]]]
) -> Iterator[str]:
    vault = host.open_vault
    denied = {path for path in before if host.files.rules.denies(path)}
    if vault is None or not denied:
        return
    names = {fold_case(name) for path in denied for name in (path, path.removesuffix(".md"))}
    written = {path.removesuffix(".md") for path in denied}
    titles = {name.rpartition("/")[2] for name in names}

    def names_one(name: str, source: VaultPath) -> bool:
        key = fold_case(name)
        return key in names or (key in titles and vault.names.resolve(name, source).path is None)

    def tells(note: IndexedNote) -> bool:
        files = property_of(note.properties, "files")
        listed = [name for name in files if isinstance(name, str)] if isinstance(files, list | tuple) else []
        targets = [target.partition("#")[0] for target, _ in note.targets]
        if any(names_one(name, note.path) for name in (*listed, *targets)):
            return True
        if note.note_type not in (FORMER_TYPE, TYPE):
            return False
        # The findings of a plan are data, too.
        try:
            text = host.files.read(note.path)[0].decode("utf-8", "replace")
        except BridgeError:
            return False
        return any(name in text for name in written)

    agents = agents_folder(vault.settings)
    found = {
        path
        for path, note in vault.index.notes.items()
        if (agents.holds(path) or note.note_type in WRITTEN_TYPES) and tells(note)
    }
    found |= {path for path, sources in copied if path in vault.index.notes and not denied.isdisjoint(sources)} - denied
    found |= {path for path, text in _former_texts(vault) if any(name in text for name in written)}
    if listed := sorted(found):
        yield (
            f"{join_some([f'`{path}`' for path in listed], MAX_TRACES)} still tell of notes that are denied now,"
            " or did so before, such as their names and tags. Add them to `deny` as well, which also erases them from"
            " the index and the history; of what you only delete, the history keeps the text."
        )


def _former_texts(vault: OpenVault) -> Iterator[tuple[VaultPath, str]]:
    """Yield what the history keeps of notes of agents and the bridge, also of those that are gone."""
    folder, fetch = agents_folder(vault.settings), vault.store.snapshots.read_sound
    for change in _last_changes(vault):
        for step in change.steps:
            if step.kind not in ("put", "remove") or not step.path.endswith(".md"):
                continue
            for digest in filter(None, (step.before, step.after)):
                data = fetch(digest) or b""
                if folder.holds(step.path) or _is_written(step.path, data):
                    yield step.path, data.decode("utf-8", "replace")


def _last_changes(vault: OpenVault) -> Sequence[Change]:
    return vault.review.changes(ChangeFilter(), MAX_CHANGES, 0)


def _is_written(path: VaultPath, data: bytes) -> bool:
    has_type = b"\ntype:" in data[:2_000].lower()
    return has_type and type_of(parse(path, data).properties) in WRITTEN_TYPES


GLOBS = {"exclude", "deny", "readonly"}
"""Settings that are lists of globs."""


class Setting(Record):
    """One setting.

    Attributes:
        name: Its name in the file.
        title: What it is called in panes.
        value: Its value; null for `deny` unless the caller may change it.
        default: Its default.
        type: Its type.
        meaning: Its effect.
        restart: Whether a change takes effect only after a restart.
    """

    name: str
    title: str
    value: Annotated[Any, EXACT_MARK]
    default: Annotated[Any, EXACT_MARK]
    type: str
    meaning: str
    restart: bool


class ListedModel(Record):
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


MAX_NAMED_NOTES = 3
"""Notes that are named of those that a glob means."""


class CheckedGlob(Record):
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


class SettingsInUse(Record):
    """The settings in use.

    Attributes:
        path: The settings file.
        settings: Every setting; after a change, those that were changed.
        problems: Rejected lines, and why; after a change of `deny`, also which notes still tell of what it hides.
        models: If asked for, models installable by name, and models made from files.
        globs: The globs that were given, in their order.
        clients: If asked for, the clients with their own tokens, the oldest first.
    """

    path: Exact
    settings: tuple[Setting, ...]
    problems: tuple[str, ...]
    models: tuple[ListedModel, ...] | None = None
    globs: tuple[CheckedGlob, ...] | None = None
    clients: tuple[ListedClient, ...] | None = None


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
        "which clients have access",
    ),
)
async def read_settings(
    call: Call,
    models: bool = False,
    globs: Annotated[tuple[Annotated[str, Meta(max_length=1_000)], ...], Meta(max_length=500)] = (),
    clients: bool = False,
) -> SettingsInUse:
    """Show every setting with its value, default and meaning.

    Args:
        models: List the models that embed, chat or rank, installed or available; downloads nothing.
        globs: Say what is wrong with these globs for `exclude`, `deny` or `readonly`, and which notes they match.
        clients: List the clients with their own tokens, and whether their changes apply at once.

    Raises:
        Forbidden: `globs` or `clients` are asked for, which needs the scope `admin`.
    """
    if globs or clients:
        call.principal.require("admin")
    found = await asyncio.to_thread(settings_in_use, call)
    listed = await asyncio.to_thread(read_models, call) if models else None
    meant = await asyncio.to_thread(compare_globs, call, globs) if globs else None
    tokens = await asyncio.to_thread(read_clients, call) if clients else None
    return replace(found, models=listed, globs=meant, clients=tokens)


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
    if not changes:
        raise InvalidArguments("`changes` names no setting.")
    for name in GLOBS & changes.keys():
        require_sound(name, changes[name])
    require_known_vault(call, changes.get("global_vault"))
    left = await asyncio.to_thread(watch_denied, call.bridge) if "deny" in changes else None
    await asyncio.to_thread(save_settings, call.bridge.settings_path, changes)
    await call.bridge.reload()
    found = await asyncio.to_thread(settings_in_use, call)
    told = await asyncio.to_thread(left) if left else ()
    changed = tuple(one for one in found.settings if one.name in changes)
    return replace(found, settings=changed, problems=(*found.problems, *told))


def require_sound(name: str, globs: Any) -> None:
    """Refuse globs that would not protect what they seem to; that it is a list of them is checked elsewhere."""
    for glob in globs if isinstance(globs, list | tuple) else ():
        if isinstance(glob, str) and (why := find_mistake(glob)) is not None:
            raise InvalidArguments(f"`{glob[:80]}` in `{name}` {why}.")


def require_known_vault(call: Call, name: Any) -> None:
    """Refuse a vault that is neither served nor was before; that its name is a text is checked elsewhere."""
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
            hint=f"Known vaults: {', '.join(known) or 'none'}. `vaultside serve VAULT…` adds one.",
        )


def settings_in_use(call: Call) -> SettingsInUse:
    values, problems = load_settings(call.bridge.settings_path)
    kept_back = set() if "admin" in call.principal.scopes else {"deny"}
    return SettingsInUse(
        path=str(call.bridge.settings_path),
        settings=tuple(
            Setting(
                one.name,
                one.title,
                None if one.name in kept_back else values.value(one.name),
                one.default,
                one.type,
                one.meaning,
                one.restart,
            )
            for one in describe_settings()
        ),
        problems=tuple(problem.message for problem in problems),
    )


def compare_globs(call: Call, globs: Sequence[str]) -> tuple[CheckedGlob, ...]:
    hosts = call.bridge.vaults.values() if call.vault_name is None else [call.host]
    # A command that may not use the running bridge for this opens none of its vaults, but knows where they are.
    known = [host.root for host in hosts] or [*read_vault_list(call.bridge.folders).values()]
    roots = [root for root in known if root.is_dir()]
    paths = [path for root in roots if globs for path in sorted(Vault(root, Rules()).scan().files)]
    found = []
    for glob in globs:
        problem, ban = find_mistake(glob), GlobSet((glob,))
        meant = [] if problem else [path for path in paths if ban.covers(path)]
        found.append(CheckedGlob(glob, problem, len(meant) if roots else None, tuple(meant[:MAX_NAMED_NOTES])))
    return tuple(found)


def read_models(call: Call) -> tuple[ListedModel, ...]:
    settings = load_settings(call.bridge.settings_path)[0]
    wanted = {settings.model, settings.chat_model, settings.rerank_model}
    wanted |= {model.id for host in call.bridge.vaults.values() if (model := host.progress().model)}
    here = {model.spec.id: model for model in installed_models(call.bridge.models_dir)}
    specs = {spec.id: spec for spec in (*catalogue(), *(model.spec for model in here.values()))}

    def describe(spec: ModelSpec) -> ListedModel:
        size = here[spec.id].path.stat().st_size if spec.id in here else spec.size_bytes
        return ListedModel(
            spec.id,
            spec.title,
            spec.purpose,
            spec.dimensions,
            spec.window,
            None if size is None else round(size / 1e6, 1),
            spec.languages,
            spec.license,
            installed=spec.id in here,
            chosen=spec.id in wanted,
        )

    return tuple(map(describe, specs.values()))


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


def settings_view(used: SettingsInUse) -> Iterable[Element]:
    """Show the settings in use, and the rejected lines of their file."""
    yield Table(SETTINGS, used.settings)
    yield from notices(used.problems)
    if used.models:
        yield Section("Models", Table(MODELS, used.models))
    yield from field("globs", used.globs)
    if used.clients is not None:
        yield from list_clients(used.clients)


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
    every = sorted({named} if named else fitting_models(call) or there or {DEFAULT_MODEL})
    for wanted in every:
        try:
            find_model(call.bridge.models_dir, wanted)
            verify(call.bridge.models_dir, wanted)
        except BridgeError as error:
            fix = Fix("Install the model", f"vaultside models install {shlex.quote(wanted)}", None)
            return make_finding(
                "model", "warn" if there - {wanted} and not named else "fail", error.message, error.hint, fix
            )
    verb = "is" if len(every) == 1 else "are"
    return make_finding("model", "ok", f"{' and '.join(every)} {verb} installed in {call.bridge.models_dir}.")


def fitting_models(call: Call) -> set[str]:
    found = set()
    for host in call.bridge.vaults.values():
        with contextlib.suppress(BridgeError):
            found |= {host.vault.backfill.choice.id} if host.vault.backfill.choice else set()
    return found


def check_chosen(call: Call, name: str, setting: str, purpose: Purpose, without: str) -> Finding:
    wanted = getattr(load_settings(call.bridge.settings_path)[0], setting)
    if not wanted:
        return make_finding(name, "ok", f"None is chosen: {without}.")
    try:
        installed = find_model(call.bridge.models_dir, wanted, purpose)
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


CHECKS: tuple[Check, ...] = (
    check_settings,
    check_model,
    lambda call: check_chosen(call, "chat model", "chat_model", "chat", "answers are quotes from notes"),
    lambda call: check_chosen(call, "reranker", "rerank_model", "rerank", "a search with `mode=deep` is hybrid"),
    check_global_vault,
    check_tokens,
)
