"""What strangers type on the pages of a running server: it names files of the project, or nothing."""

from __future__ import annotations

import json
import tomllib
import uuid

import pytest
from tests.web.filling import JobsAtOnce, do
from tests.web.running import names_in, serving, wait_for
from tests.web.tabs import join, opened, read_page

from sfumato.web.project import Project

_SECRET = "Only the owner may know this."
_NO_FILE = "no such file"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server on data of three kinds that were looked at, with a file beside the project that is none of its."""
    folder = tmp_path_factory.mktemp("typed") / "project"
    (folder.parent / "outside.csv").write_text(_SECRET)
    project = Project.open(folder)
    visits = "".join(f"{p},{place},{p}.5,{p}.1\n" for p in range(9) for place in ("a", "b"))
    (project.area("data") / "visits.csv").write_text("person,place,lon,lat\n" + visits)
    baskets = "".join(f"{person},{item}\n" for person in range(9) for item in "abc"[person % 2 :])
    (project.area("data") / "baskets.csv").write_text("person,item\n" + baskets)
    people = "".join(f"{20 + at},{'mf'[at % 2]},{'xyz'[at % 3]}\n" for at in range(30))
    (project.area("data") / "people.csv").write_text("age,sex,illness\n" + people)
    (project.area("constraints") / "groups.txt").write_text("a,b\n")
    jobs = JobsAtOnce(project)
    for name, kind in (("visits.csv", "trajectories"), ("baskets.csv", "sets"), ("people.csv", "table")):
        do(jobs, "look", files={"data": [name]}, kind=kind)
        do(jobs, "look", fresh=False, files={"data": [name]}, kind="")
    with serving(folder) as running:
        yield running


@pytest.mark.parametrize(
    ("data", "field", "text"),
    [
        ("visits.csv", "sensitive", "@/etc/passwd"),
        ("visits.csv", "sensitive", 'a, " @../../outside.csv"'),
        ("visits.csv", "hierarchies", "place=/etc/passwd"),
        ("visits.csv", "hierarchies", "place=../outside.csv"),
        ("visits.csv", "hierarchies", "place=hierarchies/../../../outside.csv"),
        ("visits.csv", "places", "regions:/etc/passwd"),
        ("visits.csv", "places", "regions : /etc/passwd"),
        ("visits.csv", "places", "regions:../../outside.csv,outside=drop"),
        ("visits.csv", "places", "regions:visits.csv,/../../../outside.csv"),
        ("visits.csv", "places file", "../../outside.csv"),
        ("baskets.csv", "hierarchies", "item=file:///etc/passwd"),
        ("baskets.csv", "constraints", "utility=/etc/passwd"),
        ("people.csv", "population", "/proc/self/environ"),
        ("people.csv", "hierarchies", "age=~/outside.csv"),
    ],
)
def test_options_name_files_of_the_project_only(server, data, field, text):
    policy = server.folder / "data" / f"{data}.toml"
    before = policy.read_bytes()
    with opened(server, f"/data/{data}") as tab:
        tab.type(field, text)
        assert _NO_FILE in tab.press("Apply these column roles")[1]
    assert policy.read_bytes() == before
    assert _SECRET.encode() not in server.request(f"/data/{data}").body


def test_values_to_keep_secret_come_from_no_other_file(server):
    with opened(server, "/hierarchies/visits.csv") as tab:
        tab.type("sensitive", "@/etc/passwd")
        assert _NO_FILE in tab.press("Keep the values")[1]


@pytest.mark.parametrize("step", ["recode", " recode", "recode  ", "\trecode"])
def test_steps_read_no_files(server, step):
    policy = server.folder / "data" / "people.csv.toml"
    before = policy.read_bytes()
    with opened(server, "/data/people.csv") as tab:
        tab.type("Step", step)
        tab.type("With", "sex=/etc/passwd")
        assert tab.press("Add the step")[0] == "notify"
    assert policy.read_bytes() == before


@pytest.mark.parametrize(
    "name", ["../../outside.csv", "/etc/passwd", "visits.csv/../../../outside.csv", "visits.csv\0"]
)
def test_choices_that_were_never_offered_are_refused(server, name):
    """A select offers names; what comes back through the socket may be anything."""
    before = {area: names_in(server.folder / area) for area in ("data", "hierarchies", "workloads", "studies")}
    with opened(server, "/hierarchies") as tab:
        tab.type("Data", name)
        tab.type("Attribute", "place")
        assert _NO_FILE in tab.press("Derive")[1]
    with opened(server, "/constraints/groups.txt") as tab:
        tab.type("Data", name)
        assert _NO_FILE in tab.press("Use")[1]
    with opened(server, "/queries") as tab:
        tab.type("Data", name)
        assert _NO_FILE in tab.press("Draw")[1]
    with opened(server, "/compare/baskets.csv") as tab:
        tab.type("Queries for measures", name)
        assert _NO_FILE in tab.press("Run the study")[1]
    assert {area: names_in(server.folder / area) for area in before} == before


@pytest.mark.parametrize(
    "name", ["../../../escaped", "/tmp/escaped", "..\\escaped", "escaped\0.txt", "e" * 5000, "NUL"]
)
def test_names_that_are_typed_become_names_in_the_project(server, name):
    with opened(server, "/hierarchies") as tab:
        tab.type("Name", name)
        tab.type("One group per line, items separated by commas", "a,b")
        kind, told = tab.press("Keep")
        assert kind == "open" and told.startswith("/constraints/")
    kept = names_in(server.folder / "constraints")
    assert all(each.endswith(".txt") and len(each) < 80 and each.removesuffix(".txt") != "nul" for each in kept)
    assert not list(server.folder.parent.glob("*escaped*")) and not list(server.folder.glob("*escaped*"))


def test_a_name_of_a_study_becomes_no_path_and_its_values_stay_values(server):
    outside = names_in(server.folder.parent)
    with opened(server, "/compare/baskets.csv") as tab:
        tab.type("Name of the study", "../../../escaped")
        tab.type("Values", '2]\n[data]\npath = "/etc/passwd"\n[x')
        kind, told = tab.press("Run the study")
    assert names_in(server.folder.parent) == outside
    for path in (server.folder / "studies").glob("*.toml"):
        assert tomllib.loads(path.read_text())["data"]["path"] == "../data/baskets.csv"
    assert kind == "notify" or told.startswith("/study/escaped")


def test_odd_messages_are_survived(server):
    """Missing parts, wrong types, elements and listeners that are not there, words that mean something to Python."""
    with opened(server, "/data/baskets.csv") as tab:
        key = next(key for key, each in tab.elements.items() if each.get("events"))
        listener = tab.elements[key]["events"][0]["listener_id"]
        for odd in (
            *(None, [], 7, "x", {}, {"client_id": tab.client}, {"client_id": tab.client, "id": "../x"}),
            {"client_id": tab.client, "id": int(key), "listener_id": "__class__", "args": []},
            {"client_id": tab.client, "id": int(key), "listener_id": listener, "args": ["{"]},
            {"client_id": tab.client, "id": int(key), "listener_id": listener, "args": ["[" * 5000]},
            {"client_id": ["x"], "id": {}, "listener_id": None, "args": None},
        ):
            for name in ("event", "handshake", "ack", "log", "javascript_response", "nothing"):
                tab.emit(name, odd)
        tab.type("Step", {"a": ["/etc/passwd"]})
        assert tab.press("Add the step")[0] == "notify"
    assert server.request("/data").status == 200


def test_pages_of_others_are_not_to_be_taken_over(server):
    """Whoever learns the name of somebody's page cannot become its socket, and a guessed name means nothing."""
    with opened(server, "/hierarchies") as tab:
        tab.type("Name", "mine")
        with join(server, tab.client) as line:
            assert line.recv(timeout=30).startswith("44")
        with join(server, str(uuid.uuid4())) as line:
            assert line.recv(timeout=30).startswith("44")
    first, second = (read_page(server.request("/data").body)[0] for _ in range(2))
    assert uuid.UUID(first).version == uuid.UUID(second).version == 4 and first != second


def test_a_bomb_of_a_hierarchy_keeps_nobody_waiting(server):
    """Trees that are very deep or hold nothing but depth are a sentence, and other pages are still answered."""
    deep = "".join(f"n{at};n{at + 1}\n" for at in range(60_000))
    wide = ";".join("x" for _ in range(200_000)) + "\n"
    for name, text in (("deep.csv", deep), ("wide.csv", wide), ("nul.csv", "a\0;b\n" * 5)):
        answer = server.upload(name, text.encode(), area="hierarchies")
        kept = json.loads(answer.body)["name"]
        assert server.request(f"/hierarchy/{kept}").status == 200
        (server.folder / "hierarchies" / kept).unlink()
    wait_for(lambda: server.request("/data").status == 200)
