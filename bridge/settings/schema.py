"""Every setting with its default and meaning, for the file, the operations and the docs."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from msgspec.structs import FieldInfo, fields

from bridge.records import Record
from bridge.types import Preset

Section = TypeVar("Section")

Watch = Literal["auto", "poll", "off"]
KeepQuestions = Literal["off", "missed", "all"]
WriteChecks = Literal["warn", "strict"]

FOLDER_PATH = r"[^./\\:\s][^/\\:]*(/[^./\\:\s][^/\\:]*)*"
"""Names separated by `/` of which none begins with a dot."""

RULES = ("deny", "readonly")
"""Settings that protect notes: an invalid value must not expose any."""


class Setting(Record):
    """What is known of a setting besides its type and its default; lists default to a tuple."""

    meaning: str
    least: int | None = None
    most: int | None = None
    restart: bool = False
    """Whether it takes effect after a restart."""
    pattern: str = ""
    """What a text, or each of a list, must match, and what is said of one that does not, in `wanted`."""
    wanted: str = ""
    title: str = ""
    """What a pane calls it, where its name says too little."""


class Settings(Record):
    """The user's settings, with defaults that need no file."""

    model: Annotated[
        str, Setting("Id of the embedding model; empty for the one that fits the notes of each vault.")
    ] = ""
    chat_model: Annotated[str, Setting("Id of the chat model that writes answers; empty for quotes alone.")] = ""
    chat_window: Annotated[
        int, Setting("Tokens of a prompt with its answer that the chat model reads at most.", least=512, most=262_144)
    ] = 4096
    chat_threads: Annotated[int, Setting("Threads of the chat model; 0 means one per core.", least=0, most=256)] = 0
    chat_unload_after_s: Annotated[
        int, Setting("Idle seconds after which the chat model is unloaded from memory.", least=5, most=31_536_000)
    ] = 120
    chat_answer_s: Annotated[
        int, Setting("Seconds that the chat model may take for an answer or a summary.", least=1, most=86_400)
    ] = 300
    rerank_model: Annotated[
        str, Setting("Id of the reranker that reads results closely in `mode=deep` of `search`; empty for none.")
    ] = ""
    workers: Annotated[
        int, Setting("Embedding processes; 0 means one per core but one, at most 4.", least=0, most=32, restart=True)
    ] = 0
    exclude: Annotated[tuple[str, ...], Setting("Globs of paths to leave out of the index, such as `Archive/**`.")] = ()
    deny: Annotated[
        tuple[str, ...],
        Setting(
            "Globs of notes hidden from every client, such as `Private/**`, ignoring case. They behave as if they did"
            " not exist, and stored data about them is deleted."
        ),
    ] = ()
    readonly: Annotated[
        tuple[str, ...],
        Setting("Globs of paths that clients may read but not change, such as `Templates/**`, ignoring case."),
    ] = ()
    apply_clients: Annotated[
        tuple[str, ...],
        Setting(
            "Names of clients with their own token whose changes apply at once, `*` for all; changes by others await"
            " your approval. Programs that use the runtime file's token need none."
        ),
    ] = ()
    auto_link_clients: Annotated[
        tuple[str, ...],
        Setting("Names of clients with their own token in whose text names of notes become links, `*` for all."),
    ] = ()
    agents_folder: Annotated[
        str,
        Setting(
            "Folder for the notes of agents; they write nothing there before you set it up, by `set_up_memory` or by"
            " having something remembered.",
            pattern=FOLDER_PATH,
            wanted="must be a folder inside the vault, such as Agents",
        ),
    ] = "Agents"
    notebook_clients: Annotated[
        tuple[str, ...],
        Setting(
            "Names of clients with their own token whose changes inside `agents_folder` apply at once though others"
            " await your approval, `*` for all."
        ),
    ] = ("*",)
    agents_notes_in_search: Annotated[
        bool, Setting("Let searches and lists include the notes in `agents_folder` without being asked to.")
    ] = False
    global_vault: Annotated[
        str,
        Setting(
            "Name or id of a vault for what holds in every project, among those that the bridge serves; empty for none."
            " `recall` and `brief` include its memories, and `promote_note` copies notes into it."
        ),
    ] = ""
    keep_questions: Annotated[
        KeepQuestions,
        Setting(
            "Keep questions of `ask` and of agents' searches in the note `Questions` of `agents_folder`, once that was"
            " set up: `missed` those that the notes do not answer, `all`, or none."
        ),
    ] = "off"
    write_checks: Annotated[
        WriteChecks, Setting("Warn about a change that would break a note, such as by an unclosed fence, or refuse it.")
    ] = "warn"
    confirm_files: Annotated[
        int,
        Setting("Files that a change may write, or break the links of, without confirmation.", least=1, most=1_000_000),
    ] = 20
    confirm_kb: Annotated[
        int, Setting("KiB that a change may write without confirmation.", least=1, most=100_000_000)
    ] = 1024
    agents_confirm: Annotated[
        bool,
        Setting(
            "Let agents whose program cannot ask you confirm large changes, the agents' folder and calls of external"
            " programs themselves; else these wait for you."
        ),
    ] = False
    mcp_preset: Annotated[
        Preset, Setting("Tools offered to an MCP client when neither its token nor its address names a preset.")
    ] = "default"
    max_file_mb: Annotated[int, Setting("Size in MiB above which files are not indexed.", least=1, most=4096)] = 32
    max_pdf_pages: Annotated[
        int, Setting("Pages of a PDF to index; the rest is reported as left out.", least=1, most=100_000)
    ] = 300
    watch: Annotated[
        Watch,
        Setting(
            "How changes are detected: `auto` by the system, or by polling on a network drive; `poll` by polling; `off`"
            " not at all.",
            restart=True,
        ),
    ] = "auto"
    boilerplate: Annotated[bool, Setting("Leave text repeated across many notes out of the embedding.")] = True
    read_together_percent: Annotated[
        int,
        Setting(
            "Weight in search of notes that programs recently read together, in percent of the weight of semantic"
            " similarity; 0 disables it.",
            least=0,
            most=20,
        ),
    ] = 5
    unload_after_s: Annotated[
        int,
        Setting("Idle seconds after which a model is unloaded from memory.", least=10, most=31_536_000, restart=True),
    ] = 600
    vector_keep_days: Annotated[
        int, Setting("Days to keep the vectors of removed passages.", least=0, most=36_500, restart=True)
    ] = 7
    memory_mb: Annotated[
        int,
        Setting(
            "MiB of vectors of a vault up to which a search compares all of them, for which they should fit into"
            " memory; of more, an index on disk finds those that it compares.",
            least=1,
            most=1_000_000,
            restart=True,
        ),
    ] = 1024
    history_mb: Annotated[
        int,
        Setting(
            "Maximum MiB of note contents kept from before and after changes, for undo; the oldest are deleted first.",
            least=1,
            most=1_000_000,
        ),
    ] = 512
    history_days: Annotated[int, Setting("Maximum days to keep the note contents for undo.", least=1, most=36_500)] = (
        365
    )
    git_commit: Annotated[
        bool, Setting("Commit each change made through the bridge, and nothing else, to the vault's git repository.")
    ] = False
    rate_limit_per_s: Annotated[
        int, Setting("Calls per second for one client, after a burst of five times as many.", least=1, most=10_000)
    ] = 20
    sections: tuple[Any, ...] = ()
    """The settings of features, as far as the file has them."""

    def section(self, kind: type[Section]) -> Section:
        """Return the settings of a feature, a record of its class."""
        return next((one for one in self.sections if isinstance(one, kind)), None) or kind()

    def value(self, name: str) -> Any:
        """Return the value of a setting; that of a feature has the name `section.setting`."""
        section, _, key = name.rpartition(".")
        return getattr(self.section(SECTIONS[section]) if section else self, key)


SECTIONS: dict[str, type[Any]] = {}
"""The record of each feature that has settings, by the feature's name."""


def install_sections(sections: Mapping[str, type[Any]]) -> None:
    """Make the settings of these features, and no others, known."""
    SECTIONS.clear()
    SECTIONS.update(sections)
    for name, kind in SECTIONS.items():
        if undeclared := [one.name for one in fields(kind) if not is_setting(one)]:
            raise TypeError(f"settings of {name} without a meaning: {', '.join(undeclared)}")


class SettingProblem(Record):
    """A rejected setting, and what to write instead."""

    name: str
    message: str
    rules: tuple[str, ...] = ()
    """The rules it may have meant, which must stay in force."""
    is_whole_file: bool = False
    """Whether nothing of the file is used, so that its silence lifts no rule that is in force."""


class SettingDescription(Record):
    """A setting as documentation and panes show it."""

    name: str
    title: str
    type: str
    default: Any
    meaning: str
    restart: bool
    least: int | None
    most: int | None


def describe_settings() -> tuple[SettingDescription, ...]:
    """Return every setting with its type, default and meaning, in the order of the schema; those of features last."""
    known = {name: (one, get_args(one.type)[1]) for name, one in setting_fields().items()}
    return tuple(
        SettingDescription(
            name,
            of.title or one.name.replace("_", " ").capitalize(),
            type_name(one.type),
            one.default,
            of.meaning,
            of.restart,
            of.least,
            of.most,
        )
        for name, (one, of) in known.items()
    )


def setting_fields() -> dict[str, FieldInfo]:
    owners: dict[str, type[Any]] = {"": Settings, **{f"{name}.": kind for name, kind in SECTIONS.items()}}
    return {f"{prefix}{one.name}": one for prefix, owner in owners.items() for one in fields(owner) if is_setting(one)}


def is_setting(one: FieldInfo) -> bool:
    return any(isinstance(mark, Setting) for mark in get_args(one.type))


def type_name(annotated: Any) -> str:
    hint = get_args(annotated)[0]
    if get_origin(hint) is Literal:
        return " | ".join(repr(v) for v in get_args(hint))
    if get_origin(hint) is tuple:
        return "list of strings"
    return {str: "string", int: "integer", bool: "true or false"}[hint]


def value_problem(name: str, value: Any) -> str | None:
    hint, known = get_args(setting_fields()[name].type)
    if get_origin(hint) is Literal:
        return None if value in get_args(hint) else f"must be one of {', '.join(get_args(hint))}"
    if get_origin(hint) is tuple:
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            return 'must be a list of strings, such as ["A", "B"]'
    elif not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        wanted = {str: "a text", int: "a whole number in digits, such as 20", bool: "true or false"}[hint]
        return f"must be {wanted}, not {value!r:.40}"
    texts = value if isinstance(value, list | tuple) else (value,)
    # The text itself is not told: it may be a secret that does not belong there.
    if known.pattern and not all(re.fullmatch(known.pattern, each) for each in texts):
        return str(known.wanted)
    return range_problem(value, known.least, known.most)


def range_problem(value: Any, least: int | None, most: int | None) -> str | None:
    if least is not None and value < least:
        return f"must be at least {least}"
    return f"must be at most {most}" if most is not None and value > most else None
