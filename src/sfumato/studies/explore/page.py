"""What exploring data found, as one page for people: self-contained and without scripts."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from sfumato.attacks.risk import name_knowledge
from sfumato.escape import escape_html as escape
from sfumato.studies.explore.answer import Exploration

__all__ = ["render"]

_STYLE = """
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #1d2733; background: #fff }
body { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.7rem; margin: 0 0 .2rem } h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem }
.verdict { background: #eef4fb; border-left: 4px solid #2f6fb0; padding: .7rem 1rem; margin: 1rem 0 }
.beware { background: #fdf1ec; border-left: 4px solid #b8441f; padding: .5rem 1rem; margin: .6rem 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .93rem }
th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid #dde3ea; vertical-align: top }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
pre { background: #f4f6f8; padding: .8rem 1rem; overflow-x: auto } figure { margin: 1rem 0; overflow-x: auto }
.small { color: #5a6774; font-size: .9rem }
"""
_ROLES = {"balanced": "Balanced (chosen)", "safest": "Safest", "most useful": "Most useful"}


def render(exploration: Exploration, name: str) -> str:
    """Return the page; name is that of the data."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    body = [
        f"<h1>Guarantees for {escape(name)}: risk and loss</h1>",
        f'<p class="small">{today}. {escape(exploration.describe_sample())}</p>',
        _verdict(exploration),
        "<h2>Risk in the original</h2>",
        *(f"<p>{escape(sentence)}</p>" for sentence in exploration.in_words),
        _risks(exploration.before),
        "<h2>Loss by guarantee</h2>",
        f"<p>The loss is <b>{escape(exploration.measure[1])}</b> ({escape(exploration.measure[0])}): lower is better. "
        "Success is the chance to pick the right record of a person, on average.</p>",
        _costs(exploration),
        "<h2>Risk and loss of all candidates</h2>",
        _scatter(exploration),
        "<h2>Three choices on the front</h2>",
        "<p>For candidates on the front, no other has both a lower risk and a lower loss.</p>",
        _choices(exploration),
        _policy(exploration),
        _left_out(exploration),
        '<p class="small">Every number and more plots: <code>study.html</code>, <code>results.parquet</code> and '
        "<code>results.csv</code> beside this page.</p>",
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Exploration of {escape(name)}</title><style>{_STYLE}</style></head><body>{''.join(body)}</body></html>"
    )


def _verdict(exploration: Exploration) -> str:
    if not exploration.choices:
        return '<p class="verdict">No candidate was finished. Reasons and remedies are below.</p>'
    picked = exploration.picked
    return (
        f'<p class="verdict"><b>{escape(picked.tried.name)}</b> is the balanced choice. Its guarantee is '
        f"{escape(picked.tried.outcome.guarantee)}. An attacker's success is {picked.tried.risk:.2%}, the "
        f"loss {picked.tried.loss:.3g} ({escape(exploration.measure[0])}).</p>"
        + "".join(f'<p class="beware">{escape(warning)}</p>' for warning in exploration.format_warnings())
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    lines = "".join(
        "<tr>"
        + "".join(
            f'<td class="number">{escape(_show(cell))}</td>'
            if isinstance(cell, int | float)
            else f"<td>{escape(_show(cell))}</td>"
            for cell in row
        )
        + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _show(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _share(value: float | None) -> str | None:
    return None if value is None else f"{value:.2%}"


def _risks(before: Sequence[Any]) -> str:
    sized_risks = [risk for risk in before if risk.get("set_sizes")]
    if sized_risks:
        bands = list(dict.fromkeys(band for risk in sized_risks for band in risk["set_sizes"]))
        heads = ["known", "success", *(f"{band} matches" for band in bands)]
        rows = [
            (
                name_knowledge(risk["knowledge"], risk["m"]) if "m" in risk else f"all {risk['knowledge']}",
                _share(risk["mean_success"]),
                *(_share(risk["set_sizes"].get(band, 0.0)) for band in bands),
            )
            for risk in sized_risks
        ]
        return _table(heads, rows)
    rows = [
        (f"{risk['seen']:.0%} of the time points" if "seen" in risk else "all", _share(risk[name]))
        for risk in before
        for name in ("largest_relative_frequency",)
        if name in risk
    ]
    return _table(["watched", "largest relative frequency of a sensitive event"], rows) if rows else ""


def _costs(exploration: Exploration) -> str:
    heads = ["guarantee", "best method", "loss", "success before", "after", "published", "suppressed", "seconds"]
    rows = [
        (
            cost["promise"],
            cost["cheapest"],
            cost["loss"],
            _share(cost["risk_before"]),
            _share(cost["risk_after"]),
            cost["published"],
            cost["withheld"],
            cost["seconds"],
        )
        for cost in exploration.costs()
    ]
    return _table(heads, rows)


def _choices(exploration: Exploration) -> str:
    rows = [
        (
            _ROLES[choice.role],
            choice.tried.name,
            _share(choice.tried.risk),
            choice.tried.loss,
        )
        for choice in exploration.choices
    ]
    reasons = "".join(
        f"<li><b>{_ROLES[choice.role]}</b>: {escape(choice.reason)}</li>" for choice in exploration.choices
    )
    return _table(["choice", "method", "success", "loss"], rows) + f"<ul>{reasons}</ul>"


def _policy(exploration: Exploration) -> str:
    if not exploration.policy:
        return ""
    lines = "\n".join(escape(line) for line in exploration.policy.splitlines())
    return (
        "<h2>The policy of the one picked</h2><p>Saved as <code>policy.toml</code>; "
        f"<code>sfumato run policy.toml</code> publishes with it.</p><pre>{lines}</pre>"
    )


def _left_out(exploration: Exploration) -> str:
    lines = [f"{name}: needs {need}." for name, need in exploration.lacking.items()]
    lines += [f"{cell.name}: {outcome.status}. {outcome.reason}" for cell, outcome in exploration.result.failures()]
    if exploration.unrun:
        lines.append(f"There was no time for {len(exploration.unrun)} more candidates.")
    if not lines:
        return ""
    return "<h2>What is not here, and why</h2><ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _scatter(exploration: Exploration) -> str:
    """Draw everything that was tried, the front joined by a line."""
    if not exploration.tried:
        return "<p>Nothing was finished.</p>"
    import altair as alt
    import vl_convert

    front = {id(point) for point in exploration.front}
    points = [
        {
            "risk": point.risk,
            "loss": point.loss,
            "method": point.trial.method,
            "on": "on the front" if id(point) in front else "beaten",
        }
        for point in exploration.tried
    ]
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X("risk:Q", title="success of an attacker (less is safer)", axis=alt.Axis(format="%")),
        y=alt.Y("loss:Q", title=f"loss: {exploration.measure[0]} (less is better)"),
    )
    line = base.transform_filter("datum.on == 'on the front'").mark_line(color="#888", strokeDash=[4, 3])
    dots = base.mark_point(filled=True, size=90, opacity=0.9).encode(
        color=alt.Color("method:N", title="method"),
        shape=alt.Shape(
            "on:N", title=None, scale=alt.Scale(domain=["on the front", "beaten"], range=["circle", "cross"])
        ),
    )
    chart = (line + dots).properties(width=560, height=300)
    return f"<figure>{vl_convert.vegalite_to_svg(chart.to_dict())}</figure>"
