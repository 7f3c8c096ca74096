"""What others use of answers."""

from bridge.features.answers.chat import CUTS, choose_generator, deadline, write_text
from bridge.features.answers.citations import CheckedSentence, check_sentences
from bridge.features.answers.prompt import Source, summary_grammar, write_summary_prompt
from bridge.features.answers.questions import answerability_notice, keep_question
from bridge.features.answers.quotes import say_value
