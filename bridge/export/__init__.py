"""The registry written down: for programs and for people."""

from bridge.export.catalogue import catalogue
from bridge.export.openapi import openapi
from bridge.export.reference import command, reference
from bridge.export.typescript import typescript

__all__ = ["catalogue", "command", "openapi", "reference", "typescript"]
