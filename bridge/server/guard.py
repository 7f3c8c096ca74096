"""Who may come in: the Host and Origin of a request, and the token it carries."""

import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.access import Client, Tokens, digest
from bridge.errors import BadHost, Forbidden, Unauthorized
from bridge.operations import OWNER, RUNTIME, Principal
from bridge.types import Digest

if TYPE_CHECKING:
    from multidict import CIMultiDictProxy

OBSIDIAN = "app://obsidian.md"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
BODY_LIMIT = 8 * 2**20

CLIENT = "X-Vault-Bridge-Client"
"""Names the client that a program with the runtime token calls for: it then may no more than that client."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who calls."""

    principal: Principal
    client: Client | None = None
    """The client whose token, or whose name beside the runtime token, says what it may do."""
    paced: bool = False
    """Whether it may call only so often."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets requests in; made once the port is known."""

    port: int
    runtime: Digest
    """The digest of the token in the runtime file."""
    tokens: Tokens
    owner: Principal = RUNTIME
    """Who holds that token."""
    key: Digest | None = None
    """The digest of the token in the owner's file, which agents are never handed."""

    def check_host(self, headers: "CIMultiDictProxy[str]") -> None:
        """Let only requests pass that were sent to this machine by name: a rebound DNS name is refused.

        Raises:
            BadHost: They were not.
        """
        named = headers.getall("Host", [])
        if len(named) != 1 or named[0].lower() not in hosts(self.port):
            raise BadHost

    def check_origin(self, headers: "CIMultiDictProxy[str]") -> str | None:
        """Let only our own pages and Obsidian pass, and whatever is no browser.

        Returns:
            The origin, which a browser wants to see allowed; None when there is none.

        Raises:
            Forbidden: Another page sent the request.
        """
        sent = headers.getall("Origin", [])
        if not sent:
            return None
        if len(sent) != 1 or sent[0] not in origins(self.port):
            raise Forbidden("This origin is not allowed.", hint="Call from Obsidian or from outside a browser.")
        return sent[0]

    def visitor(self, headers: "CIMultiDictProxy[str]") -> Visitor:
        """Find who holds the request's token.

        Raises:
            Unauthorized: There is no token, nobody holds it, or the client it is used for lost its own.
        """
        sent = headers.getall("Authorization", [])
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        if scheme.lower() != "bearer":
            raise Unauthorized
        token = token.strip()
        if hmac.compare_digest(digest(token), self.runtime):
            return self.local(headers.getall(CLIENT, []), self.owner)
        if self.key is not None and hmac.compare_digest(digest(token), self.key):
            return self.local(headers.getall(CLIENT, []), OWNER)
        client = self.tokens.holder(token)
        if client is None:
            raise Unauthorized
        return Visitor(Principal(client.name, client.scopes, client.preset), client, paced=True)

    def local(self, names: Sequence[str], holder: Principal) -> Visitor:
        """Find as whom a program of the user calls.

        Args:
            names: The clients it names; one that has no token of its own changes nothing.
            holder: Who holds the token that it sent.
        """
        for name in names:
            if self.tokens.is_revoked(name):
                raise Unauthorized(
                    "The token of this client was revoked.", hint="Give it one with `vault-bridge tokens create`."
                )
            client = self.tokens.named(name)
            if client is not None:
                return Visitor(Principal(client.name, client.scopes & holder.scopes, client.preset), client)
        return Visitor(holder)


def hosts(port: int) -> Collection[str]:
    """Return what a Host header may say: this machine by name."""
    return [f"{name}:{port}" for name in LOOPBACK]


def origins(port: int) -> Collection[str]:
    """Return the origins that may call."""
    return [OBSIDIAN, *(f"http://{host}" for host in hosts(port))]
