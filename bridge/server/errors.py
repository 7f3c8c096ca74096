"""Returns every error in the one JSON form; no note content and no stack trace leaves."""

import logging
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from bridge.api.schemas import encode
from bridge.errors import BridgeError, InvalidArguments, NoSuchOperation, RateLimited, TooLarge

QUIET_S: Final = 60.0
"""Seconds between two log lines about requests that are not HTTP."""


def error_response(error: BridgeError) -> web.Response:
    response = web.Response(status=error.status, body=encode(error.wire()), content_type="application/json")
    if error.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="vaultside"'
    if isinstance(error, RateLimited):
        response.headers["Retry-After"] = str(error.facts["retry_after_s"])
    return response


def http_error_response(error: web.HTTPException, path: str) -> web.Response:
    """Convert aiohttp's own errors to the same form."""
    match error:
        case web.HTTPMethodNotAllowed():
            allowed = ", ".join(sorted(error.allowed_methods))
            response = error_response(InvalidArguments(f"{error.method} is not allowed here.", hint=f"Use {allowed}."))
            response.set_status(error.status)
            response.headers["Allow"] = allowed
            return response
        case web.HTTPRequestEntityTooLarge():
            response = error_response(TooLarge("The request is over 8 MiB."))
            # The rest of the body is not read.
            response.force_close()
            return response
        case web.HTTPNotFound():
            return error_response(NoSuchOperation(f"There is no endpoint `{path[:100]}`."))
        case _:
            refused = InvalidArguments(error.reason or "The request cannot be understood.")
            response = error_response(refused)
            response.set_status(error.status)
            return response


def body_error_response() -> web.Response:
    response = error_response(InvalidArguments("The body does not match its headers.", hint="Send it uncompressed."))
    # The start of the next request is not known.
    response.force_close()
    return response


class RedactingFilter(logging.Filter):
    """Shortens the server's log records, which quote input that it does not understand, every time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start by passing the first record."""
        super().__init__()
        self._clock = clock
        self._next = clock()
        self._suppressed = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Reduce an exception to its type; of requests that are not HTTP, pass one record a minute."""
        if not record.exc_info or (error := record.exc_info[1]) is None:
            return True
        record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}", ()
        record.exc_info = None
        if not isinstance(error, HttpProcessingError):
            return True
        if self._clock() < self._next:
            self._suppressed += 1
            return False
        if self._suppressed:
            record.msg += f" (and {self._suppressed} more since the last line)"
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        self._next, self._suppressed = self._clock() + QUIET_S, 0
        return True


REDACTING_FILTER: Final = RedactingFilter()
