"""Tasks in notes: listed, added and toggled."""
