"""The registry written down: for programs and for people."""
