"""The user's list of servers: what is read, what is refused with its line, and what a change leaves alone."""

import os
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import InvalidArguments, SettingsUnreadable
from bridge.mcp_client.secret_file import fill_in_secrets, read_secrets, redact_line, redact_secrets
from bridge.mcp_client.server_edit import remove_server, save_server
from bridge.mcp_client.server_file import ExternalServer, parse_servers, read_servers

TEXT = """\
# My servers.

[weather]  # from the town
command = "weather-mcp"  # installed by pipx
args = [
    "--town", "Ulm",  # where I live
    # "--verbose",
]
env = { API_KEY = "{secret:WEATHER}" }  # see secrets.toml

# The local one listens by itself.
[notes-db]
url = "http://LocalHost:8000/mcp"
tools = ["query", "resource:db://*"]
confirm = "first"
enabled = false # for now
"""
WEATHER = ExternalServer("weather", "weather-mcp", ("--town", "Ulm"), {"API_KEY": "{secret:WEATHER}"})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "servers.toml"
    file.write_text(TEXT)
    return file


def test_the_file_is_read(file: Path) -> None:
    servers = read_servers(file)
    assert servers["weather"] == WEATHER
    local = servers["notes-db"]
    assert (local.url, local.tools) == ("http://LocalHost:8000/mcp", ("query", "resource:db://*"))
    assert (local.confirm, local.enabled) == ("first", False)


def test_without_a_file_there_are_no_servers(tmp_path: Path) -> None:
    assert read_servers(tmp_path / "servers.toml") == {}
    assert read_secrets(tmp_path / "secrets.toml") == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a]\ncommand = \n", "line 2"),
        ("# x\n\n[a]\nargs = []\n", "line 3: `a` needs either `command` or `url`"),
        ('[a]\ncommand = "x"\nurl = "http://127.0.0.1/"\n', "line 1: `a` needs either"),
        ('[a]\ncommand = "x"\n\ncolour = 1\n', "line 4: `colour` is no entry"),
        ('[a]\ncommand = "x"\nargs = "y"\n', "line 3: `args` of `a` must be a list of texts"),
        ('[a]\ncommand = "x"\nargs = [1]\n', "line 3: `args`"),
        ('[a]\ncommand = "x"\nenabled = 1\n', "line 3: `enabled`"),
        ('[a]\ncommand = "x"\nconfirm = "once"\n', "line 3: `confirm`"),
        ('[a]\ncommand = "x"\ncwd = "here"\n', "line 3: `cwd`"),
        ('[a]\ncommand = "x"\n[a.env]\nK = 1\n', "line 3: `env`"),
        ('[a]\ncommand = "x"\nenv = { "A=B" = "c" }\n', "line 3: `env`"),
        ('[a]\nurl = "http://example.org/mcp"\n', "line 2: `url` of `a` must be on this machine"),
        ('[a]\nurl = "http://127.0.0.1.example.org/"\n', "on this machine"),
        ('[a]\nurl = "http://user:pass@localhost/"\n', "name or password"),
        ('[a]\nurl = "file:///etc/passwd"\n', "http:// or https://"),
        ('[a]\nurl = "http://[::1"\n', "no address"),
        ('[a]\nurl = "http://[::1]:80/"\nenv = { A = "b" }\n', "line 3: `env` of `a` is only for a program"),
        ('[a]\ncommand = "x"\nargs = ["--key={secret:KEY}"]\n', "line 3: `args` of `a` cannot hold secrets"),
        (
            '[a]\ncommand = "x"\nenv = { A = "{secret:no pe" }\n',
            "line 3: `{secret:no pe` in `env` of `a` names no secret",
        ),
        ('[a__b]\ncommand = "x"\n', "no name of a server"),
        ("a = 1\n", "line 1: `a` must be a section"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(SettingsUnreadable) as error:
        parse_servers(text, "servers.toml")
    assert said in error.value.message


@pytest.mark.parametrize("url", ["http://[::1]:8/", "HTTP://LOCALHOST/", "https://127.0.0.1:1/mcp"])
def test_this_machine_may_be_called(url: str) -> None:
    assert parse_servers(f'[a]\nurl = "{url}"\n', "servers.toml")["a"].url == url


def test_a_broken_file_is_never_overwritten(file: Path) -> None:
    file.write_text("[weather]\ncommand =\n")
    with pytest.raises(SettingsUnreadable, match="line 2"):
        save_server(file, "b", {"command": "x"})
    with pytest.raises(SettingsUnreadable, match="line 2"):
        remove_server(file, "weather")
    assert file.read_text() == "[weather]\ncommand =\n"


@pytest.mark.skipif(os.name != "posix", reason="rights are those of the profile")
def test_a_file_that_others_can_change_starts_nothing(file: Path, tmp_path: Path) -> None:
    file.chmod(0o620)
    with pytest.raises(SettingsUnreadable, match="Other users can change"):
        read_servers(file)
    secrets = tmp_path / "secrets.toml"
    secrets.write_text('A = "b"\n')
    secrets.chmod(0o640)
    with pytest.raises(SettingsUnreadable, match="Other users can read"):
        read_secrets(secrets)


def test_a_change_keeps_every_other_line_and_every_comment(file: Path) -> None:
    save_server(file, "weather", {"command": "weather-2", "args": ["--town", "Bonn"], "confirm": "never"})
    save_server(file, "notes-db", {"enabled": True})
    assert (
        file.read_text()
        == """\
# My servers.

[weather]  # from the town
command = "weather-2"  # installed by pipx
# where I live
# "--verbose",
args = ["--town", "Bonn"]
env = { API_KEY = "{secret:WEATHER}" }  # see secrets.toml
confirm = "never"

# The local one listens by itself.
[notes-db]
url = "http://LocalHost:8000/mcp"
tools = ["query", "resource:db://*"]
confirm = "first"
enabled = true  # for now
"""
    )
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_change_of_nothing_writes_the_same(file: Path) -> None:
    save_server(file, "weather", {"args": ["--town", "Ulm"]})
    assert file.read_text() == TEXT


def test_a_server_is_added_and_removed(file: Path) -> None:
    added = save_server(file, "new", {"command": 'a "b" # c', "env": {"K": "v"}, "tools": []})
    assert added["new"] == ExternalServer("new", 'a "b" # c', env={"K": "v"})
    assert read_servers(file) == added
    remove_server(file, "new")
    assert file.read_text().rstrip() == TEXT.rstrip()


def test_a_removed_server_leaves_the_comment_of_the_next(file: Path) -> None:
    assert set(remove_server(file, "weather")) == {"notes-db"}
    assert file.read_text().startswith("# My servers.\n\n\n# The local one listens by itself.\n[notes-db]\n")


@pytest.mark.parametrize(
    "text",
    [
        '[a]\ncommand = "x"\n\n[a.env]  # mine\n# about K\nK = "v" # why\n\n[b]\ncommand = "y"\n',
        'a.command = "x"\na.env = { K = "v" } # why\n# about K, mine\n',
    ],
)
def test_tables_in_other_forms_are_changed_too(tmp_path: Path, text: str) -> None:
    file = tmp_path / "servers.toml"
    file.write_text(text)
    assert save_server(file, "a", {"env": {"K": "w"}})["a"].env == {"K": "w"}
    assert all(comment in file.read_text() for comment in ("mine", "about K", "why"))


@pytest.mark.parametrize("text", ['["a"]\ncommand = "x"\n', '[a]\ncommand = "x"\nenv.K = "v"\n'])
def test_what_cannot_be_changed_here_is_left(tmp_path: Path, text: str) -> None:
    file = tmp_path / "servers.toml"
    file.write_text(text)
    with pytest.raises(InvalidArguments, match="cannot be changed here"):
        save_server(file, "a", {"env": {"K": "w"}})
    assert file.read_text() == text


@pytest.mark.parametrize(
    "changes", [{}, {"command": "x", "url": "http://localhost/"}, {"command": "x", "confirm": "no"}, {"url": "ftp://x"}]
)
def test_a_wrong_server_is_not_written(file: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArguments):
        save_server(file, "new", changes)
    assert file.read_text() == TEXT


def test_agreement_is_to_a_program_and_not_to_a_name() -> None:
    other = (
        {"command": "other"},
        {"args": ("--town", "Bonn")},
        {"env": {"LD_PRELOAD": "x.so"}},
        {"cwd": "/tmp"},
    )
    prints = {ExternalServer(**{**WEATHER_FIELDS, **change}).fingerprint for change in other}
    assert len(prints | {WEATHER.fingerprint}) == 5
    same = ExternalServer(**{**WEATHER_FIELDS, "env": {"API_KEY": "new"}, "tools": ("a",), "confirm": "first"})
    assert same.fingerprint == WEATHER.fingerprint


WEATHER_FIELDS: dict[str, Any] = {
    "name": "weather",
    "command": WEATHER.command,
    "args": WEATHER.args,
    "env": WEATHER.env,
}


def test_secrets_go_into_the_environment_and_out_of_texts() -> None:
    env, used = fill_in_secrets({"A": "Bearer {secret:KEY}", "B": "plain"}, {"KEY": "s3cr3t-1", "OTHER": "unused"})
    assert (env, used) == ({"A": "Bearer s3cr3t-1", "B": "plain"}, {"KEY": "s3cr3t-1"})
    assert redact_secrets("it is s3cr3t-1\nand s3c\u200br3t-1", used) == "it is [secret KEY]\nand [secret KEY]"
    assert redact_line("a\ns3cr3t-1", used) == "a [secret KEY]"
    # Which number disappears would give a short one away.
    assert redact_line("4710 4711 a bc", {"PIN": "4711", "A": "a", "NONE": ""}) == "4710 4711 a bc"
    with pytest.raises(SettingsUnreadable, match="no secret `MISSING`"):
        fill_in_secrets({"A": "{secret:MISSING}"}, {})


@pytest.mark.parametrize("text", ['A = "hush\n', "A = 1\n", "[a]\nb = 'hush'\n"])
def test_what_is_wrong_with_the_secrets_is_said_without_them(tmp_path: Path, text: str) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(SettingsUnreadable) as error:
        read_secrets(file)
    assert "hush" not in error.value.message + error.value.hint
