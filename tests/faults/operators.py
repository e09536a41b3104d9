"""Ways in which checking code can be wrong: each takes a node of a syntax tree and yields the changes it knows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.faults.neutral_code import LARGEST_SMALL, Function, find_neutral_code, name_called

NOTHING = "(left out)"


class Change(NamedTuple):
    """One change: the node that is replaced, what people read of it, and the code that is written in its place."""

    operator: str
    node: ast.expr | ast.stmt
    before: str
    after: str
    code: str
    function: str = ""


Parents = tuple[ast.AST, ...]
Changes = Iterator[Change]

_SHIFTED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_FLIPPED = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In}
_WEAKENED = {ast.Eq: (ast.GtE, ast.LtE), ast.NotEq: (ast.Lt, ast.Gt)}
_OTHER_FUNCTION = {
    **{"any": "all", "all": "any", "logical_or": "logical_and", "logical_and": "logical_or"},
    **{"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin"},
}
_OTHER_SIDE = {"left": "right", "right": "left"}
_LIST_NAMES = ("check", "rule", "_anywhere")


def find_changes(tree: ast.Module) -> Changes:
    """Yield every change of the code of a module, but none of code whose faults change no verdict."""
    neutral = find_neutral_code(tree)
    for node, parents in _walk(tree, (), neutral):
        for operator in OPERATORS:
            for change in (change for change in operator(node, parents) if id(change.node) not in neutral):
                yield change._replace(function=name_scope((*parents, node)))


def name_scope(parents: Parents) -> str:
    """Return the names of the classes and functions around a node, joined by dots."""
    return ".".join(node.name for node in parents if isinstance(node, Function | ast.ClassDef))


def _walk(node: ast.AST, parents: Parents, neutral: set[int]) -> Iterator[tuple[ast.AST, Parents]]:
    if id(node) in neutral:
        return
    yield node, parents
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "bases"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child, (*parents, node), neutral)


def _replace(operator: str, node: ast.expr, changed: ast.expr) -> Change:
    after = ast.unparse(changed)
    # In brackets the code means the same wherever it stands.
    return Change(operator, node, ast.unparse(node), after, f"({after})")


def change_comparison(node: ast.AST, parents: Parents) -> Changes:
    """Shift or flip a comparison, or weaken the equality of two counts."""
    if not isinstance(node, ast.Compare):
        return
    for at, found in enumerate(node.ops):
        others: list[tuple[str, type[ast.cmpop]]] = []
        # Whether a number is exactly that of a tolerance decides nothing.
        if type(found) in _SHIFTED and not any(_is_fraction(side) for side in (node.left, *node.comparators)):
            others.append(("comparison shifted", _SHIFTED[type(found)]))
        if type(found) in _FLIPPED:
            others.append(("comparison flipped", _FLIPPED[type(found)]))
        if type(found) in _WEAKENED and any(_is_count(side) for side in (node.left, *node.comparators)):
            # Counts are not negative: below 0 and up to 0 nothing new is found.
            has_zero = any(isinstance(side, ast.Constant) and side.value == 0 for side in node.comparators)
            weaker = [other for other in _WEAKENED[type(found)] if not has_zero or other in {ast.GtE, ast.Lt}]
            others += [("equality weakened", other) for other in weaker]
        for operator, other in others:
            ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
            yield _replace(operator, node, ast.Compare(node.left, ops, node.comparators))


def _is_count(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in {"num_rows", "size", "records_in"}
    return name_called(node) in {"len", "sum", "int"} or _is_small_integer(node)


def _is_fraction(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _is_small_integer(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value <= LARGEST_SMALL


def drop_not(node: ast.AST, parents: Parents) -> Changes:
    """Drop a ``not`` or a ``~``."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield _replace("not dropped", node, node.operand)


def swap_and_or(node: ast.AST, parents: Parents) -> Changes:
    """Exchange ``and`` and ``or``, also those of flags."""
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _replace("and/or swapped", node, ast.BoolOp(other, node.values))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr) and _is_flags(node):
        other_bits = ast.BitOr() if isinstance(node.op, ast.BitAnd) else ast.BitAnd()
        yield _replace("and/or swapped", node, ast.BinOp(node.left, other_bits, node.right))


def _is_flags(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        return _is_flags(node.left) or _is_flags(node.right)
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert))


def leave_out_verdict(node: ast.AST, parents: Parents) -> Changes:
    """Leave out one side of a conjunction."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        yield _replace("conjunction cut", node, node.left)
        yield _replace("conjunction cut", node, node.right)
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.BitAnd):
        yield Change("conjunction cut", node, ast.unparse(node), "pass", "pass")


def never_fail(node: ast.AST, parents: Parents) -> Changes:
    """Make a condition that leads to a failed check never true."""
    false = ast.Constant(False)
    if isinstance(node, ast.If):
        before, after = f"if {ast.unparse(node.test)}", f"if {ast.unparse(false)}"
        if any(_is_failure(statement, parents) for statement in node.body):
            yield Change("check never fails", node.test, before, after, ast.unparse(false))
        elif any(_is_addition(statement) for statement in node.body):
            yield Change("condition never true", node.test, before, after, ast.unparse(false))
    elif isinstance(node, ast.IfExp) and isinstance(parents[-1], ast.Return):
        branches = [ast.unparse(branch) for branch in (node.body, node.orelse)]
        if "None" in branches and _judges(parents):
            yield _replace("check never fails", node, ast.Constant(None))


def _is_failure(statement: ast.stmt, parents: Parents) -> bool:
    if isinstance(statement, ast.Return):
        return _is_failed_value(statement.value, parents)
    if isinstance(statement, ast.Assign):
        target = ast.unparse(statement.targets[0])
        return "counterexample" in target or ast.unparse(statement.value) == "False"
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Yield | ast.YieldFrom)
    return isinstance(statement, ast.Raise)


def _is_addition(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return name_called(statement.value) in {"append", "extend", "add"}
    return isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add)


def _is_failed_value(value: ast.expr | None, parents: Parents) -> bool:
    if isinstance(value, ast.Dict | ast.List):
        return bool(value.keys if isinstance(value, ast.Dict) else value.elts)
    if isinstance(value, ast.Constant):
        return value.value is False
    return isinstance(value, ast.Name | ast.Call) and _judges(parents)


def _judges(parents: Parents) -> bool:
    """Tell whether the function around a node returns a verdict or what is wrong."""
    functions = [node for node in parents if isinstance(node, Function)]
    returned = functions[-1].returns if functions else None
    kinds = ("Counterexample", "Verdict", "dict[str, Any] | None")
    return returned is not None and any(kind in ast.unparse(returned) for kind in kinds)


def shift_constant(node: ast.AST, parents: Parents) -> Changes:
    """Make a small constant larger or smaller by one, where a bound is compared, counted, cut or drawn with it."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, int) or not _is_small_integer(node):
        return
    above = parents[-1]
    bounds = name_called(above) in {"range", "min", "max", "minimum", "maximum"}
    offsets = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add | ast.Sub)
    if bounds or offsets or isinstance(above, ast.Compare | ast.Slice):
        shown = parents[-2] if isinstance(above, ast.Slice) else above
        for shift in (1, -1):
            value = node.value + shift
            before = ast.unparse(shown)
            original, node.value = node.value, value
            after = ast.unparse(shown)
            node.value = original
            yield Change("constant off by one", node, before, after, f"({value})")


def leave_out_check(node: ast.AST, parents: Parents) -> Changes:
    """Leave an element out of a list of checks, or a list out of those that a loop goes through."""
    if isinstance(node, ast.Tuple | ast.List):
        is_joined = isinstance(parents[-1], ast.For | ast.comprehension) and _joins_lists(node)
        for at, element in enumerate(node.elts if is_joined or _is_list_of_checks(parents[-1]) else []):
            fewer = type(node)([*node.elts[:at], *node.elts[at + 1 :]], ast.Load())
            operator = "list left out" if is_joined else "check left out"
            yield Change(operator, node, ast.unparse(element), NOTHING, ast.unparse(fewer))
    elif isinstance(node, ast.Dict) and (_is_list_of_checks(parents[-1]) or name_called(parents[-1]) == "Verdict"):
        for at, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            fewer_keys = ast.Dict([*node.keys[:at], *node.keys[at + 1 :]], [*node.values[:at], *node.values[at + 1 :]])
            before = ast.unparse(ast.Dict([key], [value])).removeprefix("{").removesuffix("}")
            yield Change("check left out", node, before, NOTHING, ast.unparse(fewer_keys))


def _is_list_of_checks(node: ast.AST) -> bool:
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return False
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return not isinstance(target, ast.Tuple) and any(name in ast.unparse(target).lower() for name in _LIST_NAMES)


def _joins_lists(node: ast.Tuple | ast.List) -> bool:
    return len(node.elts) > 1 and all(isinstance(element, ast.Starred) for element in node.elts)


def swap_functions(node: ast.AST, parents: Parents) -> Changes:
    """Exchange ``any`` and ``all``, ``min`` and ``max``, or what NumPy calls so."""
    if not isinstance(node, ast.Call):
        return
    function = node.func
    inner = function.value if isinstance(function, ast.Attribute) and function.attr in {"at", "reduce"} else function
    if isinstance(inner, ast.Name) and inner.id in _OTHER_FUNCTION:
        changed: ast.expr = ast.Name(_OTHER_FUNCTION[inner.id])
        name = inner.id
    elif isinstance(inner, ast.Attribute) and inner.attr in _OTHER_FUNCTION:
        changed = ast.Attribute(inner.value, _OTHER_FUNCTION[inner.attr])
        name = inner.attr
    else:
        return
    if inner is not function and isinstance(function, ast.Attribute):
        changed = ast.Attribute(changed, function.attr)
    operator = "any/all swapped" if name in {"any", "all", "logical_or", "logical_and"} else "min/max swapped"
    yield _replace(operator, node, ast.Call(changed, node.args, node.keywords))


def skip_last(node: ast.AST, parents: Parents) -> Changes:
    """Leave the last element out of a sum or of a loop."""
    if isinstance(node, ast.For):
        yield _replace("last element skipped", node.iter, _cut_last(node.iter, is_array=False))
    elif isinstance(node, ast.Call) and name_called(node) in {"any", "all", "sum"}:
        function = node.func
        if isinstance(function, ast.Attribute) and ast.unparse(function.value) != "np":
            shorter = ast.Attribute(_cut_last(function.value, is_array=True), function.attr)
            yield _replace("last element skipped", node, ast.Call(shorter, node.args, node.keywords))
        elif node.args and not isinstance(node.args[0], ast.Starred):
            first = _cut_last(node.args[0], is_array=isinstance(function, ast.Attribute))
            yield _replace("last element skipped", node, ast.Call(function, [first, *node.args[1:]], node.keywords))


def _cut_last(node: ast.expr, *, is_array: bool) -> ast.expr:
    if isinstance(node, ast.GeneratorExp):
        node = ast.ListComp(node.elt, node.generators)
    elif not is_array:
        node = ast.List([ast.Starred(node)])
    return ast.Subscript(node, ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(1))))


def stop_early(node: ast.AST, parents: Parents) -> Changes:
    """Leave a loop where only one element of it should be passed over."""
    if isinstance(node, ast.Continue):
        condition = ast.unparse(parents[-1].test) if isinstance(parents[-1], ast.If) else "..."
        yield Change("loop left early", node, f"if {condition}: continue", f"if {condition}: break", "break")


def swap_sides(node: ast.AST, parents: Parents) -> Changes:
    """Look up equal elements from the other side."""
    if name_called(node) != "searchsorted" or not isinstance(node, ast.Call) or len(node.args) > 2:
        return
    found = [keyword.value for keyword in node.keywords if keyword.arg == "side"]
    side = found[0].value if found and isinstance(found[0], ast.Constant) else "left"
    others = [keyword for keyword in node.keywords if keyword.arg != "side"]
    changed = ast.keyword("side", ast.Constant(_OTHER_SIDE[str(side)]))
    yield _replace("search from the other side", node, ast.Call(node.func, node.args, [*others, changed]))


OPERATORS: tuple[Callable[[ast.AST, Parents], Changes], ...] = (
    change_comparison,
    drop_not,
    swap_and_or,
    leave_out_verdict,
    never_fail,
    shift_constant,
    leave_out_check,
    swap_functions,
    skip_last,
    stop_early,
    swap_sides,
)
