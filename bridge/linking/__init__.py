"""Missing links: mentions of notes, evidence for a link, and what was accepted or declined before."""
