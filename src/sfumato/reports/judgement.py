"""Whether the attack agrees with the guarantee, in a sentence."""

from __future__ import annotations

import dataclasses
from typing import Any

from sfumato.attacks.risk import Risk
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.reports.numbers import show_amount, show_count, show_share
from sfumato.reports.text import explain_share

__all__ = ["Judgement", "judge", "write_judgement"]


@dataclasses.dataclass(frozen=True)
class Judgement:
    """Whether a release keeps what it guarantees, in a sentence.

    Parameters
    ----------
    level
        ``holds``, ``careful`` where it holds and there is more to know, or ``broken``.
    text
        The sentence.

    Examples
    --------
    >>> Judgement("holds", "The promise holds.").warn(Remaining()).level
    'holds'
    """

    level: str
    text: str

    def warn(self, remaining: Remaining) -> Judgement:
        """Return the judgement with a pointer to what remains possible, where someone should read that first."""
        if not remaining.warnings or self.level == "broken":
            return self
        return Judgement("careful", f"{self.text} See below what remains possible.")


def judge(comparison: Any, after: Risk, remaining: Remaining = NOTHING) -> Judgement:
    """Say whether the attack agrees with the guarantee, and whether there is more to be warned of."""
    guarantee, unit = comparison.release.guarantee, comparison.release.unit
    k, largest, share = getattr(guarantee, "k", None), guarantee.largest_share, after.max_sensitive_share
    if k is None or not after.smallest_anonymity_set:
        return Judgement("holds", "The guarantee holds in the published files.").warn(remaining)
    fits = show_amount(after.smallest_anonymity_set, unit.record, unit.records)
    faults = []
    if after.smallest_anonymity_set < k:
        faults.append(f"Some knowledge matches only {fits}; {show_count(k)} are guaranteed.")
    if largest is not None and share is not None and share > largest + 1e-12:
        faults.append(explain_share(guarantee.kinds[0], show_share(share), show_share(largest), holds=False))
    if faults:
        return Judgement("broken", " ".join(["Do not publish this release.", *faults]))
    guaranteed = f" ({show_count(k)} guaranteed)" if k > 1 else ""
    text = f"The guarantee holds: what the attacker knows matches at least {fits}{guaranteed}."
    return Judgement("holds", text).warn(remaining)


def write_judgement(comparison: Any, after: Risk) -> str:
    """Say whether the attack agrees with the guarantee."""
    guarantee, unit = comparison.release.guarantee, comparison.release.unit
    k, largest, share = getattr(guarantee, "k", None), guarantee.largest_share, after.max_sensitive_share
    if k is None or not after.smallest_anonymity_set:
        return ""
    judged = judge(comparison, after)
    if judged.level == "broken":
        return f"<blockquote class='warning'><p><b>{judged.text}</b></p></blockquote>"
    fits = show_amount(after.smallest_anonymity_set, unit.record, unit.records)
    guaranteed = f" ({show_count(k)} guaranteed)" if k > 1 else ""
    if after.measured is None:
        text = f"The attack confirms the guarantee: what is known matches at least {fits}{guaranteed}."
    else:
        sample = show_amount(after.measured, unit.one, unit.many)
        text = (
            f"The attack confirms the guarantee: for {sample} drawn at random, what is known matches at "
            f"least {fits}{guaranteed}. For all, it was verified from the published files."
        )
    if largest is not None and share is not None:
        text += " " + explain_share(guarantee.kinds[0], show_share(share), show_share(largest), holds=True)
    return f"<blockquote><p>{text}</p></blockquote>"
