"""Who may come in: the Host and Origin of a request, and the token it carries."""

import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.errors import BadHost, Forbidden, Unauthorized
from bridge.operations import Principal

if TYPE_CHECKING:
    from multidict import CIMultiDictProxy

OBSIDIAN = "app://obsidian.md"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
BODY_LIMIT = 8 * 2**20


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets requests in; made once the port is known."""

    port: int
    principals: Mapping[str, Principal]
    """Who holds which token."""

    def check_host(self, headers: "CIMultiDictProxy[str]") -> None:
        """Let only requests pass that were sent to this machine by name: a rebound DNS name is refused.

        Raises:
            BadHost: They were not.
        """
        hosts = headers.getall("Host", [])
        if len(hosts) != 1 or hosts[0].lower() not in {f"{name}:{self.port}" for name in LOOPBACK}:
            raise BadHost

    def check_origin(self, headers: "CIMultiDictProxy[str]") -> str | None:
        """Let only our own pages and Obsidian pass, and whatever is no browser.

        Returns:
            The origin, which a browser wants to see allowed; None when there is none.

        Raises:
            Forbidden: Another page sent the request.
        """
        origins = headers.getall("Origin", [])
        if not origins:
            return None
        if len(origins) != 1 or origins[0] not in self.origins():
            raise Forbidden("This origin is not allowed.", hint="Call from Obsidian or from outside a browser.")
        return origins[0]

    def origins(self) -> Collection[str]:
        """Return the origins that may call."""
        return {OBSIDIAN, *(f"http://{name}:{self.port}" for name in LOOPBACK)}

    def principal(self, headers: "CIMultiDictProxy[str]") -> Principal:
        """Find who holds the request's token.

        Raises:
            Unauthorized: There is no token, or nobody holds it.
        """
        sent = headers.getall("Authorization", [])
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        found = None
        for known, principal in self.principals.items():
            # Every token is compared, so that the time tells nothing about which one was close.
            if hmac.compare_digest(known.encode(), token.strip().encode("utf-8", "surrogateescape")):
                found = principal
        if scheme.lower() != "bearer" or found is None:
            raise Unauthorized
        return found
