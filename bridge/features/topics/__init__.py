"""Topics of notes: their folder, suggestions, and what is not in order with them."""

from bridge.api.feature import Feature
from bridge.features.topics import list_topics, set_up
from bridge.features.topics.topic_tree import TopicSettings

FEATURE = Feature(
    "topics",
    operations=(set_up.set_up_topics, list_topics.list_topics),
    settings=TopicSettings,
    views=(list_topics.topic_list_view,),
)
