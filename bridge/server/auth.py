"""Authenticates requests: by Host, by Origin and by token."""

import hmac
from collections.abc import Collection

from multidict import CIMultiDictProxy

from bridge.access.tokens import Client, Tokens, token_digest
from bridge.api.call import OWNER, RUNTIME, Principal
from bridge.errors import BadHost, Forbidden, Unauthorized
from bridge.records import Record
from bridge.types import Digest, Scope

OBSIDIAN_ORIGIN = "app://obsidian.md"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
BODY_LIMIT = 8 * 2**20

CLIENT_HEADER = "X-Vaultside-Client"
"""Names the client for which a program with the runtime token calls; its rights are then limited to that client's. A
name without a token is only a label."""

LIMITED_HEADER = "X-Vaultside-Limited-To"
"""Names a client as `CLIENT_HEADER` does, but a name without a token may only read: its token may have been deleted."""

MAX_NAME_CHARS = 64

READ_ONLY: frozenset[Scope] = frozenset({"read"})


class Identity(Record):
    """The authenticated caller of a request."""

    principal: Principal
    client: Client | None = None
    """The client whose token, or whose name beside the runtime token, determines its rights."""
    paced: bool = False
    """Whether it is rate-limited."""


class Authenticator(Record):
    """Authenticates requests; created once the port is known."""

    port: int
    runtime: Digest
    """The digest of the token in the runtime file."""
    tokens: Tokens
    owner: Principal = RUNTIME
    """The principal that holds that token."""
    key: Digest | None = None
    """The digest of the token in the owner's file, which agents never get."""

    def check_host(self, headers: CIMultiDictProxy[str]) -> None:
        """Require a request addressed to this machine by name; a rebound DNS name is refused."""
        named = headers.getall("Host", [])
        if len(named) != 1 or named[0].lower() not in allowed_hosts(self.port):
            raise BadHost

    def check_origin(self, headers: CIMultiDictProxy[str]) -> str | None:
        """Require our own pages, Obsidian, or a caller that is not a browser."""
        sent = headers.getall("Origin", [])
        if not sent:
            return None
        if len(sent) != 1 or sent[0] not in allowed_origins(self.port):
            raise Forbidden("This origin is not allowed.", hint="Call from Obsidian or from outside a browser.")
        return sent[0]

    def visitor(self, headers: CIMultiDictProxy[str]) -> Identity:
        sent = headers.getall("Authorization", [])
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        if scheme.lower() != "bearer":
            raise Unauthorized
        token = token.strip()
        if hmac.compare_digest(token_digest(token), self.runtime):
            return self.local(headers, self.owner)
        if self.key is not None and hmac.compare_digest(token_digest(token), self.key):
            return self.local(headers, OWNER)
        client = self.tokens.holder(token)
        if client is None:
            raise Unauthorized
        return Identity(Principal(client.name, client.scopes, client.preset), client, paced=True)

    def local(self, headers: CIMultiDictProxy[str], holder: Principal) -> Identity:
        """Return the identity under which a program of the user calls."""
        limited = headers.getall(LIMITED_HEADER, [])
        for name in (*limited, *headers.getall(CLIENT_HEADER, [])):
            if self.tokens.is_revoked(name):
                raise Unauthorized(
                    "The token of this client was revoked.", hint="Give it one with `vaultside tokens create`."
                )
            client = self.tokens.find_client(name)
            if client is not None:
                return Identity(Principal(client.name, client.scopes & holder.scopes, client.preset), client)
        if limited:
            return Identity(Principal(limited[0][:MAX_NAME_CHARS], READ_ONLY & holder.scopes, None))
        return Identity(holder)


def allowed_hosts(port: int) -> Collection[str]:
    return [f"{name}:{port}" for name in LOOPBACK]


def allowed_origins(port: int) -> Collection[str]:
    return [OBSIDIAN_ORIGIN, *(f"http://{host}" for host in allowed_hosts(port))]
