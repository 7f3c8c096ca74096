"""Runs the whole bridge: several vaults in one process, with shared models and events."""

import asyncio
import contextlib
import hashlib
import logging
import math
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from bridge.access.tokens import Pairing, Tokens
from bridge.data_folder import Folders, add_to_vault_list
from bridge.engine.activity import Activity, Jobs
from bridge.engine.hooks import NO_HOOKS, Hooks
from bridge.engine.host import Host
from bridge.engine.model_pool import Embedders, Generators, Rerankers
from bridge.errors import BridgeError, NoSuchVault, RulesUnknown
from bridge.events import Events, SettingsChanged
from bridge.settings.file import keep_rules, load_settings
from bridge.settings.schema import SettingProblem, Settings
from bridge.state.session_log import QUIET_S, SessionEvent
from bridge.types import VaultId


class OpenSession(Struct):
    """A session with a call in the last half hour."""

    id: str
    latest: float
    """When its last call was made, on the clock of `Sessions`."""


class Sessions:
    """Assigns calls to sessions; the changes of a session can be undone together."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._open: dict[tuple[str | None, str | None], OpenSession] = {}

    def of(
        self,
        client: str | None,
        session_name: str | None,
        latest: Callable[[], str | None] = lambda: None,
    ) -> str:
        """Return the session of a call that a client makes now: short, and without meaning."""
        moment, key = self._now(), (client, session_name)
        session = self._open.get(key)
        if session is None or moment - session.latest >= QUIET_S:
            self._open = {key: one for key, one in self._open.items() if moment - one.latest < QUIET_S}
            if session_name is None:
                id_ = latest() or secrets.token_hex(6)
            else:
                id_ = hashlib.sha256(f"{client}\0{session_name}".encode()).hexdigest()[:12]
            session = self._open[key] = OpenSession(id_, moment)
        session.latest = moment
        return session.id

    def touch(self, id_: str) -> None:
        """Note that a call of a session has ended now."""
        for session in self._open.values():
            if session.id == id_:
                session.latest = self._now()

    def clients(self) -> set[str]:
        return {client for client, _ in self._open if client is not None}

    def end(self, client: str | None, session_name: str | None) -> list[str]:
        """Forget the open sessions of a client, or of a name, or only those of both, and return their ids."""
        keys = [key for key in self._open if client in {None, key[0]} and session_name in {None, key[1]}]
        return [self._open.pop(key).id for key in keys]

    def is_quiet(self, session_name: str, seconds: float) -> bool:
        """Say whether no session of this name had a call in the last seconds."""
        return all(self._now() - one.latest >= seconds for key, one in self._open.items() if key[1] == session_name)


class ClosablePart(Protocol):
    """What a feature keeps for all vaults."""

    def __init__(self, folders: Folders) -> None: ...

    async def close(self) -> None:
        """End it, as the bridge stops."""


BridgePart = TypeVar("BridgePart", bound=ClosablePart)

log = logging.getLogger(__name__)

LOOK_AT_SETTINGS_S = 2.0

STOP_S = 3.5
"""Seconds after which a stop does not wait for an index to be saved."""


class Bridge:
    """Opens vaults, keeps them current, and closes them."""

    def __init__(self, data_dir: Path, models_dir: Path, vault_paths: Sequence[Path], hooks: Hooks = NO_HOOKS) -> None:
        self.folders = Folders(data_dir)
        self.models_dir = models_dir
        self.settings_path = self.folders.settings
        self.settings: Settings = Settings()
        self.setting_problems: tuple[SettingProblem, ...] = ()
        # The first id is the time in milliseconds, so that ids of an earlier run are always older.
        self.events = Events(first_id=time.time_ns() // 1_000_000)
        self.jobs = Jobs()
        self.sessions = Sessions()
        self.pairing: Pairing | None = None
        """Set by the server: only a listening bridge can be paired with."""
        self.url: str | None = None
        """The address it listens on; set by the server."""
        self.since = time.time()
        self.vaults: Mapping[VaultId, Host] = {}
        self.embedders: Embedders | None = None
        self.generators = Generators(models_dir, self.settings)
        self.rerankers = Rerankers(models_dir, self.settings)
        self.turn = asyncio.Lock()
        """Held by a call that works on all notes, or on a very long text: two take no less time side by side."""
        self._parts: dict[type, Any] = {}
        self.activity = Activity(lambda: self.generators.is_speaking)
        self._taken = self.settings
        """What was last taken from the settings file."""
        self._paths = tuple(vault_paths)
        self.hooks = hooks
        self._task: asyncio.Task[None] | None = None

    @property
    def data_dir(self) -> Path:
        return self.folders.data

    def part(self, kind: type[BridgePart]) -> BridgePart:
        """Return what a feature keeps for all vaults; it is made when first asked for."""
        if kind not in self._parts:
            self._parts[kind] = kind(self.folders)
        part: BridgePart = self._parts[kind]
        return part

    async def start(self) -> None:
        """Take every vault's lock and start opening the vaults; return before they are open."""
        await self.hold()
        self.begin()

    def begin(self) -> None:
        self._open()
        self._task = asyncio.create_task(self._settle(), name="settings")

    async def hold(self) -> None:
        """Read the settings and take every vault's lock."""
        self.folders.make()
        self.settings, self.setting_problems = load_settings(self.settings_path)
        for problem in self.setting_problems:
            log.warning("Settings: %s", problem.message)
        self._taken = self.settings = keep_rules(self.settings, self.setting_problems, None)
        self.embedders = Embedders(self.models_dir, self.settings)
        self.generators.settings = self.rerankers.settings = self.settings
        hosts: dict[VaultId, Host] = {}
        for path in self._paths:
            if not path.is_dir():
                raise NoSuchVault(f"{path} is not a folder.", hint="Give the folder that holds your notes.")
            base, taken = path.resolve().name, {host.name for host in hosts.values()}
            names = (base, *(f"{base} ({number})" for number in range(2, len(taken) + 2)))
            name = next(name for name in names if name not in taken)
            host = Host(
                path,
                name,
                self.folders,
                self.settings,
                self.events,
                self.embedders,
                self.generators,
                self.rerankers,
                self.jobs,
                self.activity,
                self.hooks,
            )
            hosts.setdefault(host.id, host)
        try:
            for host in hosts.values():
                host.hold()
            # A client that starts now must find the vaults by name.
            await asyncio.to_thread(add_to_vault_list, self.folders, {host.id: host.root for host in hosts.values()})
        except BaseException:
            await asyncio.gather(*(host.stop(math.inf) for host in hosts.values()))
            raise
        self.vaults = hosts

    async def stop(self) -> None:
        ends = asyncio.get_running_loop().time() + STOP_S
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await asyncio.gather(self.jobs.stop(), *(part.close() for part in self._parts.values()))
        open_vaults = [host.open_vault for host in self.vaults.values() if host.open_vault is not None]
        await asyncio.gather(*map(self.hooks.stop, open_vaults))
        await asyncio.gather(*(host.stop(ends) for host in self.vaults.values()))
        await asyncio.gather(self.generators.close(), self.rerankers.close())
        if self.embedders is not None:
            await self.embedders.close()

    def find(self, name_or_id: str | None) -> Host:
        """Return a vault by name or id; without a name, the only vault."""
        names = [host.name for host in self.vaults.values()]
        if name_or_id is None:
            if len(self.vaults) == 1:
                return next(iter(self.vaults.values()))
            raise NoSuchVault(
                "There are several vaults; choose one.", hint=f"Give `vault`: {', '.join(names)}.", vaults=names
            )
        found = [host for host in self.vaults.values() if name_or_id in {host.id, host.name}]
        if len(found) != 1:
            raise NoSuchVault(f"There is no vault `{name_or_id}`.", vaults=names)
        return found[0]

    def global_vault(self) -> Host | None:
        """Return the vault that the setting `global_vault` names; None if the setting is empty."""
        name = self.settings.global_vault.strip()
        if not name:
            return None
        try:
            return self.find(name)
        except NoSuchVault as error:
            raise NoSuchVault(
                f"The setting `global_vault` names `{name}`, which is not one vault that this bridge serves.",
                hint="Serve it as well, by `vaultside serve VAULT…`, or name one of `vaults` in the setting.",
                **error.facts,
            ) from None

    async def reload(self) -> None:
        self._taken = await self._read()
        await self.use(self._taken)

    async def _read(self) -> Settings:
        """Read the settings file; an invalid value never lifts a rule."""
        settings, self.setting_problems = await asyncio.to_thread(load_settings, self.settings_path)
        return keep_rules(settings, self.setting_problems, self.settings)

    async def use(self, settings: Settings) -> None:
        self.settings = settings
        if self.embedders is not None:
            self.embedders.settings = settings
        self.generators.settings = self.rerankers.settings = settings
        self.events.publish(SettingsChanged())
        # Concurrently: denied notes are hidden in every vault before anything is awaited.
        await asyncio.gather(*(host.use(settings) for host in self.vaults.values()))
        self._open()

    def _open(self) -> None:
        unknown = any("deny" in problem.rules for problem in self.setting_problems)
        for host in self.vaults.values():
            if host.is_started:
                continue
            if unknown:
                host.refuse(RulesUnknown(f"The setting `deny` in {self.settings_path} cannot be parsed."))
            else:
                host.start()

    def end_sessions(self, client: str | None, session_name: str | None = None) -> None:
        """End the sessions of a client, or of a name, or only those of both, in every vault."""
        for id_ in self.sessions.end(client, session_name):
            for host in self.vaults.values():
                with contextlib.suppress(BridgeError):
                    host.store.calls.record(SessionEvent(id_, time.time(), "completed"))

    async def _settle(self) -> None:
        """Apply changes of the settings file, close unused models, and end the sessions of revoked clients."""
        before, tokens = self.settings, Tokens(self.folders.tokens)
        while True:
            await asyncio.sleep(LOOK_AT_SETTINGS_S)
            for client in filter(tokens.is_revoked, self.sessions.clients()):
                self.end_sessions(client)
            current = self.settings
            settings = await self._read()
            if self.settings is not current:
                # They were changed meanwhile; what was read may be older.
                before = self.settings
                continue
            # A file that is being saved may be empty for a moment: a rule is lifted only after two equal reads.
            is_new = settings not in (self.settings, self._taken)
            if is_new and (settings == before or {*self.settings.deny} <= {*settings.deny}):
                self._taken = settings
                try:
                    await self.use(settings)
                except BridgeError as error:
                    log.warning("Not all of the changed settings could be taken up: %s", error.code)
            before = settings
            if self.embedders is not None:
                await self.embedders.close_except(set().union(*(host.model_keys() for host in self.vaults.values())))
