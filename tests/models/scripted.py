"""Chat models whose behaviour is known: real GGUF files in which the next token is a look-up in a table.

One-hot embeddings, attention and feed-forward layers of zeros, and an output matrix that says which token follows
which: llama.cpp, its tokenizer, template, sampler and grammar run as with any other model.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import gguf
import numpy as np

from bridge.models.catalogue import ModelSpec
from bridge.models.folder import file_digest, record_model, weights_path

CONTROL = ["<|user|>", "<|tool|>", "<|system|>", "<|assistant|>", "<|end|>", "<|answer|>", "<|after_tool|>"]
TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    "{% if messages[-1].role == 'tool' %}<|after_tool|>{% else %}<|answer|>{% endif %}"
)
_NORMAL, _UNKNOWN, _CONTROL, _DEFINED, _BYTE = 1, 2, 3, 4, 6


def scripted_gguf(
    path: Path,
    scripts: Mapping[str, Sequence[str]],
    *,
    template: str | None = TEMPLATE,
    loop: bool = False,
    vocabulary: int = 0,
    window: int = 4096,
) -> Path:
    """Write a model that answers with a script.

    Args:
        path: Where to write it.
        scripts: The pieces of text that follow a control token, such as `<|answer|>`; each is one token.
        template: The chat template in the file; None for a file without one.
        loop: Whether a script begins again at its end instead of ending the answer.
        vocabulary: Least number of tokens; the rest are never said.
        window: The number of tokens that the file says it was trained on.
    """
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *CONTROL]
    types = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_CONTROL] * len(CONTROL)]
    ids = {token: place for place, token in enumerate(tokens)}
    follows: dict[int, int] = {}
    for start, pieces in scripts.items():
        first = current = ids[start]
        for piece in pieces:
            tokens.append(piece)
            types.append(_DEFINED)
            follows[current] = current = len(tokens) - 1
        follows[current] = follows[first] if loop else ids["<|end|>"]
    spare = max(0, vocabulary - len(tokens))
    tokens += [f"spare{place}" for place in range(spare)]
    types += [_NORMAL] * spare
    wide = -(-(len(tokens) - spare) // 32) * 32
    embeddings = np.zeros((len(tokens), wide), np.float32)
    known = np.arange(len(tokens) - spare)
    embeddings[known, known] = 1
    output = np.zeros((len(tokens), wide), np.float32)
    for before, after in follows.items():
        output[after, before] = 1
    _write(path, tokens, types, embeddings, output, template, window)
    return path


def place_chat_model(models_dir: Path, file: Path) -> str:
    """Put a chat model of this module where an installation would, which tries it in two processes first.

    Returns:
        Its id.
    """
    models_dir.mkdir(parents=True, exist_ok=True)
    window = gguf.GGUFReader(file).get_field("llama.context_length")
    assert window is not None
    id_ = file.stem
    shutil.copy(file, weights_path(models_dir, id_))
    spec = ModelSpec(id_, id_, int(window.contents()), "unknown", "unknown", "file", purpose="chat")
    record_model(models_dir, spec, file_digest(file), str(file))
    return id_


def random_gguf(path: Path, *, wide: int = 512, layers: int = 8, vocabulary: int = 512, seed: int = 1) -> Path:
    """Write a model with random weights, which says nothing but takes its time."""
    draw = np.random.default_rng(seed)
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *CONTROL]
    types = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_CONTROL] * len(CONTROL)]
    letters = "abcdefghijklmnopqrstuvwxyz"
    while len(tokens) < vocabulary:
        tokens.append("".join(letters[place] for place in draw.integers(0, 26, 6)) + str(len(tokens)))
        types.append(_NORMAL)
    shape = (len(tokens), wide)
    embeddings, output = (draw.normal(0, 1, shape).astype(np.float32) for _ in range(2))
    # An answer that ended by itself could not be cancelled.
    output[tokens.index("<|end|>")] = output[1] = output[2] = 0
    _write(path, tokens, types, embeddings, output, TEMPLATE, 4096, layers=layers, draw=draw)
    return path


def _write(
    path: Path,
    tokens: Sequence[str],
    types: Sequence[int],
    embeddings: np.ndarray,
    output: np.ndarray,
    template: str | None,
    window: int,
    *,
    layers: int = 1,
    draw: np.random.Generator | None = None,
) -> None:
    wide = embeddings.shape[1]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Scripted")
    writer.add_context_length(window)
    writer.add_embedding_length(wide)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(32)
    writer.add_head_count(4)
    writer.add_head_count_kv(4)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(wide // 4)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(list(tokens))
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(list(types))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(tokens.index("<|end|>"))
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    if template is not None:
        writer.add_chat_template(template)
    shapes: dict[str, tuple[int, ...]] = {"attn_norm": (wide,), "ffn_norm": (wide,)}
    shapes |= dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (wide, wide))
    shapes |= {"ffn_gate": (32, wide), "ffn_up": (32, wide), "ffn_down": (wide, 32)}
    writer.add_tensor("token_embd.weight", embeddings)
    writer.add_tensor("output_norm.weight", np.ones(wide, np.float32))
    writer.add_tensor("output.weight", output)
    for layer in range(layers):
        for name, shape in shapes.items():
            fill = np.ones(shape) if name.endswith("norm") else draw.normal(0, 0.05, shape) if draw else np.zeros(shape)
            writer.add_tensor(f"blk.{layer}.{name}.weight", fill.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
