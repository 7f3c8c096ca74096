"""Plans requested changes to the vault's files and how they are undone; pure, without reading or writing."""
