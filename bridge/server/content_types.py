"""The content types beside plain JSON in which the bridge answers."""

VIEW = "application/vnd.vaultside.view+json"
"""An operation's result together with its text view: what the command line prints."""
