"""Keeps what outlives the process in `state.sqlite`: the journal of changes, calls, link feedback and graph days."""
