"""Topics: the notes of one folder, the ontology, which other notes have as values of a property."""
