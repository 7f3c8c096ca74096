"""Builds the command line: the commands that are not operations, and one for each operation."""

import argparse
import functools
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import bridge
from bridge.cli.catalogue import PROGRAM, operation_commands, read_catalogue, typed_name
from bridge.cli.options import add_options, help_text, usage_words
from bridge.cli.render import translate_hint
from bridge.text.closest import find_alike

if TYPE_CHECKING:
    from bridge.export.catalogue import OperationCommand

COMMANDS = {
    "serve": "Serve vaults to Obsidian, agents and this command.",
    "mcp": "Serve one agent over standard input and output; starts a bridge when none runs.",
    "index": "Read and embed a whole vault, then end.",
    "stop": "Stop the running bridge.",
    "forget": "Delete the index and the history that are kept of a vault; the vault itself stays as it is.",
    "models": "List, install, choose and check models that embed notes or write answers.",
    "tokens": "Make, list and revoke the tokens of clients.",
    "completion": "Print what completes commands, vaults and notes in a shell.",
    "pair": "Show a code with which a client gets a token of its own.",
    "install-plugin": "Put the plugin for Obsidian into a vault.",
    "service": "Let a vault be served from login on, by the system's own means.",
}
"""Every command that is not an operation."""

AGENTS = ("claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini", "zed", "opencode")
"""The agents that `mcp` can set up; `stdio.install` says how."""

SERVICE_ACTIONS = {
    "install": "Serve vaults from now on, and after each login.",
    "remove": "End that.",
    "status": "Say whether the service is there and runs.",
    "logs": "Show what it said.",
}

SHELLS = ("bash", "zsh", "fish", "powershell")

COMPLETION = f"""{COMMANDS["completion"]}

bash: put `source <(vaultside completion bash)` into ~/.bashrc.
zsh:  put `source <(vaultside completion zsh)` into ~/.zshrc, after `compinit`.
fish: vaultside completion fish > ~/.config/fish/completions/vaultside.fish
PowerShell: put `vaultside completion powershell | Out-String | Invoke-Expression` into $PROFILE."""

MODEL_ACTIONS = {
    "list": "Show the models that can be installed and those that are.",
    "install": "Fetch a model over the network; `serve` offers to do so where none is.",
    "use": "Choose the model that embeds the vaults, or writes answers.",
    "bench": "Measure how fast a chat model is on this machine.",
    "verify": "Compare installed models with their checksums.",
}

TOKEN_ACTIONS = {
    "create": "Make a token and print it, this once.",
    "list": "Show which clients have tokens.",
    "revoke": "Take a client's token away; what it has open ends.",
}


_NAME = re.compile(r"  \S+  +")
"""The name of a command before what is said of it."""

COMMANDS_BY_WORD = {
    "order": ("plan-tidy", "property-report", "merge-suggestions", "link-report"),
    "open": ("read-note", "daily-note"),
    "show": ("read-note",),
    "related": ("related-notes",),
    "summary": ("summarise",),
    "policies": ("list-workflows", "run-workflow"),
    "policy": ("list-workflows", "run-workflow"),
}
"""Commands that some words mean which no command has in its name."""

MAX_NAMES = 6
"""Most names listed in a sentence."""


class ParagraphHelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of a description, and wraps lines that are too long for the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return fill_lines(text.splitlines(), width, indent)


def fill_lines(lines: Sequence[str], width: int, indent: str = "") -> str:
    """Wrap each line; what follows a name stays in its column."""
    hang = [indent + " " * (len(found[0]) if (found := _NAME.match(line)) else 0) for line in lines]
    fill = functools.partial(textwrap.fill, width=width, initial_indent=indent, break_on_hyphens=False)
    return "\n".join(fill(line, subsequent_indent=deeper) for line, deeper in zip(lines, hang, strict=True))


class Parser(argparse.ArgumentParser):
    """The parser of the command line."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse the words; unknown ones are refused here, where the command they were given to is known."""
        given, left = super().parse_known_args(args, namespace)
        if left:
            self.error(self.left_over(left, args or [], getattr(given, "query", None)))
        return given, left

    def left_over(self, words: list[str], given: Sequence[str], query: str | None) -> str:
        for name, first, last in zip(given, given[1:], given[2:], strict=False):
            if name == "--lines" and last in words and first.isdecimal() and last.isdecimal():
                return f"lines are given as a range: `--lines {first}-{last}`."
        wrong = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if wrong is None:
            if (option := self.option_for(words[-1])) is not None:
                return f"nothing is known to do with `{words[-1]}`; did you mean `{option} {words[-1]}`?"
            return f"nothing is known to do with `{' '.join(words)}`; put quotes around words that belong together."
        if wrong in self._option_string_actions:
            return f"`{wrong}` stands after `--`, where no options are read; put it before."
        near = did_you_mean(wrong, self._option_string_actions)
        if near == "." and not wrong.startswith("--") and any(action.dest == "query" for action in self._actions):
            whole = f"{query} {wrong}" if query else wrong
            near = f'; to exclude a word, end with the query in quotes: `{self.prog} -- "{whole}"`.'
        return f"there is no option `{wrong}`{near}"

    def option_for(self, word: str) -> str | None:
        """Return the option for which a word looks like a value."""
        options = {action.metavar: action.option_strings[0] for action in self._actions if action.option_strings}
        if "=" in word:
            return options.get("NAME=VALUE")
        if re.search(r"[\\/]$|^\.{0,2}[\\/]|^~", word) and Path(word).expanduser().is_dir():
            return "--vault" if "--vault" in self._option_string_actions else None
        return options.get("PATH") if word.endswith((".md", "/")) else None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not a choice; overrides the library's method, which would list every command."""
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(None, f"there is no `{value}`{did_you_mean(str(value), action.choices)}")

    def error(self, message: str) -> NoReturn:
        """Exit with the mistake and a pointer to the help, without the usage, which may be longer than a screen."""
        if found := re.fullmatch(r"argument ([^:/]+).*: expected .*argument", message):
            choices = getattr(self._option_string_actions.get(found[1]), "choices", None)
            message = f"`{found[1]}` needs a value{': ' + ', '.join(choices) if choices else ''}."
        self.exit(2, f"vaultside: {message}\n  `{self.prog} --help` tells what it takes.\n")


def did_you_mean(written: str, choices: Iterable[str]) -> str:
    every = list(choices)
    # Of a command that has two spellings, the one that the help uses.
    names = [name for name in every if "_" not in name or name.replace("_", "-") not in every]
    word = written.replace("_", "-").casefold()
    renamed = read_catalogue()["renamed"].get(word.replace("-", "_"), "")
    near = [name for name in (typed_name(renamed), *COMMANDS_BY_WORD.get(word, ())) if name in names]
    alike = find_alike(word, names)
    near = near or [name for name in alike if word in name.split("-")] or sorted(alike, key=alike.__getitem__)[-1:]
    if near:
        return f"; did you mean {' or '.join(f'`{name}`' for name in near[:MAX_NAMES])}?"
    return f"; there are {', '.join(names)}." if len(names) <= MAX_NAMES else "."


def add_serve(serve: argparse.ArgumentParser) -> None:
    serve.add_argument("vaults", nargs="+", type=Path, metavar="VAULT", help="The folder of a vault.")
    serve.add_argument(
        "--port", type=parse_port, default=0, help="The port on 127.0.0.1; 0 takes a free one (default)."
    )
    serve.add_argument("--print-ready", action="store_true", help="Print one line of JSON once listening.")
    serve.add_argument("--parent-stdin", action="store_true", help="Leave at the end of standard input.")
    # For `scripts/run`, which fetches the model by itself.
    serve.add_argument("--quiet", action="store_true", help=argparse.SUPPRESS)
    # For a bridge that an agent starts: nobody else would end it.
    serve.add_argument("--leave-after", type=parse_seconds, metavar="SECONDS", help=argparse.SUPPRESS)
    # For an agent's private bridge, where it cannot start a shared one.
    serve.add_argument("--fleeting", action="store_true", help=argparse.SUPPRESS)


def add_mcp(mcp: argparse.ArgumentParser) -> None:
    mcp.set_defaults(module="stdio.entry")
    mcp.add_argument(
        "vault",
        nargs="?",
        metavar="VAULT",
        help="The vault, by path, name or id; without, the one around this folder, the only one that is served, or the "
        "one used last.",
    )
    mcp.add_argument("--client", metavar="NAME", help="Call as this client, with what its token may do.")
    mcp.add_argument("--preset", choices=read_catalogue()["presets"], help="Which tools to offer.")
    mcp.add_argument("--print-config", choices=AGENTS, help="Print what sets up an agent to use the vault, and end.")
    mcp.add_argument("--install", choices=AGENTS, help="Set up an agent to use the vault, after a question, and end.")
    mcp.add_argument("--yes", action="store_true", help="With `--install`, do not ask.")
    mcp.add_argument(
        "--hooks",
        action="store_true",
        help="With `--print-config claude-code`, print the hooks that brief each session and save it.",
    )


def add_index(index: argparse.ArgumentParser) -> None:
    index.add_argument("vault", metavar="VAULT", help="The vault, by path, name or id.")


def add_stop(stop: argparse.ArgumentParser) -> None:
    stop.set_defaults(vault=None)
    which = "A vault that the bridge serves, when several run."
    stop.add_argument("vault", nargs="?", default=argparse.SUPPRESS, metavar="VAULT", help=which)
    stop.add_argument("--vault", dest="vault", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def add_forget(forget: argparse.ArgumentParser) -> None:
    forget.add_argument("vault", metavar="VAULT", help="The vault, by path, name or id; its folder may be gone.")
    forget.add_argument("--yes", action="store_true", help="Do not ask.")


def add_models(models: argparse.ArgumentParser) -> None:
    made = add_actions(models, MODEL_ACTIONS)
    which = "Its name in the list, or a vault's folder for the one that fits its notes; by default that for English."
    made["install"].add_argument("id", nargs="?", metavar="ID|VAULT", help=which)
    made["use"].add_argument("model", help="The name of an installed model, or a GGUF file, which is copied.")
    made["bench"].add_argument("id", nargs="?", help="The name of an installed chat model; without, the one in use.")
    made["verify"].add_argument("id", nargs="*", help="Their names; without, all that are installed.")


def add_tokens(tokens: argparse.ArgumentParser) -> None:
    made = add_actions(tokens, TOKEN_ACTIONS)
    made["create"].add_argument("name", metavar="NAME", help="What the client is called.")
    made["create"].add_argument(
        "--scope",
        action="append",
        choices=read_catalogue()["scopes"],
        help="What it may do (default read); write includes read. May be repeated.",
    )
    made["create"].add_argument(
        "--preset", choices=read_catalogue()["presets"], help="Which tools it is offered over MCP."
    )
    made["revoke"].add_argument("client", metavar="NAME|ID", help="The client, as `tokens list` shows it.")


def add_pair(pair: argparse.ArgumentParser) -> None:
    pair.add_argument("--vault", help="A vault of the bridge that is meant, when several run.")


def add_install_plugin(install: argparse.ArgumentParser) -> None:
    install.add_argument("vault", type=Path, metavar="VAULT", help="The folder of a vault.")
    install.add_argument("--remove", action="store_true", help="Remove the plugin; its settings stay.")
    install.add_argument("--yes", action="store_true", help="Do not ask.")


def add_service(service: argparse.ArgumentParser) -> None:
    made = add_actions(service, SERVICE_ACTIONS)
    made["install"].add_argument("vaults", nargs="+", type=Path, metavar="VAULT", help="The folder of a vault.")
    made["install"].add_argument("--yes", action="store_true", help="Do not ask.")


def add_completion(completion: argparse.ArgumentParser) -> None:
    completion.description = COMPLETION
    completion.add_argument("shell", choices=SHELLS, help="The shell.")


def add_actions(parent: argparse.ArgumentParser, actions: Mapping[str, str]) -> Mapping[str, argparse.ArgumentParser]:
    """Add actions to a command; the folder options may stand before or after the action."""
    after = parent.add_subparsers(prog=parent.prog, dest="action", required=True, metavar="|".join(actions))
    return {
        name: after.add_parser(
            name, parents=[common_options(inner=True)], help=what, description=what, allow_abbrev=False
        )
        for name, what in actions.items()
    }


ADD_ARGUMENTS: Mapping[str, Callable[[argparse.ArgumentParser], None]] = {
    "serve": add_serve,
    "mcp": add_mcp,
    "index": add_index,
    "stop": add_stop,
    "forget": add_forget,
    "models": add_models,
    "tokens": add_tokens,
    "completion": add_completion,
    "pair": add_pair,
    "install-plugin": add_install_plugin,
    "service": add_service,
}
"""What adds the arguments of each command."""


def common_options(*, inner: bool = False) -> argparse.ArgumentParser:
    absent = argparse.SUPPRESS if inner else None
    shared = argparse.ArgumentParser(add_help=False)
    # A group of its own comes last in the help, after the command's own options.
    group = shared.add_argument_group("everywhere")
    data = "Where index and state are kept; without, $VAULTSIDE_DATA_DIR or the usual folder."
    models = "Where models are kept; without, $VAULTSIDE_MODELS_DIR or the usual folder."
    group.add_argument("--data-dir", type=Path, default=absent, metavar="FOLDER", help=data)
    group.add_argument("--models-dir", type=Path, default=absent, metavar="FOLDER", help=models)
    group.add_argument("--json", action="store_true", default=absent or False, help="Print JSON.")
    return shared


def parse_seconds(written: str) -> float:
    number = float(written)
    if not 0 < number < float("inf"):
        raise ValueError
    return number


def parse_port(written: str) -> int:
    number = int(written)
    if not 0 <= number < 65536:
        raise ValueError
    return number


CLAUDE_CODE = "claude-code"
"""The name that Claude Code gives itself, unless its entry has another."""

JOURNAL = "save_session"
"""The operation of which a hook only ends the session: an agent's journal needs no word of it."""

GLOBAL_OPTIONS = {"--data-dir": True, "--models-dir": True, "--vault": True, "--json": False}
"""Options that may stand before the command, and whether each takes a value."""


def command_names() -> list[str]:
    return [*COMMANDS, *map(typed_name, operation_commands())]


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    names = command_names()
    if words is not None:
        first = typed_name(words[0]) if words else "--help"
        names = [first] if first in names else [] if first.startswith("-") else names
    made: argparse.ArgumentParser = Parser(
        prog=PROGRAM,
        description="A local companion for an Obsidian vault: search, links and agents' tools, offline.",
        formatter_class=ParagraphHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("-V", "--version", action="version", version=f"{PROGRAM} {bridge.__version__}")
    add_commands(made, names)
    return made


SHORT_NAMES = {
    "changes": "list-changes",
    "links": "note-links",
    "memories": "list-memories",
    "tags": "list-tags",
    "tidy": "plan-tidy",
    "undo": "undo-change",
}
"""What people type first for what they mean."""

ALL_FLAG = "--all"
"""With `--help`, list every command."""


def command_first(words: Sequence[str]) -> Sequence[str]:
    """Return a command line as argparse reads it: options behind the command, `help` as an option, names in full."""
    words = _options_behind(words)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    return [SHORT_NAMES.get(words[0], words[0]), *words[1:]] if words else []


def _options_behind(words: Sequence[str]) -> Sequence[str]:
    at = 0
    while at < len(words) and (takes := GLOBAL_OPTIONS.get(words[at].partition("=")[0])) is not None:
        at += 1 + (takes and "=" not in words[at])
    return [*words[at : at + 1], *words[:at], *words[at + 1 :]] if at < len(words) else []


def add_commands(parser: argparse.ArgumentParser, names: Iterable[str]) -> Mapping[str, argparse.ArgumentParser]:
    commands = parser.add_subparsers(
        # Given, so that argparse does not format a usage line to find it.
        prog=PROGRAM,
        required=True,
        metavar="COMMAND",
        title="commands and operations",
        help="see below",
    )
    made: dict[str, argparse.ArgumentParser] = {}
    operations = {typed_name(name): (name, command) for name, command in operation_commands().items()}
    for name in names:
        operation, command = operations.get(name, (name, None))
        made[name] = commands.add_parser(
            name,
            # The form that programs and hints use.
            aliases=[operation] if name != operation else [],
            parents=[common_options()],
            description=COMMANDS[name] if command is None else help_text(command["description"], operation),
            formatter_class=ParagraphHelpFormatter,
            allow_abbrev=False,
        )
        if command is None:
            made[name].set_defaults(module=name.replace("-", "_"))
            ADD_ARGUMENTS[name](made[name])
        else:
            add_operation(made[name], operation, command)
    return made


def add_operation(entry: argparse.ArgumentParser, name: str, command: "OperationCommand") -> None:
    # Before the arguments: a default set after them would hide a given argument of the same name.
    entry.set_defaults(module="run_operation", command=name, vault=None)
    add_options(entry, name, command)
    entry.usage = f"{PROGRAM} {typed_name(name)} {usage_words(command)}"
    entry.epilog = f"example:\n  {command['example']}".replace("%", "%%")
    what = "The vault, by path, name or id; without, the one around this folder, or the only one that is served."
    if name == "doctor":
        entry.add_argument("vault", nargs="?", default=argparse.SUPPRESS, metavar="VAULT", help=what)
    entry.add_argument("--vault", dest="vault", default=argparse.SUPPRESS, help=what)
    if command["reads"] or name == JOURNAL:
        # For agents' hooks, which pass it on by themselves; the value is the name of the agent's client.
        entry.add_argument("--hook", nargs="?", const=CLAUDE_CODE, help=argparse.SUPPRESS)
    entry.add_argument("--json-args", metavar="FILE", help="Take arguments from a JSON object; `-` is standard input.")


COMMAND_GROUPS = {
    "Find": "search ask related-notes read-note summarise | search-blocks pick-link find-notes read-notes",
    "Link": "suggest-links link-report apply-links | find-prospects judge-link resolve-link",
    "Write and undo": "daily-note edit-note move-note list-changes undo-change | create-note set-properties add-task "
    "toggle-task merge-notes split-note rename-heading rename-alias delete-note change-notes change-set "
    "record-correction show-change claim-change acknowledge-change",
    "Tidy": "plan-tidy property-report merge-suggestions | show-plan apply-plan judge-finding tidy-rules check-notes "
    "stale-notes suggest-aliases dismiss set-up-topics",
    "Look around": "list-tags list-tasks note-links graph-insights | list-folders list-topics query-base graph-path "
    "graph-neighbours graph-view graph-history",
    "Agents": "mcp list-sessions list-workflows recall | brief save-session take-over hand-over give-note "
    "list-injections set-up-memory remember list-memories revise-memory supersede-memory forget-memory judge-memory "
    "promote-note run-workflow author-workflow list-decisions decide list-servers call-server find-tool run-tool "
    "give-feedback",
    "This machine": "serve status doctor models | index stop forget service install-plugin pair tokens completion "
    "open-pairing revoke-client read-settings change-settings usage index-status reindex job-status pause-indexing "
    "resume-indexing report-changes wait-until-indexed export-index import-index publish retract",
}
"""Every command by what it is for; before the line those that one needs first."""


def grouped_commands(*, every: bool) -> Mapping[str, Sequence[str]]:
    return {
        what: (names.replace("|", "") if every else names.partition("|")[0]).split()
        for what, names in COMMAND_GROUPS.items()
    }


def list_commands(*, every: bool) -> str:
    """Return the commands as wide as the terminal: all with their summaries, or the first ones, each on one line."""
    columns = shutil.get_terminal_size().columns - 1
    operations = operation_commands().items()
    summaries = {typed_name(name): translate_hint(one["summary"], name) for name, one in operations} | COMMANDS
    listed = grouped_commands(every=every)
    width = max(len(name) for names in listed.values() for name in names)
    lines = []
    for what, names in listed.items():
        lines += [f"{what}:", *(f"  {name:{width}}  {summaries[name]}" for name in names), ""]
    if not every:
        # What comes after the first clause can be read in the command's help.
        lines = [cut_line(re.split(r"[;:] |\. ", line, maxsplit=1)[0], columns) for line in lines]
    more = "" if every else f"`{PROGRAM} help {ALL_FLAG}` lists all {len(command_names())}; "
    lines = [f"usage: {PROGRAM} COMMAND …", *lines, f"{more}`{PROGRAM} help COMMAND` explains one."]
    return fill_lines(lines, columns) + "\n"


def cut_line(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1].rpartition(' ')[0].rstrip(',')} …"
