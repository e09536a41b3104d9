"""The parts of a report that any kind of data has, as HTML without scripts."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Risk
from sfumato.base.guarantee import NOTE_LABEL
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.data.record_unit import PERSON, plural
from sfumato.escape import escape_html as escape
from sfumato.metrics.comparison import Comparison
from sfumato.reports.html import draw_figure, make_table, raise_powers, shorten
from sfumato.reports.judgement import Judgement, judge, write_judgement
from sfumato.reports.measures import write_utility
from sfumato.reports.numbers import choose_edges, show_amount, show_bin, show_count, show_number, show_share
from sfumato.reports.style import STYLE
from sfumato.reports.text import describe_attacker, describe_counter, list_limits, name_share
from sfumato.verification.people import describe_counted_people, find_smallest_group

if TYPE_CHECKING:
    from sfumato.reports.figure import Figure
from sfumato.base.remaining import TITLE

__all__ = [
    "Judgement",
    "account_for",
    "count_uses",
    "describe_people",
    "judge",
    "list_contents",
    "list_generalised",
    "render_guarantee",
    "show_change",
    "write_facts",
    "write_header",
    "write_page",
    "write_published",
    "write_risk",
    "write_utility",
]


_TOP_VALUES = 10
_SHOWN_MEMBERS = 6
_SHOWN_LENGTH = 40
_SHOWN_SOURCE = 60
# Even if a label slipped through unescaped, the browser would run nothing and load nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def write_page(comparison: Any, sections: Sequence[str]) -> str:
    """Write the sections that are not empty as one page, with its contents behind the first."""
    title = escape(f"Owner’s report: {comparison.release.method}, {comparison.release.guarantee}")
    header, *rest = [section for section in sections if section]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join([header, *list_contents(rest)])
        + "\n<footer class='muted'>Made by Sfumato. This file is self-contained: it loads nothing and runs nothing."
        "</footer>\n</main>\n</body>\n</html>\n"
    )


def list_contents(sections: Sequence[str]) -> list[str]:
    """Return the sections with an anchor at every title, behind a list of links to them.

    Examples
    --------
    >>> list_contents(["<section><h2>Risk</h2></section>"])[1]
    "<section><h2 id='part-1'>Risk</h2></section>"
    """
    titles: list[str] = []

    def anchor(match: re.Match[str]) -> str:
        titles.append(match[1])
        return f"<h2 id='part-{len(titles)}'>{match[1]}</h2>"

    anchored = [re.sub(r"<h2>(.*?)</h2>", anchor, section) for section in sections]
    links = "".join(f"<li><a href='#part-{at}'>{title}</a></li>" for at, title in enumerate(titles, start=1))
    return [f"<nav aria-label='Contents'><ol>{links}</ol></nav>", *anchored] if links else anchored


def count_uses(comparison: Comparison) -> npt.NDArray[np.int64]:
    """Count how often each published value occurs."""
    return np.bincount(comparison.published.codes, minlength=len(comparison.sizes)).astype(np.int64)


def show_change(comparison: Any, before: Risk, after: Risk) -> list[tuple[str, str]]:
    """Show how many records are published, and what that does to the risk: tiles of the header."""
    release = comparison.release
    return [
        (show_count(len(release)), f"of {show_count(release.records_in)} {release.unit.records} published"),
        (
            _change(show_count(before.smallest_anonymity_set), show_count(after.smallest_anonymity_set)),
            "smallest number of matching records",
        ),
        (
            _change(show_share(before.unique_share), show_share(after.unique_share)),
            f"of {release.unit.many} unique{' (sampled)' if after.sampling or before.sampling else ''}",
        ),
    ]


def write_header(
    comparison: Any,
    secret: str,
    tiles: Sequence[tuple[str, str]],
    judgement: Judgement | None = None,
    remaining: Remaining = NOTHING,
) -> str:
    """Write what it is about, whether the guarantee holds, what remains possible, and the numbers that matter most."""
    release = comparison.release
    listed = "".join(f"<li><b>{value}</b><span>{escape(text)}</span></li>" for value, text in tiles)
    today = datetime.date.today()
    source = f"{shorten(comparison.original.source, _SHOWN_SOURCE)}, " if comparison.original.source else ""
    verdict = f"<p class='verdict {judgement.level}'>{escape(judgement.text)}</p>\n" if judgement else ""
    return (
        f"<header><h1>Owner’s report</h1>\n<p class='muted'>{escape(source)}{today.day} {today:%B %Y}</p>\n"
        f"<p>{escape(release.kind.capitalize())} published with {escape(release.method)} under "
        f"{raise_powers(str(release.guarantee))}</p>\n{verdict}"
        f"<p class='private'>For the data owner only: {escape(secret)}. Do not publish it.</p>\n"
        f"<ul class='tiles'>{listed}</ul>\n{write_remaining(remaining)}</header>"
    )


def _change(was: str, now: str) -> str:
    return f"<i class='was'>{escape(was)}</i> → <i class='is'>{escape(now)}</i>"


def write_published(comparison: Any, account: str) -> str:
    """Write what was published (an account as HTML), what is guaranteed, and what is not."""
    guarantee, unit = comparison.release.guarantee, comparison.release.unit
    limits = "".join(
        f"<li><b>{raise_powers(lead)}</b> {raise_powers(text)}</li>" for lead, text in list_limits(guarantee, unit)
    )
    return (
        f"<section><h2>What was published</h2>\n{account}\n{describe_people(comparison)}"
        f"{render_guarantee(comparison.release)}{_count_people(comparison)}"
        f"<h3>What it does not protect against</h3>\n<ul class='limits'>{limits}</ul></section>"
    )


def render_guarantee(release: Any) -> str:
    """State what is guaranteed, and below it what is true of the method and cannot be verified.

    Examples
    --------
    >>> import sfumato as sf
    >>> release = sf.anonymize(sf.Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2)).release
    >>> print(render_guarantee(release).splitlines()[-1])
    <p class='muted'>About the method (cannot be verified from the files): Groups do not depend on sensitive values.
    Knowledge of the method does not distinguish the records of a group.</p>
    """
    guarantee = release.guarantee
    note = f"<p class='muted'>{NOTE_LABEL}: {raise_powers(release.method_note)}</p>\n" if release.method_note else ""
    return (
        f"<h3>Guarantee: {raise_powers(str(guarantee))}</h3>\n"
        f"<blockquote><p>{raise_powers(guarantee.statement(release.unit))}</p></blockquote>\n{note}"
    )


def _count_people(comparison: Any) -> str:
    """Say how many people the guarantee comes to, where they have several records and it is known whose those are."""
    original, rows = comparison.original, comparison.rows
    person = None if original.people is None else original.person_codes()
    smallest_group = None if person is None or rows is None else find_smallest_group(comparison.release, original, rows)
    if person is None or smallest_group is None:
        return ""
    most = int(np.bincount(person).max(initial=0))
    return f"<p>{escape(describe_counted_people(comparison.release, smallest_group.people, most))}</p>\n"


def describe_people(comparison: Any) -> str:
    """Say what the data and the release are made of, where people have several records; nothing elsewhere."""
    original, unit = comparison.original, comparison.release.unit
    person = None if original.people is None else original.person_codes()
    if person is None or not len(person):
        return ""
    had = np.bincount(person)
    owners = plural(unit.owner or "person")
    rows = comparison.rows
    left = None if rows is None else np.bincount(person[np.asarray(rows, dtype=np.int64)], minlength=len(had))
    paragraph = (
        f"The data have {unit.count(len(person))} of {unit.owners(len(had))}: {show_number(round(had.mean(), 1))} "
        f"each on average (median {show_count(int(np.median(had)))}), at most "
        f"{show_count(int(had.max()))}."
    )
    if left is not None:
        gone = int((left == 0).sum())
        paragraph += f" The release has {unit.count(int(left.sum()))} of {unit.owners(len(had) - gone)}" + (
            f"; all records of {unit.owners(gone)} are suppressed." if gone else "."
        )
    edges = choose_edges(int(had.max()), None)
    sides = [had] if left is None else [had, left]
    counts = [np.histogram(side, edges)[0].tolist() for side in sides]
    listed = [
        [f"{show_bin(first, end)} {unit.one if end == 2 else unit.many}", *map(show_count, numbers)]
        for first, end, *numbers in zip(edges[:-1], edges[1:], *counts, strict=True)
        if any(numbers)
    ]
    table = make_table([f"{owners.capitalize()} with", "Before", "After"][: 1 + len(sides)], listed, narrow=True)
    heading = f"{unit.many.capitalize()} of each {unit.owner or 'person'}"
    return f"<h3>{escape(heading)}</h3>\n<p>{escape(paragraph)}</p>\n{table}\n"


def account_for(comparison: Any, others: Sequence[tuple[str, int]]) -> str:
    """Account for every record, and for other things that are counted."""
    release, records = comparison.release, comparison.release.unit.records.capitalize()
    rows = [
        (f"{records} in the original data", release.records_in, False),
        (f"{records} published", len(release), False),
        (f"{records} suppressed", release.records_in - len(release), False),
        *((reason, count, True) for reason, count in release.suppressed_records.items()),
        *((name, count, False) for name, count in others),
    ]
    body = "".join(
        f"<tr{' class=sub' * is_part}><th scope='row'>{escape(name)}</th>"
        f"<td class='number'>{show_count(count)}</td></tr>"
        for name, count, is_part in rows
    )
    return f"<table class='narrow'><tbody>{body}</tbody></table>"


def write_risk(comparison: Any, before: Risk, after: Risk, drawn: Mapping[str, Figure]) -> str:
    """Write what an attacker reaches before and after, and whether that agrees with the guarantee."""
    guarantee = comparison.release.guarantee
    unit = comparison.release.unit
    kind, m = comparison.release.kind, after.m or getattr(guarantee, "m", None)
    attacker = describe_attacker(kind, after.knowledge, m, unit)
    wanted = "which record belongs to the person" if unit == PERSON else f"which {unit.record} it is"
    caption = (
        f"For every {unit.one}, the number of {unit.records} that match what the attacker knows, for the "
        f"knowledge that reveals the {unit.one} most. The axis is logarithmic; a bar covers the numbers "
        "from its left to its right end."
    )
    absent = int((after.set_sizes == 0).sum())
    if absent:
        scope = "" if after.measured is None else f" of the {show_count(after.measured)} measured"
        are = "is" if absent == 1 else "are"
        caption += (
            f" After: {show_amount(absent, unit.one, unit.many)}{scope} {are} not in the release and not in a bar."
        )
    return (
        f"<section><h2>Risk before and after</h2>\n<p>The attacker is {escape(attacker)}, has the release, and "
        f"wants to know {wanted}. Before: the original without identifiers."
        f"</p>\n{write_judgement(comparison, after)}\n{_risk_table(before, after, kind)}\n"
        f"{_describe_sample(before, after)}"
        f"{draw_figure('anonymity-sets', drawn['anonymity-sets'], caption)}{_draw_curve(drawn)}</section>"
    )


def _draw_curve(drawn: Mapping[str, Figure]) -> str:
    if "risk-curve" not in drawn:
        return ""
    caption = (
        "The more an attacker knows, the fewer records match: steeply before, and only down to the guarantee after."
    )
    return f"\n<h3>Risk by knowledge</h3>\n{draw_figure('risk-curve', drawn['risk-curve'], caption)}"


def _describe_sample(before: Risk, after: Risk) -> str:
    """Say where people were sampled, and how far off that may be."""
    samples = [f"{when}: {risk.sampling}" for when, risk in (("before", before), ("after", after)) if risk.sampling]
    if not samples:
        return ""
    return (
        f"<p class='muted'>Sampled, {escape('; '.join(samples))} (95 % confidence). Smallest numbers and worst cases "
        "are "
        f"those among the {after.unit.many} measured.</p>\n"
    )


def _risk_table(before: Risk, after: Risk, kind: str) -> str:
    rows = [
        (
            f"Smallest number of matching {after.unit.records}",
            show_count(before.smallest_anonymity_set),
            show_count(after.smallest_anonymity_set),
        ),
        (
            f"{after.unit.many.capitalize()} that are unique",
            show_share(before.unique_share),
            show_share(after.unique_share),
        ),
        (
            f"Attacker’s success, average {after.unit.one}",
            show_share(before.mean_success),
            show_share(after.mean_success),
        ),
        ("Attacker’s success, worst case", show_share(before.max_success), show_share(after.max_success)),
        (
            "Attacker’s success with random knowledge",
            show_share(before.mean_success_random),
            show_share(after.mean_success_random),
        ),
        (
            name_share(kind),
            show_share(before.max_sensitive_share),
            show_share(after.max_sensitive_share),
        ),
    ]
    filled_rows = [row for row in rows if row[1:] != ("–", "–")]
    return make_table(["", "Before", "After"], filled_rows, narrow=True)


def list_generalised(comparison: Comparison, what: str, head: tuple[str, str]) -> str:
    """List the generalised values that occur most, with their members; nothing if there are none."""
    uses = count_uses(comparison)
    generalised = np.flatnonzero(comparison.generalised & (uses > 0))
    if not len(generalised):
        return ""
    top = generalised[np.argsort(-uses[generalised], kind="stable")][:_TOP_VALUES]
    members = comparison.members
    rows = []
    for value in top:
        codes = members.codes[members.offsets[value] : members.offsets[value + 1]]
        labels = sorted(members.labels[code] for code in codes)
        named = ", ".join(shorten(label, _SHOWN_LENGTH) for label in labels[:_SHOWN_MEMBERS])
        more = f" and {show_count(len(labels) - _SHOWN_MEMBERS)} more" if len(labels) > _SHOWN_MEMBERS else ""
        rows.append((named + more, show_count(len(labels)), show_count(int(uses[value]))))
    title = f"The most used {what}" if len(generalised) > len(top) else f"The {what}"
    return f"<h3>{title}</h3>\n{make_table(['One of', *head], rows)}"


def write_facts(comparison: Any, facts: Mapping[str, str]) -> str:
    """Write how the release was made and how the data were read."""
    notes = "".join(f"<li>{escape(str(note))}</li>" for note in comparison.original.notes)
    if not facts and not notes:
        return ""
    named = [(describe_counter(comparison.release.kind, name), str(value)) for name, value in facts.items()]
    table = make_table([], named, narrow=True) if facts else ""
    read = f"<h3>Reading the data</h3><ul class='limits'>{notes}</ul>" if notes else ""
    return f"<section><h2>How it was made</h2>\n{table}{read}</section>"


def write_remaining(remaining: Remaining) -> str:
    """Write what remains possible as HTML: warnings in a frame, and the rest as a list.

    Examples
    --------
    >>> from sfumato.base.remaining import Possibility
    >>> write_remaining(Remaining((Possibility("utility", "ncp", "note", "Cells are exact."),)))
    "<section class='remaining'><h2>What remains possible</h2>\\n<ul><li>Cells are exact.</li></ul></section>"
    """
    if not len(remaining):
        return ""
    warned = "".join(
        f"<p><b>{escape(possibility.sentence)}</b> {escape(possibility.hint)}</p>"
        for possibility in remaining
        if possibility.is_warning
    )
    noted = "".join(f"<li>{escape(str(possibility))}</li>" for possibility in remaining if not possibility.is_warning)
    framed = f"<blockquote class='warning'>{warned}</blockquote>" if warned else ""
    listed = f"<ul>{noted}</ul>" if noted else ""
    return f"<section class='remaining'><h2>{TITLE}</h2>\n{framed}{listed}</section>"
