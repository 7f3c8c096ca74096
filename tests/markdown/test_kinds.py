import pytest

from bridge.markdown.kinds import is_document, kind_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.md", "note"),
        ("A/README.MD", "note"),
        ("a.excalidraw.md", "excalidraw"),
        ("a.excalidraw", "excalidraw"),
        ("a.canvas", "canvas"),
        ("a.pdf", "pdf"),
        ("a.png", None),
        ("md", None),
        ("a.md/b", None),
    ],
)
def test_the_extension_tells_the_kind(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind
    assert is_document(path) == (kind is not None)
