"""Every setting with its default and meaning; from here come the file, the operations and the docs."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin, get_type_hints

from bridge.types import Preset

Watch = Literal["auto", "poll", "off"]
WriteChecks = Literal["warn", "strict"]

RULES = ("deny", "readonly")
"""Settings that protect notes: what cannot be understood of them must not open anything."""


def setting(
    default: Any, meaning: str, *, least: int | None = None, most: int | None = None, restart: bool = False
) -> Any:
    """Declare a setting; lists default to a tuple."""
    return field(default=default, metadata={"meaning": meaning, "least": least, "most": most, "restart": restart})


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user may choose. Sane without a file."""

    model: str = setting("all-minilm-l6-v2", "Id of the embedding model in use.")
    workers: int = setting(
        0, "Embedding processes; 0 means one for each core but one, at most 4.", least=0, most=32, restart=True
    )
    exclude: tuple[str, ...] = setting((), "Globs of paths that are not indexed, such as `Archive/**`.")
    deny: tuple[str, ...] = setting(
        (),
        "Globs of paths that no caller sees, such as `Private/**`: what they name seems missing, and what was kept of"
        " it is erased. Case does not count.",
    )
    readonly: tuple[str, ...] = setting(
        (), "Globs of paths that may be read and not changed, such as `Templates/**`. Case does not count."
    )
    apply_clients: tuple[str, ...] = setting(
        (),
        "Names of clients with a token whose changes are made at once, `*` for all; those of others wait until you"
        " accept them. What runs with the token of the runtime file is not asked.",
    )
    auto_link_clients: tuple[str, ...] = setting(
        (), "Names of clients with a token in whose text the names of notes become links, `*` for all."
    )
    write_checks: WriteChecks = setting(
        "warn", "Whether a change that would leave a note broken, such as an unclosed fence, is told of or refused."
    )
    confirm_files: int = setting(
        20, "Files that a change may write, or break links of, before it must be confirmed.", least=1, most=1_000_000
    )
    confirm_kb: int = setting(
        1024, "KiB that a change may write before it must be confirmed.", least=1, most=100_000_000
    )
    mcp_preset: Preset = setting(
        "default", "Tools that an MCP client is offered when neither its token nor its address names a preset."
    )
    max_file_mb: int = setting(32, "Files over this size, in MiB, are not indexed.", least=1, most=4096)
    max_pdf_pages: int = setting(
        300, "Pages of a PDF that are read; the rest is reported as left out.", least=1, most=100_000
    )
    watch: Watch = setting("auto", "How changes are noticed: by the system, by polling, or not at all.", restart=True)
    boilerplate: bool = setting(True, "Leave text that recurs across many notes out of the embedding.")
    read_together_percent: int = setting(
        5,
        "How much notes speak for each other in search that programs read together lately, in percent of what"
        " closeness in meaning counts; 0 is not at all.",
        least=0,
        most=20,
    )
    unload_after_s: int = setting(
        600,
        "Seconds without use after which a model's memory is given back.",
        least=10,
        most=31_536_000,
        restart=True,
    )
    vector_keep_days: int = setting(
        7, "Days for which vectors of vanished passages are kept.", least=0, most=36_500, restart=True
    )
    history_mb: int = setting(
        512,
        "MiB that are kept at most of what notes said before and after changes, so that these can be undone; the oldest"
        " go first.",
        least=1,
        most=1_000_000,
    )
    history_days: int = setting(365, "Days for which it is kept at most.", least=1, most=36_500)
    git_commit: bool = setting(
        False, "Commit each change made through the bridge to the git repository that the vault is in, and only that."
    )
    rate_limit_per_s: int = setting(
        20, "Calls a second that one client may make, after a burst of five times as many.", least=1, most=10_000
    )


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """A setting that was not taken, and what to write instead."""

    name: str
    message: str
    rules: tuple[str, ...] = ()
    """The rules that it may have been meant to say: they must not be taken for lifted."""


@dataclass(frozen=True, slots=True)
class SettingDescription:
    """A setting as documentation and panes show it."""

    name: str
    type: str
    default: Any
    meaning: str
    restart: bool
    least: int | None
    most: int | None


def describe_settings() -> tuple[SettingDescription, ...]:
    """Return every setting with its type, default and meaning, in the order of the schema."""
    hints = get_type_hints(Settings)
    return tuple(
        SettingDescription(f.name, type_name(hints[f.name]), f.default, **f.metadata)
        for f in dataclasses.fields(Settings)
    )


def type_name(hint: Any) -> str:
    """Name a setting's type as documentation does."""
    if get_origin(hint) is Literal:
        return " | ".join(repr(v) for v in get_args(hint))
    if get_origin(hint) is tuple:
        return "list of strings"
    return {str: "string", int: "integer", bool: "true or false"}[hint]


def value_problem(name: str, value: Any) -> str | None:
    """Say why `value` does not fit the setting `name`, or None when it does."""
    hint = get_type_hints(Settings)[name]
    limits = next(f for f in dataclasses.fields(Settings) if f.name == name).metadata
    least, most = limits["least"], limits["most"]
    if get_origin(hint) is Literal:
        return None if value in get_args(hint) else f"must be one of {', '.join(get_args(hint))}"
    if get_origin(hint) is tuple:
        fits = isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)
        return None if fits else 'must be a list of strings, such as ["A", "B"]'
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        return f"must be {type_name(hint)}"
    if least is not None and value < least:
        return f"must be at least {least}"
    if most is not None and value > most:
        return f"must be at most {most}"
    return None
