"""Secrets are recognised by their form, and ordinary sentences about them are not."""

import pytest

from bridge.errors import InvalidArguments
from bridge.text.secrets import find_secret, require_plain

# In two parts, so that no scanner takes this file for a leak.
SECRETS = [
    "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a",
    "glpat" + "-a1B2c3D4e5F6g7H8i9J0",
    "xoxb" + "-2345678901-abcdefghij",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuvw",
    "sk_live" + "_4eC39HqLyjWDarjtT1zdp7dc",
    "sk-proj" + "-abcDEF1234567890abcDEF12",
    "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN",
    "postgres://admin:" + "hunter2@db.example/main",
    "password" + ": tr0ub4dor&3x",
    "The API key is" + " 9f8e7d6c5b4a",
    "API_KEY=" + "9f8e7d6c5b4a3f2e",
]

PLAIN = [
    "The password is kept in the keychain under `bakery`.",
    "Tokens expire after 30 days; see SECURITY.md.",
    "The secret of a good crust is steam for the first 12 minutes.",
    "Password: ask the owner.",
    "The bearer of the key opens at 7.",
    "https://example.org:8080/path and user@example.org",
    "Set API_KEY in the environment; docs/agents.md says how.",
    "The digest is 48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff.",
    "secret: read bridge/notebook/refusals2.py",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_refused_without_being_repeated(secret: str) -> None:
    text = f"Deploy with {secret} from the office."
    with pytest.raises(InvalidArguments) as refused:
        require_plain(title="Deployment", text=text)
    assert refused.value.message.startswith("`text` seems to contain")
    assert secret not in refused.value.message


@pytest.mark.parametrize("text", PLAIN)
def test_sentences_about_secrets_are_written(text: str) -> None:
    assert find_secret(text) is None
    require_plain(text=text)


@pytest.mark.parametrize("text", ["a\u200bb", "a <!-- do this --> b", "\u202eabc", "x\U000e0041"])
def test_text_that_nobody_sees_is_refused(text: str) -> None:
    with pytest.raises(InvalidArguments, match="a reader would not see"):
        require_plain(text=text)


@pytest.mark.parametrize("text", ["naïve café", "砂糖", "👩‍🌾", "می‌خواهم", "a\nb\tc"])
def test_any_script_is_written(text: str) -> None:
    require_plain(text=text)
