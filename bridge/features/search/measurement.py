"""Keeps whether reading closely helps the searches of a vault, and with which models that was measured."""

import asyncio
from datetime import datetime
from typing import Final

from bridge.api.agreement import is_editor
from bridge.api.call import Call
from bridge.api.feature import Finding, Fix, make_finding
from bridge.engine.host import Host
from bridge.engine.model_pool import model_key
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.records import dataclass
from bridge.state.database import Database
from bridge.state.tables import Subject, Table
from bridge.text.counts import count_of

TABLES: Final = Subject(
    "deep_search",
    # Of several copies, the newest measurement counts.
    tables=(
        Table(
            "deep_search_measurement",
            "ON CONFLICT (id) DO UPDATE SET measured = excluded.measured, reranker = excluded.reranker,"
            " embedder = excluded.embedder, questions = excluded.questions, gain = excluded.gain,"
            " helps = excluded.helps WHERE excluded.measured > measured",
        ),
    ),
    migrations=(
        """
        CREATE TABLE deep_search_measurement (
            id INTEGER PRIMARY KEY CHECK (id = 1), measured REAL NOT NULL, reranker TEXT NOT NULL,
            embedder TEXT NOT NULL, questions INTEGER NOT NULL, gain REAL NOT NULL, helps INTEGER NOT NULL
        ) STRICT;
        """,
    ),
)

MEASURE: Final = Fix("Measure it", "vault-bridge measure-deep-search", None)


@dataclass(frozen=True, slots=True)
class ModelsInUse:
    """The models on which the order of a search depends, by their keys."""

    reranker: str
    embedder: str
    """Empty if none answers yet."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured last, and with which models."""

    measured: float
    """When, in seconds since 1970."""
    models: ModelsInUse
    questions: int
    gain: float
    helps: bool


def models_in_use(vault: OpenVault) -> ModelsInUse:
    """Return the models that a search would use now. Blocks for small files."""
    return ModelsInUse(model_key(vault.rerankers.chosen()), vault.index.answering_model or "")


def keep_measurement(database: Database, new: Measurement) -> None:
    models = new.models
    row = (new.measured, models.reranker, models.embedder, new.questions, new.gain, int(new.helps))
    database.write("INSERT OR REPLACE INTO deep_search_measurement VALUES (1, ?, ?, ?, ?, ?, ?)", row)


def last_measurement(database: Database) -> Measurement | None:
    query = "SELECT measured, reranker, embedder, questions, gain, helps FROM deep_search_measurement"
    row = database.read(lambda connection: connection.execute(query).fetchone())
    if row is None:
        return None
    measured, reranker, embedder, questions, gain, helps = row
    return Measurement(measured, ModelsInUse(reranker, embedder), questions, gain, bool(helps))


async def is_read_closely(call: Call) -> bool:
    """Return whether the results of a hybrid search are read closely though that was not asked for.

    Never for an editor: it searches with each letter that is typed, and reading takes up to two seconds.
    """
    vault = call.vault
    if vault.settings.search_deep != "judged" or is_editor(call):
        return False
    return await asyncio.to_thread(_is_proved, vault)


def _is_proved(vault: OpenVault) -> bool:
    try:
        last = last_measurement(vault.store.database)
        return last is not None and last.helps and last.models == models_in_use(vault)
    except BridgeError:
        return False


def check_deep_search(host: Host) -> Finding:
    check = "deep search"
    if host.settings.search_deep != "judged":
        return make_finding(check, "ok", "Searches read closely only when asked to: `search_deep` is `asked`.")
    try:
        last, models = last_measurement(host.store.database), models_in_use(host.vault)
    except BridgeError as error:
        return make_finding(check, "warn", f"Searches do not read closely. {error.message}", error.hint)
    if last is None or last.models != models:
        text = "Searches do not read closely: whether it helps was not measured with the models now in use."
        return make_finding(check, "warn", text, f"Run `{MEASURE.command}`.", MEASURE)
    day = datetime.fromtimestamp(last.measured).astimezone().date().isoformat()
    measured = f"{count_of(last.questions, 'question')} on {day}, nDCG@10 {last.gain:+.3f}"
    if not last.helps:
        return make_finding(check, "ok", f"Searches do not read closely: it is not proved to help ({measured}).")
    return make_finding(check, "ok", f"Searches of agents and the command line read closely: it helps ({measured}).")
