"""Random workflows: most of them sound, many nearly so, and some no YAML at all."""

import json
from random import Random
from typing import Any

from tests.hostile_texts import REPEATED

HOSTILE = (
    *(
        "[[A]]",
        "a\nb",
        "}}",
        ": ",
        "---\nx: 1\n---\n",
        "```",
        "%%",
        "<!--",
        "\\{{",
        "# H",
        "- [ ] t",
        "\u200b",
        "é",
        "^b",
    ),
    *(
        "x" * 500,
        "\ufeff---\na: b\n---",
        "\r\n",
        '"',
        "'",
        "\t",
        "#tag",
        "| a | b |",
        "{{{{variables.v}}}}",
        "$(touch x)",
    ),
    *REPEATED.values(),
)
NOTES = {
    "A.md": "---\nstatus: open\ntags: [x, y]\n---\n# A\n\n## Log\n\n- one\n\n- [ ] Sow beans\n- [x] Water\n",
    "B.md": "See [[A]] and [[C#Part|part]]. ^b\n",
    "Folder/C.md": "# C\n\n## Part\n\nText [[B#^b]].\n\n- [ ] Dig 📅 2026-01-31\n",
    "Folder/D.md": "---\naliases: [Dee]\nof: '[[A]]'\n---\n",
    "Kept/K.md": "# K\n\n[[C]]\n",
    "Secret/S.md": "# S\n\n[[A]]\n",
}
_WORDS = ("A", "B", "New", "Log", "Part", "x", "", "open", "2026-01-31", "..", "../B", "Folder/C", "Dee", "Secret", "S")
_PATHS = ("A.md", "B.md", "Folder/C.md", "Folder/D.md", "New.md", "Folder/New.md", "A", "[[C]]")
_WILD_PATHS = (*NOTES, "Folder", "Other/", "../out.md", "/etc/x.md", ".obsidian/x.md", "Secret/New.md", "", "x" * 300)
_TEMPLATES = (
    "{{variables.v}}",
    "{{variables.w}}",
    "{{today}}",
    "{{now:HH:mm}}",
    "{{date:+1d}}",
    "\\{{today}}",
    "{{",
    "}}",
)
_WILD_TEMPLATES = (
    *(
        "{{item}}",
        "{{item.path}}",
        "{{item.line}}",
        "{{steps.s0.path}}",
        "{{steps.s1.first.path}}",
        "{{steps.s2.notes}}",
    ),
    *("{{conditions.c0}}", "{{date:-99999y}}", "{{nothing}}", "{{now:N}}", "{{variables}}", "{{steps.s3.tasks}}"),
)
_WHERE = (
    *("true", 'status == "open"', "variables.v == 1", "file.hasTag(variables.v)", 'file.name.contains("A")', "status"),
    *("[1,2].map(value * variables.w)", "file.backlinks.length > 0", "file.mtime > now() - '1d'", "variables.v.x.y"),
)
_WILD_WHERE = (
    *("false", "item.path", "1 +", "nope()", "steps.s0.count > 0", '"a".repeat(1000000)', "-" * 70 + "1", "formula.a"),
    *("[1,2,3].map([1,2,3].map([value, value]))", "variables", "steps", "/(a+)+b/.matches(file.name)"),
)
_CHECKS = ("note_exists", "note_missing", "section_exists", "section_missing", "property_exists", "open_tasks", "where")
_KINDS = ("text", "text", "number", "yes-no", "list", "list", "choice", "date", "note")
_CHANGES = (
    *("create_note", "create_note", "edit_note", "edit_note", "set_properties", "move_note", "rename_heading"),
    *("merge_notes", "split_note", "delete_note", "add_task", "toggle_task"),
)
_QUESTIONS = ("find_notes", "list_tasks", "search")


class RandomWorkflow:
    """Makes one workflow; a tame one only refers to what there is."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._wild = random.random() < 0.3
        self._conditions: list[str] = []
        self._kinds: dict[str, str] = {}
        self._done: dict[str, str] = {}
        self._item = ""

    def text(self) -> str:
        """Return its text."""
        random = self._random
        workflow: dict[str, Any] = {
            "version": random.choice([2, "1", None, True]) if self._wild and random.random() < 0.2 else 1,
            "description": random.choice(_WORDS),
            "variables": {name: self._variable(name) for name in ("v", "w")},
            "conditions": [self._condition(f"c{number}") for number in range(random.randrange(4))],
            "steps": [self._step(f"s{number}") for number in range(random.randint(1, 6))],
            "output": f"{self._words()} {{{{variables.v}}}} {{{{variables.w}}}}",
        }
        if self._wild and random.random() < 0.2:
            workflow[random.choice(list(workflow))] = random.choice(
                [None, 1, "x", [], {}, [[]], [None], {"a": {"b": []}}]
            )
        text = json.dumps(workflow, ensure_ascii=random.random() < 0.5, indent=random.choice([None, 1]))
        if self._wild and random.random() < 0.3:
            at = random.randrange(len(text))
            put = random.choice(["", "}", '"', ": ", "\n", "{{", "&a ", "*a", "!x ", "\x00", "\ud800", "```\n"])
            text = text[:at] + put + text[at + 1 :]
        return text

    def variables(self) -> dict[str, Any]:
        """Return values for its variables; they fit unless it is wild."""
        return {name: self._value(kind) for name, kind in self._kinds.items() if self._random.random() < 0.9}

    def _value(self, kind: str) -> Any:
        random = self._random
        wild = [self._words(), "A", 1, 2.5, True, ["A", "B"], "tomorrow", None]
        fitting: dict[str, list[Any]] = {
            "text": [random.choice(HOSTILE), random.choice(_WORDS) or "x", "Some title", 3],
            "number": [1, 2.5, "7", -3],
            "yes-no": [True, False, "yes"],
            "list": [["A", "B"], ["x", 1, random.choice(HOSTILE)], [f"n{number}" for number in range(250)], []],
            "choice": ["A", "../B"],
            "date": ["tomorrow", "2026-01-31"],
            "note": ["A.md", "[[C]]", "Dee" if self._wild else "B"],
        }
        return random.choice(wild if self._wild else fitting[kind])

    def _template(self) -> str:
        if self._wild and self._random.random() < 0.3:
            return self._random.choice(_WILD_TEMPLATES)
        known = list(_TEMPLATES)
        known += [f"{{{{conditions.{one}}}}}" for one in self._conditions]
        for id_, do in self._done.items():
            known.append(f"{{{{steps.{id_}.count}}}}")
            known.append(f"{{{{steps.{id_}.{'first.name' if do in _QUESTIONS else 'path'}}}}}")
        known += [self._item] * 3 if self._item else []
        return self._random.choice(known)

    def _words(self) -> str:
        random = self._random
        pools: list[Any] = [_WORDS, _WORDS, HOSTILE]
        parts = [
            self._template() if random.random() < 0.4 else random.choice(random.choice(pools))
            for _ in range(random.randrange(4))
        ]
        return str(random.choice(["", " ", "\n", ": "]).join(parts))

    def _path(self, *, new: bool = False) -> str:
        random = self._random
        if self._item and random.random() < 0.6:
            return f"Made/{self._item}.md" if new else self._item
        if self._wild and random.random() < 0.3:
            return random.choice([*_WILD_PATHS, self._words()])
        if new:
            return random.choice([f"Made/{self._template()}.md", "New.md", "Made/Other.md", "{{variables.v}}/x.md"])
        changed = [f"{{{{steps.{id_}.path}}}}" for id_, do in self._done.items() if do not in _QUESTIONS]
        return random.choice([*_PATHS, *changed])

    def _variable(self, name: str) -> dict[str, Any]:
        random = self._random
        kind = self._kinds[name] = random.choice(_KINDS)
        facts: dict[str, Any] = {"type": kind, "required": random.random() < 0.3}
        if kind == "choice":
            facts["choices"] = ["A", "../B"]
        if self._wild and random.random() < 0.3:
            facts["default"] = random.choice(["A", 1, True, ["A", "B", "C"], "2026-01-31", None, {"a": 1}])
        return facts

    def _condition(self, id_: str) -> dict[str, Any]:
        random = self._random
        check = random.choice(_CHECKS)
        facts: dict[str, Any] = {"id": id_, "note": self._path()}
        facts |= {"where": self._where()} if check == "where" else {"check": check}
        if check.startswith("section"):
            facts["heading"] = random.choice(["Log", "{{variables.v}}", "Part"])
        if check.startswith("property"):
            facts["property"] = random.choice(["status", "{{variables.v}}"])
        if random.random() < 0.2:
            facts["not"] = random.choice([True, False, *(["x"] if self._wild else [])])
        self._conditions.append(id_)
        return facts

    def _where(self) -> str:
        return self._random.choice(_WILD_WHERE if self._wild and self._random.random() < 0.4 else _WHERE)

    def _step(self, id_: str) -> dict[str, Any]:
        random = self._random
        lists = [(f"steps.{one}.{_LISTS[do]}", "{{item.path}}") for one, do in self._done.items() if do in _LISTS]
        lists += [(f"variables.{name}", "{{item}}") for name, kind in self._kinds.items() if kind == "list"]
        do = random.choice(_QUESTIONS if random.random() < 0.3 else _CHANGES)
        step: dict[str, Any] = {"id": id_, "do": do if not self._wild or random.random() < 0.9 else "undo_change"}
        each, item = random.choice([*lists, (["A", "{{today}}"], "{{item}}"), (list("abc") * 99, "{{item}}")])
        if random.random() < 0.4 and (self._wild or do not in _QUESTIONS):
            step["each"], self._item = each, item
        step |= self._arguments(do)
        self._item = ""
        if random.random() < 0.3 and (self._wild or self._conditions):
            step["when"] = random.choice(
                ["c0", "not c1", ["c0", "not c0"], "c9", 1] if self._wild else [self._conditions[0]]
            )
        if self._wild and random.random() < 0.1:
            step[random.choice(["zzz", "path", "append_links", "digest"])] = random.choice([1, None, [], "x", {}])
        if "when" not in step:
            self._done[id_] = do
        return step

    def _arguments(self, do: str) -> dict[str, Any]:  # noqa: C901, PLR0911 - one kind of step, one case
        random = self._random
        path, text = self._path(new=do == "create_note"), self._words()
        match do:
            case "create_note":
                how = random.choice(["fail", "skip", "append"])
                return {
                    "path": path,
                    "text": text,
                    "properties": {"p": self._words(), "q": ["{{variables.w}}"]},
                    "if_exists": how,
                }
            case "edit_note":
                heading = {"heading": random.choice(["Log", "Part"]), "create_heading": True}
                op = random.choice(["append", "prepend", "insert_under", "add_item"])
                return {"path": path, "edits": [{"op": op, "text": text, **(heading if op[0] == "i" else {})}]}
            case "set_properties":
                return {"path": path, "properties": {"status": self._words(), "n": "{{variables.v}}"}, "remove": ["of"]}
            case "move_note":
                return {"path": path, "to": self._path(new=True)}
            case "merge_notes":
                return {"path": path, "into": self._path()}
            case "rename_heading" | "split_note":
                more = {"to": text or "Other"} if do == "rename_heading" else {}
                return {"path": "Folder/C.md", "heading": "Part", **more}
            case "delete_note":
                return {
                    "path": path,
                    "digest": random.choice(["{{item.digest}}", "0" * 12]) if self._wild else "0" * 12,
                }
            case "add_task":
                return {"path": path, "text": text or "Do"}
            case "toggle_task":
                return {"path": "A.md", "line": 10, "text": "Sow beans", "status": random.choice(["x", ">", " "])}
            case "find_notes":
                return {"where": self._where(), "folder": random.choice(["", "Folder", "{{variables.v}}"])}
            case "list_tasks":
                return {"status": random.choice(["open", "all"]), "text": random.choice(["", "{{variables.v}}"])}
            case _:
                return {"query": text, "mode": "keyword"}


_LISTS = {"find_notes": "notes", "list_tasks": "tasks", "search": "hits"}
