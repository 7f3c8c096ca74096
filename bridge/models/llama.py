"""The parts of llama.cpp's C API needed for embedding and ranking; only a worker may import this.

A batch above `n_ubatch` tokens aborts the whole process in C, so no call here ever exceeds it.
"""

import ctypes
import re
import struct
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.models.model_setup import load_llama
from bridge.models.worker_process import PIECES, RANK_POOLING
from bridge.records import Record
from bridge.text.fold import normalize

_GAPS = re.compile(r"[\s\u2581\u200b-\u200f\ufeff\ufffd]+")
"""What the training took for spaces."""

_UNKNOWN_SCORE = -10.0
"""Score of an unknown character above that of the least probable piece."""

_CENTRE_STEP = 1 / 1340
"""What one stands for in the centre, which is stored in bytes."""

_CACHED_WORDS, _MAX_CACHED_CHARS = 20_000, 40


class Pieces:
    """Cuts texts into the most probable pieces."""

    def __init__(self, path: Path, size: int, width: int) -> None:
        raw = np.memmap(path, np.uint8, "r", path.stat().st_size - size)
        count, self._begin, self._end, _, self._unknown, letters = struct.unpack_from("<5iQ", raw[:28].tobytes())
        starts = raw[28 : 32 + 4 * count].view("<u4").tolist()
        self._scores = array("f", raw[32 + 4 * count : 32 + 8 * count].tobytes())
        at = 32 + 8 * count
        text = raw[at : at + letters].tobytes()
        self._ids = {text[a:b].decode(): id_ for id_, (a, b) in enumerate(pairwise(starts))}
        # The special ones are never parsed from the text: a note that says `<mask>` means the letters.
        for special in ("<s>", "<pad>", "</s>", "<unk>", "<mask>"):
            self._ids.pop(special, None)
        self._longest = max(map(len, self._ids))
        self._alone = min(self._scores) + _UNKNOWN_SCORE
        self._vectors = raw[at + letters : -width].reshape(-1, width // 32, 18)
        self._centre = raw[-width:].view(np.int8) * np.float32(_CENTRE_STEP)
        self._cut_cached = lru_cache(_CACHED_WORDS)(self._cut)

    def tokens(self, text: str, limit: int) -> tuple[list[int], bool]:
        """Return the pieces of a text between the marks of its ends, and whether it was truncated to `limit`."""
        found = [self._begin]
        for word in _GAPS.sub(" ", normalize("NFKC", text)).split():
            cut = self._cut_cached if len(word) < _MAX_CACHED_CHARS else self._cut
            found += cut("\u2581" + word)
            if len(found) >= limit:
                return [*found[: limit - 1], self._end], True
        return [*found, self._end], False

    def centre(self, vector: bytes) -> bytes:
        """Return the vector of a text without what all have in common, so that unrelated texts are far apart."""
        values = np.frombuffer(vector, np.float32)
        found: bytes = (values / np.linalg.norm(values) - self._centre).astype(np.float32).tobytes()
        return found

    def vectors(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors of some pieces, which are stored as ggml's Q4_0."""
        blocks = self._vectors[ids]
        scales = blocks[..., :2].copy().view("<f2").astype(np.float32)
        halves = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1)
        return ((halves.astype(np.float32) - 8) * scales).reshape(len(ids), -1)

    def _cut(self, word: str) -> list[int]:
        best, ways = [0.0], [(0, self._unknown)]
        for end in range(1, len(word) + 1):
            # An unknown character is the last resort, and always possible.
            score, way = best[end - 1] + self._alone, (end - 1, self._unknown)
            for start in range(max(0, end - self._longest), end):
                piece = self._ids.get(word[start:end])
                if piece is not None and best[start] + self._scores[piece] > score:
                    score, way = best[start] + self._scores[piece], (start, piece)
            best.append(score)
            ways.append(way)
        found: list[int] = []
        end = len(word)
        while end:
            end, piece = ways[end]
            # Unknown characters in a row are one piece.
            if piece != self._unknown or found[-1:] != [piece]:
                found.append(piece)
        return found[::-1]


c = load_llama()

MAX_BATCH_TOKENS = 512
"""Maximum number of tokens per call: attention over a larger batch is slower, and passages are far shorter."""

_TOKEN_BYTES = 16
"""Bytes of a text read per token of the limit; some tokenizers overflow the stack at 20,000 letters in a row."""

_MAX_SEQUENCES = 16
_ERROR_LEVEL = 4

errors: deque[str] = deque(maxlen=20)
"""The latest errors from llama.cpp."""


class UnusableModel(Exception):
    """llama.cpp cannot use this file for what was asked."""


class ModelFacts(Record):
    """The facts in a model file."""

    name: str
    architecture: str
    dimensions: int
    window: int
    pooling: int | None
    decoder: bool
    template: bool
    """Whether it has a chat template."""


@c.llama_log_callback  # type: ignore[untyped-decorator]
def _listen(level: int, text: bytes, _data: ctypes.c_void_p) -> None:
    if level == _ERROR_LEVEL:
        errors.append(text.decode("utf-8", "replace").strip())


c.llama_log_set(_listen, ctypes.c_void_p(0))


def load(path: Path, *, mmap: bool) -> tuple[Any, Any]:
    c.llama_backend_init()
    params = c.llama_model_default_params()
    params.load_mode = c.LLAMA_LOAD_MODE_MMAP if mmap else c.LLAMA_LOAD_MODE_NONE
    params.n_gpu_layers = 0
    model = c.llama_model_load_from_file(str(path).encode(), params)
    if not model:
        raise UnusableModel(errors[0] if errors else "llama.cpp cannot read the file")
    return model, c.llama_model_get_vocab(model)


def text_in(model: Any, key: str) -> str:
    room = ctypes.create_string_buffer(256)
    size = c.llama_model_meta_val_str(model, key.encode(), room, len(room))
    return room.value.decode("utf-8", "replace") if size >= 0 else ""


def generates(model: Any) -> bool:
    """Return whether a model generates text; an encoder only embeds."""
    causal = text_in(model, f"{text_in(model, 'general.architecture')}.attention.causal")
    return c.llama_model_has_decoder(model) and causal != "false"


def _has_head(path: Path) -> bool:
    """Return whether a file has the tensors of a classification head: llama.cpp scores without one, meaninglessly."""
    import gguf

    return not {"cls.weight", "cls.output.weight"}.isdisjoint(tensor.name for tensor in gguf.GGUFReader(path).tensors)


class Llama:
    """A loaded model with one context."""

    def __init__(self, path: Path, *, mmap: bool) -> None:
        self._path = path
        self._model, self._vocab = load(path, mmap=mmap)
        self._context: Any = None
        size = text_in(self._model, PIECES)
        self._pieces = Pieces(path, int(size), c.llama_model_n_embd_out(self._model)) if size else None
        self.limit = 0

    def facts(self) -> ModelFacts:
        architecture = text_in(self._model, "general.architecture")
        pooling = text_in(self._model, f"{architecture}.pooling_type")
        return ModelFacts(
            name=text_in(self._model, "general.name"),
            architecture=architecture,
            dimensions=c.llama_model_n_embd_out(self._model),
            window=c.llama_model_n_ctx_train(self._model),
            pooling=int(pooling) if pooling.isdigit() else None,
            decoder=generates(self._model),
            template=bool(c.llama_model_chat_template(self._model, None)),
        )

    def outputs(self) -> int:
        """Return the number of scores that a reranker's head gives, 0 without a head; reads the file once more."""
        if self.facts().pooling != RANK_POOLING or not _has_head(self._path):
            return 0
        count: int = c.llama_model_n_cls_out(self._model)
        return count

    def prepare(self, *, window: int, pooling: int, flash: bool, threads: int = 1) -> None:
        """Create the context; `limit` is then the maximum number of tokens per text."""
        limit = min(window, MAX_BATCH_TOKENS)
        batch = max(limit, min(256, MAX_BATCH_TOKENS))
        params = c.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = batch
        params.n_seq_max = _MAX_SEQUENCES
        params.kv_unified = True
        params.n_threads = params.n_threads_batch = threads
        params.embeddings = True
        params.pooling_type = pooling
        params.flash_attn_type = c.LLAMA_FLASH_ATTN_TYPE_ENABLED if flash else c.LLAMA_FLASH_ATTN_TYPE_DISABLED
        self._context = c.llama_init_from_model(self._model, params)
        if not self._context:
            raise UnusableModel(errors[0] if errors else "llama.cpp cannot make a context for the model")
        self.limit = limit
        # Of a head's scores the first one counts: it is the only one, or that of the label "yes".
        self._width = 1 if pooling == RANK_POOLING else c.llama_model_n_embd_out(self._model)
        self._batch = c.llama_batch_init(batch, self._width if self._pieces else 0, _MAX_SEQUENCES)
        self._room = (c.llama_token * (limit + 1))()
        # Encoders keep nothing between calls; decoders would otherwise attend to the previous texts.
        self._memory = c.llama_get_memory(self._context)
        self._run: Callable[[Any, Any], int] = c.llama_decode if self._memory else c.llama_encode

    def tokens(self, text: bytes) -> tuple[list[int], bool]:
        """Tokenise a text; also return whether it was truncated to `limit`."""
        whole, most = text, _TOKEN_BYTES * self.limit
        if len(text) > most:
            text = text[:most].decode("utf-8", "ignore").encode()
        if self._pieces is not None:
            ids, truncated = self._pieces.tokens(text.decode("utf-8", "replace"), self.limit)
            return ids, truncated or len(text) < len(whole)
        count = self._tokenize(text, self.limit)
        if count >= 0:
            # Without a single token there would be nothing to pool.
            return self._room[:count] or [0], len(text) < len(whole)
        room = (c.llama_token * -count)()
        count = c.llama_tokenize(self._vocab, text, len(text), room, -count, True, False)
        ids = room[:count]
        last = ids[-1]
        tokens = ids[: self.limit]
        if c.llama_vocab_get_add_eos(self._vocab) or c.llama_vocab_get_add_sep(self._vocab):
            tokens[-1] = last
        return tokens, True

    def parse(self, text: bytes, *, special: bool = False) -> list[int]:
        """Tokenise a part of a text without a limit; `special` only for text that no note has written."""
        room = (c.llama_token * (len(text) + 2))()
        count = c.llama_tokenize(self._vocab, text, len(text), room, len(room), False, special)
        return list(room[: max(0, count)])

    def borders(self) -> tuple[list[int], list[int], list[int]]:
        """Return the tokens before, between and after the two texts of a pair, as the vocabulary asks for them."""
        vocab = self._vocab
        ends = c.llama_vocab_eos(vocab) if c.llama_vocab_eos(vocab) >= 0 else c.llama_vocab_sep(vocab)
        begin = [c.llama_vocab_bos(vocab)] if c.llama_vocab_get_add_bos(vocab) else []
        end = [ends] if c.llama_vocab_get_add_eos(vocab) else []
        separate = [c.llama_vocab_sep(vocab)] if c.llama_vocab_get_add_sep(vocab) else []
        return begin, end + separate, end

    def rerank_template(self) -> str:
        """Return the model's template for a pair; empty without one."""
        return (c.llama_model_chat_template(self._model, b"rerank") or b"").decode("utf-8", "replace")

    def embed(self, texts: Sequence[Sequence[int]]) -> list[bytes]:
        """Return the vector of each text as float32 bytes, as the model computes it; of a reranker, the score."""
        found: list[bytes] = []
        while left := texts[len(found) :]:
            found += self._embed(left[: _count_together([len(ids) for ids in left])])
        return found

    def _embed(self, texts: Sequence[Sequence[int]]) -> list[bytes]:
        batch, k = self._batch, 0
        if self._pieces is not None:
            vectors = self._pieces.vectors([token for ids in texts for token in ids])
            ctypes.memmove(batch.embd, vectors.ctypes.data, vectors.nbytes)
        for sequence, ids in enumerate(texts):
            for position, token in enumerate(ids):
                if self._pieces is None:
                    batch.token[k] = token
                batch.pos[k] = position
                batch.n_seq_id[k] = 1
                batch.seq_id[k][0] = sequence
                batch.logits[k] = 1
                k += 1
        batch.n_tokens = k
        if self._memory:
            c.llama_memory_clear(self._memory, True)
        if code := self._run(self._context, batch):
            raise RuntimeError(f"llama.cpp answered {code}")
        return [self._vector(sequence) for sequence in range(len(texts))]

    def _vector(self, sequence: int) -> bytes:
        floats = c.llama_get_embeddings_seq(self._context, sequence)
        if not floats:
            raise RuntimeError("llama.cpp gave no vector")
        vector = ctypes.string_at(floats, 4 * self._width)
        return vector if self._pieces is None else self._pieces.centre(vector)

    def _tokenize(self, text: bytes, limit: int) -> int:
        # Special tokens are never parsed from the text: a note that says `[SEP]` means the letters.
        count: int = c.llama_tokenize(self._vocab, text, len(text), self._room, limit, True, False)
        return count


def _count_together(counts: Sequence[int]) -> int:
    """Return how many of the next texts go into one call: long ones singly, short ones together."""
    total = taken = 0
    for count in counts[:_MAX_SEQUENCES]:
        if taken and total + count > 128:
            break
        total, taken = total + count, taken + 1
    return taken
