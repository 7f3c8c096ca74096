"""What the bridge reaches against `DESIGN.md` §7, measured from outside: a process, HTTP, the clock."""
