"""The graph of notes and its measures, computed by igraph."""
