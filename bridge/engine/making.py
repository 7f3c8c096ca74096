"""Makes what an open index is worked with."""

from typing import TYPE_CHECKING

from bridge.engine.carrying import Carrying
from bridge.engine.deciding import Deciding
from bridge.engine.drifting import Drifting
from bridge.engine.enforcing import Enforcing
from bridge.engine.filling import Filling
from bridge.engine.following import Following
from bridge.engine.late_saves import LateSaves
from bridge.engine.mentioning import Mentioning
from bridge.engine.parts import Parts
from bridge.engine.writing import Writing
from bridge.retrieval import Vocabulary
from bridge.vault import read_obsidian_settings

if TYPE_CHECKING:
    from bridge.engine.vault_engine import VaultEngine
    from bridge.index import Index


def made(engine: "VaultEngine", index: "Index", vocabulary: Vocabulary) -> Parts:
    """Make the parts of a vault around its index."""
    settings, store, news = engine.settings, engine.store, engine.news
    following = Following(engine.vault, index, store, settings, engine.readers, news.changed, news.buried)
    writing = Writing(engine.id, following, store, settings, news.events, engine.handing)
    enforcing = Enforcing(following, store)
    enforcing.hide()
    filling = Filling(index, store, engine.embedders, news.progressed)
    filling.paused = engine.paused
    return Parts(
        index=index,
        vocabulary=vocabulary,
        mentioning=Mentioning(index, read_obsidian_settings(engine.root).template_folder),
        following=following,
        filling=filling,
        enforcing=enforcing,
        drifting=Drifting(index, store, settings),
        writing=writing,
        deciding=Deciding(store, writing),
        carrying=Carrying(following, writing, store, engine.recent),
        late_saves=LateSaves(writing, store),
    )
