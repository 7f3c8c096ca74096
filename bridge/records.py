"""Dataclasses whose methods are compiled when they are first called.

`dataclasses` compiles six methods for each class, which took almost half of the time in which the bridge is imported;
most classes are not used before the first answer.
"""

import copy
import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Never

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
        """Make a class a dataclass, with the methods that the one of the standard library would have.

        Args:
            cls: The class.
            eq: Whether records with equal fields are equal.
            frozen: Whether fields cannot be changed.
            slots: Whether it has no other attributes.
            kw_only: Whether fields are given by name only.
        """

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


COMPARING: Final = ("__eq__", "__hash__")


def postpone_methods(record: Any, own: frozenset[str], *, eq: bool, frozen: bool) -> None:
    """Give a record the methods that it does not define itself."""
    names = ["__init__", "__repr__", *(COMPARING if eq else ())]
    if eq and not frozen:
        names.remove("__hash__")
        if "__hash__" not in own:
            record.__hash__ = None
    for name in names:
        if name not in own:
            setattr(record, name, first_call(record, name, frozen=frozen))


def first_call(record: Any, name: str, *, frozen: bool) -> Callable[..., Any]:
    """Return a method that replaces itself by the compiled one when it is called."""

    def method(self: Any, *args: Any, **given: Any) -> Any:
        compiled = compile_method(record, name, frozen=frozen)
        setattr(record, name, compiled)
        return compiled(self, *args, **given)

    method.__name__ = name
    return method


def compile_method(record: Any, name: str, *, frozen: bool) -> Callable[..., Any]:
    """Return a method as `dataclasses` makes it for a class with the same fields."""
    model = dataclasses.make_dataclass(
        record.__name__,
        [(field.name, field.type, copy.copy(field)) for field in dataclasses.fields(record)],
        namespace={"__post_init__": None} if hasattr(record, "__post_init__") else None,
        init=name == "__init__",
        repr=name == "__repr__",
        eq=name in COMPARING,
        frozen=frozen,
    )
    compiled: Callable[..., Any] = getattr(model, name)
    return compiled


def refuse_assignment(_: object, name: str, __: object) -> Never:
    """Refuse to change a frozen record."""
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_deletion(_: object, name: str) -> Never:
    """Refuse to change a frozen record."""
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def field_values(record: Any) -> list[Any]:
    """Return what a copy of a frozen record is made from."""
    return [getattr(record, field.name) for field in dataclasses.fields(record)]


def restore_fields(record: Any, values: Sequence[Any]) -> None:
    """Set the fields of a copy of a frozen record."""
    for field, value in zip(dataclasses.fields(record), values, strict=True):
        object.__setattr__(record, field.name, value)
