"""Sources as statements: RDF files, tables and Darwin Core archives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pyoxigraph import BlankNode, Quad

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.ontologies.definition import SourceSection
from sfumato.ontologies.readers.darwin_core import read_archive
from sfumato.ontologies.readers.rdf_files import read_rdf
from sfumato.ontologies.readers.tables import read_rows
from sfumato.ontologies.terms import Prefixes

__all__ = ["choose_format", "read_source"]

_EXTENSIONS = {
    ".ttl": "turtle",
    ".turtle": "turtle",
    ".nt": "n-triples",
    ".rdf": "rdf-xml",
    ".owl": "rdf-xml",
    ".xml": "rdf-xml",
    ".jsonld": "json-ld",
    ".json": "json-ld",
    ".csv": "table",
    ".tsv": "table",
    ".txt": "table",
    ".parquet": "table",
    ".jsonl": "table",
    ".xlsx": "table",
    ".zip": "dwca",
}
_DATASETS = {".nq": "N-Quads", ".trig": "TriG"}


def read_source(source: SourceSection, prefixes: Prefixes) -> Iterator[Quad]:
    """Yield what a source says, with blank nodes that no other source has and that are the same next time."""
    path = Path(source.file)
    format = source.format or choose_format(path)
    _check_options(source, path, format)
    if format == "table":
        statements = read_rows(path, source, prefixes)
    elif format == "dwca":
        statements = read_archive(path, source, prefixes)
    else:
        statements = read_rdf(path, format)
    return _rename_blank_nodes(statements, source.name)


def _check_options(source: SourceSection, path: Path, format: str) -> None:
    """Refuse what would not be heeded: only tables, and the texts of archives, leave open how they are read."""
    heeded = {"table": ("delimiter", "encoding", "table"), "dwca": ("encoding", "table")}.get(format, ())
    for name in ("delimiter", "encoding", "table"):
        if name not in heeded and getattr(source, name) is not None:
            raise ParameterError(
                f"{source.name}: {name} does not apply to {path.name}, a file of format {format}.",
                option=name,
                hint="Leave it out.",
            )


def choose_format(path: Path) -> str:
    """Return the format that the name of a file stands for.

    Examples
    --------
    >>> choose_format(Path("flod.ttl.gz")), choose_format(Path("worms.zip"))
    ('turtle', 'dwca')
    """
    if path.is_dir():
        return "dwca"
    bare = path.with_suffix("") if path.suffix.lower() in {".gz", ".xz"} else path
    suffix = bare.suffix.lower()
    if suffix in _DATASETS:
        raise SchemaError(
            f"{path.name}: {_DATASETS[suffix]} has several graphs, but a source is one graph.",
            hint="Save it as N-Triples.",
        )
    if suffix not in _EXTENSIONS:
        raise SchemaError(
            f"The format of {path.name} is unknown.",
            option="format",
            hint='Add format = "turtle", or n-triples, rdf-xml, json-ld, table, dwca.',
        )
    return _EXTENSIONS[suffix]


def _rename_blank_nodes(statements: Iterator[Quad], source: str) -> Iterator[Quad]:
    """Number blank nodes by where they are found first: parsers give them another name at every run."""
    renamed: dict[BlankNode, BlankNode] = {}

    def rename(node: BlankNode) -> BlankNode:
        return renamed.setdefault(node, BlankNode(f"{source}-{len(renamed) + 1}"))

    for quad in statements:
        if isinstance(quad.subject, BlankNode) or isinstance(quad.object, BlankNode):
            subject = rename(quad.subject) if isinstance(quad.subject, BlankNode) else quad.subject
            value = rename(quad.object) if isinstance(quad.object, BlankNode) else quad.object
            yield Quad(subject, quad.predicate, value)
        else:
            yield quad
