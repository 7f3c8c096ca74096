"""Measures how far the index of a vault is behind its files."""

from collections.abc import Mapping

from bridge.engine.model_pool import Embedders, workers_wanted
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.models.model_setup import ModelSetup
from bridge.records import Record
from bridge.settings.schema import Settings
from bridge.state.store import Store
from bridge.types import Digest


class ModelInUse(Record):
    """The model that embeds the vault.

    Attributes:
        id: Its id.
        dimensions: Dimensions of its vectors.
        digest: SHA-256 of its file.
        answering: The vectors that answer queries: the previous model's until the new ones are complete.
        workers: Processes that run it.
        reason: Why it is this model.
    """

    id: str
    dimensions: int
    digest: Digest
    answering: str | None
    workers: int
    reason: str = ""


class Progress(Record):
    """How far the index is behind the vault."""

    notes: int
    passages: int
    pending_keyword: int
    pending_vectors: int
    ready_keyword: bool
    ready_semantic: bool
    ready_words: bool
    indexed: float | None
    """When the index last took in changes, in seconds since the epoch."""
    skipped: Mapping[str, str]
    failed: Mapping[str, str]
    model: ModelInUse | None
    model_known: bool
    model_setup: ModelSetup | None
    embedded_total: int
    per_second: float | None
    """Passages embedded per second; None while there are none."""
    paused: bool
    vectors_on_disk: bool
    """Whether an index on disk finds the vectors that a search compares."""
    trouble: str | None
    """Why indexing stands still, when it does."""


MIN_VECTOR_SHARE = 0.5
"""Share of passages that must have a vector before semantic search counts as ready."""


def measure_progress(
    vault: OpenVault | None,
    store: Store | None,
    embedders: Embedders,
    settings: Settings,
    trouble: BridgeError | None,
    *,
    paused: bool,
) -> Progress:
    """Measure the progress; a vault that is not open yet counts as empty."""
    index, indexer = (vault.index, vault.indexer) if vault else (None, None)
    problem = trouble or (vault.trouble if vault else None)
    model = model_in_use(vault, settings) if vault else None
    return Progress(
        notes=len(index.notes) if index else 0,
        passages=sum(note.passages for note in index.notes.values()) if index else 0,
        pending_keyword=len(indexer.pending) if indexer else 0,
        pending_vectors=index.pending_vectors() if index else 0,
        ready_keyword=indexer.complete if indexer else False,
        ready_semantic=vault is not None and is_semantic_ready(vault, embedders),
        ready_words=vault is not None and vault.first_answers.ready,
        indexed=indexer.indexed if indexer else None,
        skipped=indexer.skipped if indexer else {},
        failed={str(path): reason for path, (_, reason) in store.failures.all().items()} if store else {},
        model=model,
        model_known=problem is not None or (vault is not None and vault.backfill.has_looked),
        model_setup=embedders.setup(),
        embedded_total=store.counters.get("embedded") if store else 0,
        per_second=vault.backfill.pace.per_second if vault else None,
        paused=paused,
        vectors_on_disk=index.vectors.is_indexed if index else False,
        trouble=problem.message if problem else None,
    )


def is_semantic_ready(vault: OpenVault, embedders: Embedders) -> bool:
    """Return whether keywords are ready, a model answers queries and at least half of the passages have a vector."""
    key = vault.index.answering_model
    answers = key is not None and vault.backfill.can_answer and not embedders.fails(key)
    return bool(answers) and vault.indexer.complete and vault.index.vectors.share() >= MIN_VECTOR_SHARE


def model_in_use(vault: OpenVault, settings: Settings) -> ModelInUse | None:
    if (model := vault.backfill.model) is None:
        return None
    return ModelInUse(
        id=model.model.spec.id,
        dimensions=model.model.spec.dimensions,
        digest=model.model.digest,
        answering=vault.index.answering_model,
        workers=workers_wanted(settings),
        reason=vault.embedders.reason(model.model.spec.id, vault.backfill.choice),
    )
