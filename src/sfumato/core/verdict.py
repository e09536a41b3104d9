"""What a check of a release found."""

from __future__ import annotations

import dataclasses
from typing import Any

__all__ = ["Verdict"]


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Claimed against measured, and a witness where the claim breaks.

    Parameters
    ----------
    holds
        Whether the release keeps what it claims.
    claimed, measured
        Parameters of the guarantee as stated, and as found in the files.
    witness
        What breaks the claim, in terms of published values and published rows only.
    checks
        Outcome of every check by name.

    Examples
    --------
    >>> Verdict(True, {"k": 5, "m": 2}, {"k": 7, "m": 2})
    Verdict(holds=True, claimed k=5, m=2, measured k=7, m=2)
    """

    holds: bool
    claimed: dict[str, Any]
    measured: dict[str, Any]
    witness: dict[str, Any] | None = None
    checks: dict[str, bool] = dataclasses.field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.holds

    def __and__(self, other: Verdict) -> Verdict:
        """Combine two checks of the same release."""
        return Verdict(
            self.holds and other.holds,
            {**self.claimed, **other.claimed},
            {**self.measured, **other.measured},
            self.witness or other.witness,
            {**self.checks, **other.checks},
        )

    def __repr__(self) -> str:
        claimed = ", ".join(f"{name}={value}" for name, value in self.claimed.items())
        measured = ", ".join(f"{name}={value}" for name, value in self.measured.items())
        return f"Verdict(holds={self.holds}, claimed {claimed}, measured {measured})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return dataclasses.asdict(self)
