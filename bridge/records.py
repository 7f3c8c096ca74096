"""Dataclasses whose methods are compiled when they are first called.

`dataclasses` compiles six methods for each class, which took almost half of the time in which the bridge is imported;
most classes are not used before the first answer.
"""

import copy
import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, Never, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  # so that checkers know it for what it replaces
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        eq: bool = True,
        frozen: bool = False,
        slots: bool = False,
        kw_only: bool = False,
    ) -> Any:
        """Make a class a dataclass, with the methods that the one of the standard library would have."""

        def process(cls: type) -> type:
            # Python itself adds an empty `__hash__` where there is an `__eq__`.
            own = frozenset(name for name, value in vars(cls).items() if value is not None)
            record = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
            postpone_methods(record, own, eq=eq, frozen=frozen)
            if frozen:
                record.__setattr__, record.__delattr__ = refuse_assignment, refuse_deletion
                if slots:
                    # Otherwise a copy would be made by assignments.
                    record.__getstate__, record.__setstate__ = field_values, restore_fields
            return record

        return process if cls is None else process(cls)


T = TypeVar("T")


def build_records(record: type[T], count: int, columns: Mapping[str, Iterable[Any]]) -> list[T]:
    """Return many records with slots, in a third of the time that calling the class takes; defaults do not apply."""
    built = [*map(object.__new__, repeat(record, count))]
    for name, values in columns.items():
        deque(map(getattr(record, name).__set__, built, values), maxlen=0)
    return built


COMPARING: Final = ("__eq__", "__hash__")


def postpone_methods(record: Any, own: frozenset[str], *, eq: bool, frozen: bool) -> None:
    names = ["__init__", "__repr__", *(COMPARING if eq else ())]
    if eq and not frozen:
        names.remove("__hash__")
        if "__hash__" not in own:
            record.__hash__ = None
    for name in names:
        if name not in own:
            setattr(record, name, first_call(record, name, frozen=frozen))


def first_call(record: Any, name: str, *, frozen: bool) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **given: Any) -> Any:
        compiled = compile_method(record, name, frozen=frozen)
        setattr(record, name, compiled)
        return compiled(self, *args, **given)

    method.__name__ = name
    return method


def compile_method(record: Any, name: str, *, frozen: bool) -> Callable[..., Any]:
    if name == "__init__":
        return compile_init(record)
    model = dataclasses.make_dataclass(
        record.__name__,
        [(field.name, field.type, copy.copy(field)) for field in dataclasses.fields(record)],
        # One without a description would be described by its signature, which takes as long again.
        namespace={"__doc__": record.__doc__},
        init=False,
        repr=name == "__repr__",
        eq=name in COMPARING,
        frozen=frozen,
    )
    compiled: Callable[..., Any] = getattr(model, name)
    return compiled


ABSENT: Final = object()
"""Stands for an argument that was not given."""


def compile_init(record: Any) -> Callable[..., Any]:
    known: dict[str, Any] = {"_assign": object.__setattr__, "_absent": ABSENT}
    parameters, named, lines = ["self"], list[str](), list[str]()
    for field in dataclasses.fields(record):
        name, given, value = field.name, field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            known[f"_{name}"] = field.default_factory
            given, value = f"{name}=_absent", f"_{name}() if {name} is _absent else {name}"
        elif field.default is not dataclasses.MISSING:
            known[f"_{name}"] = field.default
            given = f"{name}=_{name}"
        if field.init:
            (named if field.kw_only else parameters).append(given)
        elif given == name:
            continue
        else:
            value = f"_{name}" if field.default_factory is dataclasses.MISSING else f"_{name}()"
        lines.append(f" _assign(self, {name!r}, {value})")
    if hasattr(record, "__post_init__"):
        lines.append(" self.__post_init__()")
    signature = ", ".join([*parameters, *(["*", *named] if named else [])])
    exec("\n".join([f"def __init__({signature}):", *(lines or [" pass"])]), known)  # noqa: S102 - as `dataclasses` does
    compiled: Callable[..., Any] = known["__init__"]
    compiled.__qualname__ = f"{record.__qualname__}.__init__"
    return compiled


def refuse_assignment(_: object, name: str, __: object) -> Never:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_deletion(_: object, name: str) -> Never:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def field_values(record: Any) -> list[Any]:
    return [getattr(record, field.name) for field in dataclasses.fields(record)]


def restore_fields(record: Any, values: Sequence[Any]) -> None:
    for field, value in zip(dataclasses.fields(record), values, strict=True):
        object.__setattr__(record, field.name, value)
