"""The owner's report of every kind: what a reader who is no expert must find in it, and must not."""

from __future__ import annotations

import datetime
import re
import warnings

import altair
import pytest
from tests.contracts.kinds.contract_data import KINDS

import sfumato as sf
from sfumato import reports
from sfumato.api import attack, calls
from sfumato.exceptions import ParameterError
from sfumato.metrics.comparison import Comparison

SECRET = bytes([1] * 32)
ROWS = [[("abcdefgh")[(i * i + j) % 8] for j in range(1 + i % 4)] + ["a"] for i in range(36)]
METHODS = {
    "activity": sf.methods.Mc(k=2, aggregate="slot"),
    "rt": sf.methods.RFirst(k=2, m=2),
    "sequences": sf.methods.Hi(k=2),
    "sets": sf.methods.Disassociation(k=2, m=2),
    "snapshots": sf.methods.Reposition(l=2, window=6),
    "table": sf.methods.Mondrian(k=2),
    "timeline": sf.methods.Odesa(delta="1/4"),
    "trajectories": sf.methods.SeqAnon(k=2, m=2),
}


@pytest.fixture(scope="module", params=sorted(METHODS))
def written(request, tmp_path_factory):
    """A release of a kind on disk, with its report."""
    method = METHODS[request.param]
    data = KINDS[request.param].build(ROWS, type(method))
    result = sf.anonymize(data, method, secret=SECRET, max_suppressed_records=1)
    out = tmp_path_factory.mktemp(request.param) / "out"
    with warnings.catch_warnings(action="ignore"):
        calls.write(result, out)
    return result, out, (out / "owner" / "report.html").read_text(encoding="utf-8")


def read(page):
    """The words of a page."""
    page = re.sub(r"<(style|svg).*?</\1>", " ", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_it_begins_with_date_verdict_and_contents(written):
    _, _, page = written
    today = datetime.date.today()
    assert f"{today.day} {today:%B %Y}" in page
    assert re.search(r"<p class='verdict (holds|careful)'>The guarantee holds", page)
    titles = re.findall(r"<h2 id='([^']+)'>(.*?)</h2>", page)
    assert len(titles) > 3
    assert re.findall(r"<li><a href='#([^']+)'>(.*?)</a></li>", page) == titles
    assert page.index("class='verdict") < page.index("class='tiles'") < page.index("<nav")


def test_numbers_and_words_can_be_read(written):
    text = read(written[2])
    assert not re.search(r"\de-\d\d|\bNone\b|\bnan\b|\[\d|plane units|lemma", text)
    assert "= None" not in text


def test_plots_are_as_wide_as_a_phone_and_never_stretched(written):
    page = written[2]
    widths = [float(width) for width in re.findall(r"<svg [^>]*?\bwidth=\"([\d.]+)\"", page)]
    assert widths and max(widths) <= 460
    assert "width: 100%; height: auto; min-width" not in page


def test_figures_are_valid_charts_with_their_numbers(written):
    result, _, _ = written
    comparison = Comparison(result.owner_record.original, result.release, result.owner_record.rows)
    drawn = reports.figures(comparison, *attack.attack_both(comparison))
    for figure in drawn.values():
        altair.Chart.from_dict(figure.chart().to_dict(), validate=True)
        assert all(len(row) == len(figure.head) for row in figure.rows)


def test_the_file_is_named(tmp_path):
    (tmp_path / "baskets.csv").write_text("person,item\n" + "".join(f"p{n},bread\n" for n in range(4)))
    data = sf.read(tmp_path / "baskets.csv", kind="sets")
    calls.write(sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=SECRET), tmp_path / "out")
    assert "baskets.csv, " in (tmp_path / "out" / "owner" / "report.html").read_text()


def test_where_people_have_several_records_it_says_what_they_have(tmp_path):
    data = sf.Dataset.of("trajectories", [["a"]] * 6, {"a": (0, 0)}).of_people(["ann"] * 3 + ["bob"] * 2 + ["cid"])
    calls.write(sf.anonymize(data, sf.methods.SeqAnon(k=2, m=1), secret=SECRET), tmp_path / "out")
    text = read((tmp_path / "out" / "owner" / "report.html").read_text())
    assert "6 records of 3 people: 2 each on average (median 2), at most 3." in text
    assert "1 record 1 1 2 records 1 1 3–4 records 1 1" in text


def test_plots_are_saved_by_name_and_never_beside_what_is_published(tmp_path):
    data = sf.Dataset.of("sets", [["a", "b"]] * 4)
    calls.write(sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=SECRET), tmp_path / "out")
    paths = calls.save_plots(tmp_path / "out", data, tmp_path / "plots", "svg")
    assert {path.name for path in paths} >= {"anonymity-sets.svg", "risk-curve.svg", "items.svg"}
    assert all(path.read_text().startswith("<svg") for path in paths)
    with pytest.raises(ParameterError, match="already exists"):
        calls.save_plots(tmp_path / "out", data, tmp_path / "plots", "svg")
    for folder in (tmp_path / "out" / "release", tmp_path / "out" / "release" / "plots"):
        with pytest.raises(ParameterError, match="do not belong in release/"):
            calls.save_plots(tmp_path / "out", data, folder, "svg")
    with pytest.raises(ParameterError, match="must be one of"):
        calls.save_plots(tmp_path / "out", data, tmp_path / "other", "gif")
    assert not (tmp_path / "other").exists()
