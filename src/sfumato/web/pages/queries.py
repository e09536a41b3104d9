"""The Queries page: COUNT queries for measuring, drawn, uploaded, edited and saved."""

from __future__ import annotations

from nicegui import ui

from sfumato.exceptions import ParameterError
from sfumato.metrics.workload import Workload
from sfumato.web.pages.data import offer_upload
from sfumato.web.pages.parts import Field, Workspace, add_text, frame, link, open_page, page, path_to, press, watch
from sfumato.web.project import replace_text

__all__ = ["register"]

_LARGEST = 1 << 20


def register(workspace: Workspace) -> None:
    """Make the Queries page."""

    @page("/queries")
    @page("/queries/{data}")
    def _list(data: str = "") -> None:
        with frame("Queries", "queries", data):
            add_text("COUNT queries measure how well a release answers questions about numbers of records.")
            _offer_draw(workspace, data)
            add_text("Workloads of this project", "h2")
            with ui.element("ul"):
                for name in workspace.project.list("workloads"):
                    with ui.element("li"):
                        link(name, path_to("workload", name))
            offer_upload("workloads", "/workload/", "A workload: one query per line")

    @page("/workload/{name}")
    def _show(name: str) -> None:
        path = workspace.project.find("workloads", name)
        with frame(name, "queries"):
            add_text("For the owner only: the file holds values of the data.", classes="owner")
            link("Download", path_to("files", "workloads", name, name), "button plain", download=True)
            if path.stat().st_size > _LARGEST:
                add_text("The file is too large to edit here.")
                return
            text = path.read_text("utf-8", errors="replace")
            add_text(f"{len(Workload.from_csv(text)):,} queries, one per line.")
            lines = Field("Queries", text, kind="lines")

            def keep() -> None:
                replace_text(workspace.project.find("workloads", name), Workload.from_csv(lines.value).to_csv())
                open_page("workload", name)

            press("Check and save", keep)


def _offer_draw(workspace: Workspace, data: str) -> None:
    add_text("Draw queries from data", "h2")
    with ui.element("div").classes("row"):
        chosen = Field("Data", data, options={"": "(choose)"} | {file: file for file in workspace.project.list("data")})
        count = Field("How many", "100", kind="number", bounds=(1, 10_000), step="1")
        seed = Field(
            "Seed", "0", kind="number", bounds=(0, None), step="1", help="The same seed draws the same queries."
        )
    watched = ui.element("div")

    def run() -> None:
        if not chosen.value:
            raise ParameterError("Choose data.")
        arguments = {"count": count.read_whole(), "seed": seed.read_whole()}
        job = workspace.jobs.request("queries", fresh=True, files={"data": [chosen.value]}, **arguments)
        watched.clear()
        with watched:
            watch(workspace, job, lambda outcome: open_page("workload", outcome["name"]))

    press("Draw", run, "plain")
