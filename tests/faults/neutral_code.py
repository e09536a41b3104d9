"""Code whose faults change no verdict, so that none is planted there: texts for people, budgets of memory and time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_TEXT_NAMES = re.compile(
    r"__(repr|str|format)__|_repr_html_|_*(say|tell|show|warn|shorten|describe|explain|format|point_at|tabulate)(_\w+)?"
)
"""Functions that make texts, and those to which texts are given."""

LARGEST_SMALL = 64
"""Larger constants are budgets."""

_VERDICT = "Verdict"
_COUNTEREXAMPLE_ARGUMENT = 3
_CHECKS_ARGUMENT = 4
_MEASURED_ARGUMENT = 2

Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_neutral_code(tree: ast.Module) -> set[int]:
    """Return the ids of the nodes below which everything only builds texts or keeps a budget."""
    budgets = _find_budgets(tree)
    found = {id(node) for node in ast.walk(tree) if _is_text(node) or _keeps_budget(node, budgets)}
    found |= set(_find_counterexamples(tree))
    for function in ast.walk(tree):
        if isinstance(function, Function) and id(function) not in found:
            _add_assignments(function, found)
    return found


def name_called(node: ast.AST) -> str:
    """Return the last name of what is called; empty where nothing is called by a name."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _find_budgets(tree: ast.Module) -> set[str]:
    """Return the names of large constants of a module."""
    assigned = [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
    return {ast.unparse(node.targets[0]) for node in assigned if _is_large(node.value)}


def _is_large(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift):
        return True
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value > LARGEST_SMALL


def _keeps_budget(node: ast.AST, budgets: set[str]) -> bool:
    """Tell whether a comparison or a simple statement mentions a budget: it decides how much is done at a time."""
    simple = isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Compare)
    return simple and any(isinstance(part, ast.Name) and part.id in budgets for part in ast.walk(node))


def _is_text(node: ast.AST) -> bool:
    if isinstance(node, Function):
        return _TEXT_NAMES.fullmatch(node.name) is not None or _returns_text(node)
    if isinstance(node, ast.BoolOp):
        return all("counterexample" in ast.unparse(part) for part in node.values)
    if isinstance(node, ast.Call):
        return _TEXT_NAMES.fullmatch(name_called(node)) is not None
    return isinstance(node, ast.JoinedStr | ast.Raise)


def _returns_text(function: Function) -> bool:
    if function.returns is None or ast.unparse(function.returns) != "str":
        return False
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
    parts = [part for value in returned for part in ast.walk(value)]
    return any(isinstance(part, ast.JoinedStr) or name_called(part) in {"join", "format"} for part in parts)


def _find_counterexamples(tree: ast.Module) -> Iterator[int]:
    """Yield dictionaries by names, which describe what is wrong, unless they hold checks or measurements."""
    telling = {id(node) for node in ast.walk(tree) if isinstance(node, ast.Dict) and _has_fixed_keys(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = " ".join(ast.unparse(target) for target in targets).lower()
            if "check" in names or "measured" in names or "rule" in names:
                telling.discard(id(node.value))
        elif name_called(node) == _VERDICT and isinstance(node, ast.Call):
            telling -= {id(argument) for argument in node.args[_CHECKS_ARGUMENT : _CHECKS_ARGUMENT + 1]}
            telling -= {id(argument) for argument in node.args[_MEASURED_ARGUMENT : _MEASURED_ARGUMENT + 1]}
            telling |= {id(argument) for argument in node.args[_COUNTEREXAMPLE_ARGUMENT : _COUNTEREXAMPLE_ARGUMENT + 1]}
        if isinstance(node, ast.keyword) and node.arg is not None:
            if node.arg == "counterexample":
                telling.add(id(node.value))
            elif node.arg in {"checks", "measured"}:
                telling.discard(id(node.value))
    yield from telling


def _has_fixed_keys(node: ast.Dict) -> bool:
    keys = [key for key in node.keys if key is not None]
    return bool(keys) and all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys)


def _add_assignments(function: Function, found: set[int]) -> None:
    """Add assignments to names that only neutral code uses, and branches with nothing else, until there are no more."""
    statements = [node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.AnnAssign | ast.If)]
    while True:
        names = [node for node in _walk_outside(function, found) if isinstance(node, ast.Name)]
        changed = [node.target for node in ast.walk(function) if isinstance(node, ast.AugAssign)]
        used = {name.id for name in names if isinstance(name.ctx, ast.Load)}
        used |= {target.id for target in changed if isinstance(target, ast.Name)}
        more = [node for node in statements if id(node) not in found and _is_neutral(node, used, found)]
        if not more:
            return
        found.update(id(node) for node in more)


def _is_neutral(node: ast.Assign | ast.AnnAssign | ast.If, used: set[str], found: set[int]) -> bool:
    if isinstance(node, ast.If):
        return all(id(statement) in found for statement in (*node.body, *node.orelse))
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [part for target in targets for part in ast.walk(target) if not isinstance(part, ast.expr_context)]
    return all(isinstance(part, ast.Tuple) or (isinstance(part, ast.Name) and part.id not in used) for part in names)


def _walk_outside(node: ast.AST, found: set[int]) -> Iterator[ast.AST]:
    if id(node) in found:
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _walk_outside(child, found)
