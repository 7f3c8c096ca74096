"""Embedding models: the catalogue, download and verification, and embedding in worker processes."""
