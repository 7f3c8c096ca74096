"""The kinds of what is not in order with topics."""

from typing import Final, Literal, get_args

FindingKind = Literal["values", "new", "orphan", "rare", "alike"]
FINDING_KINDS: Final[tuple[FindingKind, ...]] = get_args(FindingKind)
"""In the order in which the requests of findings fit together: what is set before what is moved and rewritten."""

StrayKind = Literal["missing", "outside", "unwanted"]
"""What is wrong with a value: it names no note, a note that is no topic, or a topic that the rules replace."""
