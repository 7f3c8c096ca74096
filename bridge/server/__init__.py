"""HTTP on loopback; no decisions in it. Light to import: aiohttp loads when serving begins."""

from bridge.server.runtime import Runtime, running
from bridge.server.runtime import alive as is_alive
from bridge.server.runtime import read as read_runtime
from bridge.server.serving import serve

__all__ = ["Runtime", "is_alive", "read_runtime", "running", "serve"]
