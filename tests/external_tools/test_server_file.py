"""The user's list of servers: what is read, what is refused with its line, and what a change leaves alone."""

import os
from pathlib import Path

import pytest

from bridge.errors import SettingsUnreadable
from bridge.features.external_tools.server_file import ExternalServer, parse_servers, read_secrets, read_servers

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
