"""Local recoding of sets beside apriori: losses, frequent itemsets and processor time through the public command."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.local_data import SOURCES, Source, convert
from benchmarks.measure import OverlongError, Taken, run, run_parts, table

K, M = 5, 2
NAMED = 200
OCCURRENCES = 200_000
LIMIT = 600
"""Processor seconds that one command may take; where it takes more, that is what the table says."""


def at_hand(folder: Path) -> dict[str, Source]:
    """Return the public sets that are there, converted."""
    found = {name: convert(name, folder) for name in SOURCES}
    return {name: source for name, source in found.items() if source is not None}


def anonymize(source: Source, folder: Path, method: str, *words: object, tree: str | None = None) -> Taken:
    """Publish a set with a method, without a report; more words choose its parameters."""
    read_options = ["--kind", "sets", "--format", "transactions", "--separator", "|"]
    given = source.tree if tree is None else tree
    read_options += ["--hierarchy", f"item={given}"] if given else []
    return run(
        "anonymize",
        source.path,
        *read_options,
        "--method",
        method,
        *words,
        "--out",
        folder / "out",
        "--force",
        "--no-report",
        limit=LIMIT,
    )


def choose(**parameters: object) -> list[str]:
    """Return parameters of a method as words."""
    return [word for name, value in parameters.items() for word in ("-p", f"{name}={value}")]


def measure(source: Source, folder: Path) -> dict[str, dict]:
    """Return the measures of what was published last, by name."""
    taken = run("measure", folder / "out", "--original", source.path, limit=LIMIT)
    return {score["metric"]: score for score in taken.result["measures"]}


def kept(rows: list[list[object]], found: Iterator[list[object]]) -> Iterator[list[object]]:
    """Keep rows while they are printed."""
    for row in found:
        rows.append(row)
        yield row


def losses(folder: Path) -> list[list[object]]:
    """NCP, exact items and the thousand most frequent itemsets beside apriori on the same tree, k=5, m=2."""
    return compare(folder, 5, 2)


def losses_m3(folder: Path) -> list[list[object]]:
    """The same at k=5, m=3."""
    return compare(folder, 5, 3)


def losses_k10(folder: Path) -> list[list[object]]:
    """The same at k=10, m=2."""
    return compare(folder, 10, 2)


def compare(folder: Path, k: int, m: int) -> list[list[object]]:
    """Publish every set with apriori and with local-km, and measure both."""

    def found() -> Iterator[list[object]]:
        for name, source in at_hand(folder).items():
            row: list[object] = [name, source.named, f"{k},{m}"]
            found_before = ratio = megabytes = 0.0
            for method in ("apriori", "local-km"):
                try:
                    taken = anonymize(source, folder, method, *choose(k=k, m=m))
                    scores = measure(source, folder)
                except OverlongError as overlong:
                    row += [str(overlong), "", "", "", ""]
                    continue
                loss, itemsets, pairs = (scores[name] for name in ("item-loss", "top-itemsets", "pair-support"))
                row += [loss["value"], loss["exact_share"], itemsets["kept"], pairs["value"], taken.cpu]
                ratio = loss["value"] / found_before if found_before else 0.0
                megabytes = taken.megabytes
                found_before = loss["value"]
            yield [*row, ratio, round(megabytes)]

    rows: list[list[object]] = []
    one = ["NCP", "exact", "of 1,000 itemsets", "re", "CPU s"]
    columns = ["data", "tree", "k,m", *(f"apriori {c}" for c in one), *(f"local {c}" for c in one), "ratio", "peak MB"]
    table("local-km beside apriori", columns, kept(rows, found()))
    return rows


def methods(folder: Path) -> list[list[object]]:
    """All methods with a hierarchy, on real product hierarchies and on derived trees."""
    ways = [
        ("apriori", {}),
        ("apriori", {"refine": "true"}),
        ("lra", {}),
        ("vpa", {}),
        ("local-km", {}),
        ("local-km", {"prefer": "exact"}),
    ]

    def found() -> Iterator[list[object]]:
        for name, source in at_hand(folder).items():
            for method, more in ways:
                label = " ".join([method, *(f"{n}={v}" for n, v in more.items())])
                try:
                    taken = anonymize(source, folder, method, *choose(k=K, m=M, **more))
                    scores = measure(source, folder)
                except OverlongError as overlong:
                    yield [name, source.named, label, str(overlong), "", "", ""]
                    continue
                loss = scores["item-loss"]
                numbers = [loss["value"], loss["exact_share"], scores["top-itemsets"]["kept"]]
                yield [name, source.named, label, *numbers, taken.cpu]

    rows: list[list[object]] = []
    columns = ["data", "tree", "method", "NCP", "exact", "of 1,000 itemsets", "CPU s"]
    table("Methods with a hierarchy, k=5, m=2", columns, kept(rows, found()))
    return rows


def trees(folder: Path) -> list[list[object]]:
    """The same data over trees that are given and derived; without any, popular:2 is derived."""

    def found() -> Iterator[list[object]]:
        for name in ("groceries", "pos-50k", "webview-1"):
            source = convert(name, folder)
            for tree in (None, "balanced:2", "popular:10", "popular:2", "") if source else ():
                row: list[object] = [name, {None: source.named, "": "(none given)"}.get(tree, tree)]
                for method in ("apriori", "local-km"):
                    anonymize(source, folder, method, *choose(k=K, m=M), tree=tree)
                    loss = measure(source, folder)["item-loss"]
                    row += [loss["value"], loss["exact_share"]]
                yield row

    rows: list[list[object]] = []
    columns = ["data", "tree", "apriori NCP", "exact", "local NCP", "exact"]
    table("Trees, k=5, m=2", columns, kept(rows, found()))
    return rows


def checks(folder: Path) -> list[list[object]]:
    """Processor time of the verifier with the original and of the attacker, on diagnoses and on long baskets."""

    def found() -> Iterator[list[object]]:
        for name in ("diabetes", "pos-50k"):
            source = convert(name, folder)
            if source is None:
                continue
            anonymize(source, folder, "local-km", *choose(k=K, m=3))
            verified = run("verify", folder / "out", "--original", source.path)
            attacked = run("attack", folder / "out", "--original", source.path)
            yield [name, verified.cpu, round(verified.megabytes), attacked.cpu, round(attacked.megabytes)]

    rows: list[list[object]] = []
    columns = ["data", "verify --original, CPU s", "MB", "attack, CPU s", "MB"]
    table("Checking local-km, k=5, m=3", columns, kept(rows, found()))
    return rows


def long_records(folder: Path) -> list[list[object]]:
    """Peak memory of local-km on as many occurrences in ever longer records: it must not grow with their square."""

    def found() -> Iterator[list[object]]:
        for length in (100, 400, 1_600):
            draw, path = random.Random(1), folder / f"long-{length}.txt"
            records = [
                {str(int(8_000 * draw.random() ** 3)) for _ in range(length)} for _ in range(OCCURRENCES // length)
            ]
            path.write_text("".join("|".join(sorted(record)) + "\n" for record in records))
            taken = anonymize(Source(path, "popular:10", "popular:10"), folder, "local-km", *choose(k=K, m=M))
            began = "began_at_root" in taken.result["counted"]
            swapped = "swap_left_out" not in taken.result["counted"]
            mean = sum(map(len, records)) / len(records)
            yield [len(records), mean, max(map(len, records)), began, swapped, taken.cpu, round(taken.megabytes)]

    rows: list[list[object]] = []
    columns = ["records", "items, mean", "longest", "begins at the root", "SWAP", "CPU s", "peak MB"]
    table(f"About {OCCURRENCES:,} occurrences, k=5, m=2", columns, kept(rows, found()))
    return rows


def constraints(folder: Path) -> list[list[object]]:
    """Coat and pcta with 200 itemsets named: partners that help, and any partners as the papers have them."""

    def found() -> Iterator[list[object]]:
        for name in ("diabetes", "groceries", "webview-1"):
            source = convert(name, folder)
            if source is None:
                continue
            file, items = folder / f"{name}.privacy", name_itemsets(source.path, folder / f"{name}.privacy")
            for method in ("coat", "pcta"):
                for partner in ("any", "helping"):
                    words = [*choose(k=K, partner=partner, suppression_limit=1), "--constraints", f"privacy={file}"]
                    taken = anonymize(source, folder, method, *words, tree="")
                    loss = measure(source, folder)["item-loss"]
                    merges = taken.result["counted"]["merges"]
                    yield [name, loss["items"], items, method, partner, merges, loss["value"], loss["exact_share"]]

    rows: list[list[object]] = []
    columns = ["data", "items", "items named", "method", "partner", "unions", "NCP", "exact"]
    table(f"{NAMED} named itemsets, k=5", columns, kept(rows, found()))
    return rows


def name_itemsets(records: Path, file: Path) -> int:
    """Write itemsets of two and three items that records hold, one per line; return how many items they name."""
    chance = random.Random(1)
    lines = [line.split("|") for line in records.read_text().splitlines()]
    lines = [line for line in lines if len(line) > 1]
    named: set[tuple[str, ...]] = set()
    while len(named) < NAMED:
        record = chance.choice(lines)
        named.add(tuple(sorted(chance.sample(record, min(len(record), chance.choice([2, 2, 3]))))))
    file.write_text("".join(";".join(itemset) + "\n" for itemset in sorted(named)))
    return len({item for itemset in named for item in itemset})


if __name__ == "__main__":
    run_parts("local-sets", __doc__, losses, losses_m3, losses_k10, methods, trees, checks, long_records, constraints)
