"""Who makes a call, and what the call may use."""

from collections.abc import Callable
from typing import Any, Literal

from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.open_vault import OpenVault
from bridge.errors import Forbidden
from bridge.records import Record
from bridge.types import Preset, Scope


class StreamEvent(Record):
    """A part of a result.

    Attributes:
        kind: What it is, such as `token`.
        data: Its value, which can be JSON.
    """

    kind: str
    data: Any


def ignore(*_: object) -> None:
    """Ignore what nobody asked for."""


class Principal(Record):
    """The holder of a token."""

    name: str
    scopes: frozenset[Scope]
    preset: Preset | None = None
    """The tools it is offered, if its token says so."""
    local: bool = False
    """Whether it proved to be a program of the user, by reading the runtime file or by opening the vault itself."""

    def name_for(self, client: str | None) -> str:
        """Return a caller's name: its token's, or the one that it gives itself; empty if it gives none."""
        return (client or "").partition("/")[0] if self.local else self.name

    def require(self, scope: Scope) -> None:
        """Raise Forbidden unless the caller has this scope."""
        if scope not in self.scopes:
            raise Forbidden(f"This needs the scope `{scope}`, which `{self.name}` does not have.", scope=scope)

    def require_local(self, command: str) -> None:
        """Raise Forbidden unless the caller is a program of the user."""
        if not self.local:
            hint = f"Only the user may, in Obsidian or by `vaultside {command}`."
            raise Forbidden(f"`{self.name}` may not do this.", hint=hint)


RUNTIME = Principal("runtime", frozenset[Scope]({"read", "write"}), local=True)
"""The holder of the runtime file's token."""

READER = Principal("reader", frozenset[Scope]({"read"}))
"""The holder of that token while the bridge is read-only."""

OWNER = Principal("owner", frozenset[Scope]({"read", "write", "admin"}), local=True)
"""The user, running an operation in a process of their own."""


SESSION = "X-Vaultside-Session"
"""The header in which a caller names its session, in free text."""


class Call(Record):
    """One call of an operation. Cancelling its task cancels the call."""

    bridge: Bridge
    principal: Principal
    vault_name: str | None = None
    """The requested vault, by name or id."""
    client: str | None = None
    """The program that the caller claims to be, as `name/version`."""
    progress: Callable[[float, float | None, str], None] = ignore
    say: Callable[[StreamEvent], None] = ignore
    """Takes the parts of a result as soon as they are known; for operations that stream."""
    session: str | None = None
    """Distinguishes this caller's calls from those of another at the same time."""
    transport: Literal["http", "mcp", "command"] | None = None
    preset: Preset | None = None
    """The tools that the caller is offered; all where nothing is listed."""
    has_turn: bool = False
    """Whether the call that makes this one has the turn of those that take much memory."""
    consent: bool | None = None
    """The user's answer, False if the user can be asked but was not; None if the user cannot be asked."""

    def is_confirmed(self, confirm: bool) -> bool:
        """Say whether a call is confirmed; where the user can be asked, only the user confirms."""
        return confirm if self.consent is None else self.consent

    @property
    def is_user(self) -> bool:
        """Whether the user makes the call, in Obsidian or a terminal, and not an agent."""
        return self.principal.local and self.transport != "mcp"

    @property
    def has_agreed(self) -> bool:
        """Whether the user was asked and agreed, or makes the call."""
        return self.consent is True or self.is_user

    @property
    def may_decide(self) -> bool:
        """Whether the caller decides for the user: an agent that cannot ask only where `agents_confirm` lets it."""
        return self.has_agreed or (self.consent is None and self.bridge.settings.agents_confirm)

    @property
    def host(self) -> Host:
        """What keeps the chosen vault open; the only vault when none was chosen."""
        return self.bridge.find(self.vault_name)

    @property
    def vault(self) -> OpenVault:
        return self.host.vault
