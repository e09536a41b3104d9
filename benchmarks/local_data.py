"""Public baskets and diagnoses with their trees, converted for the benchmark of local recoding."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from benchmarks.measure import DATA

__all__ = ["SOURCES", "Source", "convert"]


class Source(NamedTuple):
    """A file to read, what separates its items, and the tree over them: a file or a rule."""

    path: Path
    tree: str
    named: str


def convert(name: str, folder: Path) -> Source | None:
    """Write a set of records, one per line with ``|`` between items, and its tree; None where it is not at hand."""
    try:
        records, tree, named = SOURCES[name]()
    except FileNotFoundError:
        return None
    path = folder / f"{name}.txt"
    if not path.exists():
        path.write_text("".join("|".join(record) + "\n" for record in records), encoding="utf-8")
    if isinstance(tree, str):
        return Source(path, tree, named)
    file = folder / f"{name}.tree.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, delimiter=";", lineterminator="\n").writerows(tree)
    return Source(path, str(file), named)


Records = list[list[str]]
Paths = list[tuple[str, ...]]


def _text(name: str) -> str:
    path = DATA / name
    unpack: Callable[[bytes], bytes] = {".xz": lzma.decompress, ".gz": gzip.decompress}[path.suffix]
    return unpack(path.read_bytes()).decode()


def _distinct(record: list[str]) -> list[str]:
    return list(dict.fromkeys(item for item in record if item))


def _groceries() -> tuple[Records, Paths, str]:
    records = [
        _distinct([cell.strip() for cell in line.split(",")])
        for line in _text("groceries/groceries.csv.xz").splitlines()
    ]
    with (DATA / "groceries/groceries_item_hierarchy.csv").open(encoding="utf-8") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)][1:]
    return records, [(item, f"2 {two}", f"1 {one}", "*") for item, two, one in rows], "its own"


def _complete_journey() -> tuple[Records, Paths, str]:
    table = pq.read_table(DATA / "complete-journey/transactions.parquet", columns=["basket_id", "product_id"])
    products = pq.read_table(DATA / "complete-journey/products.parquet").to_pylist()
    baskets: dict[int, dict[str, None]] = {}
    for basket, product in zip(*(column.to_pylist() for column in table.columns), strict=True):
        baskets.setdefault(basket, {})[str(product)] = None
    sold = {item for record in baskets.values() for item in record}
    paths = []
    for row in products:
        if (item := str(row["product_id"])) in sold:
            department, category = str(row["department"]), str(row["product_category"])
            kind = f"t {department} / {category} / {row['product_type']}"
            paths.append((item, kind, f"c {department} / {category}", f"d {department}", "*"))
    known = {path[0] for path in paths}
    paths += [(item, "d unknown", "*") for item in sorted(sold - known)]
    return [list(record) for record in baskets.values()], paths, "products, types, categories, departments"


def _webview_1() -> tuple[Records, str, str]:
    return (
        [_distinct(line.split()) for line in _text("bms-webview-1/BMS1.dat.xz").splitlines()],
        "balanced:10",
        "fan-out 10",
    )


def _webview_2() -> tuple[Records, Paths, str]:
    sessions: dict[str, list[str]] = {}
    for line in _text("bms-webview-2/BMS-WebView-2.dat.gz").splitlines():
        session, item = line.split()
        sessions.setdefault(session, []).append(item)
    tree = [tuple(line.strip().split(";")) for line in _text("bms-webview-2/treefile_BMS.txt.xz").splitlines()]
    return [_distinct(items) for items in sessions.values()], tree, "its tree file"


def _pos(first: int = 50_000) -> tuple[Records, str, str]:
    lines = _text("bms-pos/bmspos.txt.xz").splitlines()[:first]
    return [_distinct(line.split(",")) for line in lines], "balanced:10", "fan-out 10"


def _retail() -> tuple[Records, str, str]:
    return (
        [_distinct(line.split()) for line in _text("fimi-retail/retail.dat.xz").splitlines()],
        "balanced:10",
        "fan-out 10",
    )


def _diabetes() -> tuple[Records, Paths, str]:
    with zipfile.ZipFile(DATA / "diabetes-130/dataset_diabetes.zip") as archive:
        text = archive.read("dataset_diabetes/diabetic_data.csv").decode()
    rows = csv.DictReader(io.StringIO(text))
    records = [_distinct([row[f"diag_{i}"].replace("?", "") for i in (1, 2, 3)]) for row in rows]
    lines = _text("icd9-hierarchy/informs_ICD9.txt.xz").split()
    above = {line.split(";")[0]: line.split(";")[1:-1] for line in lines}
    return records, [_icd9(code, above) for code in sorted({c for r in records for c in r})], "ICD-9"


def _icd9(code: str, above: dict[str, list[str]]) -> tuple[str, ...]:
    """Return a code, its three digits, block and chapter."""
    head = code.partition(".")[0]
    head = head.zfill(3) if head.isdigit() else head
    block, *chapter = above.get(head, ["other", "other"])
    return code, f"{head}.x", f"b {block}", *(f"c {name}" for name in chapter), "*"


SOURCES: dict[str, Callable[[], tuple[Records, Paths | str, str]]] = {
    "groceries": _groceries,
    "webview-1": _webview_1,
    "diabetes": _diabetes,
    "pos-50k": _pos,
    "webview-2": _webview_2,
    "retail": _retail,
    "complete-journey": _complete_journey,
}
