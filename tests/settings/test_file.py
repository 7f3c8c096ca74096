import os
from pathlib import Path

import pytest

from bridge.errors import InvalidArguments, ReadOnly
from bridge.features import installed_hooks
from bridge.settings.file import keep_rules, load_settings, save_settings
from bridge.settings.schema import Settings

# The features bring the sections of the file.
installed_hooks()


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.toml") == (Settings(), ())


def test_a_known_setting_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('exclude = ["Archive/**"]\nworkers = 3\n')
    assert load_settings(path) == (Settings(exclude=("Archive/**",), workers=3), ())


def test_an_unknown_setting_names_the_nearest_and_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('excludes = ["x"]\nworkers = 3\n')
    settings, problems = load_settings(path)
    assert settings == Settings(workers=3)
    assert [p.message for p in problems] == ["unknown setting `excludes`; did you mean `exclude`?"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("workers = -1", "`workers` must be at least 0"),
        ("workers = 999", "`workers` must be at most 32"),
        ("vector_keep_days = 1_000_000_000_000", "`vector_keep_days` must be at most 36500"),
        ("workers = true", "`workers` must be a whole number in digits, such as 20, not True"),
        ('watch = "often"', "`watch` must be one of auto, poll, off"),
        ('exclude = "a"', '`exclude` must be a list of strings, such as ["A", "B"]'),
        ('agents_folder = "../Notes"', "`agents_folder` must be a folder inside the vault, such as Agents"),
        ('agents_folder = ""', "`agents_folder` must be a folder inside the vault, such as Agents"),
        ("exclude = [1]", '`exclude` must be a list of strings, such as ["A", "B"]'),
    ],
)
def test_a_wrong_value_says_what_fits(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(line)
    settings, problems = load_settings(path)
    assert settings == Settings()
    assert [p.message for p in problems] == [message]


@pytest.mark.parametrize("damage", [b"workers = = 3", b"\xff\xfe\x00"])
def test_a_file_that_is_no_toml_means_defaults_and_a_problem(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(damage)
    settings, problems = load_settings(path)
    assert settings == Settings()
    assert "cannot be read" in problems[0].message


@pytest.mark.parametrize(
    ("text", "deny", "readonly"),
    [
        ('deny = "Private/**"', True, False),
        ("deny = [1]", True, False),
        ('Deny = ["Private/**"]', True, False),
        ('denny = ["Private/**"]', True, False),
        ('read_only = ["Private/**"]', False, True),
        ('[rules]\ndeny = ["Private/**"]\nreadonly = ["T"]', True, True),
        ('workers = = 3\n# deny = ["a"]\nreadonly = []', True, True),
        ('worker = "deny"', False, False),
        ('deny = ["Private/**"]\nworker = 3', False, False),
    ],
)
def test_what_cannot_be_understood_lifts_no_rule(tmp_path: Path, text: str, deny: bool, readonly: bool) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    settings, problems = load_settings(path)
    before = Settings(deny=("Before/**",), readonly=("Kept/**",), workers=7)
    kept = keep_rules(settings, problems, before)
    assert (kept.deny == before.deny, kept.readonly == before.readonly) == (deny, readonly)
    at_a_start = keep_rules(settings, problems, None)
    assert (at_a_start.deny == ("**",), at_a_start.readonly == ("**",)) == (deny, readonly)
    assert kept.workers == at_a_start.workers == settings.workers


@pytest.mark.parametrize(
    ("data", "closes"),
    [
        (b"workers = = 3", False),
        (b'deny = ["Private/**"', True),
        (b"this is not toml [[[", False),
        (b"this is not toml [[[ \xff\xfe", True),
        (b"\xff\xfe\x00", True),
        ('deny = ["Private/**"'.encode("utf-16"), True),
        ("Gärten = = 3".encode("latin-1"), True),
    ],
)
def test_a_file_that_cannot_be_read_lifts_no_rule_that_is_in_force(tmp_path: Path, data: bytes, closes: bool) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(data)
    settings, problems = load_settings(path)
    before = Settings(deny=("Before/**",), readonly=("Kept/**",))
    kept = keep_rules(settings, problems, before)
    assert (kept.deny, kept.readonly) == (before.deny, before.readonly)
    assert (keep_rules(settings, problems, None).deny == ("**",)) == closes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_may_be_in_what_windows_writes(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes('deny = ["Gärten/**"]\n'.encode(encoding))
    assert load_settings(path) == (Settings(deny=("Gärten/**",)), ())
    assert save_settings(path, {"workers": 2}) == Settings(deny=("Gärten/**",), workers=2)


def test_a_rule_in_a_section_is_told_where_it_belongs(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[tidy]\ndeny = ["Private/**"]\n')
    (problem,) = load_settings(path)[1]
    assert (
        problem.message
        == "unknown setting `tidy.deny`; `deny` belongs above the first section, and this stands in `[tidy]`"
    )
    assert problem.rules == ("deny",)


def test_a_file_that_cannot_be_opened_may_say_any_rule(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").mkdir()
    settings, problems = load_settings(tmp_path / "settings.toml")
    assert keep_rules(settings, problems, None) == Settings(deny=("**",), readonly=("**",))


def test_a_change_keeps_the_other_lines_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('# mine\nworkers = 2  # two\nexclude = [\n  "a",\n  "b",\n]\nwatch = "poll"\n')
    assert save_settings(path, {"exclude": ["c", 'q"\n'], "workers": 1}).exclude == ("c", 'q"\n')
    assert path.read_text() == '# mine\nworkers = 1\nexclude = ["c", "q\\"\\n"]\nwatch = "poll"\n'


def test_the_section_of_the_gardener_becomes_that_of_tidying_once(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(
        'workers = 3\n\n[gardener]  # Weekly.\ngarden_every_days = 7\nplans_keep_days = 9\nnever = ["gardener/**"]\n'
    )
    settings, problems = load_settings(path)
    assert (settings.value("tidy.plan_every_days"), settings.value("tidy.never")) == (7, ("gardener/**",))
    assert problems == ()
    adopted = 'workers = 3\n\n[tidy]  # Weekly.\nplan_every_days = 7\nnever = ["gardener/**"]\n'
    assert path.read_text() == adopted
    assert load_settings(path) == (settings, ())
    path.write_text("gardener.cpu_s = 20\n")
    assert load_settings(path)[0].value("tidy.cpu_s") == 20
    assert path.read_text() == "tidy.cpu_s = 20\n"


def test_none_takes_a_setting_back_to_its_default(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("workers = 2\n")
    assert save_settings(path, {"workers": None}) == Settings()
    assert path.read_text() == ""


@pytest.mark.parametrize("changes", [{"worker": 1}, {"workers": "two"}, {"nothing": None}])
def test_a_wrong_change_writes_nothing(tmp_path: Path, changes: dict[str, object]) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("workers = 2\n")
    with pytest.raises(InvalidArguments):
        save_settings(path, changes)
    assert path.read_text() == "workers = 2\n"


def test_the_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    save_settings(path, {"workers": 1})
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["a\x00b", "a\u2028b", "a\U000e0001b", 'a"\\b', "🍀"])
def test_any_text_comes_back_as_it_was_written(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.toml"
    assert save_settings(path, {"exclude": [text]}).exclude == (text,)


def test_a_file_that_is_no_toml_is_not_changed_and_named(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("exclude = [\n")
    with pytest.raises(InvalidArguments, match=r"settings\.toml cannot be read"):
        save_settings(path, {"workers": 1})
    assert path.read_text() == "exclude = [\n"


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadOnly, match="cannot be written"):
        save_settings(tmp_path / "missing" / "settings.toml", {"workers": 1})


@pytest.mark.skipif(os.name != "posix", reason="only there do files have such rights")
@pytest.mark.parametrize("mode", [0o666, 0o660, 0o602])
def test_a_file_that_others_can_change_is_used_and_told(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("workers = 3\n")
    path.chmod(mode)
    settings, problems = load_settings(path)
    assert settings.workers == 3
    assert [f"chmod go-w '{path}'" in problem.message for problem in problems] == [True]
    path.chmod(0o644)
    assert load_settings(path) == (settings, ())


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_used_and_lifts_no_rule(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("deny = []\nworkers = 3\n")
    os.chown(path, 12345, -1)
    settings, problems = load_settings(path)
    assert settings == Settings()
    assert [problem.rules for problem in problems] == [("deny",)]
