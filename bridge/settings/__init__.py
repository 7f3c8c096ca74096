"""The user's settings: one frozen record, one TOML file."""

from bridge.settings.file import change, keeping_rules, load
from bridge.settings.schema import SettingProblem, Settings, described

__all__ = ["SettingProblem", "Settings", "change", "described", "keeping_rules", "load"]
