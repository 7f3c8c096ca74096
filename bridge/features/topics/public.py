"""What others use of topics."""

from bridge.features.topics.evidence import TopicEvidence
from bridge.features.topics.findings import StrayTopic, TopicFinding, find_stray_values
from bridge.features.topics.suggest import (
    LikelyTopic,
    TopicModel,
    TopicModels,
    body_of,
    fitting_topics,
    likely_topics,
)
from bridge.features.topics.topic_tree import (
    INSTRUCTIONS,
    TopicSettings,
    find_topic_folder,
    is_instructions,
    read_never,
)
from bridge.features.topics.vault_topics import VaultTopics, read_topic_edges, read_topics, shared_topics
