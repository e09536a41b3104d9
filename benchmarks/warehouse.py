"""Warehouses of ontologies: how long a million statements take, and what their trees are worth beside fan-out ones."""

from __future__ import annotations

import csv
import functools
import io
import json
import lzma
import random
import resource
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from benchmarks.measure import DATA, run, run_parts, table

PREFIX = "http://example.org/"
SOURCES = 5
THINGS = 25_000


def scale(folder: Path) -> list[list[object]]:
    """Build a million statements of five sources, open them again, and ask."""
    head: list[object] = ["step", "processor_seconds", "seconds", "megabytes", "found"]
    rows = [head]

    def keep() -> Iterator[list[object]]:
        for row in time_steps(folder):
            rows.append(row)
            yield row

    table("A million statements", list(map(str, head)), keep())
    return rows


def time_steps(folder: Path) -> Iterator[list[object]]:
    """Yield what each step took, as soon as it is done."""
    count, place = write_sources(folder), folder / "million"
    write_definition(folder)
    built = run("warehouse", "build", folder / "million.toml", "--out", place)
    found = built.result
    inferred = sum(entry["statements"] for entry in found["inferred"].values())
    told = f"{count:,} statements, {inferred:,} inferred, {found['linked_things']:,} linked"
    yield ["build", built.cpu, built.seconds, built.megabytes, told]
    yield from ask(place)
    for number in (SOURCES - 1, 0):
        with (folder / f"s{number}.nt").open("a", encoding="utf-8") as file:
            file.write(f'<{PREFIX}s{number}/0> <{PREFIX}label> "changed" .\n')
        again = run("warehouse", "refresh", place)
        names = ", ".join(again.result["refreshed"])
        yield [f"refresh source {number + 1} of {SOURCES}", again.cpu, again.seconds, again.megabytes, names]
    connected = run("warehouse", "connectivity", place)
    yield ["connectivity", connected.cpu, connected.seconds, connected.megabytes, "10 pairs"]
    tree = run(
        *("warehouse", "hierarchy", place, "--out", folder / "million.csv", "--up", f"{PREFIX}broader"),
        *("--label", f"{PREFIX}label", "--force"),
    )
    yield ["hierarchy", tree.cpu, tree.seconds, tree.megabytes, f"{tree.result['nodes']:,} nodes"]


def ask(place: Path) -> list[list[object]]:
    """Open the warehouse and ask the competence queries, each timed inside of one process."""
    from sfumato.ontologies.warehouse import Warehouse

    def clock() -> tuple[float, float]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime, time.perf_counter()

    begin = clock()
    warehouse = Warehouse(place)
    end = clock()
    rows: list[list[object]] = [["open", end[0] - begin[0], end[1] - begin[1], "", ""]]
    begin = clock()
    groups = len(warehouse.classes.groups())
    end = clock()
    rows.append(["classes of equal things", end[0] - begin[0], end[1] - begin[1], "", f"{groups:,}"])
    for entry in warehouse.definition.competence:
        query = warehouse.read_query(Path(entry.query))
        begin = clock()
        found = warehouse.ask(query)
        end = clock()
        rows.append([f"query {entry.name}", end[0] - begin[0], end[1] - begin[1], "", f"{len(found.rows)} rows"])
    warehouse.close()
    return rows


QUERIES = {
    "one-thing": "SELECT ?p ?o { b:s1\\/77 ?p ?o }",
    "of-a-class": "SELECT ?label { ?x a b:Top ; b:code '12345' ; b:label ?label }",
    "across-sources": (
        "SELECT DISTINCT ?label ?weight { ?x b:code '12345' ; b:broader ?y . ?y b:label ?label . ?z b:code '12345' ; "
        "b:weight ?weight }"
    ),
    "below": "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x b:broader+ b:s0\\/3 }",
    "limited": "SELECT ?x ?y { ?x b:broader ?y . ?y b:label ?l } LIMIT 100",
}


def write_sources(folder: Path) -> int:
    """Write five sources of about 200,000 statements each, about things that most of them have."""
    total = 0
    for number in range(SOURCES):
        rng = random.Random(number)
        with (folder / f"s{number}.nt").open("w", encoding="utf-8") as file:
            for thing in range(THINGS):
                name = f"<{PREFIX}s{number}/{thing}>"
                lines = [
                    f"{name} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{PREFIX}Kind{number}> .",
                    f'{name} <{PREFIX}label> "thing {thing}"@en .',
                    f'{name} <{PREFIX}label> "Ding {thing}"@de .',
                    f'{name} <{PREFIX}code> "{thing}" .',
                    f'{name} <{PREFIX}weight{number}> "{rng.random():.6f}" .',
                    f'{name} <{PREFIX}note> "note {rng.randrange(1000)}" .',
                    f"{name} <{PREFIX}near> <{PREFIX}s{number}/{rng.randrange(THINGS)}> .",
                ]
                if number == 0 and thing:
                    lines.append(f"{name} <{PREFIX}broader> <{PREFIX}s0/{(thing - 1) // 5}> .")
                else:
                    lines.append(f'{name} <{PREFIX}seen> "{rng.randrange(10**6)}" .')
                total += len(lines)
                file.write("\n".join(lines) + "\n")
    return total


def write_definition(folder: Path) -> None:
    """Write what is built of them: mappings, a rule and links by code."""
    text = [f'[prefixes]\nb = "{PREFIX}"\n']
    text += [f'[[source]]\nname = "s{n}"\nfile = "s{n}.nt"\n' for n in range(SOURCES)]
    classes = ", ".join(f'["b:Kind{n}", "b:Top"]' for n in range(SOURCES))
    weights = ", ".join(f'["b:weight{n}", "b:weight"]' for n in range(SOURCES))
    text.append(f"[mapping]\nsubclass = [{classes}]\nsubproperty = [{weights}]\n")
    text.append(
        "[[rule]]\nname = 'halves'\nsource = 's1'\nwhere = ['?x b:label ?text']\nof = '?text'\n"
        "pattern = '(?P<first>thing) (?P<second>[0-9]+)'\nadd = ['?x b:second ?second']\n"
    )
    text += [
        f"[[match]]\nname = 'm{n}'\na = {{ source = 's0', value = 'b:code' }}\n"
        f"b = {{ source = 's{n}', value = 'b:code' }}\n"
        for n in range(1, SOURCES)
    ]
    for name, query in QUERIES.items():
        (folder / f"{name}.rq").write_text(query)
        (folder / f"{name}.csv").write_text("none\n")
        text.append(f"[[competence]]\nname = '{name}'\nquery = '{name}.rq'\nexpected = '{name}.csv'\n")
    (folder / "million.toml").write_text("\n".join(text))


Paths = list[list[str]]


class Case(NamedTuple):
    """Data with a catalogue: how they are read and published, and which fan-out tree stands beside the catalogue's."""

    file: Path
    kind: str
    of: str
    paths: Paths
    """From the root down to a value, of every value of the catalogue."""
    read_options: tuple[str, ...]
    method: str
    parameters: tuple[str, ...]
    measures: tuple[str, ...]
    apply: tuple[str, ...] = ()


def losses(folder: Path) -> list[list[object]]:
    """Publish real data over the tree of their catalogue and over a fan-out tree, and compare what is lost."""
    head: list[object] = ["data", "method", "tree", "values", "without a node", "measure", "loss"]
    rows = [head]

    def measure() -> Iterator[list[object]]:
        for name, make in CASES.items():
            for row in lose(folder, name, make(folder)):
                rows.append(row)
                yield row

    table("Loss over the tree of a catalogue and over a fan-out tree", list(map(str, head)), measure())
    return rows


def lose(folder: Path, name: str, case: Case) -> Iterator[list[object]]:
    """Yield what is lost of one dataset over both trees, by every measure."""
    tree, report = take_tree(folder, name, case)
    number = max(2, round(report["values"] ** 0.5))
    fan = str(write_fan_out(folder, read_values(tree), number)) if case.kind == "sequences" else f"fanout:{number}"
    for label, hierarchy in (("catalogue", str(tree)), (f"fanout:{number}", fan)):
        out = folder / f"{name}-{label.split(':')[0]}"
        run(
            *("anonymize", case.file, "--kind", case.kind, *case.read_options, "--hierarchy", f"{case.of}={hierarchy}"),
            *("--method", case.method, *(word for p in case.parameters for word in ("-p", p))),
            *("--out", out, "--no-report", "--max-suppressed-records", "0.5", "--force"),
        )
        # Published places are sets of places: what they mean is judged by the catalogue, whatever made them.
        judge = tree if case.kind == "trajectories" else hierarchy
        scores = run(
            *("measure", out, "--original", case.file, *case.read_options, "--hierarchy", f"{case.of}={judge}"),
        ).result
        for measure in case.measures:
            value = next(score["value"] for score in scores["measures"] if score["metric"] == measure)
            yield [name, case.method, label, report["values"], len(report["unplaced"]), measure, value]


def take_tree(folder: Path, name: str, case: Case) -> tuple[Path, dict]:
    """Write the catalogue as a SKOS thesaurus, build a warehouse of it, and take the tree over the data's values."""
    write_thesaurus(folder / f"{name}.ttl", case.paths)
    (folder / f"{name}.toml").write_text(f'[[source]]\nname = "catalogue"\nfile = "{name}.ttl"\n')
    run("warehouse", "build", folder / f"{name}.toml", "--out", folder / f"{name}-warehouse")
    tree = folder / f"{name}-tree.csv"
    taken = run(
        *("warehouse", "hierarchy", folder / f"{name}-warehouse", "--out", tree, "--up", "skos:broader", "--force"),
        *("--values", case.file, "--kind", case.kind, "--of", case.of, *case.read_options),
        *(word for step in case.apply for word in ("--apply", step)),
        *("--unplaced", "values without a node"),
    )
    return tree, taken.result


def write_thesaurus(path: Path, paths: Paths) -> None:
    """Write a catalogue as SKOS: one concept for every way from the root."""
    lines = ["@prefix skos: <http://www.w3.org/2004/02/skos/core#> ."]
    known: dict[tuple[str, ...], str] = {}
    for way in paths:
        for depth in range(1, len(way) + 1):
            key = tuple(way[:depth])
            if key not in known:
                known[key] = f"<urn:concept:{len(known)}>"
                above = f" ; skos:broader {known[key[:-1]]}" if depth > 1 else ""
                lines.append(f"{known[key]} a skos:Concept ; skos:prefLabel {json.dumps(key[-1])}{above} .")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_values(tree: Path) -> list[str]:
    """Return the values of a hierarchy, in their order."""
    from sfumato.readers.hierarchies import read_hierarchy

    return sorted(read_hierarchy(tree).leaf_labels)


def write_fan_out(folder: Path, values: list[str], number: int) -> Path:
    """Write a fan-out tree, for data that take hierarchies from files only."""
    from sfumato.hierarchies import derive
    from sfumato.readers.hierarchies import write_hierarchy

    path = folder / f"fan-{len(values)}.csv"
    write_hierarchy(derive.balanced(values, number), path, "arx")
    return path


def _unpack(name: str) -> str:
    return lzma.decompress((DATA / name).read_bytes()).decode()


def _groceries(folder: Path) -> Case:
    lines = _unpack("groceries/groceries.csv.xz").splitlines()
    file = folder / "groceries.csv"
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["person", "item"])
        writer.writerows([number, item] for number, line in enumerate(lines) for item in line.split(","))
    with (DATA / "groceries/groceries_item_hierarchy.csv").open() as opened:
        paths = [["groceries", row["level1"], row["level2"], row["labels"]] for row in csv.DictReader(opened)]
    paths = [[way[0], f"{way[1]} (1)", f"{way[2]} (2)", way[3]] for way in paths]
    return Case(file, "sets", "item", paths, (), "apriori", ("k=5", "m=2"), SETS)


def _complete_journey(folder: Path, *, together: bool = False) -> Case:
    """Return baskets of product types; with departments that fewer than k baskets have put together, if asked to."""
    products = pq.read_table(DATA / "complete-journey/products.parquet").to_pylist()
    types = {row["product_id"]: row for row in products if row["product_type"] and row["product_category"]}
    table = pq.read_table(DATA / "complete-journey/transactions.parquet", columns=["basket_id", "product_id"])
    baskets = sorted(set(table["basket_id"].to_pylist()))[:3000]
    chosen = set(baskets)
    file = folder / "journey.csv"
    buyers: dict[str, set[int]] = {}
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["person", "item"])
        for basket, product in zip(*(table[name].to_pylist() for name in table.column_names), strict=True):
            row = types.get(product)
            if basket in chosen and row is not None:
                buyers.setdefault(row["department"], set()).add(basket)
                writer.writerow([basket, row["product_type"]])
    seen: dict[str, list[str]] = {}
    for row in types.values():
        rare = together and len(buyers.get(row["department"], ())) < 5
        department = "departments that are hardly bought from" if rare else f"{row['department']} (d)"
        way = ["products", department, f"{row['product_category']} (c)", row["product_type"]]
        seen.setdefault(row["product_type"], way)
    return Case(file, "sets", "item", list(seen.values()), (), "apriori", ("k=5", "m=1"), SETS)


def _foursquare(folder: Path, kind: str) -> Path:
    rows = list(csv.DictReader(io.StringIO(_unpack("foursquare-nyc/Foursquare_Sample.csv.xz"))))
    centre: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        y, x = map(float, row["lat_lon"].split())
        centre.setdefault(row["type"], []).append((x, y))
    people = sorted({row["tid"] for row in rows}, key=int)[:400]
    chosen = set(people)
    file = folder / f"foursquare-{kind}.csv"
    seen: dict[str, int] = {}
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        place = "place" if kind == "trajectories" else "event"
        writer.writerow(["person", "time", place, *(("x", "y") if kind == "trajectories" else ())])
        for row in rows:
            if row["tid"] in chosen and seen.setdefault(row["tid"], 0) < 8:
                seen[row["tid"]] += 1
                spots = centre[row["type"]]
                mean = [sum(part) / len(spots) for part in zip(*spots, strict=True)]
                writer.writerow([row["tid"], row["date_time"], row["type"], *(mean if kind == "trajectories" else ())])
    return file


def _categories() -> Paths:
    def walk(node: dict, above: list[str]) -> Paths:
        way = [*above, node["name"]]
        return [way, *(found for below in node["categories"] for found in walk(below, way))]

    tops = json.loads(_unpack("foursquare-nyc/foursquare_categories.json.xz"))
    return [way for top in tops for way in walk(top, ["places"])]


def _check_ins(folder: Path) -> Case:
    file = _foursquare(folder, "trajectories")
    return Case(
        file, "trajectories", "place", _categories(), (), "sd-seqanon", ("k=5", "m=2", "infeasible=suppress"), TRIPS
    )


def _events(folder: Path) -> Case:
    file = _foursquare(folder, "sequences")
    read_options = ("--monitored", "*", "--resolution", "hour")
    return Case(file, "sequences", "event", _categories(), read_options, "et", ("k=5",), EVENTS)


def _diabetes(folder: Path) -> Case:
    with zipfile.ZipFile(DATA / "diabetes-130/dataset_diabetes.zip") as archive:
        text = archive.read("dataset_diabetes/diabetic_data.csv").decode()
    file = folder / "diabetes.csv"
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["age", "gender", "diagnosis"])
        for number, row in enumerate(csv.DictReader(io.StringIO(text))):
            if number % 20 == 0 and row["diag_1"] != "?":
                writer.writerow([row["age"], row["gender"], row["diag_1"]])
    ways = [
        line.strip().split(";")[::-1] for line in _unpack("icd9-hierarchy/informs_ICD9.txt.xz").splitlines() if line
    ]
    paths = [["ICD-9", *(f"codes {part}" for part in way[1:-1]), way[-1]] for way in ways]
    read_options = ("--quasi", "age,gender,diagnosis")
    return Case(file, "table", "diagnosis", paths, read_options, "cluster", ("k=5",), TABLES, ("before:.",))


SETS = ("item-loss", "pair-support")
TRIPS = ("semantic-penalty", "distance")
EVENTS = ("interval-loss", "event-counts")
TABLES = ("ncp", "attribute-queries")
CASES = {
    "groceries": _groceries,
    "complete-journey": _complete_journey,
    "complete-journey, rare departments together": functools.partial(_complete_journey, together=True),
    "foursquare check-ins": _check_ins,
    "foursquare events": _events,
    "diabetes": _diabetes,
}

if __name__ == "__main__":
    run_parts("warehouse", __doc__ or "", scale, losses)
