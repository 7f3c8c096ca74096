"""The user's settings: one frozen record, one TOML file."""
