"""What others use of external tools."""

from bridge.features.external_tools.connection import ExternalTool
from bridge.features.external_tools.operations import may_start, require_allowed, running_tools, tools_of
from bridge.features.external_tools.pool import ServerPool
from bridge.features.external_tools.server_file import ExternalServer
