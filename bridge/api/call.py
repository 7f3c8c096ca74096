"""Who calls, and what a call may use."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bridge.errors import Forbidden
from bridge.types import Preset, Scope

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge
    from bridge.engine.host import VaultEngine


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a token."""

    name: str
    scopes: frozenset[Scope]
    preset: Preset | None = None
    """The tools it is offered, when its token says so."""
    local: bool = False
    """Whether it proved to be a program of the user by reading the runtime file or by opening the vault itself."""

    def require(self, scope: Scope) -> None:
        """Let nobody pass who lacks the scope.

        Raises:
            Forbidden: The scope is missing.
        """
        if scope not in self.scopes:
            raise Forbidden(f"This needs the scope `{scope}`, which `{self.name}` does not have.", scope=scope)

    def require_local(self, command: str) -> None:
        """Let only programs of the user pass.

        Args:
            command: By which the user does it.

        Raises:
            Forbidden: It is a client that was let in by one.
        """
        if not self.local:
            hint = f"Only the user may, in Obsidian or by `vault-bridge {command}`."
            raise Forbidden(f"`{self.name}` may not do this.", hint=hint)


RUNTIME = Principal("runtime", frozenset[Scope]({"read", "write"}), local=True)
"""Who holds the token of the runtime file."""

READER = Principal("reader", frozenset[Scope]({"read"}))
"""Who holds it when nothing may be changed."""

OWNER = Principal("owner", frozenset[Scope]({"read", "write", "admin"}), local=True)
"""Who runs an operation in a process of their own."""


SESSION = "X-Vault-Bridge-Session"
"""The header in which a caller names its session, with any words of its own."""


def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Take progress that nobody asked for."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation. Cancelling its task cancels the call."""

    bridge: "Bridge"
    principal: Principal
    vault: str | None = None
    """The vault that was asked for, by name or id."""
    client: str | None = None
    """What the caller says it is: its name, and its version after a `/`."""
    progress: Callable[[float, float | None, str], None] = ignore_progress
    session: str | None = None
    """What tells this caller's calls from those of another at the same time."""
    transport: Literal["http", "mcp", "command"] | None = None
    preset: Preset | None = None
    """The tools that the caller is offered; all where nothing is listed."""
    consent: bool | None = None
    """What the user said to a large change, or False where the user can be asked; None: the argument `confirm` says."""

    def confirmed(self, confirm: bool) -> bool:
        """Say whether a large change is confirmed: where the user can be asked, by nobody else."""
        return confirm if self.consent is None else self.consent

    @property
    def engine(self) -> "VaultEngine":
        """The chosen vault's engine; the only vault when none was chosen."""
        return self.bridge.find(self.vault)
