from pathlib import Path

import numpy as np

from bridge.models.catalogue import ModelSpec
from bridge.models.worker import facts_of, vectors_of
from tests.models import reference
from tests.models.small import CONFIG, VOCABULARY, bert_gguf, bert_weights, sentences

SPEC = ModelSpec(
    id="small",
    title="Small",
    dimensions=64,
    window=64,
    pooling="mean",
    languages="none",
    license="none",
    source="file",
)


def test_llama_cpp_computes_what_the_weights_say(tmp_path: Path) -> None:
    texts = [*sentences(4), "Salted bread, water."]
    right = [reference.embed(bert_weights(), CONFIG, reference.pieces(VOCABULARY, text)) for text in texts]
    found = vectors_of(bert_gguf(tmp_path), SPEC, texts)
    cosines = [float(a @ b) for a, b in zip(found, right, strict=True)]
    assert min(cosines) > 0.998
    # The texts are told apart by more than the rounding to eight bits.
    assert float(right[0] @ right[1]) < 0.99


def test_converting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    first = bert_gguf(tmp_path, name="first.gguf").read_bytes()
    assert bert_gguf(tmp_path, name="second.gguf").read_bytes() == first
    assert bert_gguf(tmp_path, seed=2, name="other.gguf").read_bytes() != first


def test_the_file_says_of_itself_what_a_worker_needs(tmp_path: Path) -> None:
    assert facts_of(bert_gguf(tmp_path)) == {
        "name": "Small",
        "architecture": "bert",
        "dimensions": 64,
        "window": 64,
        "pooling": 1,
        "decoder": False,
        "template": False,
        "outputs": 0,
    }


def test_every_vector_has_length_one(tmp_path: Path) -> None:
    norms = np.linalg.norm(vectors_of(bert_gguf(tmp_path), SPEC, sentences(3)), axis=1)
    assert np.allclose(norms, 1, atol=1e-5)
