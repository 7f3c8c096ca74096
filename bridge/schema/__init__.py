"""What the properties, names and headings of notes have in common: counted, inferred, and checked. No I/O."""
