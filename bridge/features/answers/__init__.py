"""Answers to questions, from the vault's notes."""

from bridge.api.feature import Feature
from bridge.features.answers import ask
from bridge.features.answers.records import AnswerSettings, VaultAnswer

FEATURE = Feature(
    "answers",
    operations=(ask.ask,),
    settings=AnswerSettings,
    views={VaultAnswer: ask.answer_view},
)
