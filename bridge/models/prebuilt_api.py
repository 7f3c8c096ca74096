"""llama.cpp's C API as the prebuilt libraries export it, under the names that llama-cpp-python gives to it.

The layouts are those of exactly the versions that `pyproject.toml` pins; `model_setup` loads no other. Source: their
`llama.h`, which is the same.
"""

import ctypes
import os
import sys
from ctypes import c_bool, c_char_p, c_float, c_int, c_int8, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

LLAMA_LOAD_MODE_NONE, LLAMA_LOAD_MODE_MMAP = 0, 1
LLAMA_FLASH_ATTN_TYPE_DISABLED, LLAMA_FLASH_ATTN_TYPE_ENABLED = 0, 1
LLAMA_TOKEN_ATTR_UNKNOWN, LLAMA_TOKEN_ATTR_CONTROL, LLAMA_TOKEN_ATTR_USER_DEFINED = 1, 8, 16

llama_token = c_int32
llama_log_callback = ctypes.CFUNCTYPE(None, c_int, c_char_p, c_void_p)
ggml_abort_callback = ctypes.CFUNCTYPE(c_bool, c_void_p)

_Fields = list[tuple[str, Any]]


def _fields(kind: Any, names: str) -> _Fields:
    return [(name, kind) for name in names.split()]


class llama_model_params(ctypes.Structure):  # noqa: N801  # the names of the C API, here and below
    """How to load a model."""

    _fields_ = (
        *_fields(c_void_p, "devices tensor_buft_overrides"),
        *_fields(c_int32, "n_gpu_layers split_mode load_mode lazy_mode main_gpu"),
        *_fields(c_void_p, "tensor_split progress_callback progress_callback_user_data kv_overrides"),
        *_fields(c_bool, "vocab_only check_tensors use_extra_bufts no_host no_alloc load_mtp"),
    )


class llama_context_params(ctypes.Structure):  # noqa: N801
    """How to compute with a model."""

    _fields_ = (
        *_fields(c_uint32, "n_ctx n_batch n_ubatch n_seq_max n_rs_seq n_outputs_max n_outputs_max_per_seq"),
        *_fields(c_int32, "n_threads n_threads_batch"),
        *_fields(c_int, "ctx_type rope_scaling_type pooling_type attention_type flash_attn_type"),
        *_fields(c_float, "rope_freq_base rope_freq_scale yarn_ext_factor yarn_attn_factor yarn_beta_fast"),
        *_fields(c_float, "yarn_beta_slow"),
        ("yarn_orig_ctx", c_uint32),
        ("defrag_thold", c_float),
        *_fields(c_void_p, "cb_eval cb_eval_user_data"),
        *_fields(c_int, "type_k type_v"),
        ("moe_cache_size", c_size_t),
        *_fields(c_void_p, "abort_callback abort_callback_data"),
        *_fields(c_bool, "embeddings offload_kqv no_perf op_offload swa_full kv_unified"),
        ("samplers", c_void_p),
        ("n_samplers", c_size_t),
        ("ctx_other", c_void_p),
    )


class llama_batch(ctypes.Structure):  # noqa: N801
    """Tokens to compute."""

    _fields_ = (
        ("n_tokens", c_int32),
        ("token", ctypes.POINTER(c_int32)),
        ("embd", ctypes.POINTER(c_float)),
        ("pos", ctypes.POINTER(c_int32)),
        ("n_seq_id", ctypes.POINTER(c_int32)),
        ("seq_id", ctypes.POINTER(ctypes.POINTER(c_int32))),
        ("logits", ctypes.POINTER(c_int8)),
    )


class llama_token_data(ctypes.Structure):  # noqa: N801
    """A candidate for the next token."""

    _fields_ = (("id", c_int32), ("logit", c_float), ("p", c_float))


class llama_token_data_array(ctypes.Structure):  # noqa: N801
    """The candidates for the next token."""

    _fields_ = (
        ("data", ctypes.POINTER(llama_token_data)),
        ("size", c_size_t),
        ("selected", c_int64),
        ("sorted", c_bool),
    )


class llama_sampler_chain_params(ctypes.Structure):  # noqa: N801
    """How to make a chain of samplers."""

    _fields_ = (("no_perf", c_bool),)


_TOKENS = ctypes.POINTER(c_int32)
_FLOATS = ctypes.POINTER(c_float)
_ONE_POINTER: tuple[Any, ...] = (c_void_p,)

_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "llama_log_set": (None, (llama_log_callback, c_void_p)),
    "llama_backend_init": (None, ()),
    "llama_model_default_params": (llama_model_params, ()),
    "llama_context_default_params": (llama_context_params, ()),
    "llama_model_load_from_file": (c_void_p, (c_char_p, llama_model_params)),
    "llama_init_from_model": (c_void_p, (c_void_p, llama_context_params)),
    "llama_batch_init": (llama_batch, (c_int32, c_int32, c_int32)),
    "llama_encode": (c_int32, (c_void_p, llama_batch)),
    "llama_decode": (c_int32, (c_void_p, llama_batch)),
    "llama_set_abort_callback": (None, (c_void_p, ggml_abort_callback, c_void_p)),
    "llama_get_embeddings_seq": (_FLOATS, (c_void_p, c_int32)),
    "llama_get_logits_ith": (_FLOATS, (c_void_p, c_int32)),
    "llama_get_memory": (c_void_p, _ONE_POINTER),
    "llama_memory_clear": (None, (c_void_p, c_bool)),
    "llama_memory_seq_rm": (c_bool, (c_void_p, c_int32, c_int32, c_int32)),
    "llama_model_get_vocab": (c_void_p, _ONE_POINTER),
    "llama_model_meta_val_str": (c_int32, (c_void_p, c_char_p, c_char_p, c_size_t)),
    "llama_model_chat_template": (c_char_p, (c_void_p, c_char_p)),
    "llama_model_has_decoder": (c_bool, _ONE_POINTER),
    "llama_model_n_ctx_train": (c_int32, _ONE_POINTER),
    "llama_model_n_cls_out": (c_uint32, _ONE_POINTER),
    "llama_model_n_embd": (c_int32, _ONE_POINTER),
    "llama_model_n_embd_out": (c_int32, _ONE_POINTER),
    "llama_model_n_layer": (c_int32, _ONE_POINTER),
    "llama_model_n_head": (c_int32, _ONE_POINTER),
    "llama_model_n_head_kv": (c_int32, _ONE_POINTER),
    "llama_model_n_params": (c_uint64, _ONE_POINTER),
    "llama_tokenize": (c_int32, (c_void_p, c_char_p, c_int32, _TOKENS, c_int32, c_bool, c_bool)),
    "llama_token_to_piece": (c_int32, (c_void_p, c_int32, c_char_p, c_int32, c_int32, c_bool)),
    "llama_vocab_n_tokens": (c_int32, _ONE_POINTER),
    "llama_vocab_bos": (c_int32, _ONE_POINTER),
    "llama_vocab_eos": (c_int32, _ONE_POINTER),
    "llama_vocab_sep": (c_int32, _ONE_POINTER),
    "llama_vocab_get_add_bos": (c_bool, _ONE_POINTER),
    "llama_vocab_get_add_eos": (c_bool, _ONE_POINTER),
    "llama_vocab_get_add_sep": (c_bool, _ONE_POINTER),
    "llama_vocab_get_attr": (c_int, (c_void_p, c_int32)),
    "llama_vocab_is_eog": (c_bool, (c_void_p, c_int32)),
    "llama_sampler_chain_default_params": (llama_sampler_chain_params, ()),
    "llama_sampler_chain_init": (c_void_p, (llama_sampler_chain_params,)),
    "llama_sampler_chain_add": (None, (c_void_p, c_void_p)),
    "llama_sampler_accept": (None, (c_void_p, c_int32)),
    "llama_sampler_apply": (None, (c_void_p, ctypes.POINTER(llama_token_data_array))),
    "llama_sampler_free": (None, _ONE_POINTER),
    "llama_sampler_init_greedy": (c_void_p, ()),
    "llama_sampler_init_dist": (c_void_p, (c_uint32,)),
    "llama_sampler_init_top_p": (c_void_p, (c_float, c_size_t)),
    "llama_sampler_init_min_p": (c_void_p, (c_float, c_size_t)),
    "llama_sampler_init_temp": (c_void_p, (c_float,)),
    "llama_sampler_init_penalties": (c_void_p, (c_int32, c_int32, c_float, c_float, c_float)),
    "llama_sampler_init_grammar": (c_void_p, (c_void_p, c_char_p, c_char_p)),
}
"""The result and the arguments of each function."""


def open_library(path: Path) -> None:
    """Take the functions from a library; they are then attributes of this module."""
    if sys.platform == "win32":
        # The other libraries that it needs lie beside it.
        os.add_dll_directory(str(path.parent))
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
        globals()[name] = function
