"""Whether everybody can use the pages: on small and wide screens, by light and dark, with a screen reader."""

from __future__ import annotations

import pytest
from tests.workbench.filling import list_pages

from sfumato.workbench.project import Project

_HARMFUL = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .filter(found => ['serious', 'critical'].includes(found.impact))
  .map(found => found.id + ': ' + found.nodes.map(node => node.html.slice(0, 160)).join(' | '))"""


@pytest.mark.parametrize(
    ("width", "scheme", "kind"),
    [(400, "light", "table"), (400, "dark", "trajectories"), (1600, "light", "sets"), (1600, "dark", "table")],
)
def test_pages_keep_nobody_out(page, filled, axe, width, scheme, kind):
    """Nothing is wider than the screen, and axe-core finds nothing serious on any page, whatever is opened on it."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = {}
    project = Project(filled.folder)
    others = [each for each in ("table", "trajectories", "sets") if each != kind]
    for path in list_pages(project):
        if any(f"/{each}-" in path for each in others) or (path.startswith("/run/") and scheme == "light"):
            continue
        page.goto(filled.base + path)
        page.locator("h1").wait_for()
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        page.evaluate(axe)
        told = page.evaluate(_HARMFUL)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            told.append("wider than the screen")
        if told:
            found[path] = told
    assert found == {}
