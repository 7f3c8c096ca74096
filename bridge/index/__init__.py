"""The table of passages in LanceDB, their words and their vectors."""
