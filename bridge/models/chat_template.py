"""Renders the chat template of a model's file, and keeps the template's own text apart from what the messages say.

The template is a foreign program: it runs in Jinja's sandbox, in a process that can be killed.
"""

import itertools
import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NoReturn

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bridge.records import dataclass


class UnusableTemplate(Exception):
    """The template cannot be rendered, or drops what the messages say."""


class _TemplateRefusal(Exception):
    """The template refuses the messages."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a prompt: text of the template, in which special tokens count, or content, in which they do not."""

    text: str
    is_content: bool


class ChatTemplate:
    """A compiled chat template."""

    def __init__(self, source: str, *, bos: str, eos: str) -> None:
        """Compile a template."""
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

    def render(self, messages: Sequence[Mapping[str, str]]) -> list[Part]:
        """Return the prompt that asks for the next message."""
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

    def _render(self, messages: Sequence[Mapping[str, str]]) -> list[Part]:
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
            Part(messages[int(piece)]["content"], is_content=True) if odd else Part(piece, is_content=False)
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
