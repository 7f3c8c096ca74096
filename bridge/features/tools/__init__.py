"""Tools that find and run other tools."""
