"""Forecasts of the vault's counts in the form of results."""

from dataclasses import asdict

from bridge.changes.forecast import Forecast
from bridge.records import dataclass


@dataclass(frozen=True, slots=True)
class CountForecast:
    """A count of the vault before and after a change.

    Attributes:
        name: What is counted: `notes`, `links`, `orphans`, `dangling` links, `tags`, `properties`, or the notes of one
            `tag …` or `property …`.
        before: Before it.
        after: After it.
    """

    name: str
    before: int
    after: int


def describe_forecast(forecast: Forecast | None) -> tuple[CountForecast, ...]:
    if forecast is None:
        return ()
    before, after = asdict(forecast.before), asdict(forecast.after)
    return (
        *(CountForecast(name, before[name], after[name]) for name in before if before[name] != after[name]),
        *(CountForecast(f"tag {one.name}", one.before, one.after) for one in forecast.tags),
        *(CountForecast(f"property {one.name}", one.before, one.after) for one in forecast.properties),
    )
