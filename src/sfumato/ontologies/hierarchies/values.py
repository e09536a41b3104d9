"""Values of a dataset put to nodes of a tree, by label or by code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyoxigraph import NamedNode

from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option
from sfumato.ontologies.expressions import Step, apply_steps, parse_step
from sfumato.ontologies.hierarchies.labels import Labels, read_texts
from sfumato.ontologies.hierarchies.tree import Tree
from sfumato.ontologies.warehouse import Warehouse

if TYPE_CHECKING:
    from sfumato.ontologies.hierarchies import Wanted

__all__ = ["Placing", "count_values", "place_values"]


class Placing(NamedTuple):
    """The values of every node, values that fit none, and values that fit several."""

    nodes: dict[NamedNode, list[str]]
    unplaced: list[str]
    ambiguous: list[str]

    def report(self, values: Mapping[str, int]) -> dict[str, Any]:
        """List values by how many records have them; who has them is nobody's business."""

        def count(chosen: Iterable[str]) -> list[dict[str, Any]]:
            return [
                {"value": value, "records": values[value]} for value in sorted(chosen, key=lambda v: (-values[v], v))
            ]

        return {
            "values": len(values),
            "placed": sum(map(len, self.nodes.values())),
            "unplaced": count(self.unplaced),
            "ambiguous": count(self.ambiguous),
        }


def place_values(
    warehouse: Warehouse, wanted: Wanted, tree: Tree, labels: Labels, values: Mapping[str, int]
) -> Placing:
    """Put every value to the node whose label, or else whose code, is equal to it after the steps."""
    # Labels have one blank between words, so that values are compared as if they had, too.
    steps = tuple(map(parse_step, ("trim", *wanted.apply)))
    codes = {
        node: [text.value for text in literals] for node, literals in read_texts(warehouse, wanted.codes, tree).items()
    }
    named = {node: [labels.names[node]] for node in tree.parent}
    by_label, by_code, by_name = (_index(texts, steps) for texts in (labels.texts, codes, named))
    placing = Placing({}, [], [])
    for value in values:
        key = apply_steps(value, steps)
        fitting = by_label.get(key) or by_code.get(key) or by_name.get(key) or []
        if not key or not fitting:
            placing.unplaced.append(value)
            continue
        lowest = _find_lowest(tree, fitting)
        if lowest is None:
            placing.ambiguous.append(value)
        else:
            placing.nodes.setdefault(lowest, []).append(value)
    return placing


def _find_lowest(tree: Tree, nodes: list[NamedNode]) -> NamedNode | None:
    """Return the node below all others; None where they lie in different branches.

    A group is often called like one of its members, such as sausage among the sausages: the member is meant.
    """
    for node in nodes:
        above, high = {node}, tree.parent[node]
        while high is not None:
            above.add(high)
            high = tree.parent[high]
        if above.issuperset(nodes):
            return node
    return None


def _index(texts: Mapping[NamedNode, Iterable[str]], steps: tuple[Step, ...]) -> dict[str, list[NamedNode]]:
    index: dict[str, dict[NamedNode, None]] = {}
    for node, own in texts.items():
        for text in own:
            index.setdefault(apply_steps(text, steps), {})[node] = None
    return {key: list(nodes) for key, nodes in index.items()}


def count_values(dataset: Dataset, of: str) -> dict[str, int]:
    """Return the values of a column of a table, or of histories or sets, with the number of records that have each.

    Examples
    --------
    >>> count_values(Dataset.of("sets", [["milk", "beer"], ["milk"]]), "item")
    {'beer': 1, 'milk': 2}
    """
    history = next((column.name for column in dataset.schema.columns if column.role == "history"), None)
    if of in dataset.table.column_names and of != history:
        column = dataset.table.column(of).combine_chunks()
        records = np.arange(len(column))
    elif history is not None and of in ("item", "place", "event", history):
        lists = dataset.table.column(history).combine_chunks()
        column, records = lists.flatten(), np.repeat(np.arange(len(lists)), np.diff(np.asarray(lists.offsets)))
    else:
        columns = ", ".join(dataset.table.column_names)
        raise ParameterError(
            Message(option("of"), f": the data have no attribute {of!r}."),
            column=of,
            hint=f"Attributes: item, place, event or one of {columns}.",
        )
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if not pa.types.is_string(column.type.value_type) and not pa.types.is_large_string(column.type.value_type):
        raise ParameterError(Message(option("of"), f": {of!r} is not text."), column=of, hint="Choose a text column.")
    pairs = np.unique(np.stack([np.asarray(column.indices), records], axis=1), axis=0)
    counts = np.bincount(pairs[:, 0], minlength=len(column.dictionary))
    named = zip(column.dictionary.to_pylist(), counts.tolist(), strict=True)
    return dict(sorted((name, count) for name, count in named if count))
