"""The index in LanceDB: passages, their full text and their vectors."""
