"""What others use of sessions."""

from bridge.features.sessions.journal_note import TYPE, Told, read_words, told_lines
