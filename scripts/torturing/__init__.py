"""Does to vaults, for as long as one likes, what the tests do for seconds; `scripts/torture` runs it."""
