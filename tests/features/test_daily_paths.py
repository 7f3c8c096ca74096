"""Where daily notes lie, and which day is meant."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime

import pytest

from bridge.errors import BridgeError, InvalidArguments, OutsideVault, ProtectedPath
from bridge.features.notes.daily import time_on_day
from bridge.vault.obsidian_settings import ObsidianSettings, daily_path

DAY = date(2026, 1, 5)


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return what puts this process into a time zone."""

    def enter(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield enter
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        (ObsidianSettings(), "2026-01-05.md"),
        (ObsidianSettings(daily_folder="Daily"), "Daily/2026-01-05.md"),
        (ObsidianSettings(daily_folder="D", daily_format="YYYY/MM-MMMM/D. dddd"), "D/2026/01-January/5. Monday.md"),
        (ObsidianSettings(daily_format="/[Journal] GGGG-[W]WW.[md]"), "Journal 2026-W02.md"),
        (ObsidianSettings(daily_format="YYYY年M月D日"), "2026年1月5日.md"),
    ],
)
def test_a_daily_note_lies_where_the_vault_says(settings: ObsidianSettings, path: str) -> None:
    assert daily_path(settings, DAY) == path


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        ("YYYY-MM-DD z", InvalidArguments),
        ("[]", InvalidArguments),
        ("/", InvalidArguments),
        ("[../]YYYY", OutsideVault),
        ("[.obsidian/]YYYY", ProtectedPath),
    ],
)
def test_a_format_that_names_no_note_is_refused(pattern: str, error: type[BridgeError]) -> None:
    with pytest.raises(error):
        daily_path(ObsidianSettings(daily_format=pattern), DAY)


def test_the_time_of_another_day_is_that_of_now(zone: Callable[[str], None]) -> None:
    zone("Europe/Berlin")
    now = datetime(2026, 3, 27, 1, 30, tzinfo=UTC)
    assert time_on_day(date(2026, 7, 1), now).isoformat() == "2026-07-01T02:30:00+02:00"
    # 02:30 is left out on the 29th, 00:30 on a day in Chile.
    assert time_on_day(date(2026, 3, 29), now).isoformat() == "2026-03-29T03:30:00+02:00"
    zone("America/Santiago")
    now = datetime(2026, 7, 1, 4, 30, tzinfo=UTC)
    assert time_on_day(date(2026, 9, 6), now).isoformat() == "2026-09-06T01:30:00-03:00"
