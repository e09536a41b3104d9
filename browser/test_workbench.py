"""The workbench in a real browser: every kind of data from upload to a verified download, studies, stops, reloads."""

from __future__ import annotations

import io
import re
import tomllib
import zipfile

import pytest

from sfumato import plugins
from sfumato.cli import run
from sfumato.exports import write_table

_OVER = {"rt": "education", "sequences": "event", "sets": "item", "table": "education", "trajectories": "place"}
"""What a hierarchy is derived over and edited, of the kinds that take one."""
_COUNTED = {"snapshots": "2 trials: 1 infeasible, 1 done."}
"""What a study of a kind comes to where not every method can do what is asked: anatomy has to leave out too many."""
_TRIES = 5
"""Runs that may end before they are stopped."""


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """One small file of every kind, as somebody would have it."""
    folder = tmp_path_factory.mktemp("files")
    sizes = {"activity": 12, "timeline": 400, "snapshots": 400}
    for kind in plugins.all_kinds():
        write_table(
            plugins.find_kind(kind).generator.load().generate(sizes.get(kind, 200), 1), folder / f"My {kind} (1).csv"
        )
    return folder


def _upload(page, server, path, kind):
    page.goto(server.base)
    page.get_by_label("File with data").set_input_files(path)
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/data/my-*")
    page.get_by_role("heading", name="Distributions").wait_for()
    if not page.get_by_text(f"{kind}: a row is").count():
        page.get_by_label("Kind of data").last.select_option(kind)
        page.get_by_role("button", name="Use this kind").click()
        page.wait_for_url("**kind=*")
        page.get_by_text(f"{kind}: a row is").wait_for()
    return page.url.split("?")[0].rpartition("/")[2]


@pytest.mark.parametrize("kind", plugins.all_kinds())
def test_all_pages_from_upload_to_a_verified_download(page, server, files, tmp_path, kind):
    name = _upload(page, server, files / f"My {kind} (1).csv", kind)
    page.get_by_role("link", name="Risk").first.click()
    page.get_by_text("Risk by knowledge").first.wait_for()
    tree = _edit_and_use_a_hierarchy(page, server, name, _OVER[kind]) if kind in _OVER else None
    _draw_queries(page, server, name)
    if kind == "activity":
        _name_sensitive(page, server, name, "Napping")
    methods = min(3, len(plugins.methods_for(kind)))
    _compare(page, server, name, methods, _COUNTED.get(kind, f"{methods} trials: {methods} done."))
    _stop_a_run(page, server, name)
    policy = _anonymise(page, server, name)
    assert policy["data"]["kind"] == kind
    if tree is not None:
        assert policy["data"]["hierarchies"][_OVER[kind]] == f"../hierarchies/{tree}"
    _download_and_verify(page, tmp_path)
    page.get_by_role("link", name="Verify, attack, measure").click()
    page.get_by_role("button", name="Verify", exact=True).click()
    page.wait_for_url("**do=verify*")
    page.get_by_text("the guarantee holds").first.wait_for()


def _edit_and_use_a_hierarchy(page, server, name, over):
    """Derive a hierarchy, give its root another name, and have the data read with it; return its file."""
    page.goto(f"{server.base}/hierarchies/{name}")
    page.get_by_role("heading", name="Sensitive and monitored values").wait_for()
    page.get_by_label("Attribute").fill(over)
    page.get_by_label("Rule").select_option("fanout")
    page.get_by_label("Number").fill("30")
    page.get_by_role("button", name="Derive").click()
    page.wait_for_url("**/hierarchy/*")
    root = page.locator(".tree summary").first.inner_text()
    page.get_by_label("Node").first.fill(re.sub(r" \(\d+\)$", "", root))
    page.get_by_label("New label").fill("<b>anything</b>")
    page.get_by_role("button", name="Rename").click()
    page.locator(".tree summary").get_by_text("<b>anything</b>").first.wait_for()
    tree = page.url.rpartition("/")[2]
    page.get_by_label("Data").select_option(name)
    page.get_by_label("Attribute").fill(over)
    page.get_by_role("button", name="Use").click()
    page.wait_for_url("**/data/*")
    page.get_by_role("heading", name="Distributions").wait_for()
    assert "<b>anything</b>" in (server.folder / "hierarchies" / tree).read_text()
    return tree


def _draw_queries(page, server, name):
    page.goto(f"{server.base}/queries/{name}")
    page.get_by_label("How many").fill("7")
    page.get_by_role("button", name="Draw").click()
    page.wait_for_url("**/workload/*")
    page.get_by_text("7 queries, one per line.").wait_for()


def _name_sensitive(page, server, name, value):
    page.goto(f"{server.base}/hierarchies/{name}")
    page.get_by_label("sensitive", exact=True).fill(value)
    page.get_by_role("button", name="Keep the values").click()
    page.wait_for_url("**/data/*")
    page.get_by_role("heading", name="Distributions").wait_for()


def _compare(page, server, name, methods, counted):
    """Run a study of the methods that are chosen at first, each with one value of what varies."""
    page.goto(f"{server.base}/compare/{name}")
    values = page.get_by_label("Values")
    values.fill(values.input_value().split(",")[0])
    assert page.get_by_role("checkbox", checked=True).count() == methods
    page.get_by_role("button", name="Run the study").click()
    page.wait_for_url("**/study/*")
    told = page.get_by_text(re.compile(r"^\d+ trials?: "))
    told.wait_for()
    assert told.inner_text() == counted
    assert page.locator("figure svg").count() >= 1


def _stop_a_run(page, server, name):
    """Begin to make a release and stop it, again if it is ready before that; nothing of it stays."""
    for _ in range(_TRIES):
        before = {entry.name for entry in (server.folder / "releases").iterdir()}
        page.goto(f"{server.base}/anonymise/{name}")
        page.get_by_role("button", name="Anonymise", exact=True).click()
        page.wait_for_url("**/run/*")
        ended = page.get_by_text("Stopped. Nothing was published.").or_(page.get_by_text("the guarantee holds"))
        page.get_by_role("button", name="Stop").or_(ended.first).first.click()
        ended.first.wait_for()
        if page.get_by_text("Stopped. Nothing was published.").count():
            break
    assert page.get_by_text("Stopped. Nothing was published.").count()
    page.get_by_role("button", name="Try again").wait_for()
    assert {entry.name for entry in (server.folder / "releases").iterdir()} == before


def _anonymise(page, server, name):
    """Make a release, with a reload in the middle, look at it, and return the policy that made it."""
    page.goto(f"{server.base}/anonymise/{name}")
    if page.get_by_label("k", exact=True).count():
        page.get_by_label("k", exact=True).fill("3")
    page.get_by_role("button", name="Anonymise", exact=True).click()
    page.wait_for_url("**/run/*")
    page.reload()  # in the middle: the run goes on, and is found again
    page.get_by_text("the guarantee holds").wait_for()
    page.get_by_role("heading", name="Original and release").wait_for()
    page.locator("iframe").scroll_into_view_if_needed()
    page.frame_locator("iframe").locator("h1").wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Policy file").click()
    return tomllib.loads(waiting.value.path().read_text())


def _download_and_verify(page, folder):
    """Download the release, unpack it, and have the command line verify it."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download the release").click()
    with zipfile.ZipFile(io.BytesIO(waiting.value.path().read_bytes())) as archive:
        assert all(inner.startswith("release/") for inner in archive.namelist())
        archive.extractall(folder)
    assert run(["verify", str(folder)]) == 0


def test_a_study_with_three_methods_survives_a_closed_tab(page, chromium, server, files):
    name = _upload(page, server, files / "My table (1).csv", "table")
    page.goto(f"{server.base}/compare/{name}")
    page.get_by_label("Values").fill("2, 4")
    assert page.get_by_role("checkbox", checked=True).count() == 3
    page.get_by_role("button", name="Run the study").click()
    page.wait_for_url("**/study/*")
    address = page.url
    page.close()
    again = chromium.new_page()
    again.goto(address)
    again.get_by_text("6 trials: 6 done.").wait_for()
    assert again.locator("figure svg").count() >= 4
    again.get_by_role("link", name="Page of the study").click()
    again.locator("canvas, svg").first.wait_for()
    again.close()


def test_two_tabs_do_not_mix(page, chromium, server, files):
    name = _upload(page, server, files / "My table (1).csv", "table")
    tabs = {"3": page, "7": chromium.new_page()}
    for tab in tabs.values():
        tab.goto(f"{server.base}/anonymise/{name}")
    for k, tab in tabs.items():
        tab.get_by_label("k", exact=True).fill(k)
        tab.get_by_label("Name of the release").fill(f"crowds of {k}")
    for tab in tabs.values():
        tab.get_by_role("button", name="Anonymise", exact=True).click()
    for k, tab in tabs.items():
        tab.get_by_text(f"at least {k} records").first.wait_for()
        policy = tomllib.loads((server.folder / "policies" / f"crowds-of-{k}.toml").read_text())
        assert policy["method"]["k"] == int(k)
    tabs["7"].close()


def test_the_keyboard_reaches_everything(page, server):
    page.goto(server.base)
    page.get_by_role("button", name="Load example: table").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent"))
    assert {"Data", "Releases", "Upload", "Load example: table", "Load example: trajectories"} <= reached
    page.get_by_role("button", name="Load example: table").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/data/table-example*")
    page.get_by_role("heading", name="Distributions").wait_for()
