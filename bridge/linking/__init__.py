"""Missing links: mentions of notes, evidence for links, and feedback on earlier suggestions."""
