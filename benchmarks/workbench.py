"""The workbench under load: what a page costs, twenty browsers beside two jobs, a million rows, half an hour of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import statistics
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import uvloop
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Response, sync_playwright
from tests.web.filling import fill, list_pages
from tests.web.running import Running, serving, wait_for

from benchmarks.browsers import Browser, View, list_files, use_of
from benchmarks.measure import run_parts, table
from sfumato import plugins
from sfumato.exports import write_table
from sfumato.web.project import Project

__all__ = ["first_page", "load", "million", "soak", "views"]

BROWSERS = int(os.environ.get("BROWSERS", "20"))
LOAD_SECONDS = int(os.environ.get("LOAD_SECONDS", "60"))
SOAK_MINUTES = float(os.environ.get("SOAK_MINUTES", "30"))
PAGE_SECONDS = 2.0
"""Seconds that somebody looks at a page before the next; drawn from half of it to one and a half."""
ARRIVE = 10.0
"""Seconds within which the browsers come, each with nothing kept from an earlier visit."""
_KINDS = ("table", "trajectories", "sets")
_HEAVY = 150_000
_MEASURED = (
    *("views", "median s", "95 % s", "slowest s", "slowest first s", "over 1 s"),
    *("cpu ms a view", "browsers' cpu ms", "server MB", "jobs", "failed"),
)
_VISITS = 5
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
_ROWS = 1_000_000


def views(folder: Path) -> list[list[object]]:
    """Say what every page costs the server: processor time, not waiting, so that a busy machine says the same."""
    project, columns = _fill(folder / "views"), ["page", "cpu ms", "wall ms", "kB"]
    rows: list[list[object]] = []

    def walk() -> Iterator[list[object]]:
        for path in list_pages(project):
            running.request(path)
            before, began, times = use_of(running.process.pid).cpu, time.perf_counter(), 40
            for _ in range(times):
                answer = running.request(path)
            cpu = (use_of(running.process.pid).cpu - before) / times
            rows.append([_name(path), 1e3 * cpu, 1e3 * (time.perf_counter() - began) / times, len(answer.body) // 1000])
            yield rows[-1]

    with serving(project.folder) as running:
        table("What a page costs the server", columns, walk())
    return [columns, *rows]


def load(folder: Path) -> list[list[object]]:
    """Let twenty browsers look at all pages while two jobs run: people who read, then people who never pause."""
    project = _fill(folder / "load")
    columns, rows = ["pause s", *_MEASURED], list[list[object]]()
    with serving(project.folder) as running:
        for pause in (PAGE_SECONDS, 0.0):
            found = uvloop.run(_browse(running, project, LOAD_SECONDS, pause))
            rows.append([pause, *found])
    table(f"{BROWSERS} browsers, two jobs, {LOAD_SECONDS} s", columns, rows)
    return [columns, *rows]


def soak(folder: Path) -> list[list[object]]:
    """Let twenty browsers look at all pages for long, and say what memory the server holds as time goes by."""
    project = _fill(folder / "soak")
    columns, rows = ["minute", *_MEASURED], list[list[object]]()
    slices = max(int(SOAK_MINUTES), 2)
    with serving(project.folder) as running:

        def walk() -> Iterator[list[object]]:
            for at in range(slices):
                found = uvloop.run(_browse(running, project, 60 * SOAK_MINUTES / slices, PAGE_SECONDS))
                rows.append([round((at + 1) * SOAK_MINUTES / slices, 1), *found])
                yield rows[-1]

        table(f"{SOAK_MINUTES:g} minutes of {BROWSERS} browsers and two jobs", columns, walk())
        time.sleep(75)  # pages that nobody looks at any more are forgotten after a minute
        rest = use_of(running.process.pid).megabytes
    held = [float(str(row[columns.index("server MB")])) for row in rows]
    third = max(len(held) // 3, 1)
    print(
        f"\nMemory of the server, MB: {statistics.mean(held[third : 2 * third] or held):.0f} in the second third, "
        f"{statistics.mean(held[-third:]):.0f} in the last, {rest:.0f} a minute after the last browser was closed."
    )
    return [columns, *rows]


def million(folder: Path) -> list[list[object]]:
    """Page through a million rows: the first page and a far one, by time and memory of the server."""
    columns = ["file", "MB", "look s", "first page cpu ms", "far page cpu ms", "server MB before", "server MB after"]
    rows: list[list[object]] = []
    project = Project.open(folder / "million")
    drawn = np.random.default_rng(1)
    made = {"age": drawn.integers(16, 95, _ROWS), "zip": drawn.integers(10_000, 99_999, _ROWS)}
    made |= {"sex": drawn.choice(["f", "m"], _ROWS), "disease": drawn.choice(["flu", "asthma", "gout"], _ROWS)}
    pc.write_csv(pa.table(made), project.area("data") / "million.csv")
    pq.write_table(pa.table(made), project.area("data") / "million.parquet")

    def walk() -> Iterator[list[object]]:
        for name in project.list("data"):
            running.request("/data")
            size = (project.area("data") / name).stat().st_size / 1e6
            before = use_of(running.process.pid).megabytes
            seconds = _wait_for_rows(running, name)
            pages = [_cost(running, f"/data/{name}?page={page}") for page in (1, _ROWS // 25)]
            rows.append([name, size, seconds, *pages, before, use_of(running.process.pid).megabytes])
            yield rows[-1]

    with serving(project.folder) as running:
        table("A million rows, page by page", columns, walk())
    return [columns, *rows]


def first_page(folder: Path) -> list[list[object]]:
    """Open the first page in Chromium until it can be used, as somebody does who was never there before."""
    columns = ["visit", "files", "kB", "drawn s", "usable s", "server cpu ms"]
    rows: list[list[object]] = []
    began = time.perf_counter()
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(serving(folder / "first"))
        print(f"\nThe server answers {time.perf_counter() - began:.2g} s after it was started.")
        driver = stack.enter_context(sync_playwright())
        chromium = driver.chromium.launch(executable_path=shutil.which("chromium"), args=list(_FLAGS))

        def walk() -> Iterator[list[object]]:
            for visit in range(1, _VISITS + 1):
                before = use_of(running.process.pid).cpu
                found = _visit(chromium, running.base)
                rows.append([visit, *found, 1e3 * (use_of(running.process.pid).cpu - before)])
                yield rows[-1]

        table("The first page in Chromium, nothing cached", columns, walk())
        chromium.close()
    return [columns, *rows]


def _visit(chromium: Chromium, base: str) -> list[object]:
    """Open the first page in a browser that has nothing, and say what was fetched and how long it took."""
    context = chromium.new_context()
    tab, fetched = context.new_page(), dict[str, Response]()
    tab.on("response", lambda answer: fetched.update({urlsplit(answer.url).path: answer}))
    began = time.perf_counter()
    tab.goto(base, wait_until="commit")
    tab.get_by_role("button", name="Load example: table").wait_for()
    tab.wait_for_function("window.did_handshake")
    usable = time.perf_counter() - began
    drawn = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1e3
    unknown = set(fetched) - {"/"} - list_files(fetched["/"].text())
    assert not unknown, f"browsers without a screen do not fetch {unknown}"
    size = sum(each.request.sizes()["responseBodySize"] for each in fetched.values())
    context.close()
    return [len(fetched), size // 1000, drawn, usable]


def _wait_for_rows(running: Running, name: str) -> float:
    began = time.perf_counter()
    wait_for(lambda: b"Pages of rows" in running.request(f"/data/{name}").body or time.sleep(0.5), 600)
    return time.perf_counter() - began


def _cost(running: Running, path: str) -> float:
    before, times = use_of(running.process.pid).cpu, 20
    for _ in range(times):
        assert b"1,000,000 rows" in running.request(path).body
    return 1e3 * (use_of(running.process.pid).cpu - before) / times


def _fill(folder: Path) -> Project:
    """Make a project that has something on every page, and a file that jobs are long busy with."""
    project = fill(folder, _KINDS)
    write_table(plugins.find_kind("table").generator.load().generate(_HEAVY, 1), folder / "heavy.csv")
    return project


def _name(path: str) -> str:
    return "/run/…" if path.startswith("/run/") else path


async def _browse(running: Running, project: Project, seconds: float, pause: float) -> list[object]:
    """Let browsers look at pages in random order, each for a while; return what it took."""
    pages = [path for path in list_pages(project) if "busy" not in path]
    browsers = [Browser(running.base) for _ in range(BROWSERS)]
    until, seen = time.monotonic() + seconds, list[View]()
    before, own, failed = use_of(running.process.pid), time.process_time(), [0]

    async def look(at: int) -> None:
        chance = random.Random(at)
        await asyncio.sleep(chance.uniform(0, ARRIVE))
        while time.monotonic() < until:
            try:
                seen.append(await browsers[at].open(chance.choice(pages)))
            except (aiohttp.ClientError, AssertionError, TypeError):
                failed[0] += 1  # a real browser would load the page again
            await asyncio.sleep(chance.uniform(0.5, 1.5) * pause)

    try:
        async with _keep_busy(running, project) as begun:
            await asyncio.gather(*(look(at) for at in range(BROWSERS)))
            after, own = use_of(running.process.pid), time.process_time() - own
    finally:
        await asyncio.gather(*(browser.close() for browser in browsers))
    took = sorted(view.usable for view in seen)
    middle, late = statistics.median(took), took[int(0.95 * len(took))]
    return [
        *(len(took), middle, late, took[-1], max(view.usable for view in seen if view.is_first)),
        *(sum(each > 1 for each in took), 1e3 * (after.cpu - before.cpu) / len(took), 1e3 * own / len(took)),
        *(after.megabytes, begun[0], failed[0]),
    ]


@contextlib.asynccontextmanager
async def _keep_busy(running: Running, project: Project) -> AsyncIterator[list[int]]:
    """Have two jobs running all the time: whenever one ends, data that nobody has looked at are looked at."""
    begun = [0]

    async def feed() -> None:
        browser = Browser(running.base)
        jobs = project.hidden("jobs")
        try:
            while True:
                going = [path for path in jobs.iterdir() if not (path / "outcome.json").exists()]
                if len(going) < 2:
                    begun[0] += 1
                    name = f"busy-{begun[0]}.csv"
                    await asyncio.to_thread(shutil.copyfile, project.folder / "heavy.csv", project.area("data") / name)
                    with contextlib.suppress(aiohttp.ClientError, TypeError):
                        await browser.open(f"/data/{name}")
                await asyncio.sleep(0.2)
        finally:
            await browser.close()

    feeding = asyncio.create_task(feed())
    await asyncio.sleep(3)
    try:
        yield begun
    finally:
        feeding.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await feeding
        for left in project.area("data").glob("busy-*"):
            left.unlink()


if __name__ == "__main__":
    run_parts("workbench", __doc__ or "", views, first_page, load, million, soak)
