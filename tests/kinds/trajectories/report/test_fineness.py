"""Where a place is published finely for some and coarsely for others, the report says for how many."""

import sfumato as sf
from sfumato.kinds.trajectories.attacks import risk_of_original
from sfumato.kinds.trajectories.report import render
from sfumato.metrics.comparison import Comparison

TITLE = "Generalisation of the most visited places"
XY = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}


def write(rows, method):
    data = sf.Dataset.of("trajectories", rows, XY)
    result = sf.anonymize(data, method, secret=bytes([1] * 32))
    risk = risk_of_original(data, 2)
    return render(Comparison(data, result.release, result.owner_record.rows), risk, risk, [])


def test_shares_are_those_of_the_visits():
    page = write([["a"], ["b"], ["a", "c"], ["a", "c"]], sf.methods.LocalKm(k=2, m=2))
    assert TITLE in page
    cells = page.split("<th scope='row'>a</th>")[1].split("</tr>")[0]
    assert [cell.split("</td>")[0] for cell in cells.split("<td class='number'>")[1:]] == [
        "3",
        "66.7 %",
        "33.3 %",
        "0 %",
        "0 %",
    ]


def test_one_recoding_for_all_has_no_such_shares():
    assert TITLE not in write([["a"], ["b"], ["a", "c"], ["a", "c"]], sf.methods.SeqAnon(k=2, m=2))
