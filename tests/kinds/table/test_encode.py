"""What is published of a class holds all of its values, and says no less than it seems to."""

import numpy as np

import sfumato as sf
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.table.dataset import attribute_of
from sfumato.kinds.table.encode import encode_nodes


def test_a_node_above_one_leaf_is_published_as_the_leaf():
    tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "B", "*"), ("c", "B", "*")])
    data = sf.Dataset.of("table", [("a",), ("b",)], ("city",), hierarchies={"city": tree})
    no = np.zeros(2, dtype=bool)
    nodes = np.array([tree.node("A"), tree.node("B")])
    coded = encode_nodes(attribute_of(data, "city"), nodes, no, no, np.arange(2))
    assert coded.cells.to_pylist() == ["a", "B"]
    assert coded.members == (("B", "b"), ("B", "c"))
