"""Writes the generated files and removes those of features that are gone; `--check` says which are out of date."""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from bridge.export.catalogue import command_catalogue
from bridge.export.reference import errors_page, reference_pages, settings_page
from bridge.export.typescript import called_operations, events_module, operations_module

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
SOURCES = ROOT / "obsidian-plugin" / "src"
CATALOGUE = ROOT / "bridge" / "cli" / "catalogue.json"


def generated_files() -> Mapping[Path, bytes]:
    return {
        **{REFERENCE / name: page.encode() for name, page in reference_pages().items()},
        DOCS / "errors.md": errors_page().encode(),
        DOCS / "settings.md": settings_page().encode(),
        CATALOGUE: f"{json.dumps(command_catalogue(), ensure_ascii=False, indent=1)}\n".encode(),
        SOURCES / "protocol" / "events.ts": events_module().encode(),
        SOURCES / "protocol" / "operations.ts": operations_module(called_operations(SOURCES)).encode(),
    }


def stale_files(generated: Mapping[Path, bytes], folder: Path) -> list[Path]:
    """Return what is not as generated, and files of a folder of generated files that are generated no more."""
    changed = [path for path, text in generated.items() if not path.exists() or path.read_bytes() != text]
    return [*changed, *(path for path in sorted(folder.glob("*")) if path not in generated)]


def write_or_remove(path: Path, generated: Mapping[Path, bytes]) -> None:
    if path in generated:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(generated[path])
    else:
        path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bridge.export", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is out of date")
    checking = parser.parse_args().check
    generated = generated_files()
    stale = stale_files(generated, REFERENCE)
    for path in stale:
        sys.stderr.write(f"{path.relative_to(ROOT)} {'is out of date' if checking else 'is brought up to date'}\n")
        if not checking:
            write_or_remove(path, generated)
    if stale and checking:
        sys.stderr.write("Run `python -m bridge.export`.\n")
    return int(bool(stale) and checking)


if __name__ == "__main__":
    sys.exit(main())
