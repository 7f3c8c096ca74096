"""Text processing: scripts, words, stems, diffs and merges. Knows nothing of notes."""
