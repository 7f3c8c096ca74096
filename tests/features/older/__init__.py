"""A data folder that an older version made."""
