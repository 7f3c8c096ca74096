"""A feature: one capability of the bridge, with all that it adds."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import field

from bridge.api.call import Call
from bridge.api.markup import View
from bridge.engine.hooks import BatchHook, DraftHook, VaultTask
from bridge.engine.host import Host
from bridge.records import Record
from bridge.state.tables import Subject
from bridge.types import Exact

Verdict = Literal["ok", "warn", "fail"]


class Fix(Record):
    """A remedy that a program can apply or offer.

    Attributes:
        label: What it does, for a button.
        command: The command line that applies it.
        operation: The operation that applies it, called without arguments; null if only a command does.
    """

    label: str
    command: Exact
    operation: Literal["reindex"] | None


class Finding(Record):
    """The result of one check.

    Attributes:
        check: The check.
        verdict: `ok`, `warn` or `fail`.
        message: What it found.
        do: The remedy; empty if none is needed.
        vault: The vault concerned; null for all.
        fix: The remedy, if it is a command.
    """

    check: str
    verdict: Verdict
    message: str
    do: str
    vault: str | None
    fix: Fix | None


def make_finding(check: str, verdict: Verdict, message: str, do: str = "", fix: Fix | None = None) -> Finding:
    return Finding(check, verdict, message, do, None, fix)


Check = Callable[[Call], Finding]
WaitingCheck = Callable[[Call], Awaitable[Sequence[Finding]]]
VaultCheck = Callable[[Host], Finding]


class App(Record):
    """A page in which programs show a result to the user, where they can (MCP Apps).

    Attributes:
        name: Its name, in its address.
        title: What it shows.
        script: The file that draws it.
    """

    name: str
    title: str
    script: Path


class Feature(Record):
    """One folder in `bridge/features`.

    Attributes:
        name: The folder's name, and the heading of its operations in documents.
        operations: The functions that are operations, in the order in which documents list them.
        checks: What `doctor` looks at once for all vaults.
        waiting_checks: What `doctor` waits for, with as many findings as there are.
        vault_checks: What `doctor` looks at in each vault.
        settings: A record whose fields have a `Setting`: the section of the settings file with the feature's name.
        tables: Its tables in the state of each vault, with what becomes of their rows.
        views: How agents and people read its results, by the parameter's type; others are shown field by field.
        apps: The pages in which programs of agents show results to the user, by their type.
        tasks: Run in each open vault, beside what keeps it current; one that fails is started again.
        on_indexed: Called with the notes of each batch, as soon as search finds them.
        on_draft: Called with the requests of a change; what they return completes its draft.
        on_stop: Run in each open vault when the bridge stops, while the vault still answers.
    """

    name: str
    operations: tuple[Callable[..., Any], ...] = ()
    checks: tuple[Check, ...] = ()
    waiting_checks: tuple[WaitingCheck, ...] = ()
    vault_checks: tuple[VaultCheck, ...] = ()
    settings: type[Any] | None = None
    tables: Subject | None = None
    views: tuple[View[Any], ...] = ()
    apps: Mapping[type, App] = field(default_factory=dict)
    tasks: tuple[VaultTask, ...] = ()
    on_indexed: BatchHook | None = None
    on_draft: tuple[DraftHook, ...] = ()
    on_stop: VaultTask | None = None
