"""What the benchmark of phases computes from times, and that it measures, goes on and compares."""

import json

import pytest
from benchmarks import phase_figures, phases
from benchmarks.phase_figures import Key

MEBIBYTE = 2**20


def make_run(cpu, **seconds):
    return {
        "cpu": cpu,
        "wall": cpu + 1,
        "mb": 100 * cpu,
        "phases": {n: {"cpu": s, "wall": s} for n, s in seconds.items()},
    }


def make_figures(scale=1.0, **changed):
    figures = {"read": 0.5, "method": 1.0, "write": 0.5, "verify": 1.0, "attack": 1.0, "whole": 5.0, "wall": 6.0}
    return {name: value * scale for name, value in figures.items()} | {"mb": 300.0} | changed


def make_results(case, small, large, sizes=(30_000, 300_000), command="anonymize"):
    start_up = make_figures(0.0, mb=200.0, whole=0.5, wall=0.5)
    return {
        Key(case, phase_figures.START_UP, command): start_up,
        Key(case, sizes[0], command): small,
        Key(case, sizes[1], command): large,
    }


def find_bars(bars, size, word):
    return [bar for bar in bars if bar.size == size and word in bar.work]


def test_medians_are_of_every_figure_on_its_own():
    runs = [
        make_run(1.0, read=0.3, method=0.1),
        make_run(3.0, read=0.1, method=0.2),
        make_run(2.0, read=0.2, method=0.9),
    ]
    medians = phase_figures.compute_medians(runs)
    assert (medians["whole"], medians["wall"], medians["mb"]) == (2.0, 3.0, 200.0)
    assert (medians["read"], medians["method"]) == (0.2, 0.2)
    assert medians["rest"] == pytest.approx(1.6)


def test_start_up_is_taken_off_times_but_not_off_memory():
    net = phase_figures.take_off_start_up(
        {"whole": 2.0, "read": 0.1, "attack": 0.4, "mb": 300.0}, {"whole": 0.5, "read": 0.2, "mb": 100.0}
    )
    assert net == {"whole": 1.5, "read": 0.0, "attack": 0.4, "mb": 300.0}


def test_without_its_start_up_a_command_has_no_net_figures():
    gross = {Key("sets/a", 1_000, "verify"): {"whole": 2.0}, Key("sets/a", 100, "attack"): {"whole": 2.0}}
    assert phase_figures.take_off_all(gross) == {}


@pytest.mark.parametrize(
    ("small", "large", "exponent"),
    [(0.5, 5.0, 1.0), (0.5, 50.0, 2.0), (0.2, 0.2, 0.0), (0.19, 5.0, None), (0.5, 0.0, None)],
)
def test_exponent_of_tenfold_data(small, large, exponent):
    assert phase_figures.compute_exponent(small, large, (100, 1_000)) == (
        None if exponent is None else pytest.approx(exponent)
    )


def test_exponents_are_from_the_next_smaller_size():
    net = {Key("sets/a", size, "verify"): {"whole": size / 1_000, "wall": 9.0} for size in (1_000, 100_000, 10_000)}
    exponents = phase_figures.compute_exponents(net)
    assert {key.size for key, _ in exponents} == {10_000, 100_000}
    assert list(exponents.values()) == [pytest.approx(1.0)] * 2


def test_surroundings_are_held_against_the_method_and_arrow():
    gross = make_results("sets/a", make_figures(), make_figures(verify=10.0))
    gross |= {Key("sets/a", size, "arrow"): {"arrow": 0.25} for size in (30_000, 300_000)}
    small, large = (find_bars(phase_figures.list_bars(gross, {}), size, "surr")[0] for size in (30_000, 300_000))
    assert (small.value, small.limit, small.reached) == (3.0, 6.0, True)
    assert (large.value, large.limit, large.reached) == (12.0, 6.0, False)


def test_growth_names_all_that_is_too_steep_or_the_steepest():
    gross = make_results("sets/a", make_figures(), make_figures(10.0))
    assert [bar.reached for bar in find_bars(phase_figures.list_bars(gross, {}), 300_000, "growth")] == [True]
    gross = make_results("sets/a", make_figures(), make_figures(10.0, attack=40.0, verify=30.0))
    steep = find_bars(phase_figures.list_bars(gross, {}), 300_000, "growth")
    assert [(bar.work.split()[-1], bar.reached) for bar in steep] == [("attack", False), ("verify", False)]


@pytest.mark.parametrize(
    ("case", "size", "limit"),
    [("table/mondrian", 300_000, 410), ("sets/disassociation", 300_000, 900), ("trajectories/seqanon", 10**6, 1_200)],
)
def test_memory_is_held_against_the_file(case, size, limit):
    gross = make_results(case, make_figures(), make_figures(mb=500.0), (30_000, size))
    (bar,) = find_bars(phase_figures.list_bars(gross, {(case.split("/")[0], size): 10 * MEBIBYTE}), size, "peak")
    assert (bar.value, bar.limit) == (500.0, limit)


def test_nothing_is_taken_off_a_report():
    figures = make_figures(report=4.0, whole=8.0)
    gross = make_results("sets/a", figures, make_figures(report=6.5), (1_000, 30_000), "report")
    gross[Key("sets/a", phase_figures.START_UP, "report")]["report"] = 3.0
    bars = phase_figures.list_bars(gross, {})
    assert [(bar.value, bar.limit) for bar in find_bars(bars, 1_000, "report <=")] == [(4.0, 6.0)]
    assert [(bar.value, bar.limit) for bar in find_bars(bars, 1_000, "whole")] == [(8.0, 1.2)]
    assert [bar.reached for bar in find_bars(bars, 30_000, "report <=")] == [False]


def test_a_million_records_have_a_bar_and_a_stretch():
    gross = make_results("table/mondrian", make_figures(), make_figures(whole=15.0), (300_000, 1_000_000))
    bars = find_bars(phase_figures.list_bars(gross, {}), 1_000_000, "whole")
    assert [(bar.value, bar.limit, bar.reached) for bar in bars] == [(14.5, 18.0, True), (14.5, 12.0, False)]


def test_rows_show_exponents_and_the_share_of_surroundings():
    gross = make_results("sets/a", make_figures(), make_figures(10.0, attack=40.0))
    (small, large) = phase_figures.write_rows(phase_figures.take_off_all(gross))
    assert small[:5] == ["sets/a", "30,000", "anonymize --no-report", "0.50", "1.00"]
    assert small[-1] == "3.00"
    assert large[4] == "10.0 ^1.00"
    assert large[7] == "40.0 **^1.60**"


def test_comparison_shows_what_both_have():
    before = {Key("sets/a", 1_000, "verify"): {"whole": 2.0, "wall": 0.01, "mb": 100.0}}
    after = {key: {"whole": 0.5, "wall": 0.02, "mb": 150.0} for key in (*before, Key("sets/a", 2_000, "verify"))}
    (row,) = phase_figures.write_comparison(before, after)
    assert [cell for cell in row[3:] if cell] == ["2.00 -> 0.50 (0.25)", "0.01 -> 0.02", "100 -> 150 (1.50)"]


def test_kinds_and_sizes_are_chosen():
    given = phases.parse_arguments(["--kinds", "sets,table/optimal", "--sizes", "400,200"])
    assert (given.cases, given.sizes) == (["sets/disassociation", "table/optimal"], [200, 400])
    assert phases.choose_sizes("rt/rfirst", ["report", "verify"], []) == {
        "report": [1_000, 30_000, 100_000],
        "verify": [30_000, 100_000],
    }
    assert phases.choose_sizes("rt/rfirst", ["report"], [500]) == {"report": [500]}


@pytest.mark.parametrize("words", [["--kinds", "nothing"], ["--sizes", "50"], ["--sizes", "a"], ["--commands", "go"]])
def test_a_wrong_choice_is_refused(words, capsys):
    with pytest.raises(SystemExit):
        phases.parse_arguments(words)
    assert words[0] in capsys.readouterr().err


@pytest.mark.slow
def test_sets_are_measured_resumed_and_compared(tmp_path, capsys):
    results = tmp_path / "phases.json"
    words = ["--sizes", "200,400", "--kinds", "sets", "--repeat", "1"]
    words += ["--data", str(tmp_path / "data"), "--results", str(results)]
    assert phases.main(words) == 0
    measured = json.loads(results.read_text())
    sizes = {(entry["command"], entry["size"]) for entry in measured["entries"]}
    assert sizes == {(c, s) for c in phases.LABELS for s in (100, 200, 400)} | {("arrow", 200), ("arrow", 400)}
    assert all(len(entry["runs"]) == 1 and entry["runs"][0]["cpu"] > 0 for entry in measured["entries"])
    assert "| sets/disassociation | 400 | verify --original |" in capsys.readouterr().out

    assert phases.main([*words, "--resume", "--compare", str(results)]) == 0
    assert json.loads(results.read_text())["entries"] == measured["entries"]
    assert "differ" not in capsys.readouterr().out
    assert phases.main([*words, "--show"]) == 0
