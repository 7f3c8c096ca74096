"""What tests of workflows share: a vault, an agent with a token of its own, and notes of workflows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from bridge.access.tokens import Tokens
from bridge.settings.file import save_settings
from tests.features.served import Answer, Served

NOTES = {
    "A.md": "---\nstatus: open\n---\n# A\n\n## Log\n\n- one\n\n- [ ] Sow beans\n",
    "B.md": "See [[A]].\n",
    "Folder/C.md": "# C\n",
    "Kept/K.md": "# K\n",
    "Secret/S.md": "# S\n\nhidden words\n",
}
PATH = "Agents/Workflows/P.md"

CREATE = """
version: 1
description: Makes a note.
variables:
  title: {type: text}
steps:
  - id: note
    do: create_note
    path: Made/{{variables.title}}.md
    text: "Of {{variables.title}}."
"""


@dataclass(frozen=True, slots=True)
class Agent:
    """A client with a token that is not the user's."""

    served: Served
    token: str

    async def call(self, operation: str, /, **arguments: Any) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}"}
        return await self.served.request("POST", f"/api/{operation}", headers=headers, data=orjson.dumps(arguments))


async def agent_of(served: Served, *, applies: bool = True) -> Agent:
    """Return an agent, whose changes apply at once unless it only proposes."""
    _, token = Tokens(served.bridge.folders.tokens).create("scribe", ["read", "write"])
    if applies:
        await served.bridge.use(save_settings(served.bridge.settings_path, {"apply_clients": ["scribe"]}))
    return Agent(served, token)


def note(block: str, name: str = "Workflow") -> str:
    """Return the note of a workflow."""
    return f"---\ntype: workflow\n---\n# {name}\n\nFor tests.\n\n```workflow\n{block.strip()}\n```\n\nAfter it.\n"


def root(served: Served) -> Path:
    """Return the folder of the vault."""
    return served.bridge.find(None).root


def contents(served: Served) -> dict[str, bytes]:
    """Return the bytes of every file of the vault."""
    place = root(served)
    files = (path for path in place.rglob("*") if path.is_file())
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in files}


def folders(served: Served) -> set[Path]:
    """Return every folder of the vault."""
    return {path for path in root(served).rglob("*") if path.is_dir()}


async def write_workflow(served: Served, block: str, path: str = "Agents/Workflows/P.md") -> str:
    """Write a workflow as the user does by hand, and return the digest of its block."""
    file = root(served) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(note(block), encoding="utf-8")
    await served.bridge.find(None).vault.indexer.look_at([""])
    checked = await served.result("list_workflows", path=path)
    return str(checked["workflows"][0]["digest"])


async def approve(served: Served, path: str, digest: str) -> None:
    """Approve a workflow as the user."""
    await served.result("decide", id=f"{path}@{digest}", verdict="accept")


async def ran(served: Served, block: str, /, **variables: Any) -> Any:
    """Write a workflow, and run it as the user; return the answer, or the error."""
    await write_workflow(served, block)
    answer = await served.call("run_workflow", path=PATH, variables=variables)
    return answer.json if answer.status == 200 else answer.json["error"]
