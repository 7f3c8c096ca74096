"""Writes a policy as YAML, and the note that it stands in."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from yaml import SafeDumper, dump

from bridge.markdown.note import Value
from bridge.markdown.yaml_lines import WrongYaml, read_yaml
from bridge.policies.block import TYPE
from bridge.policies.read import VERSION

_WIDTH: Final = 1_000


class _Dumper(SafeDumper):
    """Writes texts of several lines as they are."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _represent_text(dumper: SafeDumper, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


def policy_yaml(
    description: str, variables: Mapping[str, Mapping[str, Value]], steps: Sequence[Mapping[str, Value]]
) -> str:
    whole: dict[str, Value] = {"version": VERSION, "description": description}
    whole |= {"variables": {name: dict(facts) for name, facts in variables.items()}} if variables else {}
    whole["steps"] = [dict(step) for step in steps]
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


def policy_note(name: str, prose: str, block: str, *, remarks: Sequence[str] = ()) -> str:
    left = "".join(f"- {remark}\n" for remark in remarks)
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", block)), default=0))
    return (
        f"---\ntype: {TYPE}\n---\n# {name}\n\n{prose.strip()}\n\n"
        + (f"{left}\n" if left else "")
        + f"{fence}{TYPE}\n{block.rstrip()}\n{fence}\n"
    )
