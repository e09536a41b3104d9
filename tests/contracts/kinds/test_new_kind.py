"""A copy of the source gets a new kind as a folder, and a new method and measure as a file and a line each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato

MODULES = {
    "__init__": """
        '''Wishes that people have.'''
        from sfumato.data.kind import AttackerSpec, GuaranteeSpec, KindSpec, Lazy
        from sfumato.data.schema import Column

        KIND = KindSpec(
            "wishes",
            "the wishes of a person",
            (Column("person", "identifier"), Column("wishes", "history")),
            formats=("csv",),
            make_dataset=Lazy("sfumato.kinds.wishes.dataset:make_dataset"),
            reader=Lazy("sfumato.kinds.wishes.reader"),
            methods={"common": Lazy("sfumato.kinds.wishes.methods:Common")},
            guarantees={
                "shared-wishes": GuaranteeSpec(
                    Lazy("sfumato.kinds.wishes.guarantees:Shared"), Lazy("sfumato.kinds.wishes.verify")
                )
            },
            attackers={"one-wish": AttackerSpec(Lazy("sfumato.kinds.wishes.attacks"))},
            release_checks=Lazy("sfumato.kinds.wishes.verify:CHECKS"),
            verify_faithful=Lazy("sfumato.kinds.wishes.verify:verify_faithful"),
            metrics=(Lazy("sfumato.kinds.wishes.metrics:Kept"),),
            query_bounds=Lazy("sfumato.kinds.sets.query_bounds"),
            count_retained=Lazy("sfumato.kinds.sets.comparison:count_retained"),
            report=Lazy("sfumato.kinds.wishes.report"),
            generator=Lazy("sfumato.kinds.sets.generators"),
        )
    """,
    "dataset": """
        import pyarrow as pa
        from sfumato.data.dataset import Dataset
        from sfumato.data.lists import ListColumn
        from sfumato.data.schema import Schema
        from sfumato.kinds.wishes import KIND

        def make_dataset(rows):
            names = pa.array([f"p{number}" for number in range(len(rows))])
            table = pa.table({"person": names, "wishes": ListColumn.from_lists(rows).to_arrow()})
            return Dataset(Schema("wishes", KIND.columns), table)
    """,
    "reader": """
        import csv
        from sfumato.kinds.wishes.dataset import make_dataset

        def read(path, reading):
            people = {}
            with open(path, newline="") as file:
                for row in csv.DictReader(file):
                    people.setdefault(row["person"], []).append(row["wish"])
            return make_dataset(list(people.values()))
    """,
    "guarantees": """
        import dataclasses
        from sfumato.base.guarantee import Guarantee
        from sfumato.data.record_unit import PERSON

        @dataclasses.dataclass(frozen=True)
        class Shared(Guarantee):
            name = "shared-wishes"
            title = "Shared wishes"
            knowledge = "one-wish"
            k: int = 2

            def statement(self, unit=PERSON):
                return f"Every wish is that of at least {self.k} {unit.records}."
    """,
    "methods": """
        import dataclasses
        from typing import Annotated
        import numpy as np
        from sfumato.base.method import Method
        from sfumato.params import Param
        from sfumato.release.encode import Recoded, publish
        from sfumato.kinds.wishes.guarantees import Shared

        @dataclasses.dataclass(frozen=True)
        class Common(Method):
            name, summary, paper, guarantees, optimises = "common", "Keeps common wishes.", "none", (Shared,), "nothing"
            k: Annotated[int, Param("Smallest crowd.", ge=2)]

            def anonymize(self, dataset, run):
                wishes = dataset.history()
                common = np.bincount(wishes.codes, minlength=len(wishes.labels)) >= self.k
                kept = wishes.keep(common[wishes.codes])
                rows = np.flatnonzero(kept.lengths > 0)
                kept, gone = kept.take(rows), [name for name, is_kept in zip(wishes.labels, common) if not is_kept]
                groups = [(label,) for label in kept.labels]
                withheld = {"without common wishes": len(wishes) - len(rows)}
                recoded = Recoded(rows, kept.offsets, kept.codes, groups, tuple(gone), withheld)
                return publish(dataset, self, Shared(self.k), recoded, run)
    """,
    "verify": """
        import numpy as np
        from sfumato.verification.release_checks import ReleaseChecks
        from sfumato.verification.structure import verify_structure
        from sfumato.base.verdict import Verdict
        from sfumato.kinds.wishes.guarantees import Shared

        __all__ = ["CHECKS", "verify", "verify_against", "verify_faithful"]
        CHECKS = ReleaseChecks(roles={"identifier": (1,), "history": (1,)}, removes_values=True)

        def verify(release):
            history = release.history()
            smallest = int(np.unique(history.codes, return_counts=True)[1].min(initial=len(release)))
            counted = Verdict(smallest >= release.guarantee.k, {"k": release.guarantee.k}, {"smallest": smallest})
            return verify_structure(release) & counted

        def verify_against(release, original, rows=None):
            return verify(release)

        def verify_faithful(release, original, rows):
            published, were = release.history().lists(), original.history().lists()
            true = all(set(wishes) <= set(were[row]) for wishes, row in zip(published, rows))
            return Verdict(true, {}, {}, None, {"wishes are true": true})
    """,
    "attacks": """
        import numpy as np
        from sfumato.attacks.risk import Risk, success

        KNOWLEDGE = "one-wish"

        def attack_original(dataset, m=1):
            history = dataset.history()
            counts = np.bincount(history.codes, minlength=len(history.labels))[history.codes]
            sizes = np.minimum.reduceat(counts, history.offsets[:-1])
            least, mean = int(sizes.min()), float(success(sizes).mean())
            return [Risk(least, mean, 1 / least, KNOWLEDGE, len(sizes), float((sizes == 1).mean()), sizes)]

        def attack(release, original, rows=None):
            return attack_original(release)[0]
    """,
    "metrics": """
        import dataclasses
        from sfumato.metrics.metric import Metric

        @dataclasses.dataclass(frozen=True)
        class Kept(Metric):
            name, title, unit, better, paper = "kept-wishes", "Kept wishes", "of the wishes", "higher", "none"
            explanation, unchanged, monotone = "How many wishes are left.", 1.0, ("suppress",)

            def score(self, comparison):
                return len(comparison.published.codes) / len(comparison.history.codes), {}
    """,
    "report": """
        from sfumato.reports import page
        from sfumato.reports.plots import draw_sets

        def figures(comparison, before, after):
            return {"anonymity-sets": draw_sets(before, after, comparison.release.guarantee)}

        def render(comparison, before, after, scores, *, facts=None, remaining=()):
            drawn = figures(comparison, before, after)
            parts = [page.write_header(comparison, "it names wishes", page.show_change(comparison, before, after))]
            parts += [page.write_published(comparison, page.account_for(comparison, []))]
            parts += [page.write_risk(comparison, before, after, drawn), page.write_utility(scores)]
            return page.write_page(comparison, [*parts, page.write_facts(comparison, facts or {})])
    """,
}
"""Ten-line modules of a kind that the toolkit has never heard of."""

METHOD = """
    import dataclasses
    from sfumato.kinds.wishes.methods import Common

    @dataclasses.dataclass(frozen=True)
    class Again(Common):
        name, summary = "common-again", "Keeps common wishes, under another name."
"""
MEASURE = """
    import dataclasses
    from sfumato.metrics.metric import Metric

    @dataclasses.dataclass(frozen=True)
    class Lost(Metric):
        name, title, unit, better, paper = "lost-wishes", "Lost wishes", "of the wishes", "lower", "none"
        explanation, unchanged, monotone = "How many wishes are gone.", 0.0, ("suppress",)

        def score(self, comparison):
            return 1 - len(comparison.published.codes) / len(comparison.history.codes), {}
"""


def _write(path: Path, code: str) -> None:
    lines = code.strip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(line[indent:] for line in lines).rstrip() + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def house(tmp_path_factory) -> Path:
    """A copy of the source with one more kind; nothing else is changed."""
    root = tmp_path_factory.mktemp("house")
    source = Path(sfumato.__file__).parent
    shutil.copytree(source, root / "sfumato", ignore=shutil.ignore_patterns("__pycache__"))
    for module, code in MODULES.items():
        _write(root / "sfumato" / "kinds" / "wishes" / f"{module}.py", code)
    rows = [
        ("ann", "tea"),
        ("ann", "cat"),
        ("bob", "tea"),
        ("cid", "tea"),
        ("cid", "cat"),
        ("dan", "cat"),
        ("dan", "yacht"),
    ]
    (root / "wishes.csv").write_text(
        "person,wish\n" + "".join(f"{who},{what}\n" for who, what in rows), encoding="utf-8"
    )
    return root


def call(house: Path, *words: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", "from sfumato.cli import main; main()", *words, "--json"],
        cwd=house,
        env={**os.environ, "PYTHONPATH": str(house)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_a_new_kind_is_listed_read_anonymised_verified_attacked_measured_and_reported(house):
    listed = call(house, "methods", "--kind", "wishes")["methods"]
    assert [method["name"] for method in listed] == ["common"]
    assert call(house, "inspect", "wishes.csv", "--kind", "wishes")["risk"][0]["smallest_anonymity_set"] == 1
    words = ["--kind", "wishes", "--method", "common", "-p", "k=2", "--out", "out"]
    call(house, "anonymize", "wishes.csv", *words)
    assert call(house, "verify", "out")["outcome"] == "holds"
    original = ["--original", "wishes.csv"]
    assert call(house, "verify", "out", *original)["outcome"] == "holds"
    assert call(house, "attack", "out", *original)["smallest_anonymity_set"] == 3
    assert call(house, "measure", "out", *original)["measures"][0]["metric"] == "kept-wishes"
    assert "yacht" not in (house / "out" / "release" / "data.csv").read_text(encoding="utf-8")
    assert "Kept wishes" in (house / "out" / "owner" / "report.html").read_text(encoding="utf-8")


def test_a_new_method_and_a_new_measure_are_a_file_and_a_line_each(house):
    kind = house / "sfumato" / "kinds" / "wishes"
    _write(kind / "again.py", METHOD)
    _write(kind / "lost.py", MEASURE)
    listed = '"common": Lazy("sfumato.kinds.wishes.methods:Common")'
    measured = 'Lazy("sfumato.kinds.wishes.metrics:Kept"),'
    text = (kind / "__init__.py").read_text(encoding="utf-8")
    text = text.replace(listed, f'{listed}, "common-again": Lazy("sfumato.kinds.wishes.again:Again")')
    text = text.replace(measured, f'{measured} Lazy("sfumato.kinds.wishes.lost:Lost")')
    (kind / "__init__.py").write_text(text, encoding="utf-8")
    listed = call(house, "methods", "--kind", "wishes")["methods"]
    assert [method["name"] for method in listed] == ["common", "common-again"]
    words = ["--kind", "wishes", "--method", "common-again", "-p", "k=2", "--out", "again"]
    call(house, "anonymize", "wishes.csv", *words)
    scores = call(house, "measure", "again", "--original", "wishes.csv")["measures"]
    assert [score["metric"] for score in scores] == ["kept-wishes", "lost-wishes"]
