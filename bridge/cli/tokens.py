"""`vaultside tokens`: creates, lists and revokes the tokens of clients."""

import argparse
import sys

from bridge.access.tokens import Tokens
from bridge.cli.console import json_line, log_warnings, print_message, table
from bridge.data_folder import Folders


def main(given: argparse.Namespace) -> int:
    log_warnings()
    folders = Folders(given.data_dir)
    folders.make()
    return {"create": create, "list": list_clients, "revoke": revoke}[given.action](given, Tokens(folders.tokens))


def create(given: argparse.Namespace, tokens: Tokens) -> int:
    scopes = set(given.scope or ["read"])
    if "write" in scopes:
        # The diff of a change shows what was there before.
        scopes.add("read")
    client, token = tokens.create(given.name, scopes, given.preset)
    if given.json:
        json_line({**client.wire(), "token": token})
    else:
        sys.stdout.write(f"{token}\n")
    may = " and ".join({"admin": "change settings"}.get(scope, scope) for scope in client.wire()["scopes"])
    print_message(f"{client.name} may {may}. Its token is shown only this once.")
    return 0


def list_clients(given: argparse.Namespace, tokens: Tokens) -> int:
    rows = [client.wire() for client in tokens.clients()]
    if given.json:
        json_line({"tokens": rows})
        return 0
    table(rows, ("id", "name", "scopes", "preset", "created", "last_used"))
    if not rows:
        print_message("No client has a token.")
    return 0


def revoke(given: argparse.Namespace, tokens: Tokens) -> int:
    print_message(f"The token of {tokens.revoke(given.client).name} is revoked; what it has open ends now.")
    return 0
