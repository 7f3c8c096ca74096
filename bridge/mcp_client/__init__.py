"""Connects to MCP servers of the user: programs of others that the bridge starts or calls on this machine.

Light to import: the MCP library loads when the first server is connected.
"""
