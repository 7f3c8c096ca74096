"""`vaultside mcp`: the bridge's MCP endpoint on standard input and output.

Starts quickly, since agents wait for it: it forwards messages, and loads only what that needs.
"""
