"""The page for whoever receives a release: what each file is, how to load it, how to read its cells.

It is written from the release alone, so that it says nothing that the other files do not, and anybody can write it
again and compare.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from sfumato.base.guarantee import NOTE_LABEL
from sfumato.data.kind import find_kind
from sfumato.escape import make_visible
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

__all__ = ["PAGE", "escape_markdown", "render_note", "render_page"]

PAGE = "README.md"

_ROLES = {
    "identifier": "a number that was given to the record when it was published, in a random order; it says nothing",
    "quasi-identifier": "an attribute, perhaps made coarser",
    "sensitive": "a sensitive value, unchanged",
    "plain": "a value, unchanged",
}
_FORMATS = {
    "exact": ("a value", "`42`", "a plain value"),
    "interval": ("an interval, with both ends", "`[20..29]`", "a struct of `lo` and `hi`"),
    "set": ("one of several values", "`{A|B}`", "a list"),
    "category": ("a value, or a value that stands for several", "`Europe`", "a text with a dictionary"),
}
_MEANINGS = {
    "one of": "it is exactly one of the members",
    "at least one of": "at least one of the members is there, perhaps several",
}


def render_page(release: Release, files: Mapping[str, str] | None = None) -> bytes:
    """Return the page of a release as the text of a file.

    Parameters
    ----------
    release
        What it is about.
    files
        What each file of the folder is, where the folder has a shape of its own.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["wine"]])
    >>> page = render_page(sf.anonymize(data, sf.methods.Apriori(k=2, m=1)).release).decode()
    >>> print(page.splitlines()[0])
    # sets, published with apriori
    """
    listed = _list_files(release) if files is None else _tabulate_files(files)
    sections = (_introduce(release), listed, _list_columns(release), _explain_cells(release))
    lines = [line for section in (*sections, _load(release), _check(release)) for line in (*section, "")]
    return "\n".join([*lines[:-1], ""]).encode()


def _introduce(release: Release) -> Iterator[str]:
    meanings = find_kind(release.kind).descriptions
    rows = [meanings[f"row with {name}"] for name in release.extra_tables if f"row with {name}" in meanings]
    yield f"# {release.kind}, published with {escape_markdown(release.method)}"
    yield ""
    yield (
        f"A row of the data is {(rows or [meanings.get('row', 'a record')])[0]}. A record is "
        f"{release.unit.record_of_person}."
    )
    yield ""
    yield "The guarantee, which can be verified from these files:"
    yield ""
    yield f"> {escape_markdown(release.guarantee.statement(release.unit))}"
    yield from render_note(release.method_note)


def render_note(note: str) -> Iterator[str]:
    """Yield the lines about a method below what is promised; none where there is nothing to say.

    Examples
    --------
    >>> list(render_note("Labels were drawn by lot."))[1:]
    ['About the method (cannot be verified from the files):', '', '> Labels were drawn by lot.']
    """
    if note:
        yield from ("", f"{NOTE_LABEL}:", "", f"> {escape_markdown(note)}")


def _list_files(release: Release) -> Iterator[str]:
    meanings = find_kind(release.kind).descriptions
    yield "## The files"
    yield ""
    yield "| file | what it is |"
    yield "| --- | --- |"
    yield "| `data.parquet` | the records, with types: read this one if your tool reads Parquet |"
    yield "| `data.csv` | the same records as text |"
    yield "| `values.csv` | what values that stand for several mean: one row per `column`, `value` and `member` |"
    if release.places is not None:
        yield "| `places.csv` | the places, and what is published of where they are |"
    for name in release.extra_tables:
        yield f"| `{name}.csv` | {meanings.get(f'{name} table', 'a further table')} |"
    yield "| `release.json` | kind, method, guarantee, columns with their forms, numbers of records |"
    yield f"| `{PAGE}` | this page |"
    for file in release.included:
        yield f"| {_code(file.name)} | added by the publisher; the guarantee does not cover it |"


def _tabulate_files(files: Mapping[str, str]) -> Iterator[str]:
    yield from ("## The files", "", "| file | what it is |", "| --- | --- |")
    for name, what in files.items():
        yield f"| {_code(name)} | {what} |"


def _list_columns(release: Release) -> Iterator[str]:
    meanings = {**_ROLES, **find_kind(release.kind).descriptions}
    yield "## The columns"
    for file, columns in _tables(release):
        yield ""
        yield f"{file}:"
        yield ""
        yield "| column | what it holds | form |"
        yield "| --- | --- | --- |"
        for column in columns:
            form = f"a list of cells, each {_FORMATS[column.form.cell][0]}" if column.form.history else ""
            yield (
                f"| {_code(column.name)} | {meanings.get(column.role, column.role)} | "
                f"{form or _FORMATS[column.form.cell][0]} ({column.form.type}) |"
            )


def _tables(release: Release) -> Iterator[tuple[str, tuple[PublishedColumn, ...]]]:
    yield "`data.parquet` and `data.csv`", release.columns
    for name, extra_table in release.extra_tables.items():
        yield f"`{name}.csv`", extra_table.columns


def _explain_cells(release: Release) -> Iterator[str]:
    columns = [column for _, listed in _tables(release) for column in listed]
    cells = dict.fromkeys(column.form.cell for column in columns)
    yield "## How to read a cell"
    yield ""
    yield "| cell | in CSV | in Parquet |"
    yield "| --- | --- | --- |"
    for cell in cells:
        yield "| " + " | ".join(_escape_bars(text) for text in _FORMATS[cell]) + " |"
    if "interval" in cells:
        yield "| there is no value | `[]` | a struct without `lo` and `hi` |"
    yield "| suppressed: it may be any value | `*` | null |"
    if any(column.form.history for column in columns):
        yield "| a list | cells with `;` between them | a list |"
    yield ""
    if "category" in cells:
        meanings = dict.fromkeys(column.form.meaning for column in columns if column.form.cell == "category")
        yield (
            "A value such as `{A|B}` or `Europe` that `values.csv` lists stands for its members: "
            f"{' or '.join(_MEANINGS[meaning] for meaning in meanings)}. A value that is not listed there is itself. A "
            "member that is listed without a value (`*`) was removed everywhere."
        )
        yield ""
    yield (
        "In CSV a backslash stands before a character that would mean something else (`\\;`, `\\|`, `\\*`), `\\n` is a "
        "line break and `\\e` an empty text. A cell that begins with a backslash before `=`, `+`, `-` or `@` is text "
        "that a spreadsheet would have run."
    )


def _load(release: Release) -> Iterator[str]:
    """Show how five tools read the records, and how they get at one row per entry and at bounds of intervals."""
    lists = _first_lists(release)
    bounds = next((c.name for c in release.columns if c.form == ValueFormat("interval", c.form.type)), None)
    yield "## How to load it"
    for tool, language, lines in (
        ("pandas", "python", _load_pandas(lists, bounds)),
        ("Polars", "python", _load_polars(lists, bounds)),
        ("R", "r", _load_r(lists, bounds)),
        ("DuckDB", "sql", _load_duckdb(release, lists, bounds)),
        ("Spark", "python", _load_spark(lists, bounds)),
    ):
        yield from ("", f"{tool}:", "", f"```{language}", *lines, "```")


def _first_lists(release: Release) -> list[str]:
    """Return the columns whose lists belong together entry by entry: the first history and what stands beside it."""
    lists = [column for column in release.columns if column.form.history]
    starts = [at for at, column in enumerate(lists) if column.role == "history"]
    return [column.name for column in lists[: starts[1] if len(starts) > 1 else None]]


def _load_pandas(lists: Sequence[str], bounds: str | None) -> Iterator[str]:
    yield "import pandas as pd"
    yield ""
    yield 'records = pd.read_parquet("data.parquet")'
    if lists:
        yield f"entries = records.explode({_listed(lists)})  # one row per entry"
    if bounds is not None:
        yield f'lowest = records[{_text(bounds)}].str.get("lo")'


def _load_polars(lists: Sequence[str], bounds: str | None) -> Iterator[str]:
    yield "import polars as pl"
    yield ""
    yield 'records = pl.read_parquet("data.parquet")'
    if lists:
        yield f"entries = records.explode({_listed(lists)})  # one row per entry"
    if bounds is not None:
        yield f'lowest = records.select(pl.col({_text(bounds)}).struct.field("lo"))'


def _load_r(lists: Sequence[str], bounds: str | None) -> Iterator[str]:
    yield 'records <- arrow::read_parquet("data.parquet")'
    if lists:
        names = ", ".join(f"`{_no_ticks(name)}`" for name in lists)
        yield f"entries <- tidyr::unnest_longer(records, c({names}))  # one row per entry"
    if bounds is not None:
        yield f"lowest <- records[[{_text(bounds)}]]$lo"


def _load_duckdb(release: Release, lists: Sequence[str], bounds: str | None) -> Iterator[str]:
    yield "SELECT * FROM 'data.parquet';"
    if lists:
        plain_columns = [_quote(column.name) for column in release.columns if not column.form.history]
        named = [f"unnest({_quote(name)}) AS {_quote(name)}" for name in lists]
        yield f"SELECT {', '.join([*plain_columns, *named])} FROM 'data.parquet';  -- one row per entry"
    if bounds is not None:
        yield f"SELECT {_quote(bounds)}.lo FROM 'data.parquet';"


def _load_spark(lists: Sequence[str], bounds: str | None) -> Iterator[str]:
    yield "from pyspark.sql import functions as F"
    yield ""
    yield 'records = spark.read.parquet("data.parquet")'
    if lists:
        zipped = ", ".join(_text(name) for name in lists)
        yield f'entries = records.withColumn("entry", F.explode(F.arrays_zip({zipped})))  # one row per entry'
    if bounds is not None:
        yield f'lowest = records.select(F.col({_text(bounds)}).getField("lo"))'


def _check(release: Release) -> Iterator[str]:
    layout = "long" if any(column.form.history for column in release.columns) else "wide"
    yield "## How to check it"
    yield ""
    yield "With Python 3.11 or later, in this folder:"
    yield ""
    yield "```console"
    yield "$ pip install sfumato"
    yield "$ sfumato verify ."
    yield f"$ sfumato export . --layout {layout} --out ../records.csv"
    yield "```"
    yield ""
    yield (
        "`verify` reads every file here, this page included, and checks the guarantee anew. `export` writes one "
        "plain value per cell, as spreadsheets and data frames need them: an interval is two columns, such as `age_lo` "
        "and `age_hi`, with both ends included. `--nested` keeps it in one column."
    )


def _text(name: str) -> str:
    return json.dumps(name, ensure_ascii=True)


def _listed(names: Sequence[str]) -> str:
    texts = [_text(name) for name in names]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _quote(name: str) -> str:
    return '"' + make_visible(name).replace('"', '""') + '"'


def _no_ticks(name: str) -> str:
    return make_visible(name).replace("`", "'")


def _code(name: str) -> str:
    """Spell a name that somebody chose, so that it stays in its cell of a table."""
    return f"`{_escape_bars(_no_ticks(name))}`"


def _escape_bars(text: str) -> str:
    return text.replace("|", "\\|")


def escape_markdown(text: str) -> str:
    """Spell a sentence that may hold names of the data so that it stays a sentence."""
    return make_visible(text).replace("<", "&lt;").replace("`", "'")
