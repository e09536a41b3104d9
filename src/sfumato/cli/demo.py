"""End to end on bundled data."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

from sfumato import plugins
from sfumato.api import calls
from sfumato.cli.output import Output, Quiet
from sfumato.cli.publish import publish, show_measures
from sfumato.exceptions import SfumatoError
from sfumato.messages import Message, option
from sfumato.params import build

__all__ = ["show"]


def show(out: Output, directory: Path) -> None:
    """Inspect, anonymise, verify, attack and measure bundled check-ins, into a directory."""
    if directory.exists() and not (directory / "checkins.csv").exists() and any(directory.iterdir()):
        raise SfumatoError(
            f"{directory} exists and is not a demo.", hint=Message("Choose another directory: ", option("out"), ".")
        )
    directory.mkdir(parents=True, exist_ok=True)
    data = directory / "checkins.csv"
    with resources.as_file(resources.files("sfumato") / "demo" / "checkins.csv") as bundled:
        shutil.copyfile(bundled, data)
    original = calls.read(data, "trajectories")
    facts = calls.inspect(original, 2)
    out.print_line(
        f"1. {facts['people']:,} people made {facts['entries']:,} check-ins at {facts['distinct_values']:,} places."
    )
    before = facts["risk"][-1]
    out.print_line(
        f"   Someone who knows two places of a person, in order, can single out {before['unique_share']:.0%} of the "
        "people."
    )
    out.print_line("")
    method = build(plugins.find_method("local-km", "trajectories"), {"k": 5, "m": 2, "infeasible": "suppress"})
    published = publish(
        Quiet(),
        directory,
        lambda: original,
        lambda dataset, run: calls.anonymize(dataset, method, run=run),
        secret=None,
        force=True,
        report=True,
    )
    out.print_line(
        f"2. Anonymised with local-km, k=5, m=2: {published['published']:,} records published, "
        f"{published['withheld']:,} suppressed."
    )
    verdict = calls.verify(directory, original, attack=False)
    out.print_line(f"3. {verdict.sentence}")
    risk = calls.attack(directory, original).to_dict()
    out.print_line(
        f"4. Attacked with the original: the smallest anonymity set is now "
        f"{risk['smallest_anonymity_set']}, the largest success {risk['max_success']:.0%}."
    )
    scores = [score.to_dict() for score in calls.measure(directory, original)]
    out.print_line("5. Utility:")
    show_measures(out, scores)
    out.remain(published["remaining"])
    out.print_line("")
    out.print_line(f"Publish {directory / 'release'}; do not publish {directory / 'owner'}.")
    out.print_line(f"Open the report: {directory / 'owner' / 'report.html'}.")
    out.finish(
        {
            "inspect": facts,
            "anonymize": published,
            "verify": verdict.to_dict(),
            "attack": risk,
            "measure": scores,
            "out": str(directory),
            "remaining": published["remaining"],
            "report": str(directory / "owner" / "report.html"),
        }
    )
