"""The operations as tools."""

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

import orjson
from mcp import types
from mcp.shared.exceptions import MCPError
from msgspec import field

from bridge.api.arguments import VAULT
from bridge.api.dispatch import inner_call, internal_error
from bridge.api.feature import App
from bridge.api.operation import Operation
from bridge.api.presets import callable_tools, get_tool, listed_tools
from bridge.api.schemas import arguments_schema, result_schema, to_json
from bridge.engine.bridge import Bridge
from bridge.errors import BridgeError, ConfirmationRequired, Declined, NoSuchOperation
from bridge.features import get_operation
from bridge.mcp.caller import Caller, Context, read_caller
from bridge.mcp.resources import RESULT, find_app, reading_tools, tool_meta
from bridge.mcp.text import format_result, protocol_errors, tool_error
from bridge.records import Record
from bridge.text.invisible import inline
from bridge.types import Preset

CONFIRM: Final = "confirm"
"""The argument of operations, and the name of the question."""

IGNORED_ARGUMENTS: Final = frozenset({CONFIRM, "dry_run", "reason"})
"""Arguments that do not make it a different change."""

CONFIRM_FORM: Final[types.ElicitRequestedSchema] = {"type": "object", "properties": {}}
"""A form without fields: to accept it is to agree. A box to tick would make two answers of one."""

MAX_REASON: Final = 300
"""Most characters of an agent's reason that the user is shown."""

MAX_REMEMBERED: Final = 1_000


class ConfirmationPending(Exception):
    """The user must be asked first; the client repeats the call with the answer."""

    def __init__(self, question: types.InputRequiredResult) -> None:
        super().__init__("the user is to be asked")
        self.question = question


class Consent(Record):
    """Asks users, and remembers what they declined, so that an agent cannot ask the same again."""

    _declined: OrderedDict[str, None] = field(default_factory=OrderedDict)

    async def obtain(
        self,
        context: Context,
        params: types.CallToolRequestParams,
        who: Caller,
        operation: Operation,
        given: Mapping[str, Any],
        error: ConfirmationRequired,
    ) -> bool | None:
        """Return the user's consent; None where the program shows no question, so that a call waits for the user."""
        if not can_ask(context):
            raise error
        change = fingerprint(who, operation, given, error.subject)
        if change in self._declined:
            raise Declined(f"The user declined this change earlier: {error.would}.")
        question = confirmation_question(who, operation, given, error)
        if context.session.can_send_request:
            try:
                answer = await context.session.elicit_form(
                    question, CONFIRM_FORM, related_request_id=context.request_id
                )
            except MCPError as failure:
                if failure.code == types.METHOD_NOT_FOUND and inner_call(operation, given)[1].get(CONFIRM) is True:
                    # The client declares forms but does not show them.
                    return None
                raise error from None
        else:
            answer = confirmation_answer(params, question, change)
        if answer.action != "accept" or (answer.content or {}).get(CONFIRM) is False:
            self._declined[change] = None
            if len(self._declined) > MAX_REMEMBERED:
                self._declined.popitem(last=False)
            raise Declined(f"The user declined this change: {error.would}.")
        return True


def confirmation_question(
    who: Caller, operation: Operation, given: Mapping[str, Any], error: ConfirmationRequired
) -> str:
    _, arguments = inner_call(operation, given)
    reason, vault = arguments.get("reason"), arguments.get(VAULT, given.get(VAULT, who.vault))
    several = isinstance(vault, str) and len(who.bridge.vaults) > 1
    where = f", in the vault “{inline(who.bridge.find(vault).name)}”" if several else ""
    why = f" Reason: {inline(reason)[:MAX_REASON]}" if isinstance(reason, str) and reason.strip() else ""
    return f"{inline(who.name)} wants to {inline(error.would)}{where}.{why}"


def confirmation_answer(params: types.CallToolRequestParams, question: str, change: str) -> types.ElicitResult:
    """Return the answer that came with a call; an answer to another question does not count."""
    state = hashlib.sha256(f"{change}\0{question}".encode()).hexdigest()[:16]
    answer = (params.input_responses or {}).get(CONFIRM)
    if isinstance(answer, types.ElicitResult) and params.request_state == state:
        return answer
    form = types.ElicitRequest(params=types.ElicitRequestFormParams(message=question, requested_schema=CONFIRM_FORM))
    raise ConfirmationPending(types.InputRequiredResult(input_requests={CONFIRM: form}, request_state=state))


def can_ask(context: Context) -> bool:
    """Say whether the client shows forms; one that names no kind of question does."""
    capabilities = context.session.client_capabilities
    asks = capabilities.elicitation if capabilities is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


def fingerprint(who: Caller, operation: Operation, given: Mapping[str, Any], subject: str | None) -> str:
    """Return a digest that a change shares with its repetitions in a session, called directly or by `run_tool`.

    All calls that need consent for the same subject share one.
    """
    inner, arguments = inner_call(operation, given)
    own_arguments = {
        name: value for name, value in arguments.items() if name not in IGNORED_ARGUMENTS and name != VAULT
    }
    session = who.bridge.sessions.of(who.name, who.session)
    vault = arguments.get(VAULT, given.get(VAULT, who.vault))
    change = [inner.name, own_arguments] if subject is None else [subject]
    identity = orjson.dumps([session, vault, change], option=orjson.OPT_SORT_KEYS, default=str)
    return hashlib.sha256(identity).hexdigest()


DROPPED_KEYWORDS = frozenset({"maxLength", "minimum", "minItems", "maxItems", "additionalProperties"})
TOOL_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "read_note": {"max_chars": 24_000},
    "note_links": {"limit": 20},
    "graph_view": {"limit": 60},
}
"""Defaults for models that omit an argument: neither a book nor a hub should fill their context unasked."""

HIDDEN_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "search": ("explain", "types", "paths", "min_score", "among", "everywhere"),
    "find_notes": ("linked_from", "excerpts", "types", "among"),
    "related_notes": ("line", "among"),
    "create_note": ("if_exists", "append_links"),
    "edit_note": ("append_links",),
    "list_tags": ("among",),
    "suggest_links": ("lines", "strictness"),
    "undo_change": ("hunks", "redo"),
    "brief": ("tags", "parts", "limit", "everywhere", "session"),
    "remember": ("files", "metadata", "private", "confidence", "expires", "pinned", "reason", "dry_run"),
    "recall": ("kinds", "tiers", "tags", "about", "since", "among_private", "archived", "text_chars", "everywhere"),
    "save_session": ("actions", "problems", "model", "cost_usd", "excerpt", "client", "reason", "dry_run"),
    "find_tool": ("limit",),
    "graph_view": (
        *("kinds", "stubs", "folder", "tags", "properties", "modified_after", "modified_before", "types", "among"),
        *("community", "notes", "tagged", "fold", "mode"),
    ),
    "hand_over": ("unknowns", "to", "reason", "dry_run", "confirm"),
}
"""Arguments that agents do not need: for what text views omit, or for an editor's cursor."""

SUMMARY_ONLY = frozenset({"suggest_links", "brief", "recall", "save_session"})
"""Tools whose summary is description enough."""

SELF_EXPLANATORY = frozenset({"limit", "sort", "dry_run", "confirm"})
"""Arguments whose names explain them; beside a `limit`, `offset` does too."""

PLAIN_PATH = "The note."
"""The description of a path that needs none."""

SAID_IN_WORDS: Mapping[str, Sequence[str]] = {"hand_over": ("Claim", "properties", "proof")}
"""Where a record of many fields has a description that names those which a model needs."""

REPEATED_SCHEMAS: Mapping[str, Sequence[str]] = {"change_set": ("edits", "items", "properties", "edits", "items")}
"""Where a schema repeats that of another listed tool: a change set's edits of a note are those of `edit_note`."""

EMPTY_VALUES: tuple[Any, ...] = (None, False, 0, "", [], (), {})


def input_schema(
    operation: Operation, vaults: Sequence[str], presumed: Mapping[str, Any], unsaid: Sequence[str] = ()
) -> dict[str, Any]:
    made: dict[str, Any] = simplify(flatten_unions(arguments_schema(operation)))
    if unsaid and (way := SAID_IN_WORDS.get(operation.name)):
        definitions = prune(made.pop("$defs"), way, keep=("description",))
        made = with_definitions(made, definitions)
    properties = {name: part for name, part in made["properties"].items() if name not in {VAULT, *unsaid}}
    if way := REPEATED_SCHEMAS.get(operation.name):
        properties = prune(properties, way)
    evident = SELF_EXPLANATORY | ({"offset"} if "limit" in properties else set())
    for name in [name for name, part in properties.items() if name in evident or part.get("description") == PLAIN_PATH]:
        properties[name] = {fact: value for fact, value in properties[name].items() if fact != "description"}
    for name in [name for name, part in properties.items() if "examples" in part][1:]:
        properties[name] = {fact: value for fact, value in properties[name].items() if fact != "examples"}
    for name, value in presumed.items():
        properties[name] = {**properties[name], "default": value}
    required = list(made.get("required", ()))
    if len(vaults) > 1:
        properties[VAULT] = {"type": "string", "enum": list(vaults)}
        required += [VAULT] if operation.vault else []
    return {**made, "properties": properties, **({"required": required} if required else {})}


def prune(part: Mapping[str, Any], way: Sequence[str], keep: Sequence[str] = ()) -> dict[str, Any]:
    """Return a part of a schema in which the value at the end of a path is any object, with some of its facts."""
    step, *rest = way
    if rest:
        return {**part, step: prune(part[step], rest, keep)}
    return {**part, step: {"type": "object", **{name: part[step][name] for name in keep}}}


def flatten_unions(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Merge each union of records into one record: of eight schemas, a model uses only the names anyway."""
    records = schema.get("$defs", {})

    def plain(part: Any) -> Any:
        if isinstance(part, list):
            return [plain(item) for item in part]
        if not isinstance(part, Mapping):
            return part
        rest = {name: plain(value) for name, value in part.items() if name != "$defs"}
        if rest.pop("oneOf", None):
            chosen = [records[option["$ref"].rpartition("/")[2]] for option in part["oneOf"]]
            return {**merge_variants([plain(one) for one in chosen]), **rest}
        return rest

    made: dict[str, Any] = plain(schema)
    return with_definitions(made, {name: plain(record) for name, record in records.items()})


def with_definitions(schema: Mapping[str, Any], records: Mapping[str, Any]) -> dict[str, Any]:
    used: dict[str, Any] = {}
    while more := {
        name: record
        for name, record in records.items()
        if name not in used and f'#/$defs/{name}"' in json.dumps([schema, used])
    }:
        used |= more
    return {**schema, "$defs": used} if used else dict(schema)


def merge_variants(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    tag = next(name for name, field in records[0]["properties"].items() if "const" in field)
    fields: dict[str, Any] = {}
    calls: list[str] = []
    for record in records:
        fields_shown = [name for name in record["properties"] if name != tag]
        needed = record.get("required", ())
        calls.append(
            f"{record['properties'][tag]['const']}({', '.join(n + '?' * (n not in needed) for n in fields_shown)})"
        )
        for name in fields_shown:
            fields.setdefault(name, record["properties"][name])
    names = [record["properties"][tag]["const"] for record in records]
    tag_schema = {"type": "string", "enum": names, "description": " ".join(calls)}
    return {"type": "object", "properties": {tag: tag_schema, **fields}, "required": [tag]}


def simplify(part: Any) -> Any:
    """Say the same in fewer keywords, and without those that some clients do not know."""
    if isinstance(part, list):
        return [simplify(item) for item in part]
    if not isinstance(part, Mapping):
        return part
    schema = {
        name: simplify(value)
        for name, value in part.items()
        if name not in DROPPED_KEYWORDS and not (name in {"default", "required"} and value in EMPTY_VALUES)
    }
    if first := schema.pop("prefixItems", None):
        schema["items"] = first[0]
    if options := [option for option in schema.pop("anyOf", ()) if option != {"type": "null"}]:
        schema = {**(options[0] if len(options) == 1 else {"anyOf": options}), **schema}
    return schema


Step = tuple[float, float | None, str]


@asynccontextmanager
async def progress_reporter(context: Context) -> AsyncIterator[Callable[[float, float | None, str], None]]:
    """Yield the function that an operation calls with its progress; all steps are sent before the block ends."""
    steps: asyncio.Queue[Step | None] = asyncio.Queue()
    sending = asyncio.create_task(send_progress(context, steps), name="mcp progress")
    try:
        yield lambda done, total, message: steps.put_nowait((done, total, message))
        steps.put_nowait(None)
        await asyncio.wait({sending})
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def send_progress(context: Context, steps: asyncio.Queue[Step | None]) -> None:
    """Send each step as it comes; a client that did not request progress gets none."""
    while (step := await steps.get()) is not None:
        done, total, message = step
        await context.session.report_progress(done, total, message)


WRITE_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "daily_note": ("append", "heading", "create_heading", "dry_run", "reason", "confirm"),
    "tidy_rules": ("check", "muted", "ticked"),
}
"""Arguments of tools that may also write, which are hidden from callers that only read."""


class Tools(Record):
    """Lists and calls the tools."""

    bridge: Bridge
    consent: Consent = field(default_factory=Consent)

    async def list(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """List the tools of the caller's preset, always in the same order and on one page."""
        with protocol_errors(context):
            who = read_caller(context, self.bridge)
            vaults = [host.name for host in who.hosts]
            tools = {**listed_tools(who.preset), **reading_tools(context, who)}
            described = [
                describe_tool(tool, vaults, who.preset, find_app(context, who, tool)) for tool in tools.values()
            ]
            return types.ListToolsResult(tools=described)

    async def call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call a tool; errors become results that a model can act on."""
        try:
            who = read_caller(context, self.bridge)
            operation, arguments = resolve_call(who, params.name), params.arguments or {}
            presumed = default_arguments(operation, full=who.preset == "full")
            given = {**arguments, **{name: value for name, value in presumed.items() if arguments.get(name) is None}}
            write = partial(format_result, quotes=operation.quotes)
            async with progress_reporter(context) as progress:
                # A model's `confirm` does not count where the user can be asked.
                consent = False if can_ask(context) else None
                try:
                    result, text = await who.ask(operation, given, write, progress, consent, adds=True)
                except ConfirmationRequired as error:
                    agreed = await self.consent.obtain(context, params, who, operation, given, error)
                    result, text = await who.ask(operation, given, write, progress, consent=agreed, adds=True)
        except ConfirmationPending as unanswered:
            return unanswered.question
        except BridgeError as error:
            return tool_error(error, params.arguments or {})
        except Exception as error:  # noqa: BLE001  # the top of a call: anything else is a bug
            return tool_error(internal_error(error), {})
        full, has_app = who.preset == "full", find_app(context, who, operation) is not None
        # In a thread: a result may be as large as the largest note.
        answer = await asyncio.to_thread(to_json, result) if full or has_app else None
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=answer if full else None,
            _meta={RESULT: answer} if has_app else None,
        )


def describe_tool(operation: Operation, vaults: Sequence[str], preset: Preset, app: App | None = None) -> types.Tool:
    """Describe an operation as a tool; its result only in the preset `full`."""
    full, reads = preset == "full", preset == "read-only"
    untold = (
        ()
        if full
        else (*HIDDEN_ARGUMENTS.get(operation.name, ()), *(WRITE_ARGUMENTS.get(operation.name, ()) if reads else ()))
    )
    takes = input_schema(operation, vaults, default_arguments(operation, full=full), untold)
    details = operation.details if full or operation.name not in SUMMARY_ONLY else ""
    text = " ".join(filter(None, (operation.summary, details)))
    return types.Tool(
        name=operation.name,
        title=operation.title,
        description=text,
        input_schema=takes,
        output_schema=result_schema(operation.result) if full else None,
        annotations=annotations(operation, preset),
        _meta=tool_meta(app),
    )


def tool_schema(name: str) -> dict[str, Any] | None:
    try:
        return arguments_schema(get_operation(name))
    except NoSuchOperation:
        return None


def default_arguments(operation: Operation, *, full: bool) -> Mapping[str, Any]:
    """Return the defaults for a model that omits arguments; in the preset `full`, the same as over HTTP."""
    return {} if full else TOOL_DEFAULTS.get(operation.name, {})


def annotations(operation: Operation, preset: Preset) -> types.ToolAnnotations:
    """Return what a call may do to the vault; the protocol's defaults are left out."""
    if preset == "read-only" or (operation.reads and not operation.open_world):
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=operation.open_world)
    if operation.reads:
        # It changes nothing of the bridge's, but on request calls programs of others, which may.
        return types.ToolAnnotations(read_only_hint=False, open_world_hint=True)
    return types.ToolAnnotations(
        read_only_hint=False,
        destructive_hint=operation.destructive,
        idempotent_hint=operation.idempotent or None,
        open_world_hint=operation.open_world,
    )


def resolve_call(who: Caller, name: str) -> Operation:
    """Return the operation that a call runs; one that the preset does not list can still be called."""
    tool = get_tool(name)
    if tool.name not in callable_tools(who.preset):
        listed = ", ".join(listed_tools(who.preset))
        raise NoSuchOperation(f"`{tool.name}` is not part of the preset `{who.preset}`.", hint=f"These are: {listed}.")
    return tool
