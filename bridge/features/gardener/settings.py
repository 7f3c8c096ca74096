"""The settings of the gardener."""

from bridge.records import dataclass
from bridge.settings.schema import setting


@dataclass(frozen=True, slots=True)
class GardenerSettings:
    """The settings of the gardener."""

    never: tuple[str, ...] = setting((), "Globs of notes that the gardener leaves alone, such as `Archive/**`.")
    cpu_s: int = setting(15, "Seconds of one processor that the checks of a plan may take.", least=1, most=600)
