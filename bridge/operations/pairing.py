"""Letting a client get a token of its own."""

from dataclasses import dataclass

from bridge.errors import NotReady
from bridge.operations.call import Call
from bridge.operations.registry import operation


@dataclass(frozen=True, slots=True)
class PairingOpened:
    """A chance for one client to pair.

    Attributes:
        code: Six digits for the client to send.
        expires_in_s: Seconds for which they count.
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
    """Let one client get a token of its own: show the code to the person, who gives it to the client.

    The client sends it as `POST /api/pair` with `{"code", "client"}`, without a token and with any name for itself, and
    gets `{"token", "scopes", "client"}`: a token that may read and write, and the name it goes by now. Five wrong codes
    or one success end it. Only the token of the runtime file opens it.

    Raises:
        Forbidden: The caller is a client itself.
        NotReady: No bridge runs that a client could reach.
    """
    from bridge.access import OPEN_S

    call.principal.require_local("pair")
    if call.bridge.pairing is None:
        raise NotReady("No bridge runs that a client could pair with.", hint="Start `vault-bridge serve`, then pair.")
    return PairingOpened(call.bridge.pairing.open(), round(OPEN_S))
