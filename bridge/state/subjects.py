"""The subjects of the state: its own, and those that features add."""

from collections.abc import Iterable

from bridge.state.call_log import CALLS
from bridge.state.counters import COUNTERS
from bridge.state.dismissals import DISMISSALS
from bridge.state.failures import FAILURES
from bridge.state.graph_days import GRAPH_DAYS
from bridge.state.injection_log import INJECTIONS
from bridge.state.journal import JOURNAL
from bridge.state.link_feedback import FEEDBACK
from bridge.state.session_log import SESSIONS
from bridge.state.tables import Subject

DEEP_SEARCH = Subject(
    "deep_search",
    tables=(),
    migrations=(
        """
        CREATE TABLE deep_search_measurement (
            id INTEGER PRIMARY KEY CHECK (id = 1), measured REAL NOT NULL, reranker TEXT NOT NULL,
            embedder TEXT NOT NULL, questions INTEGER NOT NULL, gain REAL NOT NULL, helps INTEGER NOT NULL
        ) STRICT;
        """,
        "DROP TABLE deep_search_measurement;",
    ),
)
"""Of a feature that was taken out."""

OWN = (COUNTERS, FAILURES, CALLS, SESSIONS, INJECTIONS, FEEDBACK, DISMISSALS, GRAPH_DAYS, JOURNAL, DEEP_SEARCH)

_added: list[Subject] = []


def install_subjects(added: Iterable[Subject]) -> None:
    """Set the subjects of features, for every file that is opened from now on."""
    _added[:] = added


def all_subjects() -> tuple[Subject, ...]:
    return (*OWN, *_added)
