"""What a reader is told about an answer: why search by meaning had no part in it, and why nothing was found."""

from bridge.records import Record
from bridge.search.calibrate import model_calibration
from bridge.search.model import SearchRequest, Sources
from bridge.search.query import Query
from bridge.types import SearchMode

NOTHING_ASKED = "There is nothing to look for: type words, or give a filter to list notes."

_MULTILINGUAL = "`vaultside models install multilingual-e5-small` adds one"
_NOT_READ = f"The model does not read this script, so this is keyword search: {_MULTILINGUAL} that does."
_NO_MODEL = (
    "There is no model ready, so this is keyword search; `vaultside models install` adds search by meaning,"
    " `status` tells how far it is."
)
BEING_EMBEDDED = (
    "The notes are being indexed for search by meaning, so this is keyword search; `vaultside index` finishes it,"
    " `status` tells how far it is."
)
_OTHER_LANGUAGE = f"The model reads English, and this is {{language}}: {_MULTILINGUAL} that reads both."
_NOT_EMBEDDED = "Nothing is found by meaning yet: {count:,} {passages} not embedded."
_NOTHING_FOUND = "None of your notes is about this."
_NOTHING_WITHIN = "No note that passes the filters is about this."
_NOTHING_YET, _NOTHING_YET_WITHIN = (
    "Nothing was found for this.",
    "Nothing was found among notes that pass the filters.",
)


class Outcome(Record):
    """How a search was done.

    Attributes:
        mode: The mode used.
        readable: Whether the model can read the query.
        is_near: Whether anything was found by meaning.
        has_hits: Whether anything is returned.
        filtered: Whether only some notes were searched.
    """

    mode: SearchMode
    readable: bool
    is_near: bool
    has_hits: bool
    filtered: bool


def outcome_notices(
    sources: Sources, request: SearchRequest, query: Query, outcome: Outcome, notices: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Add notices on why a search by meaning was not done or may have missed relevant notes, and that nothing fits."""
    notices = (*notices, *_meaning_notices(sources, request, query, outcome))
    return notices if outcome.has_hits else (*notices, _no_hits_notice(sources, outcome, notices))


def _meaning_notices(sources: Sources, request: SearchRequest, query: Query, outcome: Outcome) -> tuple[str, ...]:
    index = sources.index
    if outcome.mode == "keyword":
        if request.mode != "hybrid":
            return ()
        return ((sources.no_model or _NO_MODEL) if outcome.readable else _NOT_READ,)
    if outcome.mode == "semantic" and not outcome.is_near and (waiting := index.pending_vectors()):
        return (_NOT_EMBEDDED.format(count=waiting, passages="passage is" if waiting == 1 else "passages are"),)
    if model_calibration(index.answering_model).every_script or query.language is None:
        return ()
    return (_OTHER_LANGUAGE.format(language=query.language.capitalize()),)


def _no_hits_notice(sources: Sources, outcome: Outcome, notices: tuple[str, ...]) -> str:
    """Return a notice that nothing was found, or, after a full semantic search, that no note is about it."""
    if notices or outcome.mode == "keyword" or sources.index.pending_vectors() > 0:
        return _NOTHING_YET_WITHIN if outcome.filtered else _NOTHING_YET
    return _NOTHING_WITHIN if outcome.filtered else _NOTHING_FOUND
