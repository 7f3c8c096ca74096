"""The state of the bridge: indexing, health and usage."""
