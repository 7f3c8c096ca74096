"""Clients who change the same notes at once lose nothing of what they were told is written."""

from scripts.lib.torture.clients import torture_clients


def test_clients_who_change_the_same_notes_lose_nothing() -> None:
    found = torture_clients(160, seed=1)
    assert found.figures["  edit_note"]
    assert (dict.fromkeys(found.faults, 0), ()) == (found.faults, found.examples)
