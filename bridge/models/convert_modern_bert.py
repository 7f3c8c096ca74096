"""Converts a ModernBERT encoder with a byte-level tokenizer to GGUF Q8_0, reproducibly to the byte."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bridge.errors import ModelUnusable
from bridge.models.catalogue import ModernBertSource

if TYPE_CHECKING:
    from gguf.utility import LocalTensor

_HEADS = ("head.", "decoder.", "classifier.")
"""Tensors that predict words or classes, which embedding does without."""


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
        _add_tensors(writer, tensors, layers)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise ModelUnusable(f"The files of {name} are not those of a ModernBERT encoder: {error}.") from error
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


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


def _add_tensors(writer: Any, tensors: "Mapping[str, LocalTensor]", layers: int) -> None:
    import gguf

    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.MODERN_BERT, layers)
    kind = gguf.GGMLQuantizationType.Q8_0
    for key, tensor in sorted(tensors.items()):
        if key.startswith(_HEADS):
            continue
        name = names.get_name(key, try_suffixes=(".weight",))
        if name is None:
            raise ValueError(f"the tensor {key} is not known")
        # The reader of safetensors does not know bfloat16.
        stored = gguf.GGMLQuantizationType[tensor.dtype]
        values = gguf.quants.dequantize(tensor.mmap_bytes(), stored).reshape(tensor.shape)
        if values.ndim == 1:
            writer.add_tensor(name, values)
        else:
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
