"""Builds the parts and keeps them true to the vaults."""

from bridge.engine.atlas import Chart, Shape
from bridge.engine.bridge import Bridge
from bridge.engine.hold import holder
from bridge.engine.jobs import Job, Jobs
from bridge.engine.status import IndexedPassage, Inspection, ModelInUse, Progress
from bridge.engine.vault_engine import VaultEngine

__all__ = [
    "Bridge",
    "Chart",
    "IndexedPassage",
    "Inspection",
    "Job",
    "Jobs",
    "ModelInUse",
    "Progress",
    "Shape",
    "VaultEngine",
    "holder",
]
