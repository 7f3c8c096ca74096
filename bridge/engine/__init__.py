"""Builds the parts and keeps them true to the vaults; each is loaded when it is first asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bridge.engine.atlas import Chart, Shape
    from bridge.engine.bridge import Bridge
    from bridge.engine.hold import Hold, holder
    from bridge.engine.jobs import Job, Jobs
    from bridge.engine.links import Web
    from bridge.engine.remembering import remember
    from bridge.engine.status import IndexedPassage, Inspection, ModelInUse, Progress
    from bridge.engine.vault_engine import VaultEngine
    from bridge.engine.writing import Author, Drawn, Made

# The processes that read notes enter here too, and need none of it.
_LATER = {
    "Author": "writing",
    "Bridge": "bridge",
    "Chart": "atlas",
    "Drawn": "writing",
    "Hold": "hold",
    "IndexedPassage": "status",
    "Inspection": "status",
    "Job": "jobs",
    "Jobs": "jobs",
    "Made": "writing",
    "ModelInUse": "status",
    "Progress": "status",
    "Shape": "atlas",
    "VaultEngine": "vault_engine",
    "Web": "links",
    "holder": "hold",
    "remember": "remembering",
}

__all__ = [
    "Author",
    "Bridge",
    "Chart",
    "Drawn",
    "Hold",
    "IndexedPassage",
    "Inspection",
    "Job",
    "Jobs",
    "Made",
    "ModelInUse",
    "Progress",
    "Shape",
    "VaultEngine",
    "Web",
    "holder",
    "remember",
]


def __getattr__(name: str) -> Any:
    """Load a part."""
    if name not in _LATER:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"bridge.engine.{_LATER[name]}"), name)
