"""The base of the records: structs of msgspec, whose methods are compiled in C."""

from abc import ABCMeta
from typing import dataclass_transform

from msgspec import Struct, StructMeta, field


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(Struct, frozen=True, forbid_unknown_fields=True):
    """A record whose fields do not change; those whose fields do are structs themselves."""


class AbstractRecord(StructMeta, ABCMeta):
    """The class of records with abstract methods."""
