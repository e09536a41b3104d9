"""The site has every page once, numbers on it are those that were measured, and what it counts is what there is."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import tomllib

import pytest
from tests.docs.test_references import ROOT, TEXTS

import sfumato
from sfumato import plugins
from sfumato.cli.methods import describe_methods

DOCS = ROOT / "docs"
ANCHORED = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
KINDS = plugins.all_kinds()


def load_script(name: str):
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


CURVES, GALLERY, REFERENCE, CONF = (load_script(name) for name in ("curves", "gallery", "reference", "conf"))


def make_anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.replace("`", "").lower()).strip().replace(" ", "-")


def test_every_page_stands_in_the_navigation_once():
    named = [page for pages in CONF.NAVIGATION.values() for page in pages]
    written = [
        path.relative_to(DOCS).with_suffix("").as_posix()
        for path in DOCS.rglob("*.md")
        if "reference" not in path.parts and path != DOCS / "index.md"
    ]
    generated = [page for page in named if page.startswith("reference/")]
    assert sorted(named) == sorted({*written, *generated})
    assert {page.removeprefix("reference/") for page in generated} <= {*REFERENCE.list_pages(), "commands"}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_headings_that_a_text_points_at_are_there(path):
    for file, anchor in ANCHORED.findall(path.read_text("utf-8")):
        target = path.parent / file if file else path
        if "reference/" not in file:
            assert anchor in {make_anchor(title) for title in HEADING.findall(target.read_text("utf-8"))}


def test_links_to_the_reference_lead_to_its_pages():
    pages = {*REFERENCE.list_pages(), "commands"}
    for path in TEXTS:
        for page in re.findall(r"\]\((?:\.\./)?reference/([\w/-]+)\.md", path.read_text("utf-8")):
            assert page in pages


def test_the_reference_has_every_public_name_with_an_example():
    page = REFERENCE.python_page()
    for name in sfumato.__all__:
        thing = getattr(sfumato, name)
        assert name == "methods" or f"### {name}\n" in page
        shown = sfumato.studies.run_study if name == "study" else thing
        assert name == "methods" or ">>>" in (inspect.getdoc(shown) or ""), name


def test_every_method_leads_to_where_its_paper_is_wrong_or_silent():
    pages = REFERENCE.list_pages()
    for method in describe_methods():
        (kind,) = method["kinds"]
        page, notes = pages[f"methods-{kind}"], REFERENCE.name_notes(method)
        entry = page.split(f"\n## {method['name']}\n")[1].split("\n## ")[0]
        assert f"]({notes}.md)" in entry and ">>>" in entry
        assert pages[notes].startswith("# ")


@pytest.mark.parametrize("kind", KINDS)
def test_curves_of_a_guide_are_those_that_were_measured(kind):
    """The table is spelt from the numbers kept, and they are of the study that the repository has."""
    rows = CURVES.read_rows(kind)
    page = (DOCS / "guide" / f"{kind}.md").read_text("utf-8")
    (found,) = CURVES.BLOCK.finditer(page)
    assert CURVES.render_block(kind, rows) in found[0], "run python docs/curves.py"
    study = tomllib.loads((ROOT / "examples" / "studies" / f"{kind}.toml").read_text("utf-8"))
    assert {row.label for row in rows if row.at} == {each.get("label", each["name"]) for each in study["method"]}
    for figure in CURVES.SHOWN[kind]:
        picture = DOCS / "curves" / f"{kind}-{figure}.svg"
        assert picture.stat().st_size < 100_000 and "http" not in picture.read_text("utf-8").replace(
            "http://www.w3.org", ""
        )


def test_the_gallery_shows_every_kind_by_commands_that_a_guide_runs():
    guides = "\n".join(path.read_text("utf-8") for path in (DOCS / "guide").glob("*.md"))
    sections = GALLERY.list_sections()
    assert sorted(sections) == sorted(KINDS) == sorted(GALLERY.PLOTS)
    for kind, commands in sections.items():
        assert all(f"$ {command}\n" in guides for command in commands)
        assert f"--kind {kind} " in commands[-1]
        assert (GALLERY.PICTURES / f"{kind}.png").stat().st_size < 100_000


def test_front_pages_name_every_kind_and_every_method():
    index, readme = (DOCS / "index.md").read_text("utf-8"), (ROOT / "README.md").read_text("utf-8")
    for kind in KINDS:
        assert f"[`{kind}`](guide/{kind}.md)" in index
        rows = [line for line in readme.splitlines() if line.startswith("| `") and f"| {kind}" in line]
        named = {name for row in rows for name in re.findall(r"`([\w-]+)`", row.split("|")[1])}
        assert named == {method["name"] for method in describe_methods(kind)}
