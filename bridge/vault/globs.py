"""Compiles the user's globs to regular expressions."""

import re
from collections.abc import Iterable
from dataclasses import field

from bridge.records import dataclass
from bridge.vault.paths import INVISIBLE, nfc


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
    return path.lower() if path.isascii() else nfc(INVISIBLE.sub("", nfc(path)).casefold())


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
