"""Labels that are markup, scripts or templates: text on every page, in every plot and in every report."""

from __future__ import annotations

import csv

import pytest
from tests.web.filling import JobsAtOnce, add_study, do, list_pages
from tests.web.running import serving

from sfumato.web.policies import Recipe, read_recipe, write_recipe
from sfumato.web.project import Project

_HOSTILE = (
    "<img src=x onerror=intrude()>",
    "</script><script>intrude()</script>",
    "</textarea></title></svg><svg onload=intrude()>",
    "${intrude()}`+intrude()+`",
    "{{intrude()}}{{constructor.constructor('intrude()')()}}",
    "javascript:intrude()",
    "\"'><iframe srcdoc='<script>parent.intrude()</script>'>",
    "<b onclick=intrude()>bold</b>",
)
_COLUMNS = ("age", "<i onclick=intrude()>job</i>", "</script><script>intrude()</script>illness")
_NAME = "\"'><img src=x onerror=intrude()>.csv"
"""A file that somebody has put into the folder; names of uploads are made by the server."""
_WATCH = "window.intruded = 0; window.intrude = () => { window.intruded += 1 }"
_FOUND = """() => [window.intruded, document.querySelectorAll('img[src=x], iframe[srcdoc], [onclick]').length,
  document.querySelectorAll('[onerror], [onload]').length,
  document.querySelectorAll('[href^="javascript:"], [src^="javascript:"], [action^="javascript:"]').length]"""


def _write(path, head, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A server on data of which every name and every value means something to a browser."""
    project = Project.open(tmp_path_factory.mktemp("hostile") / "project")
    data = project.area("data")
    labels = [_HOSTILE[at % len(_HOSTILE)] for at in range(48)]
    people = [(20 + at % 30, label, _HOSTILE[at // 6]) for at, label in enumerate(labels)]
    _write(data / _NAME, _COLUMNS, people)
    _write(data / "sets-example.csv", ("person", "item"), [(at // 3, labels[at % 7]) for at in range(48)])
    visits = [(at // 3, labels[at % 5], f"2024-01-0{1 + at % 3}T10:00:00") for at in range(48)]
    _write(data / "trajectories-example.csv", ("person", "place", "time"), visits)
    write_recipe(project, _NAME, Recipe("table", {"quasi": list(_COLUMNS)}, "mondrian", {"k": 2}))
    jobs = JobsAtOnce(project)
    for name, kind in ((_NAME, "table"), ("sets-example.csv", "sets"), ("trajectories-example.csv", "trajectories")):
        files = {"data": [name]}
        do(jobs, "look", files=files, kind=kind)
        do(jobs, "look", fresh=False, files=files, kind="")
        do(jobs, "risk", fresh=False, files=files, m=2)
        of = {"table": _COLUMNS[1], "sets": "item", "trajectories": "place"}[kind]
        do(jobs, "derive", files=files, of=of, rule="flat")
        do(jobs, "queries", files=files, count=20, seed=0)
        recipe = read_recipe(project, name)
        parameters = {**recipe.parameters, "k": 2}
        do(jobs, "publish", files=files, method=recipe.method, parameters=parameters, out=f"{kind}-release")
    add_study(project, _NAME, ["mondrian", "cluster", "top-down"], values=(2,))
    with serving(project.folder) as running:
        yield running


def test_labels_are_text_on_every_page_and_plot(page, hostile):
    page.add_init_script(_WATCH)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    project = Project(hostile.folder)
    shown = ""
    for path in list_pages(project):
        page.goto(hostile.base + path)
        page.locator("h1").wait_for()
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        page.evaluate("document.querySelectorAll('b, td, li').forEach(each => each.click())")
        assert page.evaluate(_FOUND) == [0, 0, 0, 0], path
        shown += page.locator("body").inner_text()
    for label in _HOSTILE:
        assert label.split("intrude")[0][:12] in shown


def test_labels_are_text_in_reports_and_studies(page, hostile):
    """Opened by themselves, where nothing but their own markup stands between a label and a script."""
    page.add_init_script(_WATCH)
    reports = [*hostile.folder.glob("releases/*/owner/report.html"), *hostile.folder.glob("studies/*/study.html")]
    assert len(reports) == 4
    for path in reports:
        page.goto("about:blank")
        page.set_content(path.read_text("utf-8"))
        page.locator("h1").wait_for()
        assert page.evaluate(_FOUND) == [0, 0, 0, 0], path.name
