"""The user's folder: rules, scanning, watching and reading; `write` is the only writer."""
