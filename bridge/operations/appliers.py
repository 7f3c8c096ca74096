"""Who makes changes of others, through Obsidian."""

from contextlib import AbstractContextManager

from bridge.errors import Forbidden
from bridge.operations.call import Call


def applier(call: Call) -> AbstractContextManager[None]:
    """Count the caller as a program that makes changes of its vault, until the block is left.

    Raises:
        Forbidden: It may not change notes at once.
        NoSuchVault: There is no such vault.
    """
    require_applier(call)
    return call.engine.handing.applying()


def require_applier(call: Call) -> None:
    """Let only those make changes of others who may change notes at once: who takes one can hold it up.

    Raises:
        Forbidden: The caller's own changes wait for the user.
    """
    # Loaded at the top, this would put the operations that it needs before all others.
    from bridge.operations.written import proposes

    call.principal.require("write")
    if proposes(call):
        raise Forbidden(
            f"`{call.principal.name}` may not do this.",
            hint="Use the token of the runtime file, or name the client in the setting `apply_clients`.",
        )
