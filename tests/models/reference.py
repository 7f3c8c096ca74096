"""A BERT encoder in plain numpy: checks the conversion and llama.cpp, and shares no code with either."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def embed(weights: Mapping[str, Array], config: Mapping[str, Any], ids: Sequence[int]) -> Array:
    """Return the unit vector of one text by mean pooling over all its tokens, in f32."""
    eps, heads = config["layer_norm_eps"], config["num_attention_heads"]

    def dense(x: Array, name: str) -> Array:
        out: Array = x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
        return out

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps)
        out: Array = scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return out

    def split(x: Array) -> Array:
        return x.reshape(len(ids), heads, -1).transpose(1, 0, 2)

    x = weights["embeddings.word_embeddings.weight"][list(ids)]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"
        q, k, v = (split(dense(x, f"{at}.attention.self.{part}")) for part in ("query", "key", "value"))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (shares / shares.sum(-1, keepdims=True)) @ v
        mixed = mixed.transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(x + dense(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
        x = norm(x + dense(gelu(dense(x, f"{at}.intermediate.dense")), f"{at}.output.dense"), f"{at}.output.LayerNorm")
    pooled = x.mean(0)
    unit: Array = pooled / np.linalg.norm(pooled)
    return unit


def gelu(x: Array) -> Array:
    """Apply the exact GELU; erf by Abramowitz and Stegun 7.1.26, accurate to 1.5e-7."""
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - series * np.exp(-(z**2)))
    out: Array = (0.5 * x * (1 + erf)).astype(np.float32)
    return out


def pieces(vocabulary: Mapping[str, int], text: str) -> list[int]:
    """Split plain lower-case ASCII text into WordPiece ids, with `[CLS]` and `[SEP]`."""
    ids = [vocabulary["[CLS]"]]
    for word in text.replace(".", " .").replace(",", " ,").lower().split():
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            end = next(e for e in range(len(word), start, -1) if mark + word[start:e] in vocabulary)
            ids.append(vocabulary[mark + word[start:end]])
            start = end
    return [*ids, vocabulary["[SEP]"]]
