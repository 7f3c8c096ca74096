"""Rerankers whose scores are known: real GGUF files of a BERT whose head looks for certain tokens in a pair.

Every other token gives a vector of mean zero without the first value. Attention is the mean over the pair, so the first
value at the first token, which the head reads, grows with the share of the known tokens.
"""

from collections.abc import Sequence
from pathlib import Path

import gguf
import numpy as np

from tests.models.small import WORDS

VOCABULARY = [*WORDS, "dough", "rye", "oven"]
_CONTROL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")


def ranking_gguf(
    path: Path,
    known: Sequence[str] = ("dough",),
    *,
    wide: int = 64,
    layers: int = 1,
    inner: int = 64,
    window: int = 512,
    spare: int = 0,
    head: bool = True,
    outputs: int = 1,
    template: str = "",
    seed: int | None = None,
) -> Path:
    """Write a reranker.

    Args:
        path: Where to write it.
        known: The tokens that make a pair score higher.
        wide: Width of the vectors, a multiple of 32.
        layers: Number of layers.
        inner: Width of the feed-forward layers, a multiple of 32.
        window: The number of tokens that it reads.
        spare: Number of tokens in the vocabulary that no text has.
        head: Whether it has the tensors of a classification head.
        outputs: Number of scores that the head gives.
        template: Its template for a pair; empty for none.
        seed: For random weights in all layers, as Q8_0; by default only the known tokens count.
    """
    tokens = [*VOCABULARY, *(f"spare{place}" for place in range(spare))]
    kinds = dict.fromkeys(_CONTROL, gguf.TokenType.CONTROL) | {"[UNK]": gguf.TokenType.UNKNOWN}
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_name("Ranking")
    writer.add_context_length(window)
    writer.add_embedding_length(wide)
    writer.add_feed_forward_length(inner)
    writer.add_block_count(layers)
    writer.add_head_count(max(1, wide // 64))
    writer.add_layer_norm_eps(1e-12)
    writer.add_token_type_count(2)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.RANK)
    writer.add_classifier_output_labels([f"label{place}" for place in range(outputs)])
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([token if token in kinds else _gguf_token(token) for token in tokens])
    writer.add_token_types([kinds.get(token, gguf.TokenType.NORMAL) for token in tokens])
    places = {token: place for place, token in enumerate(tokens)}
    writer.add_bos_token_id(places["[CLS]"])
    writer.add_eos_token_id(places["[SEP]"])
    writer.add_sep_token_id(places["[SEP]"])
    writer.add_unk_token_id(places["[UNK]"])
    writer.add_pad_token_id(places["[PAD]"])
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)
    if template:
        writer.add_chat_template([{"name": "rerank", "template": template}])
    draw = np.random.default_rng(seed)

    def add(name: str, array: np.ndarray, *, plain: bool = False) -> None:
        if seed is None or plain or array.ndim == 1:
            writer.add_tensor(name, array.astype(np.float32))
        else:
            kind = gguf.GGMLQuantizationType.Q8_0
            random = draw.standard_normal(array.shape, np.float32) * np.float32(0.05)
            writer.add_tensor(name, gguf.quants.quantize(random, kind), raw_dtype=kind)

    embeddings = np.zeros((len(tokens), wide), np.float32)
    embeddings[:, 2::2], embeddings[:, 3::2] = 1, -1
    embeddings[[places[token] for token in known], 0] = wide
    first = np.zeros((wide, wide), np.float32)
    first[0, 0] = 1
    add("token_embd.weight", embeddings)
    add("position_embd.weight", np.zeros((window, wide)), plain=True)
    add("token_types.weight", np.zeros((2, wide)), plain=True)
    norms, zero = ["token_embd_norm"], np.zeros((wide, wide), np.float32)
    for at in (f"blk.{layer}" for layer in range(layers)):
        weights = {"attn_q": zero, "attn_k": zero, "attn_v": first, "attn_output": np.eye(wide, dtype=np.float32)}
        weights |= {"ffn_up": np.zeros((inner, wide), np.float32), "ffn_down": np.zeros((wide, inner), np.float32)}
        for name, array in weights.items():
            add(f"{at}.{name}.weight", array)
            writer.add_tensor(f"{at}.{name}.bias", np.zeros(array.shape[0], np.float32))
        norms += [f"{at}.attn_output_norm", f"{at}.layer_output_norm"]
    for name in norms:
        writer.add_tensor(f"{name}.weight", np.ones(wide, np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(wide, np.float32))
    if head:
        add("cls.weight", first * 0.1)
        writer.add_tensor("cls.bias", np.zeros(wide, np.float32))
        add("cls.output.weight", np.repeat(first[:1], outputs, axis=0))
        writer.add_tensor("cls.output.bias", np.zeros(outputs, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _gguf_token(token: str) -> str:
    return token.removeprefix("##") if token.startswith("##") else "\u2581" + token
