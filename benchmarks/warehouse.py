"""Warehouses of ontologies: how long a million statements take, and what their trees are worth beside fan-out ones."""

from __future__ import annotations

import csv
import json
import lzma
import random
import resource
import time
import zipfile
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.measure import DATA, run, run_parts, table

PREFIX = "http://example.org/"
SOURCES = 5
THINGS = 25_000


def scale(folder: Path) -> list[list[object]]:
    """Build a million statements of five sources, open them again, and ask."""
    rows: list[list[object]] = [["step", "processor_seconds", "seconds", "megabytes", "found"]]
    count = write_sources(folder)
    write_definition(folder)
    place = folder / "million"
    built = run("warehouse", "build", folder / "million.toml", "--out", place)
    found = built.result
    inferred = sum(entry["statements"] for entry in found["inferred"].values())
    told = f"{count:,} statements, {inferred:,} inferred, {found['linked_things']:,} linked"
    rows.append(["build", built.cpu, built.seconds, built.megabytes, told])
    (folder / "s0.nt").write_text((folder / "s0.nt").read_text() + f'<{PREFIX}s0/0> <{PREFIX}label> "changed" .\n')
    again = run("warehouse", "refresh", place)
    rows.append(["refresh one source", again.cpu, again.seconds, again.megabytes, ", ".join(again.result["refreshed"])])
    rows += ask(place)
    connected = run("warehouse", "connectivity", place)
    rows.append(["connectivity", connected.cpu, connected.seconds, connected.megabytes, "10 pairs"])
    tree = run(
        *("warehouse", "hierarchy", place, "--out", folder / "million.csv", "--up", f"{PREFIX}broader"),
        *("--label", f"{PREFIX}label", "--force"),
    )
    rows.append(["hierarchy", tree.cpu, tree.seconds, tree.megabytes, f"{tree.result['nodes']:,} nodes"])
    table("A million statements", [str(name) for name in rows[0]], rows[1:])
    return rows


def ask(place: Path) -> list[list[object]]:
    """Open the warehouse and ask the competence queries, each timed inside of one process."""
    from sfumato.warehouse.warehouse import Warehouse

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
        f"[[match]]\nname = 'm{n}'\na = {{ source = 's0', value = 'b:code' }}\nb = {{ source = 's{n}', value = 'b:code' }}\n"
        for n in range(1, SOURCES)
    ]
    for name, query in QUERIES.items():
        (folder / f"{name}.rq").write_text(query)
        (folder / f"{name}.csv").write_text("none\n")
        text.append(f"[[competence]]\nname = '{name}'\nquery = '{name}.rq'\nexpected = '{name}.csv'\n")
    (folder / "million.toml").write_text("\n".join(text))


if __name__ == "__main__":
    run_parts("warehouse", __doc__ or "", scale)
