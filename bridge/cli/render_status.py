"""Prints the state of the bridge for a person: what is indexed, what the doctor found, and the recorded calls."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from bridge.cli.console import console, styled_text, table, tell
from bridge.text.counts import count_of

Vault = Mapping[str, Any]


def status(result: dict[str, Any]) -> None:
    """Print which bridge serves the vaults, and how far each is indexed."""
    out = console()
    for vault in result["vaults"]:
        ready, pending = vault["ready"], vault["pending"]
        out.print(styled_text((vault["name"], "bold"), (f"  {vault['path']}", "cyan")))
        out.print(styled_text(("  bridge   ", "dim"), (describe_bridge(result["bridge"]), "")))
        out.print(
            styled_text(
                ("  indexed  ", "dim"),
                (f"{count_of(vault['notes'], 'note')}, {count_of(vault['passages'], 'passage')}", ""),
            )
        )
        words = "ready" if ready["keyword"] else "being read"
        left = f", {count_of(pending['keyword'], 'note')} to go" if pending["keyword"] else ""
        out.print(styled_text(("  words    ", "dim"), (words, status_colour(ready["keyword"])), (left, "")))
        means = semantic_state(vault)
        out.print(
            styled_text(
                ("  meaning  ", "dim"),
                (means, status_colour(ready["semantic"])),
                (backlog(vault, result["bridge"]), ""),
            )
        )
        if vault["paused"]:
            out.print(styled_text(("  Embedding is paused; `vault-bridge resume-indexing` goes on.", "yellow")))
        if vault["trouble"]:
            out.print(styled_text((f"  {vault['trouble']}", "red")))
        for kind, style in (("skipped", "dim"), ("failed", "red")):
            for left_out in vault[kind]["first"]:
                out.print(styled_text((f"  {kind:8} {left_out['path']}: {left_out['reason']}", style)))
            if more := vault[kind]["count"] - len(vault[kind]["first"]):
                out.print(styled_text((f"  {kind:8} … and {more:,} more", style)))
        if vault["disk"]:
            out.print(styled_text(("  disk     ", "dim"), (disk_sizes(vault["disk"]), "")))
    if "disk" in result:
        out.print(disk_sizes(result["disk"]))


def describe_bridge(bridge: Mapping[str, Any] | None) -> str:
    """Say which bridge serves a vault."""
    if bridge is None:
        return "none runs; this command opened the vault by itself"
    since = datetime.fromisoformat(bridge["since"]).strftime("%Y-%m-%d %H:%M")
    return f"process {bridge['pid']} at {bridge['url']}, since {since}"


def semantic_state(vault: Vault) -> str:
    """Say whether semantic search is ready, and by which model."""
    model = vault["model"]
    if vault["ready"]["semantic"]:
        return f"ready, {model['id']}" if model else "ready"
    if model:
        return f"not ready, {model['id']}"
    # An earlier version of the bridge does not say whether it has looked.
    return "not ready, no model is installed" if vault.get("model_known", True) else "not ready, looking for a model"


def backlog(vault: Vault, bridge: Mapping[str, Any] | None) -> str:
    """Say how many passages have no vector, and how fast they are embedded."""
    pending, embedding = vault["pending"]["vectors"], vault["embedding"]
    if not pending or not vault["model"]:
        return ""
    if bridge is None:
        return f", {count_of(pending, 'passage')} without a vector; `vault-bridge index` embeds them"
    speed = ""
    if embedding is not None:
        speed = f", {embedding['per_second']:,} a second, {timedelta(seconds=embedding['seconds_left'])} left"
    return f", {count_of(pending, 'passage')} to go{speed}"


def disk_sizes(disk: Mapping[str, int]) -> str:
    """Format the disk space of each part."""
    from rich.filesize import decimal

    return ", ".join(f"{name} {decimal(size)}" for name, size in disk.items())


def status_colour(true: bool) -> str:
    """Return the colour of a finished or unfinished state."""
    return "green" if true else "yellow"


def findings(result: dict[str, Any]) -> None:
    """Print the doctor's findings."""
    out = console()
    signs = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "bold red")}
    for finding in result["findings"]:
        vault = f" ({finding['vault']})" if finding["vault"] else ""
        out.print(
            styled_text(signs[finding["verdict"]], (f"  {finding['check']}{vault}: ", "bold"), (finding["message"], ""))
        )
        if finding["do"]:
            out.print(styled_text((f"      → {finding['do']}", "cyan")))


def usage(result: dict[str, Any]) -> None:
    """Print the recorded calls by tool and client, and the errors they ended in."""
    kinds = (("all", [result["total"]]), ("tool", result["tools"]), ("client", result["clients"]))
    rows = [{**use, "kind": kind} for kind, uses in kinds for use in uses]
    table(rows, ("name", "kind", "calls", "errors", "p50_ms", "p95_ms", "tokens_out", "tokens_whole"), headed=True)
    for error in result["errors"]:
        tell(f"{count_of(error['calls'], 'call')} ended in {error['code']}.")


def summary(vault: Vault) -> str:
    """Summarize in a line what is indexed of a vault."""
    if vault["ready"]["semantic"]:
        how = "words and meaning"
    elif vault["model"] is None:
        how = "words only, since no model is installed"
    else:
        how = "words; by meaning when half of the passages are embedded"
    skipped = f", {vault['skipped']['count']:,} skipped" if vault["skipped"]["count"] else ""
    failed = f", {vault['failed']['count']:,} unreadable" if vault["failed"]["count"] else ""
    return f"{vault['name']}: {count_of(vault['notes'], 'note')}{skipped}{failed}; search by {how}."


STATUS_VIEWS: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "Status": status,
    "Diagnosis": findings,
    "UsageReport": usage,
}
