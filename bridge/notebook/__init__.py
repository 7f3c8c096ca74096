"""The agents' notebook: what agents keep for later sessions, as notes in one folder of the vault."""
