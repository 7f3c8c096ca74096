"""The settings of topics."""

from typing import Literal

from bridge.records import dataclass
from bridge.settings.schema import setting

FolderMeaning = Literal["none", "ontology", "all"]


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """The settings of topics."""

    ontology_folder: str = setting(
        "", "Folder whose notes are the topics of other notes, such as `Ontology`; empty for none."
    )
    topic_property: str = setting("topics", "Property that holds the topics of a note, as links.")
    archive_folder: str = setting(
        "Archive", "Folder to which `list_topics` would move topics that no note has; empty for the trash."
    )
    folder_meaning: FolderMeaning = setting(
        "ontology",
        "What the folder of a note says of it: `ontology` that it has the topic of which the folder has the name;"
        " `all` also that it belongs with the other notes of the folder, in the graph of topics; or nothing.",
    )
    generic_folders: tuple[str, ...] = setting(
        (), "Names of folders that mean nothing, besides inbox, attachments, archive, daily, templates and assets."
    )
