"""The Queries page: COUNT queries for measuring, drawn, uploaded, edited and saved."""

from __future__ import annotations

from nicegui import ui

from sfumato.exceptions import ParameterError
from sfumato.metrics.workload import Workload
from sfumato.web.pages.data import offer_upload
from sfumato.web.pages.parts import Bench, Field, frame, go, link, page, path_to, press, say, watch
from sfumato.web.project import replace_text

__all__ = ["register"]

_LARGEST = 1 << 20


def register(bench: Bench) -> None:
    """Make the Queries page."""

    @page("/queries")
    @page("/queries/{data}")
    def _list(data: str = "") -> None:
        with frame("Queries", "queries", data):
            say("How many records have this? Releases are measured by how well they still answer such questions.")
            _offer_draw(bench, data)
            say("Workloads of this project", "h2")
            with ui.element("ul"):
                for name in bench.project.list("workloads"):
                    with ui.element("li"):
                        link(name, path_to("workload", name))
            offer_upload("workloads", "/workload/", "A workload: one query per line")

    @page("/workload/{name}")
    def _show(name: str) -> None:
        path = bench.project.find("workloads", name)
        with frame(name, "queries"):
            say("They hold values of the data: keep them as you keep the data.", classes="owner")
            link("Download", path_to("files", "workloads", name, name), "button plain", download=True)
            if path.stat().st_size > _LARGEST:
                say("It is too large to be edited here.")
                return
            text = path.read_text("utf-8", errors="replace")
            say(f"{len(Workload.from_csv(text)):,} queries, one per line.")
            lines = Field("Queries", text, kind="lines")

            def keep() -> None:
                replace_text(bench.project.find("workloads", name), Workload.from_csv(lines.value).to_csv())
                go("workload", name)

            press("Check and save", keep)


def _offer_draw(bench: Bench, data: str) -> None:
    say("Draw queries about data", "h2")
    with ui.element("div").classes("row"):
        chosen = Field("Data", data, options={"": "(choose)"} | {file: file for file in bench.project.list("data")})
        count = Field("How many", "100", kind="number", bounds=(1, 10_000), step="1")
        seed = Field("Seed", "0", kind="number", bounds=(0, None), step="1", help="Same seed, same queries.")
    watched = ui.element("div")

    def run() -> None:
        if not chosen.value:
            raise ParameterError("Choose data.")
        arguments = {"count": count.read_whole(), "seed": seed.read_whole()}
        job = bench.jobs.ask("queries", fresh=True, files={"data": [chosen.value]}, **arguments)
        watched.clear()
        with watched:
            watch(bench, job, lambda outcome: go("workload", outcome["name"]))

    press("Draw", run, "plain")
