"""Builds the parts and keeps them true to the vaults."""

from bridge.engine.bridge import Bridge
from bridge.engine.folders import Folders, default_data_dir, vault_id
from bridge.engine.hold import holder
from bridge.engine.jobs import Job, Jobs
from bridge.engine.status import IndexedPassage, Inspection, ModelInUse, Progress
from bridge.engine.vault_engine import VaultEngine
from bridge.engine.vaults import remembered

__all__ = [
    "Bridge",
    "Folders",
    "IndexedPassage",
    "Inspection",
    "Job",
    "Jobs",
    "ModelInUse",
    "Progress",
    "VaultEngine",
    "default_data_dir",
    "holder",
    "remembered",
    "vault_id",
]
