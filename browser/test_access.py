"""Whether everybody can use the pages: on small and wide screens, by light and dark, with a screen reader."""

from __future__ import annotations

import pytest
from tests.web.filling import list_pages, list_pages_of
from tests.web.running import serving

from sfumato import plugins
from sfumato.web.project import Project

_HARMFUL = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .filter(found => ['serious', 'critical'].includes(found.impact))
  .map(found => found.id + ': ' + found.nodes.map(node => node.html.slice(0, 160)).join(' | '))"""
_VIEWPORTS = [(400, "light"), (1600, "dark"), (400, "dark"), (1600, "light")]
_STUDY = "/files/studies/costs-of-k/study.html?show=1"


def _share_out():
    """Return every kind with a look of its own, so that all looks and all kinds are seen and nothing twice."""
    return [(kind, *_VIEWPORTS[at % len(_VIEWPORTS)]) for at, kind in enumerate(plugins.all_kinds())]


def _show(page, width, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})


def _judge(page, axe, width):
    """Return what keeps people out of what is shown, whatever can be opened on it."""
    page.locator("h1").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.evaluate(axe)
    told = page.evaluate(_HARMFUL)
    if page.evaluate("document.documentElement.scrollWidth") > width:
        told.append("wider than the screen")
    return told


def _visit(page, server, axe, paths, width):
    found = {}
    for path in paths:
        page.goto(server.base + path)
        found[path] = _judge(page, axe, width)
    return {path: told for path, told in found.items() if told}


@pytest.mark.parametrize(("kind", "width", "scheme"), _share_out())
def test_pages_of_every_kind_keep_nobody_out(page, filled, axe, kind, width, scheme):
    """Nothing is wider than the screen, and axe-core finds nothing serious on any page, whatever is opened on it."""
    _show(page, width, scheme)
    paths = list_pages_of(Project(filled.folder), kind)
    assert {path.split("/")[1] for path in paths} >= {"data", "risk", "hierarchies", "queries", "anonymise", "compare"}
    assert {path.split("/")[1] for path in paths} >= {"workload", "releases", "run"}
    assert ("/constraints/trajectories-utility.txt" in paths) == (kind == "trajectories")
    assert ("/releases/table-parts" in paths) == (kind == "table")
    assert _visit(page, filled, axe, paths, width) == {}


@pytest.mark.parametrize(("width", "scheme"), _VIEWPORTS)
def test_pages_about_everything_keep_nobody_out(page, filled, axe, width, scheme):
    _show(page, width, scheme)
    paths = [path for path in list_pages(Project(filled.folder)) if path.count("/") == 1 or path.startswith("/study/")]
    assert len(paths) == 8
    assert _visit(page, filled, axe, paths, width) == {}


@pytest.mark.parametrize(("kind", "width", "scheme"), _share_out())
def test_reports_keep_nobody_out(page, filled, axe, kind, width, scheme):
    """What stands in the frame on a page, opened by itself: no script runs in the frame, not even axe-core."""
    _show(page, width, scheme)
    page.set_content((filled.folder / "releases" / f"{kind}-release" / "owner" / "report.html").read_text("utf-8"))
    assert _judge(page, axe, width) == []


def test_the_page_of_a_study_keeps_nobody_out(page, filled, axe):
    _show(page, 1600, "light")
    assert _visit(page, filled, axe, [_STUDY], 1600) == {}


def test_the_token_is_asked_for_and_let_nobody_else_in(chromium, axe, tmp_path):
    """The form can be used by everybody, and what it leaves in the browser is not for scripts."""
    with serving(tmp_path / "project", "--ask-token") as running:
        tab = chromium.new_page()
        tab.goto(running.base)
        assert _judge(tab, axe, 10_000) == []
        for given, heading in (("guess", "Sfumato"), (running.token, "Data")):
            tab.get_by_label("Token").fill(given)
            tab.get_by_role("button", name="Open the workbench").click()
            tab.get_by_role("heading", name=heading, exact=True).first.wait_for()
        tab.get_by_role("button", name="Load example: table").wait_for()
        assert tab.evaluate("document.cookie") == "" and running.token not in tab.url
        kept = [each for each in chromium.cookies(running.base) if each["name"] == f"sfumato-{running.port}"]
        assert [(each["httpOnly"], each["sameSite"]) for each in kept] == [(True, "Strict")]
        tab.close()
