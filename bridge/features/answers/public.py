"""What others use of answers."""

from bridge.features.answers.extract import measure_nearness
from bridge.features.answers.prompt import Source, summary_grammar, write_summary_prompt
from bridge.features.answers.questions import answerability_notice, keep_question
from bridge.features.answers.quotes import say_value
from bridge.features.answers.write import CUTS, CheckedSentence, check_sentences, choose_generator, deadline, write_text
