"""Make the reports of the gallery by the commands that its page shows: ``python docs/gallery.py [KIND ...]``.

Reports go to ``docs/reports`` and are part of the site; they are not kept with the source. A plot of each is, and is
drawn anew only with ``--pictures``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "gallery.md"
REPORTS = DOCS / "reports" / "gallery"
PICTURES = DOCS / "pictures" / "gallery"
SECTION = re.compile(r'href="gallery/(\w+)\.html".*?```console\n(.*?)```', re.DOTALL)
OUT = re.compile(r"--out (\S+)")
PLOTS = {
    "activity": "days",
    "rt": "marginals",
    "sequences": "timeline",
    "sets": "itemsets",
    "snapshots": "shares",
    "table": "generalised",
    "timeline": "prefix-frequencies",
    "trajectories": "map",
}
"""The plot of its report that stands for a kind."""


def list_sections() -> dict[str, list[str]]:
    """Return the commands of the page by the kind of data they are about."""
    found = SECTION.findall(PAGE.read_text(encoding="utf-8"))
    return {kind: [line.removeprefix("$ ") for line in body.splitlines()] for kind, body in found}


def run_command(command: str, folder: Path) -> None:
    """Run a command in a folder as it would be typed, quotes and stars included."""
    words = command.removeprefix("sfumato ")
    program = f'"{sys.executable}" -c "from sfumato.cli import main; main()" --quiet {words}'
    subprocess.run(["bash", "-c", program], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def make_report(kind: str, commands: list[str], *, pictures: bool) -> None:
    """Run the commands of a kind in a folder of their own and keep the report, and a plot if it is asked for."""
    data, out = (OUT.findall(command)[-1] for command in (commands[0], commands[-1]))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for command in commands:
            run_command(command, folder)
        shutil.copyfile(folder / out / "owner" / "report.html", REPORTS / f"{kind}.html")
        if pictures:
            run_command(f"sfumato plot {out} --original {data} --out plots --as png", folder)
            shutil.copyfile(folder / "plots" / f"{PLOTS[kind]}.png", PICTURES / f"{kind}.png")


def main() -> None:
    """Make all reports, or those of the kinds that are named."""
    asked = [word for word in sys.argv[1:] if word != "--pictures"]
    REPORTS.mkdir(parents=True, exist_ok=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for kind, commands in list_sections().items():
        if not asked or kind in asked:
            make_report(kind, commands, pictures="--pictures" in sys.argv)
            print(f"docs/reports/gallery/{kind}.html")


if __name__ == "__main__":
    main()
