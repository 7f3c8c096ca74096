"""Embedding models: the catalogue, download and verification, and texts to vectors in worker processes."""
