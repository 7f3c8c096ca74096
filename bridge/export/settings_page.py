"""The settings as a page for people."""

import json
from collections.abc import Sequence

from bridge.settings.schema import SECTIONS, SettingDescription, describe_settings

INTRODUCTION = """# Settings

The bridge keeps them in `settings.toml` in its data folder, for all vaults; an absent one has its default. Change them
in Obsidian's settings, with `vault-bridge change-settings --json-args FILE`, or in the file:

```toml
deny = ["Private/**"]
confirm_files = 50
```

A changed file takes effect within seconds. A line that does not fit is left out, and `read-settings` and `doctor` name
it; a rule (`deny`, `readonly`) that does not fit never opens a note: see [SECURITY.md](SECURITY.md#rules).

This page is written by `python -m bridge.export`.

"""
HEAD = "| setting | type | default | meaning |\n|---|---|---|---|\n"


def settings_page() -> str:
    known = describe_settings()
    own = "".join(f"{setting_row(setting)}\n" for setting in known if "." not in setting.name)
    return INTRODUCTION + HEAD + own + "".join(section_part(name, known) for name in SECTIONS)


def section_part(name: str, known: Sequence[SettingDescription]) -> str:
    rows = "".join(f"{setting_row(one)}\n" for one in known if one.name.startswith(f"{name}."))
    return f"\n## {name.capitalize()}\n\nIn the section `[{name}]`, without the name before the dot.\n\n{HEAD}{rows}"


def setting_row(setting: SettingDescription) -> str:
    default = json.dumps(setting.default)
    restart = " Takes effect after a restart." if setting.restart else ""
    return f"| `{setting.name}` | {setting_values(setting)} | `{default}` | {setting.meaning}{restart} |"


def setting_values(setting: SettingDescription) -> str:
    kind = setting.type.replace("'", "`").replace(" | ", ", ")
    if setting.least is None or setting.most is None:
        return kind
    return f"{kind}, {setting.least:,} to {setting.most:,}"
