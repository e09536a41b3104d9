"""Make the reports of the gallery by the commands that its page shows, and their pictures: ``python docs/gallery.py``.

Reports go to ``docs/gallery`` and are part of the site; they are not kept with the source. Pictures are, and are taken
anew only with ``--pictures``, which needs Chromium.
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
REPORTS = DOCS / "gallery"
PICTURES = DOCS / "pictures" / "gallery"
SECTION = re.compile(r'href="gallery/(\w+)\.html".*?```console\n(.*?)```', re.DOTALL)
SIZE = "1000,640"


def list_sections() -> dict[str, list[str]]:
    """Return the commands of the page by the kind of data they are about."""
    found = SECTION.findall(PAGE.read_text(encoding="utf-8"))
    return {kind: [line.removeprefix("$ ") for line in body.splitlines()] for kind, body in found}


def make_report(commands: list[str], target: Path) -> None:
    """Run commands in a folder of their own and keep the report that the last of them wrote."""
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            words = command.removeprefix("sfumato ")
            program = f'"{sys.executable}" -c "from sfumato.cli import main; main()" --quiet {words}'
            # Commands are run as they would be typed, quotes and stars included.
            subprocess.run(["bash", "-c", program], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        out = commands[-1].rpartition("--out ")[2]
        shutil.copyfile(Path(folder, out, "owner", "report.html"), target)


def take_picture(page: Path, target: Path) -> None:
    """Take a picture of the top of a page as a browser shows it."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        raise SystemExit("docs/gallery.py: pictures are taken by Chromium, which is not here.")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE}"]
    subprocess.run(
        [browser, *flags, f"--screenshot={target.resolve()}", page.resolve().as_uri()], check=True, capture_output=True
    )


def main() -> None:
    """Make all reports, or those of the kinds that are named."""
    asked = [word for word in sys.argv[1:] if word != "--pictures"]
    REPORTS.mkdir(exist_ok=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for kind, commands in list_sections().items():
        if asked and kind not in asked:
            continue
        make_report(commands, REPORTS / f"{kind}.html")
        if "--pictures" in sys.argv:
            take_picture(REPORTS / f"{kind}.html", PICTURES / f"{kind}.png")
        print(f"{kind}: {REPORTS / kind}.html")


if __name__ == "__main__":
    main()
