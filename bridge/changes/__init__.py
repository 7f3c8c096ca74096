"""What a requested change does to the vault's files, and how it is undone; pure, without reading or writing."""
