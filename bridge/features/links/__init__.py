"""Links of a note, missing and broken ones, and suggestions."""
