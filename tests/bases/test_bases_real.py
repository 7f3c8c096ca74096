"""Bases that people use are read, and every row and column of them can be evaluated."""

from datetime import datetime

import pytest

from bridge.bases.evaluate import Evaluation
from bridge.bases.note_files import NoteFiles
from bridge.bases.values import FileValue
from bridge.errors import InvalidArguments
from bridge.features.bases.query import check_view, column_node, read_base
from bridge.markdown.names import Names
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from scripts.lib.torture.moves import read_vault
from tests.evaldata import EVAL, needs_eval

OLD = {("Shows.base", "Last seen")}
"""Written for an early version of Bases, with a function `not` that Obsidian no longer documents."""


@needs_eval
@pytest.mark.eval
def test_every_view_of_a_vault_can_be_evaluated() -> None:
    root = EVAL / "vaults" / "kepano"
    paper = read_vault(Vault(root, Rules(max_file_bytes=2**31)))
    paths = [VaultPath(file.relative_to(root).as_posix()) for file in root.rglob("*") if file.is_file()]
    files = NoteFiles(paper.notes, Names(paths), root, {}, datetime.now().astimezone())
    views = rows = values = 0
    for file in sorted(root.rglob("*.base")):
        base = read_base(file.read_text("utf-8"))
        for view in base.views:
            if (file.name, view.name) in OLD:
                with pytest.raises(InvalidArguments, match=f"View `{view.name}`: There is no function `not`"):
                    check_view(view)
                continue
            check_view(view)
            views += 1
            query = Evaluation(files, base.formulas, FileValue("Categories/Books.md"))
            found = [path for path in paths if query.passes(view.filter, path)]
            rows += len(found)
            values += sum(query.value(column_node(one), path) is not None for one in view.columns for path in found)
    assert (views, rows > 100, values > rows) == (74, True, True)
