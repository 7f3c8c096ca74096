"""Small models with random weights, in the format of the real ones."""

import random
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.models.convert import to_gguf
from tests.models.modern_bert import safetensors

PATIENCE_S = 300.0
"""Long, since workers yield to everything else that runs on a machine."""

CONFIG: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 64,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *".,", *"abcdefghijklmnopqrstuvwxyz"]
WORDS += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"] + ["bread", "salt", "##ed", "water"]
VOCABULARY = {word: place for place, word in enumerate(WORDS)}


def bert_weights(seed: int = 1) -> dict[str, NDArray[np.float32]]:
    """Return random weights of a BERT encoder with the tensor names of a real one."""
    draw = np.random.default_rng(seed)
    wide, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings": (len(WORDS), wide),
        "embeddings.position_embeddings": (CONFIG["max_position_embeddings"], wide),
        "embeddings.token_type_embeddings": (2, wide),
        "pooler.dense": (wide, wide),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(CONFIG["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"
        shapes |= {f"{at}.attention.self.{part}": (wide, wide) for part in ("query", "key", "value")}
        shapes |= {f"{at}.attention.output.dense": (wide, wide)}
        shapes |= {f"{at}.intermediate.dense": (inner, wide), f"{at}.output.dense": (wide, inner)}
        norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
    weights: dict[str, Any] = {f"{name}.weight": draw.normal(0, 0.3, shape) for name, shape in shapes.items()}
    for name, shape in shapes.items():
        if not name.startswith("embeddings"):
            weights[f"{name}.bias"] = draw.normal(0, 0.1, shape[0])
    for name in norms:
        weights[f"{name}.weight"] = draw.normal(1, 0.1, wide)
        weights[f"{name}.bias"] = draw.normal(0, 0.1, wide)
    return {name: array.astype(np.float32) for name, array in weights.items()}


def bert_gguf(folder: Path, seed: int = 1, name: str = "small.gguf") -> Path:
    """Write a small BERT encoder as GGUF."""
    tensors = folder / f"{seed}.safetensors"
    tensors.write_bytes(safetensors("F32", bert_weights(seed)))
    out = folder / name
    to_gguf(name="Small", weights=tensors, vocabulary="\n".join(WORDS), config=CONFIG, out=out)
    return out


def writer_gguf(folder: Path) -> Path:
    """Write a small generative model, which has no pooling."""
    import gguf

    draw, out = np.random.default_rng(2), folder / "writer.gguf"
    wide, words = 32, [chr(97 + i) for i in range(26)] + ["<s>", "</s>"]
    writer = gguf.GGUFWriter(out, "llama")
    writer.add_name("Writer")
    writer.add_context_length(64)
    writer.add_embedding_length(wide)
    writer.add_feed_forward_length(64)
    writer.add_block_count(1)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(wide)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(words)
    writer.add_token_types([gguf.TokenType.NORMAL] * len(words))
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(26)
    writer.add_eos_token_id(27)
    shapes = {"token_embd": (28, wide), "output_norm": (wide,), "output": (28, wide)}
    shapes |= {f"blk.0.{name}": (wide,) for name in ("attn_norm", "ffn_norm")}
    shapes |= {f"blk.0.attn_{name}": (wide, wide) for name in ("q", "k", "v", "output")}
    shapes |= {"blk.0.ffn_gate": (64, wide), "blk.0.ffn_up": (64, wide), "blk.0.ffn_down": (wide, 64)}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", draw.normal(0, 0.1, shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return out


def sentences(count: int, seed: int = 3) -> list[str]:
    """Return sentences of letters in the small vocabulary."""
    draw = random.Random(seed)
    return [" ".join(draw.choice(["bread", "salted", "water", "dough", "a"]) for _ in range(8)) for _ in range(count)]
