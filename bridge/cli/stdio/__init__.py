"""`vault-bridge mcp`: the bridge's MCP endpoint on standard input and output.

Quick to start, since agents wait for it: it passes on what it receives, and loads no more than that takes.
"""
