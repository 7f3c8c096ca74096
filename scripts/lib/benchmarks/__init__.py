"""Measures the bridge against the targets of `DESIGN.md` §7 from outside: by process, HTTP and clock."""
