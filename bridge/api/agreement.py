"""The user's agreement to the folder in which agents keep notes."""

from bridge.api.call import Call
from bridge.errors import ConfirmationRequired
from bridge.notebook.folder import AgentsFolder


def is_user(call: Call) -> bool:
    """Return whether the user makes the call, in Obsidian or a terminal, and not an agent."""
    return call.principal.local and call.transport != "mcp"


def has_agreed(call: Call) -> bool:
    """Return whether the user was asked and agreed, or makes the call."""
    return call.consent is True or is_user(call)


def require_agreement(call: Call, folder: AgentsFolder, *, confirm: bool) -> None:
    """Require that a person agrees to the agents' folder.

    Raises:
        ConfirmationRequired: The user was not asked.
    """
    if not (has_agreed(call) or call.confirmed(confirm)):
        raise ConfirmationRequired(
            f"Agents may keep notes in `{folder.path}/` only when the user agrees.",
            would=f"create the folder `{folder.path}`, in which agents may write notes of their own from now on",
            subject=f"agents' folder {folder.path}",
            hint="Ask the user, who can also run `vault-bridge set-up-memory`; then repeat the call with `confirm`.",
        )
