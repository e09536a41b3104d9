"""The page of a study: one HTML file that needs no network, for readers who never saw a study before."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sfumato.escape import escape_html as escape
from sfumato.metrics.time_series import MEANT
from sfumato.reports.html import make_scrollable, make_table
from sfumato.reports.numbers import show_amount, show_count, show_number, show_share
from sfumato.reports.style import STYLE
from sfumato.reports.text import describe_attacker, find_words
from sfumato.studies.plots import Figure, find_front, list_figures
from sfumato.studies.results import StudyResult
from sfumato.studies.summary import Measure, Point, describe_success, list_measures, list_points
from sfumato.studies.trials import Trial

__all__ = ["write_page"]

_STYLE = """
main { max-width: 84rem }
nav ul { list-style: none; padding: 0; margin: 1.25rem 0 0; display: flex; flex-wrap: wrap; gap: .35rem 1.25rem }
.pair { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 0 2.5rem }
.pair > div { min-width: 0 }
figure { overflow: visible }
figure svg { min-width: 0; width: auto; max-width: none; height: auto }
.plot { width: 100%; min-height: 21rem }
.plot .vega-embed { width: 100%; padding: 0 }
.vega-embed details { display: none }
h3 { margin-top: 1.25rem }
.verdict { font-size: 1.0625rem; border-left: 3px solid var(--after); padding-left: .9rem; margin: 1.25rem 0 0 }
.scroll table { width: auto; min-width: min(100%, 30rem) }
.scroll th, .scroll td { overflow-wrap: normal }
.scroll thead th { white-space: normal; min-width: 5rem }
.reason { min-width: 16rem }
#vg-tooltip-element { font: 13px/1.4 inherit; background: var(--paper); color: var(--ink); border-color: var(--line) }
#vg-tooltip-element table tr td.key { color: var(--muted) }
"""

_DRAW = """
for (const place of document.querySelectorAll('.plot')) {
  const spec = JSON.parse(document.getElementById(place.id + '-spec').textContent);
  vegaEmbed(place, spec, { renderer: 'svg', actions: false, loader: {}, tooltip: { theme: 'custom' } });
}
"""

_STATUSES = {
    "infeasible": "No release can keep the guarantee",
    "refused": "The method does not apply to these data or values",
    "crashed": "The process ended",
    "overlong": "Took too long",
    "out of memory": "Took too much memory",
}


def write_page(result: StudyResult, *, now: datetime | None = None) -> str:
    """Return the page of a study, plots and all; anyone who opens it needs nothing else."""
    figures = list_figures(result)
    points = [point for point in list_points(result) if point.outcomes]
    measures = list_measures(result)
    sections = [
        _write_short(points, measures),
        _write_risk(result, points, figures),
        *(_write_measure(measure, figures) for measure in measures),
        _write_answers(figures),
        _write_cost(figures),
        _write_failures(result),
        _write_made(result),
    ]
    listed = [(name, title, body) for name, title, body in sections if body]
    contents = "".join(f"<li><a href='#{name}'>{escape(title)}</a></li>" for name, title, _ in listed)
    body = "\n".join(f"<section id='{name}'><h2>{escape(title)}</h2>\n{body}</section>" for name, title, body in listed)
    title = str(result.facts.get("title") or "A study")
    when = (now or datetime.now().astimezone()).strftime("%-d %B %Y, %H:%M")
    header = (
        f"<header><h1>{escape(title)}</h1>\n<p class='muted'>{escape(_describe_data(result))} · {when}</p>\n"
        f"<p class='verdict'>{escape(_describe_progress(result))}</p>\n{_write_tiles(result, points)}"
        f"<nav aria-label='Contents'><ul>{contents}</ul></nav></header>\n"
    )
    return _wrap(title, header + body, scripted=bool(figures))


def _wrap(title: str, body: str, *, scripted: bool) -> str:
    """Make a page whose browser runs our two scripts and nothing else, and loads nothing."""
    bundle = _bundle() if scripted else ""
    scripts = [bundle, _DRAW] if scripted else []
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    allowed = f"script-src {hashes} 'unsafe-eval'; " if scripted else ""
    policy = f"default-src 'none'; {allowed}style-src 'unsafe-inline'; img-src data:"
    alone = "This file stands alone: it loads nothing."
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f"<footer class='muted'>Made by Sfumato. {alone}</footer>\n</main>\n"
        + "".join(f"<script>{script}</script>\n" for script in scripts)
        + "</body>\n</html>\n"
    )


@functools.cache
def _bundle() -> str:
    import vl_convert

    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # A script ends where this stands, even inside of a text of its own.
    return script.replace("</script", "<\\/script")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _describe_data(result: StudyResult) -> str:
    data = result.facts.get("data", {})
    kind = f"data of kind {result.facts.get('kind', 'unknown')}"
    if "records" not in data:
        return kind.capitalize()
    return f"{result.unit.count(data['records'])}, {kind}"


def _describe_progress(result: StudyResult) -> str:
    planned, done = int(result.facts.get("planned", len(result.trials))), result.count().get("done", 0)
    methods = len({trial.name for trial, _ in result.trials})
    text = f"{show_amount(methods, 'method', 'methods')}, {show_amount(planned, 'trial', 'trials')}: {done} done"
    failed = len(result.failures())
    if failed:
        text += f", {failed} without a result (reasons below)"
    left = planned - len(result.trials)
    if left > 0:
        text += f", {left} not run yet; run the same command to continue"
    verification = " Every release was verified from its files and keeps its guarantee." if done else ""
    return f"{text}.{verification}"


def _write_tiles(result: StudyResult, points: Sequence[Point]) -> str:
    tiles = []
    before = [spread.mean for point in points if (spread := point.risk("before")) is not None]
    after = [spread.mean for point in points if (spread := point.risk("after")) is not None]
    unique = [spread.mean for point in points if (spread := point.risk("before", "unique")) is not None]
    if before and after:
        named, _ = describe_success(points)
        tiles.append((show_share(max(before)), f"{named} with the original", "was"))
        span = [show_share(min(after)), show_share(max(after))]
        tiles.append((" – ".join(dict.fromkeys(span)), f"{named} with the releases of this study", "is"))
    if unique:
        tiles.append((show_share(max(unique)), f"of {result.unit.many} are unique in the original", "was"))
    seconds = sum(sum(outcome.seconds.values()) for _, outcome in result.trials)
    tiles.append((_show_time(seconds), "of work by one core", ""))
    listed = "".join(
        f"<li><b>{f'<i class={kind}>{escape(value)}</i>' if kind else escape(value)}</b>"
        f"<span>{escape(text)}</span></li>"
        for value, text, kind in tiles
    )
    return f"<ul class='tiles'>{listed}</ul>\n"


def _show_time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


_Section = tuple[str, str, str]


def _write_short(points: Sequence[Point], measures: Sequence[Measure]) -> _Section:
    """Write which choices no other beats, for the measure that most cells have."""
    name, title = "short", "In short"
    both: list[tuple[Point, float, float]] = []
    measure = measures[0] if measures else None
    if measure is not None:
        both = [
            (point, risk.mean, value.mean)
            for point in points
            if (risk := point.risk("after")) is not None and (value := point.measured(measure.name)) is not None
        ]
    if measure is None or not both:
        return name, title, ""
    front = find_front([risk for _, risk, _ in both], [value for _, _, value in both], measure.better)
    show = show_share if measure.is_share else show_number
    grouped: dict[tuple[str, str], list[Point]] = {}
    for n in front:
        grouped.setdefault((show_share(both[n][1]), show(both[n][2])), []).append(both[n][0])
    rows = [(_join_names(chosen), *figures) for figures, chosen in grouped.items()]
    safest, best = both[front[0]], both[front[-1]]
    intro = (
        f"No other choice of this study has both a lower risk and a better utility than these. Utility is "
        f"“{measure.title}” ({measure.better} is better)."
    )
    picked = f"Lowest risk: {safest[0].name}; " + (
        "it has the best utility, too."
        if safest[0] is best[0]
        else f"best utility: {best[0].name}. The data owner decides between them."
    )
    table = make_table(["Choice", describe_success(points)[0], measure.title], rows)
    return name, title, f"<p>{escape(intro)}</p>{make_scrollable(title, table)}<p>{escape(picked)}</p>"


def _join_names(points: Sequence[Point]) -> str:
    """Name choices that come out the same: methods with the same values in one breath."""
    by_values: dict[str, list[str]] = {}
    for point in points:
        by_values.setdefault(point.values, []).append(point.method)
    # Labels may have commas of their own.
    return "; ".join(", ".join(filter(None, [" and ".join(methods), values])) for values, methods in by_values.items())


def _write_risk(result: StudyResult, points: Sequence[Point], figures: Sequence[Figure]) -> _Section:
    own = [figure for figure in figures if figure.section == "risk"]
    if not own:
        return "risk", "Risk before and after", ""
    sampled = sorted({text for point in points for outcome in point.outcomes for text in _samplings(outcome.risk)})
    sampling = f"<p class='muted'>Sampled: {escape('; '.join(sampled))} (95 % confidence).</p>" if sampled else ""
    intro = (
        f"The attacker has the release, and is {_describe_attackers(result, points)}. "
        "Before: the same attacker with the original, without names."
    )
    return "risk", "Risk before and after", f"<p>{escape(intro)}</p>{sampling}<div class='pair'>{_place(own)}</div>"


def _describe_attackers(result: StudyResult, points: Sequence[Point]) -> str:
    risks = [outcome.risk["after"] for point in points for outcome in point.outcomes if "after" in outcome.risk]
    kind, plain = str(result.facts.get("kind", "")), "someone with the knowledge that the guarantee assumes"
    if not kind or find_words(kind).describe_attacker is None:
        return plain
    descriptions = [describe_attacker(kind, str(risk.get("knowledge")), risk.get("m"), result.unit) for risk in risks]
    return ", or ".join(dict.fromkeys(descriptions)) or plain


def _samplings(risk: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [f"{when}: {finding['sampling']}" for when, finding in risk.items() if finding.get("sampling")]


def _write_measure(measure: Measure, figures: Sequence[Figure]) -> _Section:
    own = [figure for figure in figures if figure.section == measure.name]
    return f"measure-{measure.name}", measure.title, f"<div class='pair'>{_place(own)}</div>" if own else ""


def _write_answers(figures: Sequence[Figure]) -> _Section:
    own = [figure for figure in figures if figure.section == "answers"]
    if not own:
        return "answers", "Queries of the release", ""
    intro = (
        f"Every release was asked how many have a value ({MEANT}), stretch of time by stretch of time. Of a method "
        "that ran with more than three values the first, a middle and the last one are drawn; all are in "
        "answers.parquet and answers.csv."
    )
    return "answers", "Queries of the release", f"<p>{escape(intro)}</p><div class='pair'>{_place(own)}</div>"


def _write_cost(figures: Sequence[Figure]) -> _Section:
    own = [figure for figure in figures if figure.section == "cost"]
    return "cost", "Time and memory", f"<div class='pair'>{_place(own)}</div>" if own else ""


def _place(figures: Sequence[Figure]) -> str:
    """Place plots on the page: where each is drawn, what it says, and its numbers."""
    return "".join(_render_figure(figure) for figure in figures)


def _render_figure(figure: Figure) -> str:
    name = f"plot-{figure.name}"
    # Inside of a script element only its end could be taken for markup.
    spec = json.dumps(figure.spec(alone=False), ensure_ascii=True).replace("<", "\\u003c")
    numbers = make_scrollable(f"Numbers of {figure.title}", make_table(figure.head, figure.rows))
    return (
        f"<div><h3>{escape(figure.title)}</h3><figure>"
        f"<div class='plot' id='{escape(name)}' role='img' aria-label='{escape(figure.title)}'></div>"
        f"<script type='application/json' id='{escape(name)}-spec'>{spec}</script>"
        f"<figcaption>{escape(figure.caption)}</figcaption></figure>"
        f"<details><summary>Numbers behind this plot</summary>{numbers}</details></div>"
    )


def _write_failures(result: StudyResult) -> _Section:
    """Write what has no result, and why; the same reason once, for all repetitions."""
    counts: dict[tuple[str, str, str, str], int] = {}
    for trial, outcome in result.failures():
        key = (trial.name, _format_values(trial), _STATUSES.get(outcome.status, outcome.status), outcome.reason)
        counts[key] = counts.get(key, 0) + 1
    if not counts:
        return "failures", "Failed trials", ""
    rows = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td>{escape(values)}</td><td>{times}</td>"
        f"<td>{escape(status)}</td><td class='reason'>{escape(reason)}</td></tr>"
        for (name, values, status, reason), times in counts.items()
    )
    head = "".join(f"<th scope='col'>{title}</th>" for title in ("Method", "Values", "Trials", "Status", "Reason"))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return "failures", "Failed trials", make_scrollable("Failed trials", table)


def _format_values(trial: Trial) -> str:
    return ", ".join(f"{name} = {trial.parameters.get(name)}" for name in trial.varying) or "–"


def _write_made(result: StudyResult) -> _Section:
    """Write which methods were run with which parameters, the guarantee of each, and how the data were read."""
    rows = []
    for name in dict.fromkeys(trial.name for trial, _ in result.trials):
        own = [(trial, outcome) for trial, outcome in result.trials if trial.name == name]
        trial = own[0][0]
        fixed = ", ".join(
            f"{key} = {value}"
            for key, value in trial.parameters.items()
            if key not in trial.varying and value is not None
        )
        varying = "; ".join(
            f"{key}: {', '.join(dict.fromkeys(str(other.parameters.get(key)) for other, _ in own))}"
            for key in trial.varying
        )
        guarantee = "; ".join(dict.fromkeys(outcome.guarantee for _, outcome in own if outcome.guarantee)) or "–"
        texts = (trial.method, guarantee, varying or "–", fixed or "–")
        rows.append(
            f"<tr><th scope='row'>{escape(name)}</th>" + "".join(f"<td>{escape(text)}</td>" for text in texts) + "</tr>"
        )
    head = "".join(f"<th scope='col'>{text}</th>" for text in ("Name", "Method", "Guarantee", "Varied", "Fixed"))
    repetitions = len({trial.repetition for trial, _ in result.trials})
    intro = (
        f"Every trial was anonymised, written, verified from its files, attacked and measured in its own process, "
        f"{'once' if repetitions <= 1 else f'{show_count(repetitions)} times'}; its release was then deleted. Times "
        "were measured while other trials ran beside it. All numbers are in results.parquet and results.csv."
    )
    notes = "".join(f"<li>{escape(str(note))}</li>" for note in result.facts.get("data", {}).get("notes", ()))
    reading = f"<h3>Reading the data</h3><ul class='limits'>{notes}</ul>" if notes else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    table = make_scrollable("Methods and data", table)
    return "made", "Methods and data", f"<p>{escape(intro)}</p>{table}{reading}"
