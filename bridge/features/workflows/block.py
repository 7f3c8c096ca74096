"""The block of YAML in a workflow's note: its text, its place and its digest."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from yaml import SafeDumper, dump

from bridge.errors import InvalidArguments
from bridge.features.workflows.parse import VERSION
from bridge.markdown.note import Value
from bridge.markdown.yaml12 import WrongYaml, read_yaml
from bridge.records import Record
from bridge.text.diff import split_lines
from bridge.types import Digest

TYPE: Final = "workflow"
"""The property `type` of such a note, and the language of its block."""
TYPES: Final = (TYPE, "policy")
"""What notes of earlier versions have there, too."""

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^\r\n`]*)")


class WorkflowBlock(Record):
    """The block of a note."""

    text: str
    """The YAML, with LF between lines."""
    line: int
    """The line of the note before its first, so that line 1 of the text is line `line + 1`."""

    @property
    def digest(self) -> Digest:
        """What a person approves: the SHA-256 of its text, whatever its line ends."""
        return block_digest(self.text)


def block_digest(text: str) -> Digest:
    plain = "\n".join(line.rstrip("\r") for line in text.rstrip("\r\n").split("\n"))
    return Digest(hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest())


def find_block(text: str) -> WorkflowBlock:
    """Return the only workflow in a note's text."""
    found = list(_blocks(text))
    if len(found) != 1:
        how_many = f"{len(found)} blocks" if found else "no block"
        raise InvalidArguments(
            f"The note has {how_many} of code in the language `{TYPE}`, and needs exactly one.",
            hint=f"It begins with a line ```{TYPE} and ends with a line ```.",
        )
    return found[0]


def _blocks(text: str) -> Iterator[WorkflowBlock]:
    fence, language, begins, since, at = "", "", 0, 0, 0
    for number, line in enumerate(split_lines(text), 1):
        found = _FENCE.match(line)
        if not fence and found:
            fence, language = found[1], found[2].strip().casefold()
            begins, since = at + len(line), number
        elif fence and found and found[1].startswith(fence) and not found[2].strip():
            if language in TYPES:
                yield WorkflowBlock(text[begins:at].replace("\r\n", "\n"), since)
            fence = ""
        at += len(line)
    if fence and language in TYPES:
        raise InvalidArguments(
            f"The workflow that begins in line {since} never ends.", hint=f"Add a line {fence} below its last line."
        )


_WIDTH: Final = 1_000


class _Dumper(SafeDumper):
    """Writes texts of several lines as they are."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _represent_text(dumper: SafeDumper, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


def workflow_yaml(
    description: str, variables: Mapping[str, Mapping[str, Value]], steps: Sequence[Mapping[str, Value]], output: str
) -> str:
    whole: dict[str, Value] = {"version": VERSION, "description": description}
    whole |= {"variables": {name: dict(facts) for name, facts in variables.items()}} if variables else {}
    whole |= {"steps": [dict(step) for step in steps], "output": output}
    text = _dump_yaml(whole)
    try:
        if read_yaml(text).values == whole:
            return text
    except WrongYaml:
        pass
    # Words that YAML 1.1 and 1.2 take for different things are read alike only in quotes.
    return _dump_yaml(whole, quoted=True)


def _dump_yaml(value: Value, *, quoted: bool = False) -> str:
    style = '"' if quoted else None
    written: str = dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH, default_style=style)
    return written


def workflow_note(name: str, prose: str, block: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", block)), default=0))
    return f"---\ntype: {TYPE}\n---\n# {name}\n\n{prose.strip()}\n\n{fence}{TYPE}\n{block.rstrip()}\n{fence}\n"
