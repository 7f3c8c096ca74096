"""Finds the links that are missing: names of notes in prose, how likely each should be a link, and why."""

from bridge.linking.apply import Linked, Place, linked, places
from bridge.linking.corpus import Corpus
from bridge.linking.evidence import THRESHOLDS, Part, Strictness, of_graph, of_meaning
from bridge.linking.folding import bare, fold
from bridge.linking.learn import Learned, Tally
from bridge.linking.mentions import Mention, Name, Names
from bridge.linking.overlooked import Overlooked, Unlinked, overlooked
from bridge.linking.prospects import Prospect, ProspectKind, prospects
from bridge.linking.suggest import Source, Suggestion, Surroundings, suggest

__all__ = [
    "THRESHOLDS",
    "Corpus",
    "Learned",
    "Linked",
    "Mention",
    "Name",
    "Names",
    "Overlooked",
    "Part",
    "Place",
    "Prospect",
    "ProspectKind",
    "Source",
    "Strictness",
    "Suggestion",
    "Surroundings",
    "Tally",
    "Unlinked",
    "bare",
    "fold",
    "linked",
    "of_graph",
    "of_meaning",
    "overlooked",
    "places",
    "prospects",
    "suggest",
]
