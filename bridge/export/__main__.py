"""Writes the generated files, or with `--check` says which are out of date."""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from bridge.export.command_catalogue import command_catalogue
from bridge.export.reference import errors_page, reference, settings_page
from bridge.export.typescript import called_operations, events_module, operations_module

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SOURCES = ROOT / "obsidian-plugin" / "src"
CATALOGUE = ROOT / "bridge" / "cli" / "catalogue.json"


def generated_files() -> Mapping[Path, bytes]:
    return {
        DOCS / "operations.md": reference().encode(),
        DOCS / "errors.md": errors_page().encode(),
        DOCS / "settings.md": settings_page().encode(),
        CATALOGUE: f"{json.dumps(command_catalogue(), ensure_ascii=False, indent=1)}\n".encode(),
        SOURCES / "protocol" / "events.ts": events_module().encode(),
        SOURCES / "protocol" / "operations.ts": operations_module(called_operations(SOURCES)).encode(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bridge.export", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is out of date")
    checking = parser.parse_args().check
    stale = [path for path, text in generated_files().items() if not path.exists() or path.read_bytes() != text]
    for path in stale:
        sys.stderr.write(f"{path.name} {'is out of date' if checking else 'is written'}\n")
        if not checking:
            path.write_bytes(generated_files()[path])
    if stale and checking:
        sys.stderr.write("Run `python -m bridge.export`.\n")
    return int(bool(stale) and checking)


if __name__ == "__main__":
    sys.exit(main())
