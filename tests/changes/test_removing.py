"""Before a note is taken away, the links that would break are told."""

import pytest

from bridge.changes.requests.move_note import remove
from bridge.errors import NoteNotFound, PathKept
from bridge.markdown.decode import digest_of
from bridge.types import VaultPath
from bridge.vault.plan import Step
from tests.changes.vaults import Paper

RYE = VaultPath("Bread/Rye.md")


def test_the_links_that_would_break_are_named() -> None:
    paper = Paper.of(
        {
            RYE: "[[Rye]] [[Oat]]",
            "Oat.md": "a\n[[Rye#Dough|x]] [[Oat]]",
            "C.canvas": '{"nodes":[{"type":"file","file":"Bread/Rye.md"}]}',
            "Other/Y/Rye.md": "",
            "B.base": 'filters: link("Rye")',
            "Secret/S.md": "[[Rye]]",
        },
        deny=("Secret",),
    )
    planned = remove(RYE, paper.view())
    assert [(one.path, one.line, one.text, one.to) for one in planned.effect.broken] == [
        ("Oat.md", 2, "Rye#Dough", "Other/Y/Rye.md"),
        ("C.canvas", 1, "Bread/Rye.md", ""),
    ]
    assert planned.effect.named_in == ("B.base",)
    (step,) = planned.plan.steps
    assert step == Step("remove", RYE, before=digest_of(paper.files[RYE]))
    assert set(paper.carry_out(planned).files) == set(paper.files) - {RYE}


@pytest.mark.parametrize(("path", "error"), [("None.md", NoteNotFound), ("Kept/K.md", PathKept)])
def test_what_is_not_there_or_is_kept_is_refused(path: str, error: type[Exception]) -> None:
    paper = Paper.of({"Kept/K.md": ""}, readonly=("Kept",))
    with pytest.raises(error):
        remove(VaultPath(path), paper.view())
