"""The settings of the gardener."""

from bridge.records import dataclass
from bridge.settings.schema import setting


@dataclass(frozen=True, slots=True)
class GardenerSettings:
    """The settings of the gardener."""

    never: tuple[str, ...] = setting((), "Globs of notes that the gardener leaves alone, such as `Archive/**`.")
    garden_every_days: int = setting(
        0, "Days after which a new plan is made while nobody uses the bridge; 0 for never.", least=0, most=365
    )
    plans_keep_days: int = setting(
        30, "Days after which a plan goes to the trash when a new one is made; 0 for never.", least=0, most=36_500
    )
    cpu_s: int = setting(15, "Seconds of one processor that making a plan may take.", least=1, most=600)
