"""Creates `.venv` from the lock files and builds llama.cpp."""
