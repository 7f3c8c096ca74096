"""HTTP on loopback, without any decisions. Light to import: aiohttp loads when serving begins."""
