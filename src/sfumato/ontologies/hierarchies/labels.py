"""A name for every node that no other has: its label in the wanted language, distinguished where two are the same."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pyoxigraph import Literal, NamedNode

from sfumato.ontologies.expressions import parse_step
from sfumato.ontologies.hierarchies.tree import Tree
from sfumato.ontologies.terms import Prefixes
from sfumato.ontologies.warehouse import Warehouse

if TYPE_CHECKING:
    from sfumato.ontologies.hierarchies import Wanted

__all__ = ["Labels", "name_nodes"]

_take_local_name = parse_step("local-name")


class Labels(NamedTuple):
    """The name of every node, all its texts, and what was not plain about them."""

    names: dict[NamedNode, str]
    texts: dict[NamedNode, list[str]]
    several: dict[NamedNode, int]
    without: list[NamedNode]
    same: dict[str, list[NamedNode]]
    languages: dict[str, int]

    def report(self, prefixes: Prefixes) -> dict[str, Any]:
        """Describe the languages of labels, labels not used, nodes without one, and labels made distinct."""
        return {
            "languages": self.languages,
            "labels_left": sum(self.several.values()),
            "without_label": [prefixes.show(node) for node in self.without],
            "same_label": [
                {"label": label, "nodes": {prefixes.show(node): self.names[node] for node in nodes}}
                for label, nodes in self.same.items()
            ],
        }


def name_nodes(warehouse: Warehouse, wanted: Wanted, tree: Tree) -> Labels:
    """Return the names of the nodes of a tree."""
    literals = read_texts(warehouse, wanted.labels, tree)
    texts: dict[NamedNode, list[str]] = {}
    plain: dict[NamedNode, str] = {}
    several, without = {}, []
    languages: Counter[str] = Counter()
    for node in tree.parent:
        ranked = _rank(literals.get(node, []), wanted.languages)
        # Lines of a file hold one label each, so that a label has no line ends.
        texts[node] = list(dict.fromkeys(text for literal in ranked if (text := " ".join(literal.value.split()))))
        if texts[node]:
            plain[node] = texts[node][0]
            languages[next(text for text in ranked if text.value.strip()).language or ""] += 1
            same_language = {literal.value for literal in ranked if literal.language == ranked[0].language}
            if len(same_language) > 1:
                several[node] = len(same_language) - 1
        else:
            without.append(node)
            plain[node] = _take_local_name(node.value) or node.value
    names, same = _make_unique(plain, tree)
    return Labels(names, texts, several, without, same, dict(languages.most_common()))


def read_texts(warehouse: Warehouse, properties: tuple[str, ...], tree: Tree) -> dict[NamedNode, list[Literal]]:
    """Return the texts of nodes, in the order of properties, sources and letters."""
    texts: dict[NamedNode, list[Literal]] = {}
    for name in properties:
        for graph in (graph for own in warehouse.graphs_by_source() for graph in own):
            pairs: list[tuple[NamedNode, Literal]] = []
            for quad in warehouse.store.quads_for_pattern(None, warehouse.prefixes.expand(name), None, graph):
                if isinstance(quad.object, Literal) and quad.subject in tree.parent:
                    pairs.append((quad.subject, quad.object))  # type: ignore[arg-type]
            for node, text in sorted(pairs, key=lambda pair: (pair[0].value, pair[1].value, pair[1].language or "")):
                texts.setdefault(node, []).append(text)
    return texts


def _rank(texts: list[Literal], languages: tuple[str, ...]) -> list[Literal]:
    """Put wanted languages first, then texts without one, then all others by their language."""
    wanted = [language.lower() for language in languages]

    def place(text: Literal) -> tuple[int, str]:
        language = (text.language or "").lower()
        for number, tag in enumerate(wanted):
            if language == tag or language.startswith(f"{tag}-"):
                return number, ""
        return (len(wanted), "") if not language else (len(wanted) + 1, language)

    return sorted(texts, key=place)


def _make_unique(plain: dict[NamedNode, str], tree: Tree) -> tuple[dict[NamedNode, str], dict[str, list[NamedNode]]]:
    """Add the label of the parent to labels that several nodes have, and the end of the IRI where that does not do."""
    same: dict[str, list[NamedNode]] = {}
    for node, label in plain.items():
        same.setdefault(label, []).append(node)
    same = {label: nodes for label, nodes in same.items() if len(nodes) > 1}
    names = dict(plain)
    for label, nodes in same.items():
        for node in nodes:
            above = tree.parent[node]
            names[node] = label if above is None else f"{label} ({plain[above]})"
    for add in (lambda node: _take_local_name(node.value), lambda node: node.value):
        counts = Counter(names.values())
        for node in [node for nodes in same.values() for node in nodes]:
            if counts[names[node]] > 1:
                names[node] = f"{plain[node]} ({add(node)})"
    return names, same
