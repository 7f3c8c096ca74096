"""The process that owns a chat model: reads requests on stdin, writes its answers to stdout as they come.

Native code may abort and templates may run forever; then only this process ends. Nothing but frames goes to stdout.
A second thread reads requests, so that a cancellation counts in the middle of a call to llama.cpp.
"""

import codecs
import contextlib
import ctypes
import itertools
import json
import queue
import re
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import jinja2
import numpy as np
import psutil
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bridge.models import llama
from bridge.models.llama import c
from bridge.models.worker import claim_stdout
from bridge.models.worker_process import ChatTask, Frame, read_frame, write_frame
from bridge.priority import lower_priority
from bridge.records import Record


class UnusableTemplate(Exception):
    """The template cannot be rendered, or drops what the messages say."""


class _TemplateRefusal(Exception):
    """The template refuses the messages."""


class PromptPart(Record):
    """A piece of a prompt: text of the template, in which special tokens count, or content, in which they do not."""

    text: str
    is_content: bool


class ChatTemplate:
    """A compiled chat template."""

    def __init__(self, source: str, *, bos: str, eos: str) -> None:
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"], autoescape=False
        )
        environment.globals.update(
            bos_token=bos, eos_token=eos, raise_exception=_refuse, strftime_now=datetime.now().astimezone().strftime
        )
        try:
            self._template = environment.from_string(source)
        except jinja2.TemplateError as error:
            raise UnusableTemplate(f"its chat template cannot be read: {error}") from None

    def render(self, messages: Sequence[Mapping[str, str]]) -> list[PromptPart]:
        try:
            return self._render(messages)
        except _TemplateRefusal as refusal:
            if merged := _without_system(messages):
                try:
                    return self._render(merged)
                except _TemplateRefusal:
                    pass
            raise UnusableTemplate(f"its chat template refuses the messages: {refusal}") from None

    def knows_tools(self) -> bool:
        """Return whether the template shows the result of a tool that the model called."""
        roles = ("system", "user", "assistant", "tool")
        try:
            self.render([{"role": role, "content": role} for role in roles])
        except UnusableTemplate:
            return False
        return True

    def _render(self, messages: Sequence[Mapping[str, str]]) -> list[PromptPart]:
        # Contents stand in as marks that no template can know, so its own text is what is between them.
        nonce = secrets.token_hex(8)
        marks = [f"mark{nonce}x{place}x" for place in range(len(messages))]
        shown = [{**message, "content": mark} for message, mark in zip(messages, marks, strict=True)]
        try:
            text = self._template.render(
                messages=shown, add_generation_prompt=True, enable_thinking=False, tools=None, documents=None
            )
        except _TemplateRefusal:
            raise
        except Exception as error:  # noqa: BLE001 - a foreign program may raise anything
            raise UnusableTemplate(f"its chat template fails: {type(error).__name__}: {error}") from None
        pieces = re.split(f"mark{nonce}x([0-9]+)x", text)
        if missing := set(range(len(messages))).difference(map(int, pieces[1::2])):
            raise UnusableTemplate(
                f"its chat template leaves out a message of the role {messages[min(missing)]['role']}"
            )
        parts = [
            PromptPart(messages[int(piece)]["content"], is_content=True) if odd else PromptPart(piece, is_content=False)
            for odd, piece in zip(itertools.cycle((False, True)), pieces, strict=False)
        ]
        return [part for part in parts if part.text]


def _refuse(message: str) -> NoReturn:
    raise _TemplateRefusal(message)


def _without_system(messages: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return the messages with the system's put before the user's first; empty if there is none to move."""
    if len(messages) < 2 or messages[0]["role"] != "system":
        return []
    system, first, *others = messages
    return [{**first, "content": f"{system['content']}\n\n{first['content']}"}, *others]


BATCH_TOKENS = 256
"""Tokens of a prompt that are read per call: a call that is aborted loses at most these."""

_CANDIDATES = 40
_REPEAT_WINDOW, _REPEAT_PENALTY = 64, 1.1
_TOP_P, _MIN_P = 0.95, 0.05
_SPECIAL_TOKENS = c.LLAMA_TOKEN_ATTR_CONTROL | c.LLAMA_TOKEN_ATTR_UNKNOWN | c.LLAMA_TOKEN_ATTR_USER_DEFINED
_ABORT_CODE = 2
_BYTES_PER_VALUE = 2
_WORKING_BYTES = 150 << 20
_CANDIDATE = np.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])


class Cancellation(Exception):
    """The caller no longer wants the answer."""


class InvalidGrammar(Exception):
    """llama.cpp cannot read the grammar."""


class ChatModel:
    """A loaded model with one context."""

    def __init__(self, task: ChatTask) -> None:
        path = Path(task.path)
        self._model, self._vocab = llama.load(path, mmap=task.mmap)
        if not llama.generates(self._model):
            raise llama.UnusableModel("it embeds texts and cannot write any")
        self.window = min(task.window, c.llama_model_n_ctx_train(self._model) or task.window)
        self.parameters = int(c.llama_model_n_params(self._model))
        self._refuse_if_too_large(path)
        params = c.llama_context_default_params()
        params.n_ctx = self.window
        params.n_batch = params.n_ubatch = BATCH_TOKENS
        params.n_seq_max = 1
        params.n_threads = params.n_threads_batch = task.threads
        params.flash_attn_type = c.LLAMA_FLASH_ATTN_TYPE_ENABLED if task.flash else c.LLAMA_FLASH_ATTN_TYPE_DISABLED
        self._context: Any = c.llama_init_from_model(self._model, params)
        if not self._context:
            raise llama.UnusableModel(llama.errors[0] if llama.errors else "there is no memory for its context")
        self._memory = c.llama_get_memory(self._context)
        self._batch = c.llama_batch_init(BATCH_TOKENS, 0, 1)
        self._size = c.llama_vocab_n_tokens(self._vocab)
        self._kept: list[int] = []

    def stop_when(self, cancelled: Callable[[], bool]) -> None:
        """Ask this function during each call to llama.cpp whether to abort it."""
        # llama.cpp keeps only the address: the callback must live as long as the context.
        self._callback = c.ggml_abort_callback(lambda _data: cancelled())
        c.llama_set_abort_callback(self._context, self._callback, None)

    def tokens(self, parts: Sequence[PromptPart]) -> list[int]:
        """Tokenise a rendered prompt; contents never become special tokens, whatever they say."""
        found: list[int] = []
        for part in parts:
            found += self._plain(part.text) if part.is_content else self._tokenize(part.text, special=True)
        if c.llama_vocab_get_add_bos(self._vocab) and found[:1] != [c.llama_vocab_bos(self._vocab)]:
            found.insert(0, c.llama_vocab_bos(self._vocab))
        return found

    def read(self, tokens: Sequence[int]) -> int:
        """Read a prompt, and return how many of its tokens were still known from the last one."""
        same = 0
        for kept, token in zip(self._kept, tokens[:-1], strict=False):
            if kept != token:
                break
            same += 1
        same = self._forget_after(same)
        for start in range(same, len(tokens), BATCH_TOKENS):
            self._decode(tokens[start : start + BATCH_TOKENS])
        return same

    def generate(self, sampler: "Sampler", most: int) -> Iterator[bytes]:
        """Continue what was read, and yield the bytes of each token, `most` of them or fewer."""
        for _ in range(most):
            logits = np.ctypeslib.as_array(c.llama_get_logits_ith(self._context, -1), shape=(self._size,))
            token = sampler.sample(logits)
            if c.llama_vocab_is_eog(self._vocab, token):
                sampler.ended = True
                return
            yield self._piece(token)
            self._decode([token])

    def sampler(self, *, temperature: float, seed: int, grammar: str) -> "Sampler":
        return Sampler(self._vocab, self._size, temperature=temperature, seed=seed, grammar=grammar)

    def template(self) -> str:
        """Return the chat template in the file; empty without one."""
        found = c.llama_model_chat_template(self._model, None)
        return found.decode("utf-8", "replace") if found else ""

    def text_of(self, token: int) -> str:
        """Return the text of a special token, such as the beginning of a sequence; empty without such a token."""
        return self._piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    def borders(self) -> tuple[str, str]:
        """Return the texts of the tokens that begin and end a sequence, which templates may name."""
        return self.text_of(c.llama_vocab_bos(self._vocab)), self.text_of(c.llama_vocab_eos(self._vocab))

    def _refuse_if_too_large(self, path: Path) -> None:
        # A context is reserved whole; weights that are mapped would be read again and again without room for them.
        heads, kept = c.llama_model_n_head(self._model) or 1, c.llama_model_n_head_kv(self._model)
        row = c.llama_model_n_embd(self._model) // heads * kept * 2 * _BYTES_PER_VALUE
        needed = path.stat().st_size + self.window * c.llama_model_n_layer(self._model) * row + _WORKING_BYTES
        free = psutil.virtual_memory().available
        if needed > free:
            raise llama.UnusableModel(
                f"it needs {needed / 1e9:.1f} GB of memory with a window of {self.window} tokens,"
                f" and {free / 1e9:.1f} GB are free"
            )

    def _decode(self, tokens: Sequence[int]) -> None:
        batch, at = self._batch, len(self._kept)
        for k, token in enumerate(tokens):
            batch.token[k] = token
            batch.pos[k] = at + k
            batch.n_seq_id[k] = 1
            batch.seq_id[k][0] = 0
            batch.logits[k] = k == len(tokens) - 1
        batch.n_tokens = len(tokens)
        if code := c.llama_decode(self._context, batch):
            self._forget_after(at)
            if code == _ABORT_CODE:
                raise Cancellation
            raise RuntimeError(f"llama.cpp answered {code}")
        self._kept += tokens

    def _forget_after(self, count: int) -> int:
        # Recurrent models cannot forget a part: they read everything again.
        if not c.llama_memory_seq_rm(self._memory, 0, count, -1):
            c.llama_memory_clear(self._memory, True)
            count = 0
        del self._kept[count:]
        return count

    def _plain(self, text: str) -> list[int]:
        found = self._tokenize(text, special=False)
        # Tokens that a model's maker defined are recognised in any text: such a text is split inside them.
        for token in found:
            if c.llama_vocab_get_attr(self._vocab, token) & _SPECIAL_TOKENS:
                name = self.text_of(token)
                at = text.find(name)
                if at >= 0 and len(name) > 1 and not name.isspace():
                    return self._plain(text[: at + 1]) + self._plain(text[at + 1 :])
        return found

    def _tokenize(self, text: str, *, special: bool) -> list[int]:
        raw = text.encode("utf-8", "replace")
        if not raw:
            return []
        room = (c.llama_token * 0)()
        while (count := c.llama_tokenize(self._vocab, raw, len(raw), room, len(room), False, special)) < 0:
            room = (c.llama_token * -count)()
        return list(room[:count])

    def _piece(self, token: int, *, special: bool = False) -> bytes:
        room = ctypes.create_string_buffer(512)
        count = c.llama_token_to_piece(self._vocab, token, room, len(room), 0, special)
        return room.raw[: max(0, count)]


class Sampler:
    """Chooses the tokens of one answer: the most likely ones, and of those what the grammar allows."""

    def __init__(self, vocab: Any, size: int, *, temperature: float, seed: int, grammar: str) -> None:
        self.ended = False
        """Whether the model ended its answer by itself."""
        self._size = size
        self._free: list[Any] = []
        self._grammar: Any = None
        if grammar:
            self._grammar = c.llama_sampler_init_grammar(vocab, grammar.encode(), b"root")
            if not self._grammar:
                raise InvalidGrammar(llama.errors[-1] if llama.errors else "llama.cpp cannot read the grammar")
        self._chain = c.llama_sampler_chain_init(c.llama_sampler_chain_default_params())
        self._add(c.llama_sampler_init_penalties(size, _REPEAT_WINDOW, _REPEAT_PENALTY, 0.0, 0.0))
        if temperature > 0:
            self._add(c.llama_sampler_init_top_p(_TOP_P, 1))
            self._add(c.llama_sampler_init_min_p(_MIN_P, 1))
            self._add(c.llama_sampler_init_temp(temperature))
            self._add(c.llama_sampler_init_dist(seed))
        else:
            self._add(c.llama_sampler_init_greedy())

    def sample(self, logits: np.ndarray) -> int:
        """Choose the next token.

        The grammar looks at the chosen token first, then at the likely ones, and only if it refuses all of them at the
        whole vocabulary: that takes ten times as long as a token of a small model.
        """
        few = (
            np.argpartition(logits, -_CANDIDATES)[-_CANDIDATES:] if self._size > _CANDIDATES else np.arange(self._size)
        )
        token = self._choose(few, logits[few])
        if self._grammar is not None and not self._allows([token]).size:
            allowed = self._allows(few)
            if not allowed.size:
                allowed = self._allows(np.arange(self._size))
            token = self._choose(allowed, logits[allowed])
        if self._grammar is not None:
            c.llama_sampler_accept(self._grammar, token)
        c.llama_sampler_accept(self._chain, token)
        return token

    def close(self) -> None:
        c.llama_sampler_free(self._chain)
        if self._grammar is not None:
            c.llama_sampler_free(self._grammar)

    def _add(self, sampler: Any) -> None:
        c.llama_sampler_chain_add(self._chain, sampler)

    def _choose(self, ids: Any, logits: Any) -> int:
        candidates, array = _candidates(ids, logits)
        c.llama_sampler_apply(self._chain, ctypes.byref(array))
        chosen = ctypes.cast(array.data, ctypes.POINTER(c.llama_token_data))[array.selected]
        del candidates
        return int(chosen.id)

    def _allows(self, ids: Any) -> np.ndarray:
        candidates, array = _candidates(ids, np.zeros(len(ids), np.float32))
        c.llama_sampler_apply(self._grammar, ctypes.byref(array))
        allowed: np.ndarray = candidates["id"][np.isfinite(candidates["logit"])].astype(np.int64)
        return allowed


def _candidates(ids: Any, logits: Any) -> tuple[np.ndarray, Any]:
    candidates = np.empty(len(ids), _CANDIDATE)
    candidates["id"], candidates["logit"], candidates["p"] = ids, logits, 0.0
    data = candidates.ctypes.data_as(ctypes.POINTER(c.llama_token_data))
    return candidates, c.llama_token_data_array(data=data, size=len(ids), selected=-1, sorted=False)


_OPENING_TAG, _CLOSING_TAG = "<think>", "</think>"


class AnswerStream:
    """The text of one answer."""

    def __init__(self, stop: Sequence[str], *, thinking: bool = False) -> None:
        self.stopped = False
        """Whether a stop string was found: nothing after it counts."""
        self._stop = tuple(text for text in stop if text)
        self._thinking = thinking
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def feed(self, raw: bytes, *, final: bool = False) -> Iterator[dict[str, str]]:
        """Add bytes, and yield the text that is certain by now: until the end, a marker may have begun."""
        self._held += self._decoder.decode(raw, final)
        while self._held and not self.stopped:
            markers = (_CLOSING_TAG,) if self._thinking else (_OPENING_TAG, *self._stop)
            at, marker = min(((place, m) for m in markers if (place := self._held.find(m)) >= 0), default=(-1, ""))
            end = at if marker else len(self._held) - (0 if final else _tail(self._held, markers))
            if text := self._held[:end]:
                yield {"thinking" if self._thinking else "piece": text}
            self._held = self._held[end + len(marker) :]
            if not marker:
                return
            if marker in (_OPENING_TAG, _CLOSING_TAG):
                self._thinking = marker == _OPENING_TAG
            else:
                self.stopped = True


def _tail(text: str, markers: Sequence[str]) -> int:
    longest = max(map(len, markers)) - 1
    return next(
        (size for size in range(min(longest, len(text)), 0, -1) if any(m.startswith(text[-size:]) for m in markers)), 0
    )


_PLAIN_TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n\n{% endfor %}assistant:"


def main() -> None:
    """Serve one bridge over the standard streams until it closes them."""
    replies = claim_stdout()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lower_priority()
    with contextlib.suppress(BrokenPipeError):
        _serve(ChatTask(**json.loads(sys.argv[1])), sys.stdin.buffer, replies)


def _serve(task: ChatTask, requests: BinaryIO, replies: BinaryIO) -> None:
    try:
        model = ChatModel(task)
        bos, eos = model.borders()
        template = ChatTemplate(model.template() or _PLAIN_TEMPLATE, bos=bos, eos=eos)
    except (llama.UnusableModel, UnusableTemplate, RuntimeError) as error:
        write_frame(replies, Frame({"failed": str(error)}))
        return
    traits = {"window": model.window, "parameters": model.parameters, "knows_tools": template.knows_tools()}
    write_frame(replies, Frame(traits))
    inbox = _Inbox(requests)
    model.stop_when(inbox.is_cancelled)
    for request in inbox.requests():
        for head in _answer(model, template, request, inbox):
            write_frame(replies, Frame({"id": request["id"], **head}))


class _Inbox:
    """Reads requests and cancellations in a thread of its own."""

    def __init__(self, stream: BinaryIO) -> None:
        self._waiting: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._current = -1
        self._ended = False
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield each request in turn, until the bridge closes the stream."""
        while (request := self._waiting.get()) is not None:
            self._current = request["id"]
            yield request
            self._cancelled.discard(request["id"])

    def is_cancelled(self) -> bool:
        return self._ended or self._current in self._cancelled

    def _read(self, stream: BinaryIO) -> None:
        while (frame := read_frame(stream)) is not None:
            if "cancel" in frame.head:
                self._cancelled.add(frame.head["cancel"])
            else:
                self._waiting.put(dict(frame.head))
        self._ended = True
        self._waiting.put(None)


def _answer(
    model: ChatModel, template: ChatTemplate, request: Mapping[str, Any], inbox: _Inbox
) -> Iterator[dict[str, Any]]:
    began = time.perf_counter()
    try:
        parts = template.render(request["messages"])
        tokens = model.tokens(parts)
        room = model.window - len(tokens)
        if room < 1:
            yield {"too_long": len(tokens), "window": model.window}
            return
        sampler = model.sampler(temperature=request["temperature"], seed=request["seed"], grammar=request["grammar"])
    except UnusableTemplate as error:
        yield {"failed": str(error)}
        return
    except InvalidGrammar as error:
        yield {"failed": f"its grammar cannot be used: {error}"}
        return
    counts = {"tokens_in": len(tokens), "tokens_kept": 0, "tokens_out": 0}
    read = 0.0
    reason = "cancelled"
    try:
        counts["tokens_kept"] = model.read(tokens)
        read = time.perf_counter() - began
        yield {"read": counts["tokens_in"], "kept": counts["tokens_kept"]}
        thinks = bool(parts) and not parts[-1].is_content and parts[-1].text.rstrip().endswith(_OPENING_TAG)
        stream = AnswerStream(request["stop"], thinking=thinks)
        for raw in model.generate(sampler, min(request["most"], room)):
            counts["tokens_out"] += 1
            yield from stream.feed(raw)
            if stream.stopped or inbox.is_cancelled():
                break
        yield from stream.feed(b"", final=True)
        ended = sampler.ended or stream.stopped
        reason = "stop" if ended else "cancelled" if inbox.is_cancelled() else "length"
    except Cancellation:
        pass
    finally:
        sampler.close()
    whole = time.perf_counter() - began
    yield {
        "done": reason,
        **counts,
        "prompt_ms": round(1000 * (read or whole)),
        "answer_ms": round(1000 * (whole - read)) if read else 0,
    }


if __name__ == "__main__":
    main()
