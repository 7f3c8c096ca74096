"""Finds the vault that a command means, and the bridge that serves it, if one runs."""

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import bridge as program
from bridge.cli.catalogue import PROGRAM
from bridge.cli.console import Indexer, print_message
from bridge.data_folder import Folders, enclosing_vault, find_known_vaults, match_vaults, read_vault_list
from bridge.errors import BridgeError, InvalidArguments, NoSuchVault
from bridge.server.runtime_file import Runtime, running_bridges
from bridge.types import LOOK_UP, VaultId

CONNECT_S = 5.0
CHUNK_BYTES = 1 << 16


def post(url: str, headers: Mapping[str, str], body: bytes, patience: float | None) -> tuple[int, bytes]:
    place = urlsplit(url)
    lines = {"Host": place.netloc, **headers, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    with socket.socket() as connection:
        connection.settimeout(CONNECT_S)
        connection.connect((place.hostname, place.port))
        connection.settimeout(patience)
        connection.sendall(f"POST {place.path} HTTP/1.0\r\n{head}\r\n".encode() + body)
        answer = b"".join(iter(lambda: connection.recv(CHUNK_BYTES), b""))
    return split_answer(answer)


def split_answer(answer: bytes) -> tuple[int, bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    protocol, status, *_ = first.split(" ", 2)
    lengths = [int(line[15:]) for line in lines if line[:15].lower() == "content-length:"]
    if not protocol.startswith("HTTP/") or lengths != [len(body)]:
        raise ValueError(first)
    return int(status), body


class RemoteError(BridgeError):
    """The running bridge refused."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        facts = {name: value for name, value in error.items() if name not in {"code", "message", "hint"}}
        super().__init__(str(error.get("message")), hint=str(error.get("hint", "")), **facts)
        self.code = str(error.get("code"))


class Unreachable(BridgeError):
    """The bridge that should run here does not answer."""

    code = "not_ready"
    hint = "Start it again with `vaultside serve`."


RESTART = "Start it again with `vaultside serve`; `vaultside list-changes` then tells whether anything was changed."


def call(runtime: Runtime, operation: str, arguments: Mapping[str, Any], *, patience: float | None = None) -> Any:
    """Call an operation of a running bridge and return its result; raises as `send`."""
    return json.loads(send(runtime, operation, arguments, patience=patience))


def send(
    runtime: Runtime,
    operation: str,
    arguments: Mapping[str, Any],
    *,
    patience: float | None = None,
    accept: str = "application/json",
    client: str = PROGRAM,
) -> bytes:
    headers = {
        "Authorization": f"Bearer {runtime.token}",
        "Content-Type": "application/json",
        "Accept": accept,
        "User-Agent": f"{client}/{program.__version__}",
    }
    try:
        body = json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        raise InvalidArguments(
            f"The arguments of `{operation}` contain a value that JSON cannot express.", operation=operation
        ) from None
    try:
        status, answer = post(f"{runtime.url}/api/{operation}", headers, body, patience)
        refusal = None if status == HTTP_OK else json.loads(answer)["error"]
    except (ConnectionRefusedError, TimeoutError):
        raise Unreachable(f"The bridge at {runtime.url} does not answer.") from None
    except (OSError, ValueError, KeyError):
        raise Unreachable(f"The bridge at {runtime.url} ended before it answered.", hint=RESTART) from None
    if refusal is not None:
        raise RemoteError(refusal)
    return answer


HTTP_OK = 200

LOOK_S = 3.0
"""Seconds that a bridge gets to list its vaults."""


class ServedVault(NamedTuple):
    """A vault that a running bridge serves."""

    runtime: Runtime
    id: str
    name: str
    path: Path
    indexer: Indexer


class UnservedVault(NamedTuple):
    """A vault that no bridge serves."""

    path: Path


FoundVault = ServedVault | UnservedVault


def find_vault(data_dir: Path, reference: str | None) -> FoundVault:
    served = list(served_vaults(data_dir))
    if reference is None:
        known = [*read_vault_list(Folders(data_dir)).values(), *(vault.path for vault in served)]
        if (around := enclosing_vault(Path.cwd(), known)) is not None:
            return next((vault for vault in served if is_same_folder(vault.path, around)), UnservedVault(around))
        found = only_vault(served)
        if any(Path.cwd().glob("*.md")):
            print_message(f"These notes have no `.obsidian`, so this is about {found.path}; `--vault .` means them.")
        return found
    matching = [vault for vault in served if is_same_folder(vault.path, Path(reference))] or match_vaults(
        reference, {VaultId(v.id): v.name for v in served}, {VaultId(v.id): v for v in served}
    )
    if len(matching) == 1:
        return matching[0]
    if not matching and Path(reference).is_dir():
        return UnservedVault(Path(reference))
    if not matching and len(known := find_known_vaults(Folders(data_dir), reference)) == 1:
        return UnservedVault(known[0])
    raise NoSuchVault(
        f"There is no folder and no served vault `{reference}`."
        if not matching
        else f"Several vaults are called `{reference}`.",
        hint=f"Give a path{vault_choices(served)}.",
    )


def find_runtime(data_dir: Path, vault: str | None) -> Runtime | None:
    """Return the running bridge that serves a vault, or without one, the only bridge that runs."""
    if vault is None:
        match list(running_bridges(data_dir)):
            case []:
                return None
            case [runtime]:
                return runtime
            case _:
                names = ", ".join(f"`{served.name}`" for served in served_vaults(data_dir))
                raise NoSuchVault(
                    "Several bridges are running; choose one.", hint=f"Give one of these vaults: {names}."
                )
    reached = find_vault(data_dir, vault)
    return reached.runtime if isinstance(reached, ServedVault) else None


def only_vault(served: list[ServedVault]) -> ServedVault:
    if len(served) == 1:
        return served[0]
    raise NoSuchVault(
        "There are several vaults; choose one."
        if served
        else "No bridge is running, and this folder is not a vault: neither it nor a folder above it has `.obsidian`.",
        hint=f"Give `--vault` with the folder of your notes{vault_choices(served)}."
        if served
        else "Go to the folder of your notes, give it with `--vault`, or run `vaultside serve` with it.",
    )


def vault_choices(served: list[ServedVault]) -> str:
    return " or one of " + ", ".join(f"`{vault.name}`" for vault in served) if served else ""


def served_vaults(data_dir: Path) -> Iterator[ServedVault]:
    """Ask every running bridge for its vaults; one that does not answer is skipped."""
    for runtime in running_bridges(data_dir):
        try:
            status = json.loads(send(runtime, "status", {}, patience=LOOK_S, client=LOOK_UP))
        except BridgeError:
            continue
        for vault in status["vaults"]:
            indexer: Indexer = "paused" if vault["paused"] else "running"
            yield ServedVault(runtime, vault["id"], vault["name"], Path(vault["path"]), indexer)


def owned_bridges(data_dir: Path) -> Iterator[Runtime]:
    """Yield each running bridge once, with the token of its owner's file; one that is read-only has none."""
    tokens: dict[str, str] = {}
    for path in (data_dir / "vaults").glob("*/owner.json"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            facts = json.loads(path.read_bytes())
            tokens[facts["url"]] = facts["token"]
    for runtime in running_bridges(data_dir):
        if runtime.url in tokens:
            yield runtime._replace(token=tokens[runtime.url])


def is_same_folder(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
