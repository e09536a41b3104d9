"""Labels that would act on a terminal or in a page are shown, and published as they are."""

import json
import re
from pathlib import Path

import pytest

import sfumato.reports
from sfumato import escape
from sfumato.cli import run

HOSTILE = (
    "\x1b[2J\x1b]0-owned\x07",
    "\x07bell",
    "\ufffe",
    "\u202egnp.exe",
    "[red]red[/red]",
    "</title><b>&",
    "\x9b31m",
)
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ufffe\uffff]")


def quote(label):
    return '"' + label.replace('"', '""') + '"'


def visits(column):
    lines = [f"person,time,{column}"]
    for person in range(8):
        for step, label in enumerate(HOSTILE):
            lines.append(f"p{person},{step},{quote(label)}")
    return "\n".join(lines) + "\n"


def days():
    rows = [f"p{person},{i},{i + 1},{quote(label)}" for person in range(8) for i, label in enumerate(HOSTILE)]
    return "\n".join(["person,start,end,activity", *rows]) + "\n"


def snapshots():
    rows = [f"{t},{20 + i},{quote(HOSTILE[i % len(HOSTILE)])}" for t in range(3) for i in range(14)]
    return "\n".join(["time,age,ill", *rows]) + "\n"


def patients():
    rows = [f"{20 + i},{quote(HOSTILE[i % len(HOSTILE)])},{quote(HOSTILE[i // 2 % len(HOSTILE)])}" for i in range(28)]
    return "\n".join(["age,town,ill", *rows]) + "\n"


CASES = {
    "trajectories": (
        visits("place"),
        ["--method", "seqanon", "-p", "k=2", "-p", "m=1"],
        ["--places-file", "places.csv"],
    ),
    "sequences": (visits("event"), ["--method", "hl", "-p", "k=2"], ["--monitored", "*"]),
    "sets": (
        visits("item"),
        ["--method", "vpa", "-p", "k=2", "-p", "m=1", "--hierarchy", "item=balanced:3"],
        ["--drop", "time"],
    ),
    "activity": (days(), ["--method", "mc", "-p", "k=2", "-p", "aggregate=1"], []),
    "snapshots": (snapshots(), ["--method", "anatomy", "-p", "l=2"], ["--column", "qi=age", "--sensitive", "ill"]),
    "table": (
        patients(),
        ["--method", "mondrian", "-p", "k=2"],
        ["--quasi", "age,town", "--sensitive", "ill", "--hierarchy", "town=fanout:3"],
    ),
}


def labels_in(folder):
    return "".join(path.read_text() for path in folder.rglob("*.csv"))


def check_shown(text):
    assert not HIDDEN.search(text), text[:2000]


@pytest.mark.parametrize("kind", CASES)
def test_a_hostile_file_is_published_reported_and_shown(kind, tmp_path, monkeypatch, capfd):
    text, method, read_options = CASES[kind]
    monkeypatch.chdir(tmp_path)
    rows = [f"{quote(label)},{i},{i}" for i, label in enumerate(HOSTILE)]
    (tmp_path / "places.csv").write_text("place,x,y\n" + "\n".join(rows) + "\n")
    (tmp_path / "data.csv").write_text(text)
    code = run(["anonymize", "data.csv", "--kind", kind, *method, *read_options, "--out", "out"])
    found = capfd.readouterr()
    assert code == 0, found.err
    check_shown(found.out + found.err)
    published = labels_in(tmp_path / "out" / "release")
    assert all(label in published for label in HOSTILE[:4]), "published files keep the true label"
    for page in (tmp_path / "out" / "owner").glob("report.html"):
        check_shown(page.read_text())
    for words in (
        ["verify", "out"],
        ["verify", "out", "--json"],
        ["inspect", "data.csv", "--kind", kind, *read_options],
    ):
        assert run(words) == 0
        check_shown(capfd.readouterr().out)


def test_messages_show_what_a_file_calls_its_columns(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("person,time,place,\x1b]0;owned\x07\na,1,b,c\n")
    assert run(["inspect", "data.csv", "--kind", "trajectories"]) == 2
    check_shown(capfd.readouterr().err)


def test_a_plot_with_hostile_labels_is_drawn(tmp_path):
    from sfumato.reports.html import draw_figure
    from sfumato.reports.plots import Figure, LegendEntry, draw_bars, save_figure

    bars = draw_bars([(label, 1.0, label) for label in HOSTILE], HOSTILE[0], HOSTILE[1])
    legend = [LegendEntry("square", "#000000", HOSTILE[3])]
    figure = Figure(HOSTILE[0], HOSTILE[1], [bars], legend, head=["label"], rows=[[HOSTILE[2]]])
    check_shown(draw_figure("bars", figure, HOSTILE[1]))
    for form in ("png", "svg", "html"):
        save_figure(figure, tmp_path / f"plot.{form}")
    check_shown((tmp_path / "plot.svg").read_text())


def test_json_says_the_same_with_and_without_hidden_characters():
    text = json.dumps({"label": "".join(HOSTILE) + "\ud800\U000e0041"}, ensure_ascii=False)
    escaped = escape.escape_json(text)
    check_shown(escaped)
    assert json.loads(escaped) == json.loads(text)


def test_letters_of_any_script_stay():
    text = "Αθήνα, 東京, القاهرة, می‌خواهم, 👩‍👧, naïve"
    assert escape.make_visible(text) == text


def test_tables_for_people_take_labels_for_labels(capfd):
    from sfumato.cli.output import Output

    Output(as_json=False).table("[red]", ["[b]"], [(["[red]x[/red]", "[/nothing]"],)])
    assert "[red]x[/red], [/nothing]" in capfd.readouterr().out


def test_no_page_escapes_on_its_own():
    for folder in sfumato.reports.__path__:
        for source in Path(folder).rglob("*.py"):
            assert "from html import" not in source.read_text(), f"{source}: take escape_html of core.visible"
