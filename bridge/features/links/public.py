"""What others use of links."""

from bridge.features.links import census
from bridge.features.links.apply import LinkPlace, find_tables, insert_links
from bridge.features.links.census import Gap, NoteCount, StrongPair, Stub
from bridge.features.links.evidence import FeedbackModel
from bridge.features.links.link_candidates import LinkContext, Suggestion, source_of, suggest
from bridge.features.links.mentions import Corpus, NameFinder, NoteName, read_corpus
from bridge.features.links.note_candidates import DOUBTFUL_CONFIDENCE, MeantNote, MeantNotes, find_candidates
from bridge.features.links.report import find_broken_links, wishes_of
