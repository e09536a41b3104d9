"""Reading web logs: who requested which page, and which lines cannot be read."""

import functools
import gzip

import pytest
from tests.kinds.sequences.naive.files import (
    AGENT,
    CANARY,
    GOOD,
    HEADER,
    people,
    request,
    write_and_read,
    write_and_refuse,
)
from tests.notes import find_note, find_notes, list_sentences

from sfumato.exceptions import ParameterError


@pytest.fixture
def reader(tmp_path):
    return functools.partial(write_and_read, tmp_path)


@pytest.fixture
def refuse(tmp_path):
    return functools.partial(write_and_refuse, tmp_path)


def test_web_logs_are_recognised_whatever_their_name(reader):
    text = request(time="31/Dec/1969:19:00:07 -0500") + request(request="GET /b?id=7") + request("h2")
    data = reader(text, "access_log.1")
    assert people(data) == {"h1": [("/b", 5), ("/a", 7)], "h2": [("/a", 5)]}
    assert list_sentences(data.notes) == [
        "Read 3 lines of access_log.1.",
        "Recognised a web log: a request with status 2xx or 304 is an event.",
        "Reading `host` as person.",
        "Found 2 people and 3 events of 2 kinds.",
    ]
    assert people(reader(gzip.compress(text.encode()), "access.log.gz")) == people(data)
    assert people(reader(text.replace("\n", "\r\n"), "access.log")) == people(data)
    assert people(reader(text.replace("\n", "\r").rstrip(), "access.log")) == people(data)


def test_who_a_person_is_in_a_web_log(reader):
    text = (
        request(user="ann", rest=AGENT) + request(user="-", rest=' "-" "curl/8"') + request("h2", "bob b", rest=AGENT)
    )
    assert list(people(reader(text, "a.log"))) == ["h1", "h2"]
    assert list(people(reader(text, "a.log", user_key="host"))) == ["h1", "h2"]
    by_user = reader(text, "a.log", user_key="user")
    assert list(people(by_user)) == ["ann", "bob b"]
    assert find_note(by_user.notes, "anonymous-left-out").counts == {"requests": 1}
    by_agent = reader(text + request(rest=' "-" ""') + request(status=404), "a.log", user_key="host+agent")
    assert list(people(by_agent)) == [
        "h1/Mozilla\\/5.0 (X11; rv:1)", "h1/curl\\/8", "h2/Mozilla\\/5.0 (X11; rv:1)", "h1/-"
    ]  # fmt: skip
    assert find_note(by_agent.notes, "role-assigned").columns == ("host", "agent")


def test_what_counts_as_an_event(reader):
    shown = "".join(request(status=s, request=f"GET /{s} HTTP/1.0") for s in (200, 206, 304))
    other = "".join(request(status=s, request=f"GET /{s} HTTP/1.0") for s in (301, 404, 500))
    data = reader(shown + other + request(request="\\x16\\x03", status=400) + request(request="-", status=408), "a.log")
    assert data.history().lists() == [["/200", "/206", "/304"]]
    assert find_note(data.notes, "other-status-left-out").counts == {"requests": 5}
    assert not find_notes(data.notes, "duplicate-events-removed")


def test_requests_become_paths(reader):
    requests = [
        "GET http://www.x.org/p?q HTTP/1.1", "POST /p?q=1 HTTP/2", "GET /a b HTTP/1.0", "GET http://www.x.org",
        'GET /"quoted" HTTP/1.0', "OPTIONS * HTTP/1.1",
    ]  # fmt: skip
    text = "".join(request(request=r, time=f"01/Jan/1970:00:00:0{i} +0000") for i, r in enumerate(requests))
    assert reader(text, "a.log").history().lists() == [["/p", "/p", "/a b", "/", '/"quoted"', "*"]]
    kept = reader(text, "a.log", query="keep")
    assert kept.history().lists() == [["/p?q", "/p?q=1", "/a b", "/", '/"quoted"', "*"]]


def test_a_log_that_is_said_to_be_something_else_is_not_a_log(refuse):
    assert "no column has a known name" in refuse(request(CANARY) * 2, "a.csv", format="csv")
    assert "no column has a known name" in refuse(request(CANARY) * 2, "a.csv", delimiter=";")


def test_bad_lines_of_a_web_log_are_named(refuse):
    text = request(CANARY) + CANARY + "\n" + request(CANARY) + "\n" + request(time=f"{CANARY}")
    told = refuse(text, "a.log")
    assert "every line must be a request in common or combined log format; look at lines 2, 4, 5 (3 in all)" in told
    assert "look at line 2" in refuse(request() + request(request=CANARY), "a.log")
    assert "column 'time': row 2 has a date or time that does not exist" in refuse(
        request(status=404) + request(CANARY, time="31/Feb/2000:00:00:00 +0000"), "a.log"
    )


def test_web_logs_that_do_not_have_what_is_asked_for(refuse):
    assert "no request has status 2xx or 304." in refuse(request(CANARY, status=404), "a.log")
    assert "no request has status 2xx or 304 and a user." in refuse(request(CANARY), "a.log", user_key="user")
    told = refuse(request(rest=AGENT) + request(CANARY), "a.log", user_key="host+agent")
    assert "must name an agent" in told
    assert "look at line 2" in told
    assert "look at lines 1, 2, 3" in refuse(HEADER + GOOD, user_key="host")
    assert "the file is empty" in refuse("\n", "a.log", user_key="host")
    assert "columns= does not apply to web logs" in refuse(
        request(CANARY), "a.log", error=ParameterError, columns={"person": "host"}
    )


def test_long_paths_and_agents(refuse, reader):
    long = CANARY * 200
    assert "column 'event': a label may have at most 1,000 characters" in refuse(
        request() + request(request=f"GET /{long} HTTP/1.0"), "a.log"
    )
    assert "in row 2" in refuse(request(rest=AGENT) + request(rest=f' "-" "{long}"'), "a.log", user_key="host+agent")
    assert len(reader(request() + request(request=f"GET /{long}", status=404), "a.log").history().codes) == 1


def test_a_hierarchy_names_lines_of_the_log(refuse, tmp_path):
    (tmp_path / "tree.csv").write_text("/a;*\n/b;*\n")
    text = request(status=404) + request() + request(request=f"GET /{CANARY}")
    assert "(row 3)" in refuse(text, "a.log", hierarchies={"event": str(tmp_path / "tree.csv")})
