"""Policies: workflows that stand in notes, checked and run without executing any code."""
