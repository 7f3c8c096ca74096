"""Keeps an open vault current: indexes it, writes to it, and answers from it."""
