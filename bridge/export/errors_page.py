"""The errors as a page for people."""

import inspect
from collections import defaultdict
from collections.abc import Iterator, Mapping

import bridge.errors
from bridge.api.registry import ANY_ERRORS, PATH_ERRORS, VAULT_ERRORS
from bridge.docstrings import docstring_of
from bridge.errors import BridgeError
from bridge.export.openapi import COMMON_ERRORS
from bridge.features import operations

INTRODUCTION = """# Errors

Every error has the form `{"error": {"code", "message", "hint", …}}`; an operation may add fields. Programs act on
`code`, which never changes. `message` says what went wrong, and `hint` the way out: the one below unless the case has a
better one. The status is that of the HTTP answer.

This page is written by `python -m bridge.export`.
"""

GENERAL = {
    "any call": {error.__name__ for error in COMMON_ERRORS} | {*ANY_ERRORS},
    "any operation on a vault": {*VAULT_ERRORS},
    "any operation that takes a path": {*PATH_ERRORS},
}
"""The errors that operations need not name, by who raises them."""


def errors_page() -> str:
    codes = classes_by_code()
    listing = "\n".join(f"- [`{code}`](#{code})" for code in codes)
    return "\n".join(
        [INTRODUCTION, listing, "", *("\n".join(describe_code(code, held)) for code, held in codes.items())]
    )


def classes_by_code() -> Mapping[str, tuple[type[BridgeError], ...]]:
    found: defaultdict[str, list[type[BridgeError]]] = defaultdict(list)
    for error in sorted(error_classes(), key=lambda error: error.status):
        found[error.code].append(error)
    return {code: tuple(classes) for code, classes in found.items()}


def error_classes() -> Iterator[type[BridgeError]]:
    """Yield every error that can be raised, in the order of the module; not those that only have others below them."""
    for error in vars(bridge.errors).values():
        if inspect.isclass(error) and issubclass(error, BridgeError) and error is not BridgeError:
            is_group = BridgeError in error.__bases__ and bool(error.__subclasses__())
            if not is_group:
                yield error


def describe_code(code: str, classes: tuple[type[BridgeError], ...]) -> Iterator[str]:
    yield f"## {code}\n"
    yield "| status | when | way out |"
    yield "|---|---|---|"
    yield from (f"| {error.status} | {describe_case(error)} | {error.hint} |" for error in classes)
    yield ""
    yield "Raised by:\n"
    yield from list_raisers(classes) or ("- no operation in particular",)
    yield ""


def describe_case(error: type[BridgeError]) -> str:
    return docstring_of(error)


def list_raisers(classes: tuple[type[BridgeError], ...]) -> list[str]:
    names = {error.__name__ for error in classes}
    everywhere = [f"- {who}" for who, implied in GENERAL.items() if names & implied]
    general_cases = {describe_case(error) for error in classes} if everywhere else set()
    found: defaultdict[str, list[str]] = defaultdict(list)
    for operation in operations():
        for error, when in operation.errors.items():
            if error in classes and when not in general_cases:
                found[when].append(f"[`{operation.name}`](operations.md#{operation.name})")
    return [*everywhere, *(f"- {', '.join(links)}: {when}" for when, links in found.items())]
