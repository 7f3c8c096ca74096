"""Exports of the registry, for programs and for people."""
