"""Adds suggested links at the end of notes whose change asks for it."""

from collections.abc import Callable, Mapping

from bridge.changes.draft import Draft
from bridge.engine.link_context import LinkContext, source_of
from bridge.engine.open_vault import OpenVault
from bridge.linking.apply import write_link
from bridge.linking.corpus import Corpus
from bridge.linking.evidence import FeedbackModel
from bridge.linking.suggest import suggest
from bridge.markdown.edit.apply import apply_edits
from bridge.markdown.edit.requests import Append
from bridge.markdown.kinds import title_of
from bridge.markdown.parse import parse
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings


async def make_link_appender(vault: OpenVault, wanted: Mapping[VaultPath, int]) -> Callable[[Draft], None] | None:
    """Return a function that adds links to a draft; None when no note asks for any."""
    asking = {path: most for path, most in wanted.items() if most}
    if not asking:
        return None
    corpus = await vault.mention_index.corpus()

    def append_all(draft: Draft) -> None:
        written = {step.path for step in draft.plan.steps if step.kind == "put"}
        for path in sorted(written & asking.keys()):
            append_links(vault, corpus, draft, path, asking[path])

    return append_all


def append_links(vault: OpenVault, corpus: Corpus, draft: Draft, path: VaultPath, most: int) -> None:
    data = draft.read(path)
    note = parse(path, data)
    around = LinkContext(vault, path, FeedbackModel(vault.store.feedback.all()))
    found = suggest(source_of(vault, note), corpus, around, "conservative")
    style = read_obsidian_settings(vault.root)
    links = [write_link(title_of(one.target), one.target, path, vault.names, style) for one in found[:most]]
    if shown := [link for link in links if link is not None]:
        draft.replace(path, apply_edits(path, data, [Append(text=f"→ {', '.join(shown)}")]))
