"""Language: scripts, words, stems, diffs and merges of text. Knows no notes."""
