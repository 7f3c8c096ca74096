"""Imports aiohttp without the certificates that it loads for connections to other machines."""

import importlib
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def load_aiohttp() -> None:
    """Import aiohttp; connections to other machines must bring their own TLS context, as downloads do."""
    if "aiohttp" not in sys.modules:
        with no_certificates():
            importlib.import_module("aiohttp")


@contextmanager
def no_certificates() -> Iterator[None]:
    """Let TLS contexts be made without the certificates of the system, which take most of the time of an import."""
    methods = {name: getattr(ssl.SSLContext, name) for name in ("load_default_certs", "set_default_verify_paths")}
    try:
        for name in methods:
            setattr(ssl.SSLContext, name, lambda *_: None)
        yield
    finally:
        for name, method in methods.items():
            setattr(ssl.SSLContext, name, method)
