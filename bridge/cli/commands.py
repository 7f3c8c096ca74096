"""The commands that are not operations."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.cli.catalogue import read_catalogue
from bridge.cli.did_you_mean import ParagraphHelpFormatter

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # argparse gives it no other name

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

COMPLETE = "__complete"
"""The command that the scripts of `completion` call; it is not listed."""

SERVICE_ACTIONS = {
    "install": "Serve vaults from now on, and after each login.",
    "remove": "End that.",
    "status": "Say whether the service is there and runs.",
    "logs": "Show what it said.",
}

SHELLS = ("bash", "zsh", "fish")

COMPLETION = f"""{COMMANDS["completion"]}

bash: put `source <(vaultside completion bash)` into ~/.bashrc.
zsh:  put `source <(vaultside completion zsh)` into ~/.zshrc, after `compinit`.
fish: vaultside completion fish > ~/.config/fish/completions/vaultside.fish"""

MODEL_ACTIONS = {
    "list": "Show the models that can be installed and those that are.",
    "install": "Fetch a model; the only command that opens a connection.",
    "use": "Choose the model that embeds the vaults, or writes answers.",
    "bench": "Measure how fast a chat model is on this machine.",
    "verify": "Compare installed models with their checksums.",
}

TOKEN_ACTIONS = {
    "create": "Make a token and print it, this once.",
    "list": "Show which clients have tokens.",
    "revoke": "Take a client's token away; what it has open ends.",
}


def add_serve(commands: "Commands") -> None:
    serve = commands.add_parser("serve", parents=[common_options()], description=COMMANDS["serve"], allow_abbrev=False)
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
    serve.set_defaults(module="serve")


def add_mcp(commands: "Commands") -> None:
    mcp = commands.add_parser("mcp", parents=[common_options()], description=COMMANDS["mcp"], allow_abbrev=False)
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
    mcp.set_defaults(module="stdio.entry")


def add_index(commands: "Commands") -> None:
    index = commands.add_parser("index", parents=[common_options()], description=COMMANDS["index"], allow_abbrev=False)
    index.add_argument("vault", metavar="VAULT", help="The vault, by path, name or id.")
    index.set_defaults(module="index")


def add_stop(commands: "Commands") -> None:
    stop = commands.add_parser("stop", parents=[common_options()], description=COMMANDS["stop"], allow_abbrev=False)
    stop.set_defaults(module="stop", vault=None)
    which = "A vault that the bridge serves, when several run."
    stop.add_argument("vault", nargs="?", default=argparse.SUPPRESS, metavar="VAULT", help=which)
    stop.add_argument("--vault", dest="vault", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def add_forget(commands: "Commands") -> None:
    forget = commands.add_parser(
        "forget", parents=[common_options()], description=COMMANDS["forget"], allow_abbrev=False
    )
    forget.add_argument("vault", metavar="VAULT", help="The vault, by path, name or id; its folder may be gone.")
    forget.add_argument("--yes", action="store_true", help="Do not ask.")
    forget.set_defaults(module="forget")


def add_models(commands: "Commands") -> None:
    made = add_actions(commands, "models", MODEL_ACTIONS)
    which = "Its name in the list, or a vault's folder for the one that fits its notes; by default that for English."
    made["install"].add_argument("id", nargs="?", metavar="ID|VAULT", help=which)
    made["use"].add_argument("model", help="The name of an installed model, or a GGUF file, which is copied.")
    made["bench"].add_argument("id", nargs="?", help="The name of an installed chat model; without, the one in use.")
    made["verify"].add_argument("id", nargs="*", help="Their names; without, all that are installed.")


def add_tokens(commands: "Commands") -> None:
    made = add_actions(commands, "tokens", TOKEN_ACTIONS)
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


def add_pair(commands: "Commands") -> None:
    pair = commands.add_parser("pair", parents=[common_options()], description=COMMANDS["pair"], allow_abbrev=False)
    pair.add_argument("--vault", help="A vault of the bridge that is meant, when several run.")
    pair.set_defaults(module="pair")


def add_install_plugin(commands: "Commands") -> None:
    made = commands.add_parser(
        "install-plugin", parents=[common_options()], description=COMMANDS["install-plugin"], allow_abbrev=False
    )
    made.add_argument("vault", type=Path, metavar="VAULT", help="The folder of a vault.")
    made.add_argument("--remove", action="store_true", help="Remove the plugin; its settings stay.")
    made.add_argument("--yes", action="store_true", help="Do not ask.")
    made.set_defaults(module="install_plugin")


def add_service(commands: "Commands") -> None:
    made = add_actions(commands, "service", SERVICE_ACTIONS)
    made["install"].add_argument("vaults", nargs="+", type=Path, metavar="VAULT", help="The folder of a vault.")
    made["install"].add_argument("--yes", action="store_true", help="Do not ask.")


def add_completion(commands: "Commands") -> None:
    completion = commands.add_parser(
        "completion", parents=[common_options()], description=COMPLETION, allow_abbrev=False
    )
    completion.formatter_class = ParagraphHelpFormatter
    completion.add_argument("shell", choices=SHELLS, help="The shell.")
    completion.set_defaults(module="completion")


def add_actions(
    commands: "Commands", command: str, actions: Mapping[str, str]
) -> Mapping[str, argparse.ArgumentParser]:
    """Add a command with actions; the folder options may stand before or after the action."""
    parent = commands.add_parser(command, parents=[common_options()], description=COMMANDS[command], allow_abbrev=False)
    parent.set_defaults(module=command)
    after = parent.add_subparsers(prog=parent.prog, dest="action", required=True, metavar="|".join(actions))
    return {
        name: after.add_parser(
            name, parents=[common_options(inner=True)], help=what, description=what, allow_abbrev=False
        )
        for name, what in actions.items()
    }


ADD_COMMAND = {
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
"""What adds each command."""


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
