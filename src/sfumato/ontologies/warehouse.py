"""A warehouse that is open: its store, its sources, and which graphs a question is asked of."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from pyoxigraph import NamedNode, QueryBoolean, QuerySolutions, Store

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.ontologies import graphs
from sfumato.ontologies.definition import Definition
from sfumato.ontologies.linking import Classes, Link, list_links
from sfumato.ontologies.place import open_to_read
from sfumato.ontologies.sparql import TOKEN, explain_fault, refuse_elsewhere
from sfumato.ontologies.terms import Prefixes

__all__ = ["Answer", "Warehouse"]

_AGGREGATE = re.compile(r"\b(COUNT|SUM|AVG|MIN|MAX|SAMPLE|GROUP_CONCAT)\s*\(", re.IGNORECASE)
_MOST_COUNTED = 200_000


class Answer(NamedTuple):
    """The rows of an answer, with the names of their columns; a question for yes or no has one row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class Warehouse:
    """Several sources in one store; open it in a ``with`` block, or close it.

    Parameters
    ----------
    folder
        Where it was built.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        description, self.store, self._release_store = open_to_read(folder)
        self.description = description
        self._merged: dict[tuple[str, ...], Store] = {}
        self.definition = Definition.model_validate(description["definition"])
        self.prefixes: Prefixes = self.definition.find_prefixes()

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        self.store = Store()
        self._merged.clear()
        self._release_store()

    @property
    def sources(self) -> list[str]:
        """Names of the sources, in their order."""
        return self.definition.names

    @functools.cached_property
    def links(self) -> list[Link]:
        """Every link between things that are the same."""
        return list_links(self.store, self.definition)

    @functools.cached_property
    def classes(self) -> Classes:
        """Classes of things that are the same."""
        return Classes(self.links, self.sources)

    def graphs_of(self, sources: Iterable[str]) -> list[NamedNode]:
        """Return the graphs of some sources with one name for all that are the same, and the ontology."""
        chosen = list(sources)
        apart = [] if len(set(chosen)) == len(self.sources) else list(map(graphs.repeated, chosen))
        return [*map(graphs.merged, chosen), *apart, graphs.ONTOLOGY]

    def graphs_by_source(self) -> list[list[NamedNode]]:
        """Return the graphs of each source with one name for all that are the same, and last those of the ontology."""
        return [*(self.graphs_of([source])[:-1] for source in self.sources), [graphs.ONTOLOGY]]

    def find(self, thing: NamedNode) -> NamedNode:
        """Return the name that a thing has in answers: its own, or that of the class of things it is in."""
        quad = next(iter(self.store.quads_for_pattern(thing, graphs.NAMED, None, graphs.NAMES)), None)
        return thing if quad is None else quad.object  # type: ignore[return-value]

    def ask(self, query: str, sources: Sequence[str] | None = None) -> Answer:
        """Return the answer of some sources together, of all if none are named.

        A thing may be named by any of its names; in the answer it has that of its class.
        """
        chosen = self.sources if sources is None else list(sources)
        if 1 < len(chosen) < len(self.sources) and _AGGREGATE.search(query):
            return self._ask(query, [graphs.ONTOLOGY], self.find, self._unite(tuple(chosen)))
        return self._ask(query, self.graphs_of(chosen), self.find)

    def can_divide(self, query: str) -> bool:
        """Return whether some of the sources can be asked: not for a query that counts, where they are large."""
        size = sum(source["statements"] for source in self.description["sources"].values())
        return size <= _MOST_COUNTED or not _AGGREGATE.search(query)

    def _unite(self, sources: tuple[str, ...]) -> Store:
        """Return some sources as one graph: what several of them say counts once where a query counts."""
        if sources not in self._merged:
            self._merged[sources] = Store()
            for graph in self.graphs_of(sources):
                quads = self.store.quads_for_pattern(None, None, None, graph)
                graphs.add_to_graph(self._merged[sources], graphs.ONTOLOGY, quads)
        return self._merged[sources]

    def ask_alone(self, query: str, source: str) -> Answer:
        """Return the answer of a source as if there were no other: what it says and what follows, without links."""
        return self._ask(query, [*graphs.whole(source), graphs.ONTOLOGY], lambda thing: thing)

    def ask_nothing(self, query: str) -> Answer:
        """Return the answer that a query has where nothing is said at all, not even by the ontology."""
        return self._ask(query, [], self.find)

    def _ask(
        self, query: str, over: list[NamedNode], find: Callable[[NamedNode], NamedNode], store: Store | None = None
    ) -> Answer:
        refuse_elsewhere(query)
        text = self.prefixes.declare(self._rename(query, find))
        try:
            result = (store or self.store).query(text, default_graph=[*over], named_graphs=[])
        except SyntaxError as error:
            raise ParameterError(f"query: {explain_fault(str(error), query)}") from None
        except (ValueError, RuntimeError, OSError) as error:
            raise ParameterError(f"query: cannot be answered ({str(error).splitlines()[0][:200]}).") from None
        if isinstance(result, QueryBoolean):
            return Answer(("answer",), ((bool(result),),))
        if not isinstance(result, QuerySolutions):
            raise ParameterError("query: only SELECT and ASK are supported.", option="query", hint="Use SELECT.")
        columns = tuple(variable.value for variable in result.variables)
        try:
            return Answer(columns, tuple(tuple(row[i] for i in range(len(columns))) for row in result))
        except (ValueError, RuntimeError, OSError) as error:
            raise ParameterError(f"query: cannot be answered ({str(error).splitlines()[0][:200]}).") from None

    def _rename(self, query: str, find: Callable[[NamedNode], NamedNode]) -> str:
        """Put the name of the class in the place of every other name of a thing."""
        own = dict(re.findall(r"(?i)\bprefix\s+([\w.-]*):\s*<([^>]*)>", query))
        prefixes = {**self.prefixes.namespaces, **own}

        def replace(match: re.Match[str]) -> str:
            if match["skip"] is not None or (match["iri"] is None and match["prefix"] not in prefixes):
                return match[0]
            local = re.sub(r"\\(.)", r"\1", match["name"] or "")
            try:
                thing = NamedNode(match["iri"] if match["iri"] is not None else prefixes[match["prefix"]] + local)
            except ValueError:
                return match[0]
            name = find(thing)
            return match[0] if name == thing else str(name)

        return TOKEN.sub(replace, query)

    def read_query(self, path: Path) -> str:
        """Return the text of a file with a query."""
        from sfumato.readers.files import load, to_utf8

        text = to_utf8(path.name, load(path)).decode()
        if not text.strip():
            raise SchemaError(f"{path.name} is empty.", option="query", hint="Write a SPARQL query into it.")
        return text
