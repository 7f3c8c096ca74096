"""The graph of notes: neighbours, paths, measures, pictures and history."""
