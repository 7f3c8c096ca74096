"""Which notes an operation is about: those of the user, unless the caller names a place in the agents' folder."""

from collections.abc import Iterable

from bridge.engine.open_vault import OpenVault
from bridge.notebook.folder import agents_folder
from bridge.search.query import parse_query
from bridge.search.terms import InPath, conditions
from bridge.text.fold import fold_case
from bridge.types import Among


def choose_among(vault: OpenVault, among: Among | None, places: Iterable[str | None] = (), query: str = "") -> Among:
    """Return the notes that a call is about."""
    if among is None:
        among = "all" if vault.settings.agents_notes_in_search else "notes"
    if among != "notes":
        return among
    folder = fold_case(agents_folder(vault.settings).path)
    named = (fold_case(place).strip("/") for place in (*places, *_queried_places(query)) if place)
    return "all" if any(place == folder or place.startswith(f"{folder}/") for place in named) else "notes"


def _queried_places(query: str) -> Iterable[str]:
    if "path:" not in query.lower():
        return ()

    term = parse_query(query).condition
    return () if term is None else [one.text for one in conditions(term) if isinstance(one, InPath)]
