"""Long runs of what must never lose a byte."""
