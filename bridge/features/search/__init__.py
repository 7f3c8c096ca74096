"""Search, and notes related to a note."""
