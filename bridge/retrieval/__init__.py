"""From what was typed to explained hits."""

from bridge.retrieval.drift import Drift, drifted
from bridge.retrieval.filters import allowed, no_such_folder, no_such_property, no_such_tag, spelt
from bridge.retrieval.query import Query, parse_query
from bridge.retrieval.related import related
from bridge.retrieval.request import Explanation, Hit, LaneScore, SearchAnswer, SearchRequest, Sources
from bridge.retrieval.search import search
from bridge.retrieval.stopwords import content
from bridge.retrieval.vocabulary import Vocabulary

__all__ = [
    "Drift",
    "Explanation",
    "Hit",
    "LaneScore",
    "Query",
    "SearchAnswer",
    "SearchRequest",
    "Sources",
    "Vocabulary",
    "allowed",
    "content",
    "drifted",
    "no_such_folder",
    "no_such_property",
    "no_such_tag",
    "parse_query",
    "related",
    "search",
    "spelt",
]
