"""Whatever an expression asks for, it ends within its budget, in a value of limited size or an error of its own."""

from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bridge.bases.functions import GLOBAL_FUNCTIONS, MEMBER_NAMES
from bridge.bases.syntax import parse_expression
from bridge.bases.values import MAX_TEXT_CHARS, MAX_VALUE_SIZE, size_of, text_of
from bridge.errors import InvalidArguments
from tests.bases.test_expressions import BOOK, evaluation

STEPS = 50_000
"""A hundredth of what a query may take."""

LEAVES = st.sampled_from(
    [
        *(
            "1",
            "-0.5",
            "99999",
            "9007199254740993",
            "1/0",
            "0/0",
            "true",
            "null",
            '""',
            '"a"',
            '"💥ß שלום 你好"',
            '"1d"',
        ),
        *('"x".repeat(99999)', '"a,".repeat(9999).split(",")', "[1,2,2]", "[[1],[[2]]]", '{"a": [1]}', "value", "acc"),
        *("/a*/g", "/(x?){9}y/", "/(/", "now()", 'date("9999-12-31")', 'date("0001-01-01")', 'duration("1M")'),
        *("read - now()", "file", "this", "file.links", "file.tags", "file.properties", "author", "made", "missing"),
        *("formula.f", 'link("x".repeat(9999))', "types", "values", '"YYYY LLLL [x]".repeat(9)', "random()"),
    ]
)
OPERATORS = st.sampled_from(["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||"])


def bigger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    calls = st.builds(
        lambda of, name, arguments: f"({of}).{name}({', '.join(arguments)})",
        inner,
        st.sampled_from(sorted(MEMBER_NAMES)),
        st.lists(inner, max_size=3),
    )
    return st.one_of(
        calls,
        calls,
        st.builds("({}).reduce([acc,acc,acc,acc,acc,acc,acc,acc,{}], {})".format, inner, inner, inner),
        st.builds("({}).reduce(acc + ({}), {})".format, inner, inner, inner),
        st.builds(
            "({}) {} ({})".format,
            inner,
            OPERATORS,
            inner,
        ),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds('{{"a": {}, "b": {}}}'.format, inner, inner),
        st.builds("({})[{}]".format, inner, inner),
        st.builds(
            "({}).{}".format, inner, st.sampled_from(["length", "days", "year", "name", "backlinks", "a", "nothing"])
        ),
        st.builds("{}({})".format, st.sampled_from(sorted(GLOBAL_FUNCTIONS)), inner),
        st.builds("-({})".format, inner),
        st.builds("!({})".format, inner),
    )


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.recursive(LEAVES, bigger, max_leaves=8))
@example('"a,".repeat(9999).split(",").reduce([acc, acc], "x")')
@example('"a,".repeat(9999).split(",").reduce({"a": acc, "b": [acc]}, "x").values().flat()')
@example('"a,".repeat(30).split(",").reduce(acc + acc, "x")')
@example('"a,".repeat(30).split(",").reduce(acc + acc, [1])')
@example('"ab".split(/x*/)')
def test_an_expression_stays_within_its_budget(text: str) -> None:
    query = evaluation(f="[1, 2, 3].map(file.name.repeat(99))")
    query.budget.steps = STEPS
    try:
        found: Any = query.value(parse_expression(text), BOOK)
        assert size_of(found) <= max(MAX_VALUE_SIZE, 4 * MAX_TEXT_CHARS)
        assert len(text_of(found)) <= MAX_TEXT_CHARS
    except InvalidArguments:
        pass
