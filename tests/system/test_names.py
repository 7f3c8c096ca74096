"""The words of the code: names that a stranger would search for (docs/glossary.md), and few docstrings."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BRIDGE = ROOT / "bridge"
PLUGIN = ROOT / "obsidian-plugin" / "src"
PACKAGES = sorted(path.parent.relative_to(BRIDGE).as_posix() for path in BRIDGE.rglob("__init__.py"))

PARTICIPLE = re.compile(
    r"_?(?:[a-z]+ed|[a-z]{2,}ing|told|said|known|held|kept|found|made|meant|laid|led|sent|put|lost|left|built|bound|"
    r"shown|drawn|chosen|given|taken|written|gone|done|hidden|spelt|heard|begun|own|same|whole|ways)"
)
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

NOUNS = {
    *("heading", "setting", "embedding", "string", "ending", "pairing", "finding", "docstring"),
    *("feed", "seed", "embed", "pooling", "indexing", "spelling", "related", "mapping", "meaning", "put"),
}
"""Words of these forms that are nouns or verbs."""

SUPERLATIVE = re.compile(r"_?(?:MOST|FEW|FEWEST|LONGEST|SHORTEST|LEAST|LARGEST|SMALLEST)(?:_[A-Z_]+)?")
"""Names of limits that do not say what is counted, as `MAX_QUERY_CHARS` does."""

QUALITY = re.compile(
    "absent|ahead|alike|all|almost|alone|and|any|apart|around|before|behind|beside|between|close|closer|common|"
    "daily|deep|deepest|elsewhere|empty|enough|essential|everyday|everywhere|exact|faint|far|first|flat|foreign|"
    "former|free|general|generic|global|half|healthy|here|instead|large|last|late|later|latest|like|little|local|"
    "long|many|meta|near|nearest|nearly|new|next|none|normal|not|nothing|nowhere|odd|often|old|once|open|optional|"
    "other|ours|outer|own|plain|rare|recent|remote|same|several|sharp|short|something|special|stale|standing|"
    "steep|stray|sure|top|twice|unary|under|unsafe|unsure|unusual|usual|weak|when|whole|why|wide|yes"
)
"""Words that say how, where or when something is, and not what it is."""

NOUNS_OF_CONSTANTS = {"binding", "closing", "damping", "drawing", "opening"}

TYPESCRIPT = (
    re.compile(r"\bfunction\*? (\w+)[(<]"),
    re.compile(r"^\t(?:(?:static|async|override|private|protected|public|get|set) )*#?(\w+)\([^\n;]*\{$", re.MULTILINE),
    re.compile(r"\bconst ([A-Z][A-Z_]+)\b"),
    re.compile(r"\bconst (\w+) = (?:async )?\([^\n]*\)[^=\n]* =>"),
    re.compile(r"\b(\w+)\??: (?:async )?\([^\n]*\)[^=\n]* =>"),
)
"""Functions, methods, constants, functions within others, and callbacks of the plugin."""

OF_THE_APP = {"disabled"}
"""Callbacks that Obsidian names."""

WORDS_ALONE = {
    *("that", "more", "tell", "dress", "world", "hears", "when", "where", "bring", "again", "anew", "here", "lately"),
    *("newest", "plain", "recent", "says", "foretold"),
}
"""Further words that do not say what a function does or what a module holds."""

RECORDS = {
    *("Written", "Settled", "Acknowledged", "Indexed", "Paused", "Left", "Seen", "Reported", "Grown"),
    *("Cancelled", "Declined", "Denied", "Forbidden", "Missing", "Unauthorized"),
}
"""Public names of records and errors, which programs rely on."""

TWICE = {"main", "insert", "forget", "purge", "move"}
"""What each command of the command line has, and each table of the state."""

SHARED_CLASSES = {"Setting"}
"""A setting as features declare it, and as programs read it, where the reference and the plugin's types name it so."""

HOME_MADE = re.compile(
    r"desk|carrying|carried_out|heeding|weaving|weave|drifting|minding|deciding|whereabouts|stroke|strand|lineage|"
    r"contradiction|reconcile|unharmed|believed|stones|poison|atlas|prospects?_of|verdicts?|hands|halfway|handing",
    re.IGNORECASE,
)
"""Words of before for which the field has its own (docs/glossary.md)."""


def definitions(tree: ast.Module) -> Iterator[str]:
    """Yield the functions and classes at the top of a module, without the operations, whose names are public."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = {getattr(getattr(one, "func", one), "id", "") for one in node.decorator_list}
            if "operation" not in decorators:
                yield node.name


def is_lone(name: str) -> bool:
    return PARTICIPLE.fullmatch(name) is not None and name.lstrip("_") not in NOUNS


def test_no_function_or_class_is_named_by_a_lone_participle(trees: Mapping[Path, ast.Module]) -> None:
    lone = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, tree in trees.items()
        for name in definitions(tree)
        if is_lone(name if name.islower() else CAMEL.sub("_", name).lower()) and name not in RECORDS
    ]
    assert lone == []


def test_no_method_is_named_by_a_lone_participle(trees: Mapping[Path, ast.Module]) -> None:
    lone = [
        f"{path.relative_to(ROOT)}: {node.name}.{method.name}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and is_lone(method.name)
    ]
    assert lone == []


def test_constants_say_what_they_count(trees: Mapping[Path, ast.Module]) -> None:
    others = (path for folder in ("scripts", "tests") for path in sorted((ROOT / folder).rglob("*.py")))
    superlatives = [
        f"{path.relative_to(ROOT)}: {node.id}"
        for path, tree in (*trees.items(), *((path, ast.parse(path.read_text(encoding="utf-8"))) for path in others))
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and SUPERLATIVE.fullmatch(node.id)
    ]
    assert superlatives == []


def test_a_constant_is_not_a_lone_quality(trees: Mapping[Path, ast.Module]) -> None:
    """`SHOWN = 5` and `NEAR = 0.6` say neither what is counted nor in which unit; `MAX_SHOWN_FOLDERS` does."""
    lone = [
        f"{path.relative_to(ROOT)}: {name.id}"
        for path, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and name.id.isupper()
        if (word := name.id.strip("_").lower()) not in NOUNS_OF_CONSTANTS
        if QUALITY.fullmatch(word) or is_lone(word)
    ]
    assert lone == []


def test_the_plugin_has_no_such_names() -> None:
    lone = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted(PLUGIN.rglob("*.ts"))
        for pattern in TYPESCRIPT
        for name in pattern.findall(path.read_text(encoding="utf-8"))
        if is_lone(name) or name in WORDS_ALONE or SUPERLATIVE.fullmatch(name)
        if name not in OF_THE_APP
    ]
    assert lone == []


def test_no_module_of_the_plugin_is_named_by_such_a_word() -> None:
    paths = [path.relative_to(PLUGIN).with_suffix("") for path in sorted(PLUGIN.rglob("*.ts"))]
    lone = [path for path in paths if is_lone(path.stem) or path.stem in WORDS_ALONE]
    assert lone == []


def test_no_module_is_named_by_a_participle() -> None:
    modules = [path.relative_to(ROOT).as_posix() for path in BRIDGE.rglob("*.py") if path.stem not in NOUNS]
    assert [module for module in modules if PARTICIPLE.fullmatch(Path(module).stem)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_each_public_name_once(package: str, trees: Mapping[Path, ast.Module]) -> None:
    names = Counter(
        name
        for path in (BRIDGE / package).glob("*.py")
        for name in definitions(trees[path])
        if not name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1 and name not in TWICE] == []


def test_no_class_has_the_name_of_another(trees: Mapping[Path, ast.Module]) -> None:
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(ROOT)))
    twice = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert {name: paths for name, paths in twice.items() if name not in SHARED_CLASSES} == {}
    assert SHARED_CLASSES.issubset(twice)


def test_words_of_the_field_are_used(trees: Mapping[Path, ast.Module]) -> None:
    home_made = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, tree in trees.items()
        for name in (path.stem, *definitions(tree))
        if HOME_MADE.search(name)
    ]
    assert home_made == []


class Renamed(ast.NodeTransformer):
    """Names the arguments of a function by their order."""

    def __init__(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        given = function.args
        arguments = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        self._names = {one.arg: f"_{at}" for at, one in enumerate(arguments) if one is not None}

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self._names.get(node.arg, node.arg))

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def contents(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the content and name of each function, regular expression and choice of words at the top of a module."""
    # Parsed for this alone, since renaming changes the tree.
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[ast.get_docstring(node) is not None :]
            renamed = Renamed(node)
            yield " ".join(ast.dump(renamed.visit(part)) for part in (node.args, *body)), node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if ast.unparse(node.value).startswith(("re.compile(", "Literal[")):
                yield ast.dump(node.value), ast.unparse(target)


def test_nothing_is_defined_twice() -> None:
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(BRIDGE.rglob("*.py")):
        for content, name in contents(path):
            homes[content].append(f"{path.relative_to(ROOT)}: {name}")
    assert [twice for twice in homes.values() if len(twice) > 1] == []


def docstrings(tree: ast.AST) -> Iterator[ast.Expr]:
    """Yield the docstrings of modules, classes, functions, fields and constants."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and body:
            before = [None, *body]
            for previous, one in zip(before, body, strict=False):
                described = previous is None or isinstance(previous, ast.Assign | ast.AnnAssign)
                if described and isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
                    yield one


def test_docstrings_say_what_names_cannot(trees: Mapping[Path, ast.Module]) -> None:
    """Operations and records have theirs; a helper needs one only for a fact."""
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in trees)
    said = sum((one.end_lineno or one.lineno) - one.lineno + 1 for tree in trees.values() for one in docstrings(tree))
    assert said / lines <= 0.11


MAX_FUNCTION_LINES = 60


def long_functions(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the functions with more lines than most people take in, but for docstrings, without a reason above them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            described = node.body[0] if ast.get_docstring(node) is not None else None
            docstring = (described.end_lineno or 0) - described.lineno + 1 if described is not None else 0
            above = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 2
            is_long = (node.end_lineno or 0) - node.lineno + 1 - docstring > MAX_FUNCTION_LINES
            if is_long and not lines[above].strip().startswith("# Long: "):
                yield f"{path.name}: {node.name}"


def test_long_functions_say_why_they_are_one(trees: Mapping[Path, ast.Module]) -> None:
    assert [one for path, tree in trees.items() for one in long_functions(path, tree)] == []


def test_docs_of_functions_do_not_make_them_long(tmp_path: Path) -> None:
    body = "    x = 1\n" * MAX_FUNCTION_LINES
    for text, is_long in (
        (f"def f():\n{body}", True),
        (f"# Long: one table.\n@cache\ndef f():\n{body}", False),
        ('def f():\n    """Do it.\n' + "\n" * 80 + '    """\n    x = 1\n', False),
    ):
        module = tmp_path / "module.py"
        module.write_text(f"\n\n{text}", encoding="utf-8")
        assert bool([*long_functions(module, ast.parse(module.read_text("utf-8")))]) is is_long


APART = {
    "bases/functions.py": "The functions of the language are a table; what evaluates it is a machine.",
    "changes/provenance.py": "Where lines come from is one question, taking changes out another, and both are long.",
    "cli/completion.py": "A shell asks for it; no other command loads argcomplete.",
    "cli/run_command.py": "An interrupt must find nothing half imported, so that `main` imports it late.",
    "cli/run_operation.py": "A command, imported by its name like the others.",
    "cli/stdio/install.py": "Runs only where a program is set up.",
    "cli/stdio/pump.py": "What passes messages on is long, and knows nothing of the command.",
    "features/brief/cards.py": "How a card reads is apart from what is chosen for it.",
    "features/memory/comparison.py": "Whether two memories say the same has its own measure.",
    "features/summaries/extract.py": "A summary is extracted, or written by a model: two ways.",
    "features/summaries/write.py": "The second of these ways.",
    "features/topics/validate.py": "What is out of order is found by other means than topics are listed.",
    "features/workflows/change_examples.py": "Examples are generalised here, and drafted as a note there.",
    "features/workflows/check.py": "What a workflow may say is checked apart from how its text is parsed.",
    "index/passages.py": "The texts in memory are a cache with a life of its own.",
    "mcp/prompts.py": "Prompts and tools are what is offered, the endpoint is how.",
    "mcp/tools.py": "The same.",
    "models/convert.py": "The formats of two programs' files are a subject of their own.",
    "models/prebuilt_api.py": "Its names are those of the C library, which stands in for a module of that name.",
    "server/asgi.py": "An adapter between two protocols that knows of no operation.",
    "vault/write/preflight.py": "What is refused before anything is written is checked apart from the writing.",
}
"""Modules with a single user in their folder that stand apart nevertheless, and why."""


def importers(trees: Mapping[Path, ast.Module]) -> Mapping[Path, set[Path]]:
    """Return by module the modules that import it."""
    users: defaultdict[Path, set[Path]] = defaultdict(set)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for name in (node.module, *(f"{node.module}.{one.name}" for one in node.names)):
                    users[ROOT / f"{name.replace('.', '/')}.py"].add(path)
    return users


def test_a_module_with_one_user_beside_it_is_part_of_that(trees: Mapping[Path, ast.Module]) -> None:
    """What a package's `__init__` or `__main__` lists is its parts."""
    found = {
        path.relative_to(BRIDGE).as_posix()
        for path, (user, *others) in ((path, [*users]) for path, users in importers(trees).items())
        if path in trees and not others and user.parent == path.parent
        if not path.name.startswith("_") and not user.name.startswith("_")
    }
    assert found == APART.keys()
