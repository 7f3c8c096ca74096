"""The operations as MCP tools, notes as resources, and prompts: for any MCP client, old or new.

Light to import: the MCP library loads when the endpoint opens.
"""
