"""A small ModernBERT encoder with random weights, in the files of a real one, and its vectors in plain numpy."""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.models.catalogue import ModernBertSource, SourceFile

Array = NDArray[np.float32]

SMALL, REAL = (64, 96, 4), (384, 1536, 12)
"""Width, width within the layers, and number of layers: for most tests, and as the model of the catalogue has them."""

PAIRS = ["Ġ b", "r e", "a d", "re ad", "Ġb read", "Ġ s"]
"""Merges of the tokenizer, each of a space where there is one."""

BYTES = [chr(code) for code in range(ord("!"), ord("~") + 1)]
TOKENS = [*BYTES, "Ġ", *(pair.replace(" ", "") for pair in PAIRS)]
CLS, SEP, PAD, MARK = (len(TOKENS) + place for place in range(4))
WORDS = len(TOKENS) + 6
"""Rows of the table of tokens; two stand for none."""


def source(weights: SourceFile, tokenizer: SourceFile, **more: Any) -> ModernBertSource:
    """Return the facts of the encoder, served from two addresses."""
    facts: dict[str, Any] = {
        "heads": 2,
        "window": 256,
        "norm_epsilon": 1e-5,
        "activation": "silu",
        "global_every": 3,
        "local_window": 8,
        "rope_theta": 1000.0,
        "local_rope_theta": 40.0,
        "pretokenizer": "granite-embed-multi-97m",
        "cls": CLS,
        "sep": SEP,
        "pad": PAD,
    }
    return ModernBertSource(weights, tokenizer, **(facts | more))


def weights(seed: int = 1, shape: tuple[int, int, int] = SMALL) -> dict[str, Array]:
    """Return random weights with the tensor names of a real encoder, each a number of bfloat16."""
    draw = np.random.default_rng(seed)
    wide, inner, layers = shape
    shapes: dict[str, tuple[int, ...]] = {"embeddings.tok_embeddings": (WORDS, wide)}
    norms = ["embeddings.norm", "final_norm"]
    for layer in range(layers):
        at = f"layers.{layer}"
        shapes |= {f"{at}.attn.Wqkv": (3 * wide, wide), f"{at}.attn.Wo": (wide, wide)}
        shapes |= {f"{at}.mlp.Wi": (2 * inner, wide), f"{at}.mlp.Wo": (wide, inner)}
        norms += [f"{at}.mlp_norm", *([f"{at}.attn_norm"] if layer else [])]
    found = {f"{name}.weight": draw.normal(0, size[-1] ** -0.5, size) for name, size in shapes.items()}
    found |= {f"{name}.weight": draw.normal(1, 0.1, wide) for name in norms}
    return {name: _bfloat16(values) for name, values in found.items()}


def _bfloat16(values: NDArray[Any]) -> Array:
    """Cut numbers to those of bfloat16."""
    return (values.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)


def weights_file(tensors: dict[str, Array]) -> bytes:
    """Return a safetensors file of bfloat16, as the real one is."""
    cut = {f"model.{name}": (values.view(np.uint32) >> 16).astype("<u2") for name, values in tensors.items()}
    return safetensors("BF16", cut)


def safetensors(kind: str, tensors: Mapping[str, NDArray[Any]]) -> bytes:
    head, body = {}, b""
    for name, values in tensors.items():
        data = values.tobytes()
        head[name] = {"dtype": kind, "shape": values.shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    told = json.dumps(head).encode()
    return struct.pack("<Q", len(told)) + told + body


def tokenizer_file() -> bytes:
    """Return the `tokenizer.json` of byte pairs."""
    special = {"<cls>": CLS, "<sep>": SEP, "<pad>": PAD}
    added = [{"id": place, "content": token, "special": True} for token, place in special.items()]
    added.append({"id": MARK, "content": "<mark>", "special": False})
    vocabulary = {token: place for place, token in enumerate(TOKENS)}
    merges = [pair.split(" ") for pair in PAIRS]
    return json.dumps({"model": {"vocab": vocabulary, "merges": merges}, "added_tokens": added}).encode()


def source_files(folder: Path, seed: int = 1, shape: tuple[int, int, int] = SMALL) -> tuple[Path, Path]:
    """Write the files of weights and tokens."""
    tensors, tokenizer = folder / f"{seed}.safetensors", folder / "tokenizer.json"
    tensors.write_bytes(weights_file(weights(seed, shape)))
    tokenizer.write_bytes(tokenizer_file())
    return tensors, tokenizer


def embed(tensors: dict[str, Array], ids: Sequence[int], facts: ModernBertSource) -> Array:
    """Return the unit vector of one text by its first token, in f32; shares no code with llama.cpp or the bridge."""
    wide = tensors["final_norm.weight"].size
    count, each = len(ids), wide // facts.heads
    layers = sum(name.endswith(".attn.Wo.weight") for name in tensors)
    apart = np.abs(np.arange(count)[:, None] - np.arange(count)[None])

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scaled: Array = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + facts.norm_epsilon)
        return scaled * tensors[f"{name}.weight"]

    def turn(x: Array, base: float) -> Array:
        angles = np.arange(count)[:, None] * base ** (-np.arange(0, each, 2) / each)
        cos, sin = (np.concatenate([part, part], -1) for part in (np.cos(angles), np.sin(angles)))
        half = each // 2
        turned: Array = x * cos + np.concatenate([-x[..., half:], x[..., :half]], -1) * sin
        return turned

    x = norm(tensors["embeddings.tok_embeddings.weight"][list(ids)], "embeddings.norm")
    for layer in range(layers):
        at, whole = f"layers.{layer}", layer % facts.global_every == 0
        base = facts.rope_theta if whole else facts.local_rope_theta
        qkv = (norm(x, f"{at}.attn_norm") if layer else x) @ tensors[f"{at}.attn.Wqkv.weight"].T
        q, k, v = (part.reshape(count, facts.heads, each).transpose(1, 0, 2) for part in np.split(qkv, 3, -1))
        scores = turn(q, base) @ turn(k, base).transpose(0, 2, 1) / np.sqrt(each)
        if not whole:
            scores = np.where(apart <= facts.local_window // 2, scores, -np.inf)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (shares / shares.sum(-1, keepdims=True)) @ v
        x = x + mixed.transpose(1, 0, 2).reshape(count, wide) @ tensors[f"{at}.attn.Wo.weight"].T
        value, gate = np.split(norm(x, f"{at}.mlp_norm") @ tensors[f"{at}.mlp.Wi.weight"].T, 2, -1)
        x = x + (value / (1 + np.exp(-value)) * gate) @ tensors[f"{at}.mlp.Wo.weight"].T
    first: Array = norm(x, "final_norm")[0]
    return first / np.linalg.norm(first)
