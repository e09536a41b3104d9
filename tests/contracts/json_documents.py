"""What commands print with ``--json`` on small data. When words of commands change, they change here too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.contracts.internals import build_commands, run_command
from tests.contracts.json_keys import Document
from tests.contracts.samples import SAMPLES, list_publishing_words, write_sample

TUNA = Path(__file__).parent.parent.parent / "examples" / "tuna"
TREE = ("--up", "tlo:usuallyBelongsTo", "--label", "tlo:hasScientificName", "--root", "worms:WoRMS:2")
POLICY = '[data]\npath = "sets.csv"\nkind = "sets"\n\n[method]\nname = "pcta"\nk = 3\nm = 2\n\n[release]\n'
STUDY = '[data]\npath = "sets.csv"\nkind = "sets"\n\n[study]\nworkers = 1\n'
ONE_METHOD = '\n[[method]]\nname = "pcta"\nm = 2\n[method.vary]\nk = [3]\n'
ANOTHER_METHOD = '\n[[method]]\nname = "apriori"\nk = 3\nm = 2\n'
_FAILING = "none"
"""The kind of a command that is expected to fail."""


def _count_words(first: str) -> int:
    """Return how many words call a command: two where the first is that of a group."""
    command = build_commands().commands.get(first)
    return 2 if hasattr(command, "commands") else 1


class Runs:
    """Commands on samples in a folder, each with its JSON object."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str | Path, kind: str = "", standard_input: Path | None = None) -> Document:
        """Run a command with ``--json``; refuse an end that is neither good nor a verdict."""
        answer = run_command(*words, "--json", standard_input=standard_input)
        content = json.loads(answer.output) if answer.output else {"error": answer.errors}
        if "error" in content and kind != _FAILING:
            raise RuntimeError(f"{' '.join(map(str, words))} ended with code {answer.code}: {content['error']}")
        command = " ".join(map(str, words[: _count_words(str(words[0]))]))
        return Document(f"sfumato {command}", kind, content)

    def publish(self, kind: str, *more: str) -> tuple[Path, Path, Document]:
        """Write the sample of a kind and publish it without a report; return the file, the release and the answer."""
        file = write_sample(kind, self.folder)
        out = self.folder / f"{kind}-out"
        return file, out, self.run(*list_publishing_words(kind, file, out, "--no-report", "--force", *more), kind=kind)


def run_on_every_kind(folder: Path) -> Iterator[Document]:
    """Yield what the commands print that every kind of data has."""
    runs = Runs(folder)
    for kind, sample in SAMPLES.items():
        file, out, published = runs.publish(kind)
        original = ("--original", file)
        yield published
        yield runs.run("inspect", file, "--kind", kind, *sample.read_options, kind=kind)
        yield runs.run("verify", out, *original, kind=kind)
        yield runs.run("attack", out, *original, "-m", "1", kind=kind)
        yield runs.run("measure", out, *original, kind=kind)
        yield runs.run("export", out, "--out", folder / f"{kind}-exported.csv", kind=kind)


def run_on_some_kinds(folder: Path) -> Iterator[Document]:
    """Yield what other commands print that take a moment only."""
    runs = Runs(folder)
    yield from _run_on_tables(runs)
    yield from _run_on_sets(runs)
    yield from _run_on_trajectories(runs)
    records = write_sample("snapshots", folder)
    words = list_publishing_words("snapshots", records, folder / "stream", "--no-report")
    words[1] = "-"
    yield runs.run(*words, kind="snapshots", standard_input=records)
    yield runs.run("methods")
    yield runs.run("generate", "timeline", "--size", "9", "--seed", "1", "--out", folder / "made.csv")
    yield runs.run("inspect", folder / "missing.csv", "--kind", "sets", kind=_FAILING)._replace(source="sfumato")
    yield from _run_on_warehouse(runs)


def _run_on_tables(runs: Runs) -> Iterator[Document]:
    folder, kind = runs.folder, "table"
    file, out, _ = runs.publish(kind)
    yield runs.run("start", file, "--yes", "--policy", folder / "policy.toml", "--force", kind=kind)
    others = ("--column", "name", "--out", folder / "without", "--no-report")
    yield runs.run("erase", out, SAMPLES[kind].person, "--original", file, *others, kind=kind)
    yield runs.run("query", out, "count record where age in 20..29", kind=kind)
    yield runs.run("edit", file, "--out", folder / "edited.csv", "--drop", "town")


def _run_on_sets(runs: Runs) -> Iterator[Document]:
    folder, kind = runs.folder, "sets"
    file, out, _ = runs.publish(kind)
    partitions = folder / "parts"
    words = list_publishing_words(kind, file, partitions, "--no-report")
    yield runs.run(*words, "--engine", "local", "--cores", "1", "--partition-size", "16", kind=kind)
    yield runs.run("verify", partitions, "--original", file, kind=kind)
    yield runs.run("attack", out, "--original", file, "--with", partitions, kind=kind)
    yield runs.run("measure", partitions, "--original", file, kind=kind)
    (folder / "sets.toml").write_text(POLICY + 'out = "made"\nreport = false\n', encoding="utf-8")
    yield runs.run("run", folder / "sets.toml", kind=kind)
    queries = folder / "queries.csv"
    yield runs.run("workload", "generate", file, "--kind", kind, "--out", queries, "--count", "4")
    yield runs.run("workload", "show", queries)
    yield runs.run("workload", "edit", queries, "--out", folder / "fewer.csv", "--drop", "1")
    tree = folder / "tree.csv"
    rule = ("--of", "item", "--rule", "fanout:3")
    yield runs.run("hierarchy", "derive", file, "--kind", kind, *rule, "--out", tree)
    yield runs.run("hierarchy", "show", tree)
    yield runs.run("hierarchy", "convert", tree, "--out", folder / "tree-2.csv")
    yield runs.run("hierarchy", "edit", tree, "--out", folder / "tree-3.csv", "--rename", "i1=i9")
    method = ("--method", "disassociation", "-p", "k=3", "-p", "m=2", "--no-report", "--out", folder / "separated")
    yield runs.run("anonymize", file, "--kind", kind, *method, kind=kind)
    yield runs.run("reconstruct", folder / "separated", "--out", folder / "drawn.csv", "--seed", "1", kind=kind)


def _run_on_trajectories(runs: Runs) -> Iterator[Document]:
    folder, kind = runs.folder, "trajectories"
    file, out, _ = runs.publish(kind)
    yield runs.run("apply", out, file, "--out", folder / "later", "--no-report", kind=kind)
    manifest = out / "release" / "release.json"
    promised = json.loads(manifest.read_text(encoding="utf-8"))
    promised["guarantee"]["parameters"]["k"] = 40
    manifest.write_text(json.dumps(promised), encoding="utf-8")
    yield runs.run("verify", out, kind=kind)


def _run_on_warehouse(runs: Runs) -> Iterator[Document]:
    folder = runs.folder
    shutil.copytree(TUNA, folder / "tuna")
    place = folder / "warehouse"
    yield runs.run("warehouse", "build", folder / "tuna" / "tuna.toml", "--out", place)
    yield runs.run("warehouse", "query", place, "SELECT ?n { dbr:Yellowfin_tuna tlo:hasScientificName ?n }")
    yield runs.run("warehouse", "provenance", place, "--value", "YFT")
    yield runs.run("warehouse", "connectivity", place)
    yield runs.run("warehouse", "refresh", place)
    yield runs.run("warehouse", "hierarchy", place, "--out", folder / "taxa.csv", *TREE)


def run_what_takes_long(folder: Path) -> Iterator[Document]:
    """Yield what commands print that run studies, draw plots or compile."""
    runs = Runs(folder)
    file, out, _ = runs.publish("sets")
    (folder / "one.toml").write_text(STUDY + ONE_METHOD, encoding="utf-8")
    (folder / "two.toml").write_text(STUDY + ONE_METHOD + ANOTHER_METHOD, encoding="utf-8")
    yield runs.run("evaluate", folder / "one.toml", "--out", folder / "one")
    yield runs.run("compare", folder / "two.toml", "--out", folder / "two")
    limits = ("--method", "pcta", "--workers", "1", "--seconds", "60")
    yield runs.run("explore", file, "--kind", "sets", *limits, "--out", folder / "explored")
    yield runs.run("plot", out, "--original", file, "--as", "html", "--out", folder / "plots")
    # Whatever was compiled before: the second time, everything is ready.
    runs.run("compile", "--kind", "timeline")
    yield runs.run("compile", "--kind", "timeline")
    yield runs.run("demo", "--out", folder / "demo", kind="trajectories")
    list(_run_on_warehouse(runs))
    yield runs.run("warehouse", "test", folder / "warehouse")


LONG = ("compare", "compile", "demo", "evaluate", "explore", "plot", "warehouse test")
"""Commands of :func:`run_what_takes_long`."""
