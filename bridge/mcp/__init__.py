"""The operations as MCP tools, notes as resources, and prompts, for MCP clients of either era."""
