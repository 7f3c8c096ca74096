"""Changes: listed, shown, undone, redone, accepted and rejected."""
