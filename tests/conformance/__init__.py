"""The official conformance suite of MCP against our own transport, run by `scripts/conformance`."""
