"""Every failure in the one JSON shape; nothing of a note and no stack trace leaves."""

import logging
from http import HTTPStatus

from aiohttp import web

from bridge.errors import BridgeError, InvalidArguments, NoSuchOperation, RateLimited, TooLarge
from bridge.operations import encode


def answer(error: BridgeError) -> web.Response:
    """Turn an error into a response."""
    response = web.Response(status=error.status, body=encode(error.wire()), content_type="application/json")
    if error.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="vault-bridge"'
    if isinstance(error, RateLimited):
        response.headers["Retry-After"] = str(error.facts["retry_after_s"])
    return response


def of_http(error: web.HTTPException, path: str) -> web.Response:
    """Turn what aiohttp itself refuses into the same shape."""
    match error:
        case web.HTTPMethodNotAllowed():
            allowed = ", ".join(sorted(error.allowed_methods))
            response = answer(InvalidArguments(f"{error.method} is not answered here.", hint=f"Use {allowed}."))
            response.set_status(error.status)
            response.headers["Allow"] = allowed
            return response
        case web.HTTPRequestEntityTooLarge():
            response = answer(TooLarge("The request is over 8 MiB."))
            # What is left of the body is not worth reading.
            response.force_close()
            return response
        case web.HTTPNotFound():
            return answer(NoSuchOperation(f"There is nothing at `{path[:100]}`."))
        case _:
            refused = InvalidArguments(error.reason or "The request cannot be understood.")
            response = answer(refused)
            response.set_status(error.status)
            return response


def of_body() -> web.Response:
    """Answer to a body that cannot be unpacked, or ends before its time."""
    response = answer(InvalidArguments("The body is not what the headers say.", hint="Send it as it is, not packed."))
    # Where the next request begins is not known.
    response.force_close()
    return response


def unquoted(record: logging.LogRecord) -> bool:
    """Leave of a failure only its kind: the server quotes what was sent where it does not understand it."""
    if record.exc_info and (error := record.exc_info[1]) is not None:
        record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}", ()
        record.exc_info = None
    return True
