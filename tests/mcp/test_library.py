import subprocess
import sys

LOOK = """
import sys
from bridge.mcp.mount import load_endpoint
load_endpoint()
unused = ("mcp.client", "mcp.server.mcpserver", "httpx2", "uvicorn", "uvicorn.main")
print([name for name in unused if name in sys.modules])
from mcp import Client
from mcp.server import MCPServer
import mcp.server.lowlevel, uvicorn.main
print(Client.__name__, MCPServer.__name__, mcp.server.Server is mcp.server.lowlevel.Server, hasattr(mcp, "nothing"))
"""


def test_what_nothing_uses_is_loaded_only_when_it_is_asked_for() -> None:
    ended = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == ["[]", "Client MCPServer True False"]
