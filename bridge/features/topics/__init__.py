"""Topics of notes: the ontology, suggestions, and what is not in order with them."""

from bridge.api.feature import Feature
from bridge.features.topics import list_topics, set_up, topics_of, validate, views
from bridge.topics.settings import TopicSettings

FEATURE = Feature(
    "topics",
    operations=(set_up.set_up_ontology, list_topics.list_topics, topics_of.topics_of, validate.validate_topics),
    settings=TopicSettings,
    views={
        list_topics.TopicList: views.topic_list_view,
        topics_of.TopicsOfNote: views.topics_of_view,
        validate.TopicProblems: views.findings_view,
    },
)
