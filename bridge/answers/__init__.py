"""Answers to questions from the vault's notes: quotes, prompts for a chat model, and checks of what it says."""
