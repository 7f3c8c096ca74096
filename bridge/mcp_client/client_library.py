"""The library's client: its import, its transport to a server that listens, its logs and its errors."""

import importlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bridge.mcp_client.stdio import LONGEST_LINE

if TYPE_CHECKING:
    from mcp.client import Transport

LIBRARY_LOGS = ("client", "mcp.client.streamable_http")
"""Loggers of the library that write parts of a server's messages."""


def root_cause(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def describe_cause(error: BaseException) -> str:
    """Return the kind and message of an error, without the lines that a validation adds."""
    error = root_cause(error)
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}{f' ({text})' if text else ''}"


@asynccontextmanager
async def open_http(url: str, timeout_s: float) -> "AsyncIterator[Transport]":
    """Yield the transport to a server that listens on this machine, which no proxy sees."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    limits = httpx2.Timeout(timeout_s, read=timeout_s * 2)
    async with httpx2.AsyncClient(trust_env=False, timeout=limits) as http:
        yield streamable_http_client(url, http_client=http, max_sse_event_size=LONGEST_LINE)


def load_client() -> None:
    """Import the library's client, and keep what servers send out of its logs. Blocks the first time."""
    importlib.import_module("mcp.client.client")
    for name in LIBRARY_LOGS:
        logging.getLogger(name).addFilter(drop_details)


def drop_details(record: logging.LogRecord) -> bool:
    record.exc_info = None
    return True
