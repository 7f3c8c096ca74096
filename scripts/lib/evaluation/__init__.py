"""Measures search on the judged sets of the development data."""
