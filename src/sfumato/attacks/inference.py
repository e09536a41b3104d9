"""How sure somebody can be of a sensitive value, in a sentence for every kind of data."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sfumato.base.remaining import Possibility, Remaining
from sfumato.data.kind import find_kind
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.messages import Message, parameter
from sfumato.release.release import Release

__all__ = ["describe_confidence", "find_inferences"]

_SHARES = ("share", "share_at_most", "largest_share")
"""What verifiers call the largest share of a sensitive value that they counted."""


def find_inferences(release: Release, measured: Mapping[str, Any]) -> Remaining:
    """Return how sure a reader of the published files alone can be of sensitive values.

    A kind may count that itself; otherwise it is what the verifier counted.

    Parameters
    ----------
    release
        A release whose structure was checked.
    measured
        What its verifier counted.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 1)})
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=1)).release
    >>> len(find_inferences(release, {"k": 2}))
    0
    >>> find_inferences(release, {"share": "2/3"})
    Remaining(Someone who knows what the guarantee covers can infer a sensitive value with up to 66.7 % confidence.)
    """
    count = find_kind(release.kind).find_inferences
    return Remaining.of([_read_share(release, measured)]) if count is None else count.load()(release, measured)


def _read_share(release: Release, measured: Mapping[str, Any]) -> Possibility | None:
    """Return the largest share that a verifier counted; None where the guarantee bounds none."""
    share = next((measured[name] for name in _SHARES if name in measured), None)
    if share is None and release.guarantee.largest_share not in (None, 1) and measured.get("l"):
        share = 1 / measured["l"]
    return None if share is None else describe_confidence(float(Fraction(str(share))))


def describe_confidence(
    confidence: float,
    knowledge: str = "what the guarantee covers",
    *,
    certain: int = 0,
    people: int = 0,
    unit: RecordUnit = PERSON,
) -> Possibility:
    """Say how sure somebody can be of a sensitive value, where there is one sort of such values.

    Parameters
    ----------
    confidence
        The largest share of one value among the records that anybody matches.
    knowledge
        What is known of a person.
    certain, people
        For how many all records that match have the same value, and of how many.
    unit
        What one record is.

    Examples
    --------
    >>> describe_confidence(1.0, certain=3, people=9).sentence
    '3 of 9 people (33.3 %) match only records with the same sensitive value.'
    """
    counts = {"people": certain, "of": people} if people else {}
    wording = f"Someone who knows {knowledge} can infer a sensitive value with up to {{confidence}} confidence."
    if certain:
        wording = f"{{people}} of {{of}} {unit.many} ({{share}}) match only records with the same sensitive value."
    sure = confidence >= 1
    remedy = (
        Message(
            "What helps: a guarantee about sensitive values, such as l-diversity (", parameter("l", 2), " or more)."
        )
        if sure
        else ""
    )
    severity: Any = "warning" if sure else "note"
    return Possibility("inference", "", severity, wording, remedy, counts, {"confidence": confidence})
