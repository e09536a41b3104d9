"""The front door of questions: one text, one piece of evidence, one answer."""

from __future__ import annotations

import dataclasses

from sfumato.escape import make_visible
from sfumato.queries.answer import Answer
from sfumato.queries.count import count
from sfumato.queries.histogram import count_by_bucket
from sfumato.queries.language import parse
from sfumato.queries.notes import WholeNote
from sfumato.queries.periods import find_extremes
from sfumato.queries.plan import Plan
from sfumato.queries.published_view import PublishedView
from sfumato.queries.relation_queries import compare_periods
from sfumato.queries.syntax import Query
from sfumato.queries.times import Span

__all__ = ["ask"]

_STRANGER = "nothing here is known to be called {}: check the name."


def ask(view: PublishedView, question: str | Query, *, lenient: bool = False, span: Span | None = None) -> Answer:
    """Answer a question; ``lenient`` and ``span`` are those of a :class:`~sfumato.queries.plan.Plan`.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.trajectories.query_bounds import of_release
    >>> where = {"cafe": (0, 0), "bar": (1, 0), "clinic": (9, 9)}
    >>> data = sf.Dataset.of("trajectories", [["cafe", "clinic"], ["bar", "clinic"], ["clinic"]], where)
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
    >>> answer = ask(of_release(release), "count person where cafe and then clinic")
    >>> answer.certain, answer.possible
    (0, 2)
    """
    query = parse(question) if isinstance(question, str) else question
    plan = Plan(view, query.text, lenient, span)
    answer = _answer(plan, query)
    strangers = [WholeNote(_STRANGER.format(repr(make_visible(name)))) for name in dict.fromkeys(plan.strangers)]
    return dataclasses.replace(answer, notes=(*strangers, *answer.notes))


def _answer(plan: Plan, query: Query) -> Answer:
    if query.verb == "count":
        return count(plan, query) if query.bucket is None else count_by_bucket(plan, query)
    return compare_periods(plan, query) if query.verb == "relation" else find_extremes(plan, query)
