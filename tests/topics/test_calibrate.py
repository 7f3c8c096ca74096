"""How probable topics are is learnt from hidden ones, and only enough is shown that most of it is right."""

import random

from bridge.features.topics.evidence import TopicEvidence
from bridge.features.topics.suggest import (
    DEFAULT_WEIGHTS,
    MIN_PRECISION,
    MIN_PROBABILITY,
    HiddenEvidence,
    TopicModel,
    choose_hidden,
    fit_model,
)
from bridge.types import VaultPath


def vault(notes: int, seed: int) -> list[HiddenEvidence]:
    """Make up notes whose topics are right as often as their votes say, and whose text says nothing."""
    chance = random.Random(seed)
    parts: list[dict[VaultPath, list[tuple[TopicEvidence, bool]]]] = [{} for _ in range(5)]
    for at in range(notes):
        found = []
        for _ in range(4):
            vote = chance.random()
            evidence = TopicEvidence(vote=vote, near=1, closest=0.5, specific=chance.random(), said="x")
            found.append((evidence, chance.random() < vote))
        parts[at % 5][VaultPath(f"{at}.md")] = found
    return list(parts)


def precision(model: TopicModel, parts: list[HiddenEvidence]) -> float:
    shown = [right for part in parts for found in part.values() for one, right in found if model.suggests(one)]
    assert len(shown) > 20
    return sum(shown) / len(shown)


def test_what_is_shown_is_right_often_enough_on_other_notes() -> None:
    models = [fit_model(vault(200, seed)) for seed in range(5)]
    values = [precision(model, vault(400, 100 + seed)) for seed, model in enumerate(models)]
    assert sum(values) / len(values) > 0.7
    assert min(values) > MIN_PRECISION - 0.08
    assert all(model.notes == 200 and model.weights != DEFAULT_WEIGHTS for model in models)


def test_the_same_notes_teach_the_same() -> None:
    assert fit_model(vault(100, 1)) == fit_model(vault(100, 1))


def test_few_notes_teach_nothing() -> None:
    assert fit_model(vault(15, 1)) == TopicModel()
    assert fit_model([]) == TopicModel()


def test_nothing_is_shown_where_nothing_is_right_often_enough() -> None:
    wrong: list[HiddenEvidence] = [
        {path: [(one, at % 3 == 0) for at, (one, _) in enumerate(found)] for path, found in part.items()}
        for part in vault(100, 2)
    ]
    model = fit_model(wrong)
    assert not any(model.suggests(one) for part in wrong for found in part.values() for one, _ in found)


def test_a_topic_of_notes_that_are_hardly_near_is_not_suggested() -> None:
    model = TopicModel(weights=(5.0,) + (0.0,) * (len(DEFAULT_WEIGHTS) - 1), least=MIN_PROBABILITY, closest=0.4)
    assert not model.suggests(TopicEvidence(vote=1.0, closest=0.3))
    assert model.suggests(TopicEvidence(vote=1.0, closest=0.4))
    assert model.suggests(TopicEvidence(vote=1.0, closest=0.3, said="leaven"))


def test_each_note_is_hidden_once_and_the_same_ones_are_chosen() -> None:
    paths = [VaultPath(f"Note {at}.md") for at in range(50)]
    parts = choose_hidden(paths)
    assert sorted(path for part in parts for path in part) == sorted(paths)
    assert max(map(len, parts)) == 10
    assert choose_hidden(paths[::-1]) == parts
    assert sum(map(len, choose_hidden(paths, 20))) == 20
    assert choose_hidden([]) == []
