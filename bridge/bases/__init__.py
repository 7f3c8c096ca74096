"""The expressions of Obsidian's Bases: parsed, checked and evaluated without running any code."""
