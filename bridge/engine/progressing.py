"""Tells how far the index of a vault is behind its files."""

from bridge.engine.embedders import workers_wanted
from bridge.engine.parts import Parts
from bridge.engine.status import ModelInUse, Progress
from bridge.errors import BridgeError
from bridge.settings import Settings
from bridge.store import Store


def progress(
    parts: Parts | None, store: Store | None, settings: Settings, trouble: BridgeError | None, *, paused: bool
) -> Progress:
    """Tell how far the index is; whatever is not open yet counts as nothing.

    Args:
        parts: The parts, when they are open.
        store: What is kept of the vault, when it could be opened.
        settings: How many workers embed.
        trouble: What keeps the parts closed.
        paused: Whether nothing is embedded now.
    """
    index, following = (parts.index, parts.following) if parts else (None, None)
    told = trouble or (parts.trouble if parts else None)
    model = in_use(parts, settings) if parts else None
    return Progress(
        notes=len(index.notes) if index else 0,
        passages=sum(note.passages for note in index.notes.values()) if index else 0,
        pending_keyword=len(following.pending) if following else 0,
        pending_vectors=index.pending_vectors() if index else 0,
        ready_keyword=following.complete if following else False,
        ready_semantic=index is not None and index.answering_model is not None and model is not None,
        skipped=following.skipped if following else {},
        failed={str(path): reason for path, (_, reason) in store.failures().items()} if store else {},
        model=model,
        embedded_total=store.counted("embedded") if store else 0,
        per_second=parts.filling.pace.per_second if parts else None,
        paused=paused,
        trouble=told.message if told else None,
    )


def in_use(parts: Parts, settings: Settings) -> ModelInUse | None:
    """Describe the model that embeds; None when none does."""
    if (model := parts.filling.model) is None:
        return None
    return ModelInUse(
        id=model.model.spec.id,
        dimensions=model.model.spec.dimensions,
        digest=model.model.digest,
        answering=parts.index.answering_model,
        workers=workers_wanted(settings),
    )
