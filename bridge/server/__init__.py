"""HTTP on loopback; no decisions in it. Light to import: aiohttp loads when serving begins."""

from bridge.server.runtime import Runtime, running
from bridge.server.runtime import read as read_runtime
from bridge.server.serving import serve

__all__ = ["Runtime", "read_runtime", "running", "serve"]
