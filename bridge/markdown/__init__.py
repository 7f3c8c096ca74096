"""A note as Obsidian reads it: text to structure. Pure: no files, no threads."""
