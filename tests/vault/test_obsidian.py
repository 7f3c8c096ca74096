import json
import os
from pathlib import Path

import pytest

from bridge.markdown.tasks import TaskSettings, TaskStatus
from bridge.vault.obsidian_settings import ObsidianSettings, read_obsidian_settings


def write(root: Path, **files: object) -> None:
    for name, content in files.items():
        path = root / ".obsidian" / f"{name.replace('__', '/').replace('_', '-')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def test_without_settings_obsidians_defaults_count(tmp_path: Path) -> None:
    assert read_obsidian_settings(tmp_path) == ObsidianSettings()


def test_settings_are_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        app={
            "userIgnoreFilters": ["_assets/", "/draft/", 3],
            "newLinkFormat": "relative",
            "useMarkdownLinks": True,
            "trashOption": "local",
        },
        daily_notes={"folder": "/Daily/", "format": "YYYY/MM-DD", "template": "Templates/Day"},
        templates={"folder": "Templates"},
        types={"types": {"due": "date", "odd": 3}},
    )
    assert read_obsidian_settings(tmp_path) == ObsidianSettings(
        ignored=("_assets/", "/draft/"),
        new_link_format="relative",
        markdown_links=True,
        trash="local",
        template_folder="Templates",
        daily_folder="Daily",
        daily_format="YYYY/MM-DD",
        daily_template="Templates/Day.md",  # type: ignore[arg-type]
        property_types={"due": "date"},
    )


def test_the_formats_of_templates_are_read(tmp_path: Path) -> None:
    write(tmp_path, templates={"dateFormat": "D.M.YYYY", "timeFormat": "H"})
    settings = read_obsidian_settings(tmp_path)
    assert (settings.date_format, settings.time_format) == ("D.M.YYYY", "H")


def test_the_tasks_plugin_speaks_when_it_is_on(tmp_path: Path) -> None:
    told = {
        "globalFilter": "#task",
        "taskFormat": "dataview",
        "setDoneDate": True,
        "setCancelledDate": False,
        "statusSettings": {
            "coreStatuses": [{"symbol": " ", "nextStatusSymbol": "/", "type": "TODO"}],
            "customStatuses": [{"symbol": "!", "nextStatusSymbol": "x", "type": "IN_PROGRESS"}, {"symbol": "long"}, 3],
        },
    }
    write(tmp_path, plugins__obsidian_tasks_plugin__data=told)
    assert read_obsidian_settings(tmp_path).tasks == TaskSettings()
    write(tmp_path, community_plugins=["obsidian-tasks-plugin", 3])
    assert read_obsidian_settings(tmp_path).tasks == TaskSettings(
        dataview=True,
        global_filter="#task",
        done_dates=True,
        statuses={" ": TaskStatus("todo", "/"), "!": TaskStatus("in_progress", "x")},
    )


@pytest.mark.parametrize(
    "told", [{}, {"statusSettings": []}, {"statusSettings": {"coreStatuses": 1}}, {"setDoneDate": 1}]
)
def test_odd_settings_of_the_tasks_plugin_do_no_harm(tmp_path: Path, told: object) -> None:
    write(tmp_path, plugins__obsidian_tasks_plugin__data=told, community_plugins=["obsidian-tasks-plugin"])
    settings = read_obsidian_settings(tmp_path)
    assert (settings.tasks.statuses, settings.problems) == ({}, ())


def test_the_periodic_notes_plugin_speaks_when_the_core_plugin_does_not(tmp_path: Path) -> None:
    write(tmp_path, plugins__periodic_notes__data={"daily": {"folder": "P", "enabled": True}})
    assert read_obsidian_settings(tmp_path).daily_folder == "P"
    write(tmp_path, plugins__periodic_notes__data={"daily": {"folder": "P", "enabled": False}})
    assert read_obsidian_settings(tmp_path).daily_folder == ""
    write(tmp_path, daily_notes={"folder": "D"}, plugins__periodic_notes__data={"daily": {"folder": "P"}})
    assert read_obsidian_settings(tmp_path).daily_folder == "D"


@pytest.mark.parametrize(
    "content", ["", "{", "[1]", "null", "[" * 100_000, '{"a":' * 100_000, "\ufeffx", '{"a": "' + "x" * 2**20 + '"}']
)
def test_a_broken_file_costs_that_file_only(tmp_path: Path, content: str) -> None:
    write(tmp_path, app=content, templates={"folder": "T"})
    settings = read_obsidian_settings(tmp_path)
    assert settings.template_folder == "T"
    assert settings.ignored == ()
    assert settings.problems == ("Obsidian's app.json is not used: it is not a JSON object of at most 1 MiB.",)


def test_values_of_the_wrong_kind_count_as_not_set(tmp_path: Path) -> None:
    write(
        tmp_path,
        app={"userIgnoreFilters": "a", "newLinkFormat": 3, "useMarkdownLinks": "yes", "trashOption": "shred"},
        daily_notes={"folder": ["a"], "format": 3, "template": None},
        types={"types": ["a"]},
    )
    assert read_obsidian_settings(tmp_path) == ObsidianSettings()


def test_a_path_out_of_the_vault_is_not_taken(tmp_path: Path) -> None:
    write(tmp_path, templates={"folder": "../elsewhere"}, daily_notes={"template": ".obsidian/x"})
    settings = read_obsidian_settings(tmp_path)
    assert settings.template_folder is None
    assert settings.daily_template is None
    assert len(settings.problems) == 2


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    write(tmp_path, templates='\ufeff{"folder": "T"}')
    assert read_obsidian_settings(tmp_path).template_folder == "T"


def test_settings_that_are_no_file_inside_the_vault_are_not_read(tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "app.json"
    outside.write_text('{"newLinkFormat": "absolute"}')
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian/app.json").symlink_to(outside)
    os.mkfifo(vault / ".obsidian/types.json")
    settings = read_obsidian_settings(vault)
    assert settings.new_link_format == "shortest"
    assert settings.problems == (
        "Obsidian's app.json is not used: `.obsidian/app.json` is a symbolic link to a place outside the vault.",
    )
