"""Reads a workflow from its note or a text, and writes its note: the digest of its block is what a person approves."""

import asyncio
import contextlib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace
from yaml import SafeDumper, dump

from bridge.api.arguments import Locator, fields_of
from bridge.api.call import Call
from bridge.api.hints import role_of
from bridge.api.note_names import LINK, find_file, no_such_note, snapshot, unknown_properties
from bridge.api.where import note_files
from bridge.bases.evaluate import Budget, Evaluation, check_functions, find_properties
from bridge.bases.syntax import Name, parse_expression, walk
from bridge.changes.requests.base import KINDS, operation_of, require_note_path
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments, NoteChanged, NoteNotFound, ProtectedPath
from bridge.features.workflows.check import check_workflow
from bridge.features.workflows.parse import (
    FORMAT_VERSION,
    PATH_ARGUMENTS,
    Problem,
    Workflow,
    WorkflowStep,
    path_fields,
    read_workflow,
)
from bridge.features.workflows.run import bind_sample
from bridge.features.workflows.templates import TemplateFiller, TemplateReference, put_sample
from bridge.index.note import Notes
from bridge.markdown.note import Value, type_of
from bridge.markdown.parse import parse
from bridge.markdown.yaml12 import WrongYaml, read_yaml
from bridge.records import Record
from bridge.state.decisions import Decision
from bridge.text.diff import split_lines
from bridge.text.fold import fold_case
from bridge.types import Digest, PathRole, VaultPath, is_same_digest
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.vault import Vault

TYPE: Final = "workflow"
"""The property `type` of such a note, and the language of its block."""
TYPES: Final = (TYPE, "policy")
"""What notes of earlier versions have there, too."""

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^\r\n`]*)")


class WorkflowBlock(Record):
    """The block of a note."""

    text: str
    """The YAML, with LF between lines."""
    line: int
    """The line of the note before its first, so that line 1 of the text is line `line + 1`."""

    @property
    def digest(self) -> Digest:
        """What a person approves: the SHA-256 of its text, whatever its line ends."""
        return block_digest(self.text)


def block_digest(text: str) -> Digest:
    plain = "\n".join(line.rstrip("\r") for line in text.rstrip("\r\n").split("\n"))
    return Digest(hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest())


def find_block(text: str) -> WorkflowBlock:
    found = list(_blocks(text))
    if len(found) != 1:
        how_many = f"{len(found)} blocks" if found else "no block"
        raise InvalidArguments(
            f"The note has {how_many} of code in the language `{TYPE}`, and needs exactly one.",
            hint=f"It begins with a line ```{TYPE} and ends with a line ```.",
        )
    return found[0]


def _blocks(text: str) -> Iterator[WorkflowBlock]:
    fence, language, begins, since, at = "", "", 0, 0, 0
    for number, line in enumerate(split_lines(text), 1):
        found = _FENCE.match(line)
        if not fence and found:
            fence, language = found[1], found[2].strip().casefold()
            begins, since = at + len(line), number
        elif fence and found and found[1].startswith(fence) and not found[2].strip():
            if language in TYPES:
                yield WorkflowBlock(text[begins:at].replace("\r\n", "\n"), since)
            fence = ""
        at += len(line)
    if fence and language in TYPES:
        raise InvalidArguments(
            f"The workflow that begins in line {since} never ends.", hint=f"Add a line {fence} below its last line."
        )


_WIDTH: Final = 1_000


class _Dumper(SafeDumper):
    """Writes texts of several lines as they are."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _represent_text(dumper: SafeDumper, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


def workflow_yaml(
    description: str, variables: Mapping[str, Mapping[str, Value]], steps: Sequence[Mapping[str, Value]], output: str
) -> str:
    whole: dict[str, Value] = {"version": FORMAT_VERSION, "description": description}
    whole |= {"variables": {name: dict(facts) for name, facts in variables.items()}} if variables else {}
    whole |= {"steps": [dict(step) for step in steps], "output": output}
    text = _dump_yaml(whole)
    try:
        if read_yaml(text).values == whole:
            return text
    except WrongYaml:
        pass
    # Words that YAML 1.1 and 1.2 take for different things are read alike only in quotes.
    return _dump_yaml(whole, quoted=True)


def _dump_yaml(value: Value, *, quoted: bool = False) -> str:
    style = '"' if quoted else None
    written: str = dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH, default_style=style)
    return written


def workflow_note(name: str, prose: str, block: str, sources: Iterable[VaultPath] = ()) -> str:
    """Return the note of a workflow, which links to the notes of whose words it was made: they may be denied later."""
    linked = [path if _NOT_IN_LINK.search(path) else f"[[{path.removesuffix('.md')}]]" for path in sources]
    files = f"files: {json.dumps(linked, ensure_ascii=False)}\n" if linked else ""
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", block)), default=0))
    return f"---\ntype: {TYPE}\n{files}---\n# {name}\n\n{prose.strip()}\n\n{fence}{TYPE}\n{block.rstrip()}\n{fence}\n"


_NOT_IN_LINK = re.compile(r"[#|^\[\]]")
NO_PATH = VaultPath("")

CHECK_CPU_S = 0.3
"""Processor time of a check of what `where` selects."""


def check_paths(workflow: Workflow, vault: Vault) -> Iterator[Problem]:
    """Yield the paths that no value makes right; a protected one in a step that may be skipped is only a remark."""
    for step in workflow.steps:
        for name in PATH_ARGUMENTS if step.reads else path_fields(step.do):
            value = step.arguments.get(name)
            if isinstance(value, str) and value.strip() and (found := _judge(step, name, value, vault)):
                message, serious = found
                yield Problem(step.lines.get(name, step.line), message, serious)


def _judge(step: WorkflowStep, name: str, value: str, vault: Vault) -> tuple[str, bool] | None:
    role = None if step.reads else _role(step.do, name)
    link = None if role is PathRole.NEW else LINK.fullmatch(value)
    written = value if link is None else link["target"]
    try:
        shown = put_sample(written)
    except BridgeError:
        # The check of a workflow reports malformed templates by itself.
        return None
    if shown is None or (step.reads and not shown.strip("/")):
        return None
    try:
        path = Locator(vault, None).path(shown, role)
        if step.do == "create_note" and name == "path" and not path.endswith("}}"):
            require_note_path(path)
    except BridgeError as error:
        return f"The step `{step.id}` does not fit: {error.message} {error.hint}".strip(), True
    if step.reads:
        return None
    try:
        samples = {put_sample(written, sample) or "" for sample in ("0", "Zz")}
        if len(samples) == 1 or all(map(vault.rules.keeps, samples)):
            vault.require_writable(path)
        elif folder := shown.partition("{{")[0].rpartition("/")[0]:
            vault.require_writable(VaultPath(folder))
    except BridgeError as error:
        return f"The step `{step.id}` does not fit: {error.message}", not (step.when or step.each)
    return None


def _role(do: str, name: str) -> PathRole | None:
    return next((role_of(fields_of(one)[name]) for one in KINDS if operation_of(one) == do), None)


class ReadWorkflow(Record):
    """A workflow as it was read."""

    path: VaultPath | None
    text: str
    digest: Digest
    workflow: Workflow
    problems: tuple[Problem, ...]

    @property
    def decision(self) -> Decision:
        """What the user is asked about it."""
        return Decision("workflow", self.path or NO_PATH, digest=self.digest)

    @property
    def faults(self) -> tuple[Problem, ...]:
        return tuple(one for one in self.problems if one.serious)

    def require_sound(self) -> None:
        if faults := self.faults:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            raise InvalidArguments(
                f"The workflow cannot run: line {faults[0].line}: {faults[0].message}{more}",
                hint="`list_workflows` with this `path` lists every fault; correct them first.",
            )


async def open_workflow(call: Call, path: VaultPath) -> ReadWorkflow:
    call.vault.require_keyword()
    return await asyncio.to_thread(read_note, call.vault, path)


async def open_seen_workflow(call: Call, path: VaultPath, digest: Digest) -> ReadWorkflow:
    """Return a workflow that must be the one that the user has seen."""
    found = await open_workflow(call, path)
    if not is_same_digest(found.digest, digest):
        raise NoteChanged(
            f"The workflow in `{path}` is not the one that you have seen.",
            hint="Look at a dry run again, and approve the digest that it says.",
            path=path,
            expected=digest,
            found=found.digest,
        )
    return found


def read_note(vault: OpenVault, path: VaultPath) -> ReadWorkflow:
    """Read and check the workflow of a note; blocks."""
    block = block_of(path, note_text(vault, path))
    found = read_text(vault.files, block.text, vault)
    return replace(found, path=path, problems=tuple(replace(one, line=one.line + block.line) for one in found.problems))


def find_workflows(vault: OpenVault) -> list[VaultPath]:
    return sorted(path for path, note in vault.index.notes.items() if note.note_type in TYPES)


def find_digests(vault: OpenVault) -> Iterator[tuple[VaultPath, Digest]]:
    """Yield the notes of the workflows that can be read, and what the user approves of each; blocks."""
    for path in find_workflows(vault):
        with contextlib.suppress(BridgeError):
            yield path, block_of(path, note_text(vault, path)).digest


def note_text(vault: OpenVault, path: VaultPath) -> str:
    try:
        data, _ = vault.files.read(path)
    except (NoteNotFound, ProtectedPath):
        raise no_such_note(vault, path) from None
    return data.decode("utf-8", "surrogateescape")


def block_of(path: VaultPath, text: str) -> WorkflowBlock:
    readable = path.lower().endswith(".md")
    if not readable or type_of(parse(path, text.encode("utf-8", "surrogateescape")).properties) not in TYPES:
        raise InvalidArguments(f"`{path}` is no workflow.", hint=f"A workflow's note has the property `type: {TYPE}`.")
    return find_block(text)


def read_text(files: Vault, text: str, vault: OpenVault | None = None) -> ReadWorkflow:
    """Read and check the YAML of a workflow, also against the notes that an open vault has now."""
    found = read_workflow(text)
    workflow = found.workflow
    checked = (*check_workflow(workflow, bind_sample), *check_paths(workflow, files)) if workflow.steps else ()
    problems = dict.fromkeys((*found.problems, *checked))
    if vault is not None:
        problems |= dict.fromkeys((*_find_unknown(workflow, snapshot(vault)), *_find_missing(workflow, vault)))
    ordered = sorted(problems, key=lambda one: (one.line, one.message))
    return ReadWorkflow(None, text, block_digest(text), found.workflow, tuple(ordered))


def _find_missing(workflow: Workflow, vault: OpenVault) -> Iterator[Problem]:
    """Yield what a step needs and is not there: notes, folders and templates, or any note that `where` selects."""
    given = {name: one.default for name, one in workflow.variables.items() if one.default is not None}
    defaults: dict[str, Value] = {name: [*one] if isinstance(one, tuple) else one for name, one in given.items()}
    made: set[VaultPath] = set()
    for step in workflow.steps:
        for name in sorted(PATH_ARGUMENTS if step.reads else path_fields(step.do)):
            paths = step.arguments.get(name)
            for written in paths if isinstance(paths, list) else [paths]:
                with contextlib.suppress(BridgeError):
                    text = _fill_defaults(written, defaults, vault)
                    path = find_file(vault.files, vault.names, text, made, folders=True)
                    if not step.reads and _role(step.do, name) is PathRole.NEW:
                        made.add(path)
                    elif text and path not in made and not vault.files.has(path):
                        serious = text == written and not (step.reads or step.when or step.each)
                        yield Problem(
                            step.lines[name], f"The step `{step.id}` needs `{path}`: it is not there.", serious
                        )
        if step.reads and "where" in step.arguments and _selects_nothing(step, defaults, vault):
            yield Problem(
                step.lines["where"], f"The step `{step.id}` finds nothing now: no note passes `where`.", False
            )


def _fill_defaults(written: Value, defaults: Mapping[str, Value], vault: OpenVault) -> str:
    """Return a path with the defaults of its variables, if nothing else decides what it is."""

    def resolve(reference: TemplateReference) -> Value:
        if str(reference) == "daily:template":
            return read_obsidian_settings(vault.root).daily_template or ""
        if reference.root != "variables" or reference.names[0] not in defaults:
            raise InvalidArguments(f"`{reference}` has no value yet.")
        return defaults[reference.names[0]]

    return TemplateFiller(resolve).path(str(written or "")).strip("/")


def _selects_nothing(step: WorkflowStep, defaults: Mapping[str, Value], vault: OpenVault) -> bool:
    notes = snapshot(vault)
    with contextlib.suppress(BridgeError):
        node = parse_expression(str(step.arguments["where"]))
        check_functions([node])
        place = _fill_defaults(step.arguments.get("folder"), defaults, vault)
        if not any(isinstance(one, Name) and one.name in ("steps", "item") for one in walk([node])):
            budget = Budget(seconds=CHECK_CPU_S)
            query = Evaluation(note_files(vault, notes), budget=budget, given={"variables": dict(defaults)})
            return not any(query.passes(node, path) for path in notes if f"/{path}".startswith(f"/{place}"))
    return False


def _find_unknown(workflow: Workflow, notes: Notes) -> Iterator[Problem]:
    """Remark the properties that conditions name and neither a note has nor a step sets."""
    own = {"variables", "steps", "item", "conditions"}
    for step in workflow.steps:
        given = step.arguments.get("properties")
        own |= {fold_case(name) for name in given} if isinstance(given, Mapping) else set()
    named = [(one.line, one.node, one.arguments.get("property")) for one in workflow.conditions.values()]
    for step in workflow.steps:
        where = step.arguments.get("where") if step.reads else None
        with contextlib.suppress(InvalidArguments):  # said already
            named += [(step.lines["where"], parse_expression(where), None)] if isinstance(where, str) else []
    for line, node, tested in named:
        names = [] if node is None else [*find_properties([node])]
        names += [tested] if tested and "{{" not in tested else []
        for unknown in unknown_properties(notes, [name for name in names if fold_case(name) not in own]):
            yield Problem(line, unknown, serious=False)


async def approved_digests(call: Call) -> Mapping[VaultPath, Digest]:
    return await asyncio.to_thread(call.vault.store.decisions.approved_workflows)
