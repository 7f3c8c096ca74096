"""HTTP on loopback; no decisions in it. Light to import: aiohttp loads when serving begins."""
