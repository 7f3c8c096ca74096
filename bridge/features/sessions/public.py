"""What others use of sessions."""

from bridge.features.sessions.journal_note import NO_CHANGES, TYPE, read_words, told_lines
from bridge.features.sessions.operations import ToldLine, read_told
from bridge.features.sessions.statements import Told, find_likeness
