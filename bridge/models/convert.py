"""Converts a BERT encoder from safetensors to GGUF Q8_0, reproducibly to the byte."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_CONTROL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")


def to_gguf(*, name: str, weights: Path, vocabulary: str, config: Mapping[str, Any], out: Path) -> None:
    """Write a mean-pooled BERT encoder as GGUF.

    Args:
        name: The model's name, which is written into the file.
        weights: The safetensors file.
        vocabulary: The WordPiece vocabulary, one entry per line.
        config: The encoder's `config.json`.
        out: The output file.
    """
    import gguf

    writer = gguf.GGUFWriter(out, "bert")
    writer.add_name(name)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_token_type_count(config["type_vocab_size"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    _add_vocabulary(writer, vocabulary.splitlines())
    _add_tensors(writer, weights, config["num_hidden_layers"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: Any, words: list[str]) -> None:
    import gguf

    kinds = dict.fromkeys(_CONTROL, gguf.TokenType.CONTROL) | {"[UNK]": gguf.TokenType.UNKNOWN}
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([word if word in kinds else _gguf_token(word) for word in words])
    writer.add_token_types([kinds.get(word, gguf.TokenType.NORMAL) for word in words])
    writer.add_bos_token_id(words.index("[CLS]"))
    writer.add_eos_token_id(words.index("[SEP]"))
    writer.add_unk_token_id(words.index("[UNK]"))
    writer.add_sep_token_id(words.index("[SEP]"))
    writer.add_pad_token_id(words.index("[PAD]"))
    writer.add_mask_token_id(words.index("[MASK]"))
    writer.add_uint32("tokenizer.ggml.cls_token_id", words.index("[CLS]"))
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)


def _gguf_token(word: str) -> str:
    # llama.cpp marks the beginnings of words, WordPiece their continuations.
    return word.removeprefix("##") if word.startswith("##") else "\u2581" + word


def _add_tensors(writer: Any, weights: Path, layers: int) -> None:
    import gguf
    import numpy as np
    from safetensors import safe_open

    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, layers)
    kind = gguf.GGMLQuantizationType.Q8_0
    with safe_open(weights, "numpy") as tensors:
        for key in sorted(tensors.keys()):
            if key.startswith("pooler") or key.endswith("position_ids"):
                continue
            name = names.get_name(key, try_suffixes=(".weight", ".bias"))
            array = tensors.get_tensor(key).astype(np.float32)
            # llama.cpp reads these two tables only as plain floats.
            if array.ndim == 1 or name.startswith(("token_types", "position_embd")):
                writer.add_tensor(name, array)
            else:
                writer.add_tensor(name, gguf.quants.quantize(array, kind), raw_dtype=kind)
