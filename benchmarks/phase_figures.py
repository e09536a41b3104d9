"""Figures of `benchmarks.phases` and their tables: medians, start-up taken off, growth, bars and comparisons."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.measure import table

START_UP = 100
"""Records of the runs whose figures are taken off all other figures as start-up."""
INSIDE = ("read", "method", "write", "verify", "attack", "report")
"""Phases inside of `anonymize`."""
SURROUNDINGS = ("read", "write", "verify", "attack")
LABELS = {
    "anonymize": "anonymize --no-report",
    "report": "anonymize",
    "verify": "verify",
    "verify-original": "verify --original",
    "attack": "attack",
    "measure": "measure",
}
"""Commands by their names in options and results, and as the table shows them."""
GROWTH_PHASES = {"anonymize": INSIDE[:-1], "report": ("report",)}
"""Phases whose growth has a bar; of other commands it is the whole."""

GROWTH_BAR, SHORTEST = 1.2, 0.2
MEBIBYTE = 2**20
METHOD_BARS = {
    ("rt/rfirst", 100_000): 10.0,
    ("rt/rum-bound", 100_000): 30.0,
    ("activity/mc-l-mdav-wd", 30_000): 8.0,
    ("sequences/hi", 300_000): 30.0,
    ("sequences/et", 300_000): 30.0,
    ("table/mdav", 300_000): 8.0,
    ("sets/local-km", 300_000): 40.0,
}
"""Processor seconds of methods by case and size."""
WHOLE_BARS = {("table/mondrian", 1_000_000): (18.0, 12.0), ("table/optimal", 1_000_000): (9.0, 6.0)}
"""Processor seconds of `anonymize --no-report` by case and size: the bar, and the stretch."""
SMALL_REPORT = (1_000, 1.2)
"""Records, and processor seconds of the whole command with its report."""

Figures = dict[str, float]
"""Processor seconds of `whole` and of phases, `wall` seconds and `mb` of peak memory."""


class Key(NamedTuple):
    """What a figure is about: a kind and its method, the number of records, and the command."""

    case: str
    size: int
    command: str


class Bar(NamedTuple):
    """A figure beside what it should be at most."""

    case: str
    size: int
    work: str
    value: float
    limit: float

    @property
    def reached(self) -> bool:
        """Whether the figure is small enough."""
        return self.value <= self.limit


def compute_medians(runs: Sequence[Mapping[str, Any]]) -> Figures:
    """Return the median of every figure over the runs of a command, and what is in no phase as `rest`."""
    figures = {
        "whole": statistics.median(run["cpu"] for run in runs),
        "wall": statistics.median(run["wall"] for run in runs),
        "mb": statistics.median(run["mb"] for run in runs),
    }
    names = dict.fromkeys(name for run in runs for name in run["phases"])
    figures |= {name: statistics.median(run["phases"][name]["cpu"] for run in runs) for name in names}
    if "method" in names:
        figures["rest"] = figures["whole"] - sum(figures[name] for name in names)
    return figures


def take_off_start_up(figures: Figures, start_up: Figures) -> Figures:
    """Take off what the same command and phase take with next to no records; memory stays as it is."""
    return {
        name: value if name == "mb" else max(0.0, value - start_up.get(name, 0.0)) for name, value in figures.items()
    }


def take_off_all(gross: Mapping[Key, Figures]) -> dict[Key, Figures]:
    """Return the figures of all but the start-up runs, start-up taken off; without it a figure is left out."""
    return {
        key: take_off_start_up(figures, gross[key._replace(size=START_UP)])
        for key, figures in gross.items()
        if key.size != START_UP and key._replace(size=START_UP) in gross
    }


def compute_exponent(small: float, large: float, sizes: tuple[int, int]) -> float | None:
    """Return the exponent of growth between two sizes; None where the smaller figure is too short to tell."""
    if small < SHORTEST or large <= 0:
        return None
    return math.log(large / small) / math.log(sizes[1] / sizes[0])


def compute_exponents(net: Mapping[Key, Figures]) -> dict[tuple[Key, str], float]:
    """Return exponents by the key of the larger size and the name of the figure, from the next smaller size."""
    exponents = {}
    groups = itertools.groupby(sorted(net, key=lambda key: (key.case, key.command, key.size)), lambda key: key[::2])
    for _, keys in groups:
        for small, large in itertools.pairwise(list(keys)):
            for name in net[large].keys() & net[small].keys() - {"mb", "wall", "rest"}:
                exponent = compute_exponent(net[small][name], net[large][name], (small.size, large.size))
                if exponent is not None:
                    exponents[large, name] = exponent
    return exponents


def sum_surroundings(figures: Figures) -> float:
    """Return what reading, writing, verifying and attacking take together."""
    return sum(figures[name] for name in SURROUNDINGS)


def list_bars(gross: Mapping[Key, Figures], data_bytes: Mapping[tuple[str, int], int]) -> list[Bar]:
    """Return every bar that the figures allow to compute; sizes of the data are by kind and number of records."""
    net = take_off_all(gross)
    bars = [bar for key in net for bar in _list_bars_of(key, gross, net, data_bytes)]
    return sorted([*bars, *_list_growth_bars(compute_exponents(net))], key=lambda bar: (bar.case, bar.size))


def _list_bars_of(
    key: Key,
    gross: Mapping[Key, Figures],
    net: Mapping[Key, Figures],
    data_bytes: Mapping[tuple[str, int], int],
) -> Iterator[Bar]:
    case, size, command = key
    figures = net[key]
    if command == "report":
        text = "report <= method + 5 s (no start-up taken off the report)"
        yield Bar(case, size, text, gross[key]["report"], figures["method"] + 5)
        if size == SMALL_REPORT[0]:
            yield Bar(case, size, "whole with report (no start-up taken off)", gross[key]["whole"], SMALL_REPORT[1])
    if command != "anonymize":
        return
    arrow = gross.get(Key(case, size, "arrow"))
    if arrow is not None:
        limit = 3 * figures["method"] + 2 + 4 * arrow["arrow"]
        yield Bar(case, size, "surroundings <= 3 x method + 2 s + 4 x Arrow", sum_surroundings(figures), limit)
    if (case, size) in METHOD_BARS:
        yield Bar(case, size, "method", figures["method"], METHOD_BARS[case, size])
    for name, limit in zip(("whole", "whole, stretch"), WHOLE_BARS.get((case, size), ()), strict=False):
        yield Bar(case, size, name, figures["whole"], limit)
    csv_bytes = data_bytes.get((case.partition("/")[0], size))
    if csv_bytes is not None:
        yield Bar(case, size, "peak MB", figures["mb"], find_memory_bar(case, size, csv_bytes))


def find_memory_bar(case: str, size: int, csv_bytes: int) -> float:
    """Return the MB that publishing without a report may take, from the bytes of the CSV file."""
    if case == "sets/disassociation":
        return 900
    if case.startswith("trajectories/") and size >= 1_000_000:
        return 1_200
    return 350 + 6 * csv_bytes / MEBIBYTE


def _list_growth_bars(exponents: Mapping[tuple[Key, str], float]) -> Iterator[Bar]:
    """Yield the exponents that are too large, or the largest of a case and size where none is."""
    by_case: dict[tuple[str, int], list[Bar]] = {}
    for (key, name), exponent in exponents.items():
        if name in GROWTH_PHASES.get(key.command, ("whole",)):
            part = LABELS[key.command] if name == "whole" else f"phase {name}"
            by_case.setdefault((key.case, key.size), []).append(
                Bar(key.case, key.size, f"exponent of growth, {part}", exponent, GROWTH_BAR)
            )
    for bars in by_case.values():
        bars.sort(key=lambda bar: -bar.value)
        yield from [bar for bar in bars if not bar.reached] or bars[:1]


def write_bar_rows(bars: Sequence[Bar]) -> list[list[object]]:
    """Return the rows of the table of bars."""
    return [
        [
            bar.case,
            f"{bar.size:,}",
            bar.work,
            *(_write(value) for value in (bar.value, bar.limit, bar.value / bar.limit)),
            "reached" if bar.reached else "**missed**",
        ]
        for bar in bars
    ]


BAR_COLUMNS = ["kind/method", "records", "bar", "now", "at most", "ratio", "result"]
COLUMNS = ["kind/method", "records", "command", *INSIDE, "rest", "whole", "wall s", "MB", "surroundings/method"]
COMPARED = [*COLUMNS[:-1], "Arrow"]


def write_rows(net: Mapping[Key, Figures]) -> list[list[object]]:
    """Return the rows of the main table: figures with their exponents, those above the bar in bold."""
    exponents = compute_exponents(net)
    rows: list[list[object]] = []
    for key in sort_keys(net):
        if key.command not in LABELS:
            continue
        figures, cells = net[key], []
        for name in (*INSIDE, "rest", "whole", "wall"):
            text = _write(figures[name]) if name in figures else ""
            exponent = exponents.get((key, name))
            if exponent is not None:
                mark = "**" if exponent > GROWTH_BAR else ""
                text += f" {mark}^{exponent:.2f}{mark}"
            cells.append(text)
        share = ""
        if figures.get("method"):
            share = _write(sum_surroundings(figures) / figures["method"])
        rows.append([key.case, f"{key.size:,}", LABELS[key.command], *cells, f"{figures['mb']:.0f}", share])
    return rows


def write_start_up_rows(gross: Mapping[Key, Figures]) -> list[list[object]]:
    """Return what was taken off, in the columns of the main table."""
    rows: list[list[object]] = []
    for key in sort_keys(gross):
        if key.size == START_UP and key.command in LABELS:
            figures = gross[key]
            cells = [_write(figures[name]) if name in figures else "" for name in (*INSIDE, "rest", "whole", "wall")]
            rows.append([key.case, f"{key.size:,}", LABELS[key.command], *cells, f"{figures['mb']:.0f}", ""])
    return rows


def write_comparison(before: Mapping[Key, Figures], after: Mapping[Key, Figures]) -> list[list[object]]:
    """Return the rows that both have as `before -> after (after / before)`; below .05 s a ratio says nothing."""
    rows: list[list[object]] = []
    for key in sort_keys(before.keys() & after.keys()):
        cells = []
        for name in (*INSIDE, "rest", "whole", "wall", "mb", "arrow"):
            old, new = before[key].get(name), after[key].get(name)
            cells.append("" if old is None or new is None else _write_change(old, new))
        rows.append([key.case, f"{key.size:,}", LABELS.get(key.command, key.command), *cells])
    return rows


def sort_keys(keys: Mapping[Key, Figures] | set[Key]) -> list[Key]:
    """Order by case, size and command."""
    order = [*LABELS, "arrow"]
    return sorted(keys, key=lambda key: (key.case, key.size, order.index(key.command)))


def _write(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _write_change(old: float, new: float) -> str:
    return f"{_write(old)} -> {_write(new)}" + (f" ({new / old:.2f})" if old >= 0.05 else "")


def get_key(entry: Mapping[str, Any]) -> Key:
    """Return what an entry of the results is about."""
    return Key(entry["case"], entry["size"], entry["command"])


def read_figures(results: Mapping[str, Any]) -> dict[Key, Figures]:
    """Return the medians of all entries."""
    return {get_key(entry): compute_medians(entry["runs"]) for entry in results["entries"]}


def show_results(results: Mapping[str, Any]) -> None:
    """Print the tables."""
    gross = read_figures(results)
    data_bytes = {
        (name.rpartition("-")[0], int(name.rpartition("-")[2])): d["bytes"] for name, d in results["data"].items()
    }
    bars = list_bars(gross, data_bytes)
    table("Processor seconds, start-up taken off", COLUMNS, write_rows(take_off_all(gross)))
    table("Taken off: the same on 100 records", COLUMNS, write_start_up_rows(gross))
    table("Bars", BAR_COLUMNS, write_bar_rows(bars))
    print(f"\n{describe_results(results)} {sum(bar.reached for bar in bars)} of {len(bars)} bars are reached.")
    print(
        "Figures are processor seconds, user and system, of all processes of a command; `wall s` are seconds, MB are "
        "2^20 bytes at the peak. Numbers after ^ are exponents of growth from the next smaller size, of figures of at "
        f"least {SHORTEST} s there. Surroundings are read, write, verify and attack."
    )


def describe_results(results: Mapping[str, Any]) -> str:
    """Return in a line where figures come from."""
    version, sources = results["sfumato"], len({entry["source"] for entry in results["entries"]})
    commit = str(version.get("commit") or "no commit")[:10] + (" with changes" if version.get("changed") else "")
    return (
        f"Sfumato {version['version']} ({commit}), Python {results['python']}, {results['cores']} cores, "
        f"median of {results['repeat']}, {results['date']}."
        + (f" The entries are of {sources} different states of the source." if sources > 1 else "")
    )


def show_comparison(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Print before -> after, and what makes the two hard to compare."""
    rows = write_comparison(read_figures(before), read_figures(after))
    table("Before -> after (ratio), nothing taken off", COMPARED, rows)
    print(f"\nBefore: {describe_results(before)}\nAfter: {describe_results(after)}")
    differences = [name for name, data in before["data"].items() if after["data"].get(name, data) != data]
    differences += [
        name for name in ("machine", "cores", "memory_mb", "repeat", "cases") if before.get(name) != after.get(name)
    ]
    if differences:
        print(f"The two differ in: {', '.join(differences)}.")
