"""Decides which files of a vault are indexed, and gives the reason when one is not."""

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

from bridge.markdown.kinds import is_document
from bridge.text.fold import nfc
from bridge.vault.paths import INVISIBLE_CHAR, is_hidden


@dataclass(frozen=True, slots=True)
class GlobSet:
    """Globs that restrict paths, in any spelling that a disk may take for the same file."""

    globs: tuple[str, ...] = ()
    _patterns: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        written = drop_empty_globs(self.globs)
        together = "|".join(compile_glob(glob).pattern for glob in dict.fromkeys((*written, *map(fold_path, written))))
        pattern = re.compile(together, re.IGNORECASE | re.DOTALL)
        object.__setattr__(self, "_patterns", (pattern,) if written else ())

    def covers(self, path: str) -> bool:
        """Return whether the globs match a file, or a folder around it."""
        return any(pattern.fullmatch(path) or pattern.fullmatch(fold_path(path)) for pattern in self._patterns)


def fold_path(path: str) -> str:
    """Return a form that is equal for all spellings that some disk takes for one: no case, no invisible character."""
    return path.lower() if path.isascii() else nfc(INVISIBLE_CHAR.sub("", nfc(path)).casefold())


def drop_empty_globs(globs: Iterable[str]) -> tuple[str, ...]:
    return tuple(glob for glob in globs if glob.strip("/\\ "))


def find_mistake(glob: str) -> str | None:
    if not drop_empty_globs((glob,)):
        return "names nothing"
    parts = glob.strip().replace("\\", "/").split("/")
    if parts[0] == "~" or ":" in parts[0][1:2] or {".", ".."} & {*parts}:
        return "must be a path inside the vault, beginning at the vault's own folder"
    return next(filter(None, map(find_name_mistake, parts)), None)


def find_name_mistake(part: str) -> str | None:
    at = part.find("[")
    while at >= 0:
        end = find_set_end(part, at)
        if end < 0:
            return "has a `[` without its `]`; write `[[]` for the character itself"
        inside = part[at + 1 : end]
        if any(low > high for low, high in re.findall("(.)-(.)", inside, re.DOTALL)):
            return f"has a range that runs backwards: `[{inside}]`"
        at = part.find("[", end)
    return None


def compile_glob(glob: str) -> re.Pattern[str]:
    """Compile a glob for paths inside a vault; one that matches a folder matches everything in it."""
    clean = nfc(glob).strip().replace("\\", "/").rstrip("/")
    rooted = "/" in clean
    clean = clean.removeprefix("/")
    parts = clean.split("/")
    # `Archive/**` also matches the folder itself, so that nothing has to look inside.
    while len(parts) > 1 and parts[-1] == "**":
        parts.pop()
    if parts == ["**"]:
        return re.compile(".*", re.DOTALL)
    # What stands between two `**`; a glob without `/` begins with one.
    between: list[list[str]] = [[]] if rooted else [[], []]
    for part in parts:
        if part != "**":
            between[-1].append(glob_name_pattern(part))
        elif between[-1] or len(between) == 1:
            between.append([])
    fixed = ["".join(f"{name}/" for name in names) for names in between[:-1]]
    tail = "/".join(between[-1])
    pattern = join_fixed([*fixed, tail], "(?:[^/]+/)*")
    return re.compile(f"{pattern}(?:/.*)?", re.IGNORECASE | re.DOTALL)


def join_fixed(fixed: list[str], anything: str) -> str:
    """Return a pattern of what stands between stars; the first place of each is taken, so that none is tried twice."""
    first, *rest = fixed
    if not rest:
        return first
    *middle, last = rest
    return f"{first}{''.join(f'(?>{anything}?{one})' for one in middle)}{anything}{last}"


def glob_name_pattern(part: str) -> str:
    fixed = [""]
    at = 0
    while at < len(part):
        one = part[at]
        end = find_set_end(part, at) if one == "[" else -1
        if one == "*":
            fixed += [""] if fixed[-1] or len(fixed) == 1 else []
        elif one == "?":
            fixed[-1] += "[^/]"
        elif end > 0:
            negated = part[at + 1] == "!"
            fixed[-1] += f"(?!/)[{'^' if negated else ''}{set_pattern(part[at + 1 + negated : end])}]"
            at = end
        else:
            fixed[-1] += re.escape(one)
        at += 1
    return join_fixed(fixed, "[^/]*")


def find_set_end(part: str, at: int) -> int:
    """Return where the set that begins at `at` ends, -1 if it does not; it holds at least one character."""
    return part.find("]", at + 2 + part.startswith("!", at + 1))


def set_pattern(text: str) -> str:
    """Compile the text between the brackets of a set; backward ranges are dropped."""
    found = ""
    at = 0
    while at < len(text):
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            low, high = text[at], text[at + 2]
            found += f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
            at += 3
        else:
            found += re.escape(text[at])
            at += 1
    return found or "^\\s\\S"


MAX_REPEATS = 4
"""Repeats that an excluded file's expression may have."""

GROUP = re.compile(r"\(([^()]*)\)([*+{]?)")
NO_SYNTAX = re.compile(r"\\.|\[\^?\]?[^\]]*\]", re.DOTALL)

ICLOUD = re.compile(r"(?:.*/)?\.[^/]+\.icloud")
CONFLICT = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}-\w+\.[^./]+$"  # Syncthing
    r"|\([^()/]*\bconflicted copy\b[^()/]*\)[^/]*$",  # Dropbox, Nextcloud, Obsidian Sync
    re.IGNORECASE,
)
OWNERS = {".obsidian": "Obsidian's own settings", ".trash": "Obsidian's trash", ".git": "Git's own files"}


@dataclass(frozen=True, slots=True)
class Rules:
    """What is left out of the index: by the user's globs, by size, by Obsidian's excluded files, or as never a note.

    Denied paths are not left out but seem missing: no reason is given for them anywhere.
    """

    exclude: tuple[str, ...] = ()
    max_file_bytes: int = 32 * 1024 * 1024
    ignored: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    readonly: tuple[str, ...] = ()
    _denied: GlobSet = field(init=False, repr=False, compare=False)
    _protected: GlobSet = field(init=False, repr=False, compare=False)
    _globs: tuple[tuple[str, re.Pattern[str]], ...] = field(init=False, repr=False, compare=False)
    _any_glob: re.Pattern[str] | None = field(init=False, repr=False, compare=False)
    _filters: tuple[tuple[str, re.Pattern[str]], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        globs = tuple((glob, compile_glob(glob)) for glob in drop_empty_globs(self.exclude))
        together = "|".join(f"(?:{pattern.pattern})" for _, pattern in globs)
        filters = ((text, filter_pattern(text)) for text in self.ignored)
        object.__setattr__(self, "_denied", GlobSet(self.deny))
        object.__setattr__(self, "_protected", GlobSet((*self.deny, *self.readonly)))
        object.__setattr__(self, "_globs", globs)
        object.__setattr__(self, "_any_glob", re.compile(together, re.IGNORECASE | re.DOTALL) if globs else None)
        object.__setattr__(self, "_filters", tuple((text, pattern) for text, pattern in filters if pattern))

    @property
    def unusable_filters(self) -> tuple[str, ...]:
        """Obsidian's excluded files that are unusable: the files they name are indexed."""
        used = {text for text, _ in self._filters}
        return tuple(text for text in self.ignored if text.strip() and text not in used)

    def denies(self, path: str) -> bool:
        """Return whether a file or folder must seem missing."""
        return self._denied.covers(path)

    def keeps(self, path: str) -> bool:
        """Return whether a file or folder is protected from changes; denied ones are too."""
        return self._protected.covers(path)

    def reason(self, path: str, size: int | None = None) -> str | None:
        """Return why a document is not indexed, or None when it is; other files are not given a reason."""
        clean = nfc(path).rstrip("/")
        if is_hidden(clean):
            return hidden_reason(clean)
        whole = path.endswith("/")
        if why := self._excluding_setting(clean, whole=whole):
            return why
        if whole:
            return None
        if CONFLICT.search(clean):
            return "A sync program's conflict copy; keep what you want of it and delete it."
        if size is not None and size > self.max_file_bytes:
            return f"Larger than the limit of {self.max_file_bytes / 2**20:g} MiB (setting `max_file_mb`)."
        return None

    def _excluding_setting(self, clean: str, *, whole: bool) -> str | None:
        """Return which of the user's settings leaves out a path, a whole folder or a file."""
        if self._any_glob and self._any_glob.fullmatch(clean):
            glob = next(glob for glob, pattern in self._globs if pattern.fullmatch(clean))
            return f"Left out by the setting `exclude`: `{glob}`."
        for text, pattern in self._filters:
            # A regular expression may match a folder's name and none of its files, so it is applied to files only.
            if pattern.search(f"{clean}/" if whole else clean) and not (whole and is_expression(text)):
                return f"Left out by Obsidian's excluded files: `{text}`."
        return None

    def indexes(self, path: str, size: int) -> bool:
        """Return whether search should find this file."""
        return is_document(path) and not self.denies(path) and self.reason(path, size) is None


def hidden_reason(path: str) -> str:
    if ICLOUD.fullmatch(path):
        return "Still in iCloud: the file was not downloaded to this computer."
    owner = next((OWNERS[part] for part in path.split("/") if part in OWNERS), None)
    return f"Hidden: {owner}." if owner else "Hidden: its name or a folder's begins with a dot."


def is_expression(text: str) -> bool:
    """Return whether an excluded file is written as `/regular expression/`; otherwise it is a path prefix."""
    return len(text) > 2 and text.startswith("/") and text.endswith("/")


def filter_pattern(text: str) -> re.Pattern[str] | None:
    """Compile one of Obsidian's excluded files; None when it is empty or unusable.

    Obsidian ignores what does not compile. A pattern that only JavaScript compiles is ignored here too, and so is one
    that may backtrack for hours on some path, since a vault from another person may contain it.
    """
    text = nfc(text).strip()
    if not text:
        return None
    if not is_expression(text):
        return re.compile(f"^{re.escape(text)}", re.IGNORECASE)
    if may_backtrack(text[1:-1]):
        return None
    try:
        with warnings.catch_warnings():
            # Python warns about syntax such as `[[`, which JavaScript takes literally.
            warnings.simplefilter("ignore")
            return re.compile(text[1:-1], re.IGNORECASE)
    except (re.error, OverflowError, RecursionError):
        return None


def may_backtrack(expression: str) -> bool:
    plain = NO_SYNTAX.sub("x", expression)
    if sum(plain.count(sign) for sign in "*+{") > MAX_REPEATS:
        return True
    while found := GROUP.search(plain):
        inside, repeat = found.groups()
        if repeat and re.search(r"[*+{|?]", inside.removeprefix("?:")):
            return True
        # The remains of a group tell the surrounding group what it contains.
        plain = plain[: found.start()] + re.sub(r"[^*+{|?]", "", inside) + repeat + plain[found.end() :]
    return False
