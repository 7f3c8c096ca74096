"""Answers to questions, from the vault's notes."""

from bridge.api.feature import Feature
from bridge.features.answers import ask, questions
from bridge.features.answers.records import AnswerSettings

FEATURE = Feature(
    "answers",
    operations=(ask.ask,),
    settings=AnswerSettings,
    tasks=(questions.keep_questions,),
    on_stop=questions.write_waiting,
    views=(ask.answer_view,),
)
