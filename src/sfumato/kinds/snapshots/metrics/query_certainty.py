"""How much a release leaves open of what can be asked."""

from __future__ import annotations

from sfumato.metrics.query_certainty import OpenQuestions

__all__ = ["QueryCertainty"]


class QueryCertainty(OpenQuestions):
    """Measure what questions leave open, as :class:`sfumato.metrics.query_certainty.OpenQuestions` says.

    Examples
    --------
    >>> QueryCertainty(questions=20).better
    'lower'
    """
