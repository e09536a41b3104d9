"""A click on a legend leaves only what has its colour, in pages that have scripts; pictures stay as they are."""

from __future__ import annotations

import json

import altair as alt
import pytest
import vl_convert

from sfumato.reports.figure import Figure, inline, specify, to_html
from sfumato.reports.legend import LegendEntry, let_legend_filter
from sfumato.reports.plots import BEFORE_AND_AFTER, draw_twin_bars

HOSTILE = "\"]'); alert(1); </script> \\ \u2028"


def draw_coloured(labels: list[str]) -> Figure:
    colours = ["#111111", "#222222"]
    chart = (
        alt.Chart(inline([{"what": label, "size": 1} for label in labels]))
        .mark_bar()
        .encode(
            x="size:Q",
            color=alt.Color("what:N", scale=alt.Scale(domain=labels, range=colours), legend=None),
        )
    )
    entries = [LegendEntry("square", colour, label) for colour, label in zip(colours, labels, strict=True)]
    return Figure("Bars", "Two bars.", [chart], entries)


def list_tests(figure: Figure) -> list[str]:
    spec = let_legend_filter(specify(figure.chart()), figure.legend)
    vl_convert.vegalite_to_vega(spec)
    found: list[str] = []

    def walk(part):
        if isinstance(part, dict):
            found.extend([part["test"]] if "test" in part else [])
            for inner in part.values():
                walk(inner)
        elif isinstance(part, list):
            for inner in part:
                walk(inner)

    walk(spec["vconcat"][1])
    return found


def test_bars_before_and_after_are_filtered_by_what_they_are():
    panel = draw_twin_bars([("1", 0.25, 0.5)], "Things", "Size", shares=True)
    (test,) = list_tests(Figure("Things", "Bars.", [panel], BEFORE_AND_AFTER))
    assert 'datum["when"] === "before" ? 0' in test and 'datum["when"] === "after" ? 1' in test


def test_marks_of_one_colour_are_filtered_by_it():
    panels = [alt.Chart(inline([{"x": 1}])).mark_bar(color=entry.colour) for entry in BEFORE_AND_AFTER]
    assert len(set(list_tests(Figure("Things", "Bars.", panels, BEFORE_AND_AFTER)))) == 2


def test_a_label_is_never_read_as_code():
    figure = draw_coloured(["flu", HOSTILE])
    (test,) = list_tests(figure)
    shown = specify(figure.chart())["vconcat"][1]["concat"][0]["encoding"]["color"]["scale"]["domain"][1]
    assert json.dumps(shown) in test


def test_a_label_does_not_end_the_script_it_stands_in():
    plain, hostile = (draw_coloured(["flu", label]) for label in ("cold", HOSTILE))
    pages = [to_html(figure.chart(), figure.legend) for figure in (plain, hostile)]
    assert pages[0].count("</script") == pages[1].count("</script")
    assert "alert(1); \\u003c/script>" in pages[1]


@pytest.mark.parametrize("colour", ["#111111", "#999999"])
def test_a_legend_with_nothing_to_choose_between_stays_as_it_is(colour):
    panels = [alt.Chart(inline([{"x": 1}])).mark_bar(color=colour)]
    legend = [LegendEntry("square", "#111111", "one"), LegendEntry("square", "#222222", "other")]
    figure = Figure("Things", "Bars.", panels, legend)
    spec = specify(figure.chart())
    assert let_legend_filter(json.loads(json.dumps(spec)), legend) == spec
