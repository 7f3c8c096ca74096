"""`vaultside install-plugin`: puts the built plugin into a vault, or takes it out."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from bridge.cli.console import NotConfirmed, confirm, json_line, print_message
from bridge.data_folder import FORMER_NAME
from bridge.errors import InvalidArguments, NoSuchVault
from bridge.private_files import write_private

NAME = "vaultside"
FILES = ("main.js", "manifest.json", "styles.css")
SETTINGS = "data.json"

PACKAGE = Path(__file__).parents[1]
PLACES = (PACKAGE / "obsidian_plugin", PACKAGE.parent / "obsidian-plugin")
"""Where the built plugin lies: in the installed package, else in a checkout."""

HOW_TO_ENABLE = (
    "In Obsidian: Settings → Community plugins, turn them on, reload the list of installed plugins, and switch "
    "Vaultside on."
)


def main(given: argparse.Namespace) -> int:
    """Write or remove the plugin's files, once the user has confirmed."""
    plugins = find_plugins_folder(given.vault)
    folder = plugins / NAME
    if folder.is_symlink():
        raise InvalidArguments(f"{folder} is a link to {folder.readlink()}.", hint="Delete the link first.")
    if given.remove:
        remove_plugin(folder, yes=given.yes)
    else:
        write_plugin(folder, read_plugin(), yes=given.yes)
    if given.json:
        json_line({"removed" if given.remove else "installed": str(folder)})
    return 0


def find_plugins_folder(vault: Path) -> Path:
    """Return the folder of a vault's plugins, which need not be there yet."""
    if not vault.is_dir():
        raise NoSuchVault(f"There is no folder {vault}.", hint="Give the folder of your notes.")
    settings = vault.resolve() / ".obsidian"
    if not settings.is_dir():
        raise NoSuchVault(
            f"{vault} is no vault of Obsidian: it has no folder `.obsidian`.",
            hint="Open it in Obsidian once, or give the folder that you open there.",
        )
    return settings / "plugins"


def read_plugin() -> Mapping[str, bytes]:
    for place in PLACES:
        if all((place / name).is_file() for name in FILES):
            return {name: (place / name).read_bytes() for name in FILES}
    raise InvalidArguments(
        "This copy of Vaultside has no built plugin.",
        hint="In a checkout, build it: `npm ci --ignore-scripts && npm run build` in `obsidian-plugin`.",
    )


def write_plugin(folder: Path, files: Mapping[str, bytes], *, yes: bool) -> None:
    size = sum(map(len, files.values()))
    what = f"{len(files)} files, {size / 1e3:,.0f} kB, into {folder}"
    if not yes and not confirm(f"Write {what}?"):
        raise NotConfirmed(f"This writes {what}.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        write_private(folder / name, data)
    print_message(f"Wrote {what}.")
    former = folder.with_name(FORMER_NAME)
    if (former / SETTINGS).is_file() and not (folder / SETTINGS).exists():
        write_private(folder / SETTINGS, (former / SETTINGS).read_bytes())
        print_message(f"Its settings are those of Vault Bridge, as it was called. Switch that plugin off: {former}.")
    print_message(HOW_TO_ENABLE)


def remove_plugin(folder: Path, *, yes: bool) -> None:
    there = [folder / name for name in FILES if (folder / name).is_file()]
    if not there:
        raise InvalidArguments(f"There is no plugin in {folder}.", hint="`vaultside install-plugin` puts it there.")
    if not yes and not confirm(f"Remove {len(there)} files from {folder}?"):
        raise NotConfirmed(f"This removes {len(there)} files from {folder}.")
    for path in there:
        path.unlink()
    if any(folder.iterdir()):
        print_message(f"Removed. Its settings are still in {folder}.")
    else:
        folder.rmdir()
        if not any(folder.parent.iterdir()):
            # Made for this plugin, or left of others: Obsidian makes it when it puts one there.
            folder.parent.rmdir()
        print_message("Removed.")
