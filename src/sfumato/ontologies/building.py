"""Building a warehouse, and refreshing some of its sources."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, Quad, Store

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.ontologies import graphs
from sfumato.ontologies.definition import Definition, SourceSection, read_definition
from sfumato.ontologies.inference import Schema, count_nameless, infer, read_schema
from sfumato.ontologies.linking import SAME, Classes, find_links, list_links
from sfumato.ontologies.place import Next, describe, write_next
from sfumato.ontologies.readers import read_source
from sfumato.ontologies.transformation import Rule
from sfumato.progress import track

__all__ = ["build", "refresh"]

_ONTOLOGY = "ontology"


def build(file: Path, folder: Path) -> dict[str, Any]:
    """Build a warehouse from the file that describes it; one that is there is replaced when the new one is done.

    Returns
    -------
    dict
        What each source says, what was inferred by which rule, and what was linked.
    """
    definition = read_definition(file)
    with write_next(folder) as state:
        store = state.begin()
        sources = {
            source.name: _read(store, source, definition) for source in track("read sources", list(definition.source))
        }
        _read_ontology(store, definition)
        inferred = _infer(store, definition, definition.names)
        matched = _link(store, definition, [match.name for match in definition.match])
        return _finish(state, store, definition, file, sources, inferred, matched, definition.names)


def refresh(folder: Path, names: Sequence[str] = (), file: Path | None = None) -> dict[str, Any]:
    """Read some sources again, or all whose files have changed: their graphs, what follows from them and their links.

    Parameters
    ----------
    folder
        Where the warehouse is.
    names
        Sources to read again; those whose files are not as they were, if none are named.
    file
        The file that describes the warehouse, where it is no longer where it was.
    """
    describe(folder)
    with write_next(folder) as state:
        description = describe(folder)
        path = Path(description["file"]) if file is None else file
        definition = read_definition(path)
        _check_same(description, definition, path)
        chosen = _choose(description, definition, names)
        if not chosen:
            return {**description["report"], "refreshed": []}
        store = state.begin_from(description)
        before = Classes(list_links(store, definition), definition.names)
        sources = {
            source.name: _read(store, source, definition) for source in definition.source if source.name in chosen
        }
        inferred = _infer(store, definition, chosen)
        touched = [match.name for match in definition.match if {match.a.source, match.b.source} & set(chosen)]
        matched = _link(store, definition, touched)
        stale = _find_stale(store, definition, before, chosen)
        former = description["report"]
        return _finish(
            state,
            store,
            definition,
            path,
            {**description["sources"], **sources},
            {**former["inferred"], **inferred},
            {**former["matched"], **matched},
            stale,
            refreshed=chosen,
        )


def _finish(
    state: Next,
    store: Store,
    definition: Definition,
    file: Path,
    sources: dict[str, Any],
    inferred: dict[str, Any],
    matched: dict[str, Any],
    stale: list[str],
    refreshed: list[str] | None = None,
) -> dict[str, Any]:
    """Merge what is linked, write everything down, and put the new state in force."""
    classes = Classes(list_links(store, definition), definition.names)
    names = (Quad(thing, graphs.NAMED, name) for thing, name in classes.names.items() if thing != name)
    graphs.renew_graph(store, graphs.NAMES, names)
    _merge_all(store, definition.names, classes, stale)
    store.flush()
    store.optimize()
    ontology = list(store.quads_for_pattern(None, None, None, graphs.ONTOLOGY))
    report = {
        "title": definition.title,
        "sources": {name: source["statements"] for name, source in sources.items()},
        "inferred": inferred,
        "matched": matched,
        "classes": len(classes.groups()),
        "linked_things": len(classes.names),
        "ontology": len(ontology),
        "ontology_unused": count_nameless(ontology),
    }
    description = {
        "file": str(file.absolute()),
        "definition": definition.model_dump(mode="json", by_alias=True),
        "sources": sources,
        "ontology": _mark_ontology(definition),
        "report": report,
    }
    del store
    state.commit(description)
    return report if refreshed is None else {**report, "refreshed": refreshed}


def _read(store: Store, source: SourceSection, definition: Definition) -> dict[str, Any]:
    """Put what a source says into its graph, and return a digest of its file."""
    mark = _fingerprint(Path(source.file))
    graph = graphs.stated(source.name)
    graphs.replace_graph(store, graph, read_source(source, definition.find_prefixes()))
    count = graphs.count(store, graph)
    if not count:
        raise SchemaError(f"{Path(source.file).name} has no statements.", hint="Check file and format of the source.")
    return {"file": source.file, "sha256": mark, "statements": count}


def _fingerprint(path: Path) -> str:
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    try:
        for file in files:
            digest.update(f"{file.relative_to(path.parent)}\0".encode())
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
    except FileNotFoundError:
        raise SchemaError(f"{path} does not exist.", option="file", hint="Check file in [[source]].") from None
    except OSError as error:
        raise SchemaError(f"{path} cannot be read: {error.strerror}.", option="file") from None
    return digest.hexdigest()


def _read_ontology(store: Store, definition: Definition) -> None:
    """Put the top-level ontology into its graph, if there is one."""
    store.add_graph(graphs.ONTOLOGY)
    if definition.ontology is not None:
        source = SourceSection(name=_ONTOLOGY, file=definition.ontology.file)
        graphs.replace_graph(store, graphs.ONTOLOGY, read_source(source, definition.find_prefixes()))


def _mark_ontology(definition: Definition) -> str | None:
    return None if definition.ontology is None else _fingerprint(Path(definition.ontology.file))


def _infer(store: Store, definition: Definition, names: Iterable[str]) -> dict[str, Any]:
    schema: Schema = read_schema(definition, store.quads_for_pattern(None, None, None, graphs.ONTOLOGY))
    rules = [Rule.read(section, definition.find_prefixes()) for section in definition.rule]
    inferences = {name: infer(store, name, schema, rules) for name in track("infer", list(names))}
    return {name: inference._asdict() for name, inference in inferences.items()}


def _link(store: Store, definition: Definition, names: Iterable[str]) -> dict[str, Any]:
    """Make the links of some rules anew, each rule's in a graph of its own."""
    chosen = set(names)
    matched = {}
    for match in track("link", [match for match in definition.match if match.name in chosen]):
        matching = find_links(store, match, definition.find_prefixes())
        graph = graphs.links(match.name)
        graphs.renew_graph(store, graph, (Quad(a, SAME, b) for a, b in matching.pairs))
        matched[match.name] = {
            "links": len(matching.pairs),
            "ambiguous": matching.ambiguous,
            "between": [match.a.source, match.b.source],
        }
    return matched


def _merge_all(store: Store, names: list[str], classes: Classes, stale: list[str]) -> None:
    """Merge sources that changed, and all after the first of them: what a source has alone depends on those before."""
    first = min(map(names.index, stale), default=len(names))
    seen: set[int] = set()
    for name in names[:first]:
        quads = store.quads_for_pattern(None, None, None, graphs.merged(name))
        seen.update(hash(Quad(quad.subject, quad.predicate, quad.object)) for quad in quads)
    for number in track("merge", range(first, len(names))):
        _merge(store, names[number], classes, {graphs.merged(name) for name in names[:number]}, seen)


def _merge(store: Store, source: str, classes: Classes, earlier: set[NamedNode], seen: set[int]) -> None:
    """Put what a source says, and what follows, under one name for all that are the same, apart from repetitions.

    ``seen`` has a number for every statement so far; only where a number is there already has the store to be asked.
    """
    again: list[Quad] = []

    def move() -> Iterator[Quad]:
        for graph in graphs.whole(source):
            for quad in store.quads_for_pattern(None, None, None, graph):
                if quad.predicate == SAME:
                    continue
                renamed = classes.rename(quad)
                number = hash(renamed)
                if number in seen and _is_stated(store, renamed, earlier):
                    again.append(renamed)
                else:
                    seen.add(number)
                    yield renamed

    graphs.renew_graph(store, graphs.merged(source), move())
    graphs.renew_graph(store, graphs.repeated(source), again)


def _is_stated(store: Store, quad: Quad, where: set[NamedNode]) -> bool:
    quads = store.quads_for_pattern(quad.subject, quad.predicate, quad.object, None)
    return any(other.graph_name in where for other in quads)


def _find_stale(store: Store, definition: Definition, before: Classes, chosen: list[str]) -> list[str]:
    """Return the sources that mention a thing whose class has another name now, and those that were read again."""
    after = Classes(list_links(store, definition), definition.names)
    things = before.names.keys() | after.names.keys()
    changed = [thing for thing in things if before.find(thing) != after.find(thing)]
    return [name for name in definition.names if name in chosen or _mentions(store, name, changed)]


def _mentions(store: Store, source: str, things: Iterable[NamedNode]) -> bool:
    for thing in things:
        for graph in graphs.whole(source):
            if next(iter(store.quads_for_pattern(thing, None, None, graph)), None) is not None:
                return True
            if next(iter(store.quads_for_pattern(None, None, thing, graph)), None) is not None:
                return True
    return False


def _check_same(description: dict[str, Any], definition: Definition, path: Path) -> None:
    """Refuse a file or an ontology that says something else now, as only sources are read again."""
    if _mark_ontology(definition) != description["ontology"]:
        raise ParameterError(
            f"{path}: the ontology changed after the warehouse was built.", option="ontology", hint=_build_again(path)
        )
    former, now = (
        _strip_folders(version)
        for version in (description["definition"], definition.model_dump(mode="json", by_alias=True))
    )
    for part in former:
        if former[part] != now.get(part):
            raise ParameterError(
                f"{path}: [{part}] changed after the warehouse was built.", option=part, hint=_build_again(path)
            )


def _build_again(path: Path) -> str:
    return f"Build it again: sfumato warehouse build {path}"


def _strip_folders(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a definition without the folders of its files, which may be moved together."""
    plain: dict[str, Any] = json.loads(json.dumps(definition))
    for source in plain["source"]:
        source["file"] = Path(source["file"]).name
    for entry in plain["competence"]:
        entry["query"], entry["expected"] = Path(entry["query"]).name, Path(entry["expected"]).name
    if plain["ontology"]:
        plain["ontology"]["file"] = Path(plain["ontology"]["file"]).name
    return {name: plain[name] for name in plain if name not in ("title", "competence", "checks")}


def _choose(description: dict[str, Any], definition: Definition, names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in definition.names:
            raise ParameterError(
                f"There is no source {name!r}.", option="source", hint=f"Sources: {', '.join(definition.names)}."
            )
    if names:
        return [name for name in definition.names if name in names]
    marks = {source.name: _fingerprint(Path(source.file)) for source in definition.source}
    return [name for name in definition.names if marks[name] != description["sources"][name]["sha256"]]
