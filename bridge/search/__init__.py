"""Search: retrievers, their fusion, snippets, and the reasons for each hit."""
