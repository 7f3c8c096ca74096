"""Who calls, and what a call may use."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bridge.errors import Forbidden

if TYPE_CHECKING:
    from bridge.engine import Bridge, VaultEngine

Scope = Literal["read", "write", "admin"]


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a token."""

    name: str
    scopes: frozenset[Scope]

    def require(self, scope: Scope) -> None:
        """Let nobody pass who lacks the scope.

        Raises:
            Forbidden: The scope is missing.
        """
        if scope not in self.scopes:
            raise Forbidden(f"This needs the scope `{scope}`, which `{self.name}` does not have.", scope=scope)


RUNTIME = Principal("runtime", frozenset[Scope]({"read", "write"}))
"""Who holds the token of the runtime file."""

OWNER = Principal("owner", frozenset[Scope]({"read", "write", "admin"}))
"""Who runs an operation in a process of their own."""


def unheard(done: float, total: float | None, message: str) -> None:
    """Take progress that nobody asked for."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation. Cancelling its task cancels the call."""

    bridge: "Bridge"
    principal: Principal
    vault: str | None = None
    """The vault that was asked for, by name or id."""
    client: str | None = None
    """What the caller says it is."""
    progress: Callable[[float, float | None, str], None] = unheard

    @property
    def engine(self) -> "VaultEngine":
        """The chosen vault's engine; the only vault when none was chosen."""
        return self.bridge.find(self.vault)
