"""How Sphinx builds the site: pages are plain Markdown, the order of the pages stands here."""

from __future__ import annotations

from typing import Any

NAVIGATION = {
    "Begin": ["guide/first-release", "gallery", "guide/choosing-a-model", "guide/exploring"],
    "Kinds of data": [
        "guide/table",
        "guide/trajectories",
        "guide/sequences",
        "guide/sets",
        "guide/rt",
        "guide/activity",
        "guide/timeline",
        "guide/snapshots",
    ],
    "Working with it": [
        "guide/reading-a-report",
        "guide/queries",
        "guide/studies",
        "guide/workbench",
        "guide/scale",
        "guide/frames",
        "guide/export",
        "guide/formats",
        "guide/ontologies",
    ],
    "Coming from": [
        "guide/from-arx",
        "guide/from-sdcmicro",
        "guide/from-amnesia",
        "guide/from-scikit-mobility",
        "guide/from-pm4py",
    ],
    "Reference": [
        "reference/python",
        "reference/commands",
        "reference/options",
        "reference/methods",
        "reference/guarantees",
        "reference/measures",
        "papers",
    ],
    "Inside": ["architecture", "guide/adding-a-method"],
    "Decisions": [
        "decisions/0001-quantised-distances",
        "decisions/0002-published-places-are-categories",
        "decisions/0003-published-coordinates",
        "decisions/0004-site-generator",
        "decisions/0005-a-part-is-a-release",
    ],
}
"""Every page by its section; a page that is in none breaks the build."""

project = "Sfumato"
author = "The Sfumato developers"
html_title = "Sfumato"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["notebooks"]

myst_enable_extensions = ["alert"]
myst_heading_anchors = 4

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
add_module_names = False
toc_object_entries = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100

html_theme = "furo"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#2f5d7c", "color-brand-content": "#2f5d7c"},
    "dark_css_variables": {"color-brand-primary": "#9cc3dc", "color-brand-content": "#9cc3dc"},
}
html_static_path = ["static"]
html_extra_path = ["reports"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


def add_navigation(_: Any, page: str, source: list[str]) -> None:
    """Give the front page its contents, so that the file itself reads well anywhere."""
    if page != "index":
        return
    for caption, pages in NAVIGATION.items():
        lines = ["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```"]
        source[0] += "\n" + "\n".join(lines) + "\n"


def setup(app: Any) -> None:
    """Connect what this file adds to Sphinx."""
    app.connect("source-read", add_navigation)
