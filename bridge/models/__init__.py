"""Embedding models: which there are, fetching and checking them, and texts to vectors in worker processes."""

from bridge.models.calls import Embeddings, PoisonText
from bridge.models.embed import Embedder, EmbedderStatus
from bridge.models.folder import Installed, find, installed
from bridge.models.installing import install, use_file, verify
from bridge.models.known import DEFAULT_MODEL, ModelSpec, Pooling, catalogue
from bridge.models.wheel import Progress

__all__ = [
    "DEFAULT_MODEL",
    "Embedder",
    "EmbedderStatus",
    "Embeddings",
    "Installed",
    "ModelSpec",
    "PoisonText",
    "Pooling",
    "Progress",
    "catalogue",
    "find",
    "install",
    "installed",
    "use_file",
    "verify",
]
