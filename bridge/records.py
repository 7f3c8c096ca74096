"""The base of the records: structs of msgspec, whose methods are compiled in C."""

from abc import ABCMeta
from typing import Any, dataclass_transform

from msgspec import NODEFAULT, Struct, StructMeta, field
from msgspec.structs import fields


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(Struct, frozen=True):
    """A record whose fields do not change; those whose fields do are structs themselves."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: Any) -> Any:
        """Tell pydantic, which checks arguments and describes results, what the fields are."""
        from pydantic_core import core_schema

        described = []
        for one in fields(cls):
            schema = handler.generate_schema(one.type)
            if not one.required:
                absent = {"default": one.default} if one.default is not NODEFAULT else {}
                made = {} if absent else {"default_factory": one.default_factory}
                schema = core_schema.with_default_schema(schema, **absent, **made)
            described.append(
                core_schema.dataclass_field(one.name, schema, kw_only=True, validation_alias=one.encode_name)
            )
        taken = core_schema.dataclass_args_schema(cls.__name__, described, extra_behavior="forbid")
        return core_schema.no_info_after_validator_function(
            lambda given: cls(**given[0]), taken, ref=f"{cls.__module__}.{cls.__qualname__}:{id(cls)}"
        )


class AbstractRecord(StructMeta, ABCMeta):
    """The class of records with abstract methods."""
