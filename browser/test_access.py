"""Whether everybody can use the pages: on small and wide screens, by light and dark, with a screen reader."""

from __future__ import annotations

import pytest
from tests.workbench.filling import list_pages

from sfumato.workbench.project import Project

_HARMFUL = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .filter(found => ['serious', 'critical'].includes(found.impact))
  .map(found => found.id + ': ' + found.nodes.map(node => node.html.slice(0, 160)).join(' | '))"""


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (400, "dark"), (1600, "light"), (1600, "dark")])
def test_pages_keep_nobody_out(page, filled, axe, width, scheme):
    """Nothing is wider than the screen, and axe-core finds nothing serious on any page."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = {}
    for path in list_pages(Project(filled.folder)):
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
