"""The graph of notes and its measures, by igraph."""
