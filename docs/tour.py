"""Take pictures of every page of the workbench, small and wide, light and dark: ``make tour``.

They go to ``build/tour``, to be looked at; those that the guide shows go to ``docs/pictures/tour``. Needs Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from tests.web.filling import add_release_in_partitions, add_study, fill, list_pages, list_pages_of
from tests.web.running import serving

from sfumato.web.project import Project

ROOT = Path(__file__).parent.parent
ALL = ROOT / "build" / "tour"
SHOWN = ROOT / "docs" / "pictures" / "tour"
KINDS = ("table", "trajectories", "sequences")
VIEWPORTS = [(width, scheme) for width in (400, 1600) for scheme in ("light", "dark")]
STUDIES = {"table": ["mondrian", "cluster", "incognito"], "sequences": ["hi", "hy"]}
"""Methods of the studies that are shown: the first is in the guide, the second asks over time."""
PARTITION_SIZE = 100
GUIDE = {"risk": "/risk/table-example.csv", "result": "/run/", "study": "/study/"}
"""Pictures of the guide, and how the addresses of their pages begin."""


def main() -> None:
    """Fill a project, serve it, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="*", default=[], help="further kinds of data to show")
    kinds = dict.fromkeys([*KINDS, *parser.parse_args().kinds])
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise SystemExit("Chromium is missing. Install it: sudo apt-get install chromium")
    with tempfile.TemporaryDirectory() as scratch:
        project = fill(Path(scratch) / "project", kinds)
        for kind, methods in STUDIES.items():
            add_study(project, f"{kind}-example.csv", methods)
        shown = list_pages_of(project, "table")
        add_release_in_partitions(project, "table-example.csv", PARTITION_SIZE)
        with serving(project.folder) as running, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=found, args=["--headless", "--no-sandbox"])
            take_shown(browser, running.base, shown)
            take_all(browser, running.base, project)
            browser.close()


def take_all(browser: Browser, base: str, project: Project) -> None:
    """Take every page whole, in every look; the window grows with it, since frames are not drawn anew beyond it."""
    shutil.rmtree(ALL, ignore_errors=True)
    for width, scheme in VIEWPORTS:
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        for path in list_pages(project):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(base + path)
            page.locator("h1").wait_for()
            if page.locator("iframe").count():
                page.locator("iframe").scroll_into_view_if_needed()
                page.frame_locator("iframe").locator("h1").wait_for()
            page.wait_for_timeout(200)
            page.set_viewport_size({"width": width, "height": page.evaluate("document.documentElement.scrollHeight")})
            page.wait_for_timeout(300)
            name = path.strip("/").replace("/", "-").replace(".csv", "").replace(".toml", "")
            page.screenshot(path=ALL / f"{width}-{scheme}" / f"{name}.png")
        page.close()


def take_shown(browser: Browser, base: str, pages: list[str]) -> None:
    """Take the pictures of the guide: as much of a page as a screen shows."""
    page = browser.new_page(viewport={"width": 1200, "height": 860}, color_scheme="light")
    for name, begins in GUIDE.items():
        page.goto(base + next(path for path in pages if path.startswith(begins)))
        page.locator("h1").wait_for()
        page.wait_for_timeout(300)
        page.screenshot(path=SHOWN / f"{name}.png")
        print(f"docs/pictures/tour/{name}.png, {(SHOWN / f'{name}.png').stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
