"""Finds the paths in a policy that a run would refuse: outside of the vault, hidden, protected, or of no note."""

from collections.abc import Iterator

from bridge.api.arguments import Locator, fields_of
from bridge.api.hints import role_of
from bridge.api.note_names import LINK
from bridge.changes.requests.base import KINDS
from bridge.changes.requests.preconditions import require_note_path
from bridge.errors import BridgeError
from bridge.policies.fields import PATH_ARGUMENTS, path_fields
from bridge.policies.model import Policy, PolicyStep, Problem
from bridge.policies.templates import put_sample
from bridge.types import PathRole, VaultPath
from bridge.vault.vault import Vault


def check_paths(policy: Policy, vault: Vault) -> Iterator[Problem]:
    """Yield the paths that no value makes right; a protected one in a step that may be skipped is only a remark.

    Args:
        policy: The policy.
        vault: The files of the vault, under its rules.
    """
    for step in policy.steps:
        for name in PATH_ARGUMENTS if step.reads else path_fields(step.do):
            value = step.arguments.get(name)
            if isinstance(value, str) and value.strip() and (found := _judge(step, name, value, vault)):
                message, serious = found
                yield Problem(step.lines.get(name, step.line), message, serious)


def _judge(step: PolicyStep, name: str, value: str, vault: Vault) -> tuple[str, bool] | None:
    """Return what is wrong with a path, and whether the policy cannot run with it."""
    role = None if step.reads else _role(step.do, name)
    link = None if role is PathRole.NEW else LINK.fullmatch(value)
    written = value if link is None else link["target"]
    try:
        shown = put_sample(written)
    except BridgeError:
        # The check of a policy reports malformed templates by itself.
        return None
    if shown is None or (step.reads and not shown.strip("/")):
        return None
    try:
        path = Locator(vault, None).path(shown, role)
        if step.do == "create_note" and name == "path" and not path.endswith("}}"):
            require_note_path(path)
    except BridgeError as error:
        return f"The step `{step.id}` does not fit: {error.message} {error.hint}".strip(), True
    if step.reads:
        return None
    try:
        samples = {put_sample(written, sample) or "" for sample in ("0", "Zz")}
        if len(samples) == 1 or all(map(vault.rules.keeps, samples)):
            vault.require_writable(path)
        elif folder := shown.partition("{{")[0].rpartition("/")[0]:
            vault.require_writable(VaultPath(folder))
    except BridgeError as error:
        return f"The step `{step.id}` does not fit: {error.message}", not (step.when or step.each)
    return None


def _role(do: str, name: str) -> PathRole | None:
    return next((role_of(fields_of(one)[name]) for one in KINDS if one.__dataclass_fields__["op"].default == do), None)
