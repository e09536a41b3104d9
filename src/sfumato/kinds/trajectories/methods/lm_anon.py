"""l^m-ANON: k^m-anonymity with sensitive places that cannot be inferred."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sfumato.kinds.trajectories.families.place_merging import DiverseMerging

__all__ = ["LmAnon"]


@dataclasses.dataclass(frozen=True)
class LmAnon(DiverseMerging):
    """Hide ordinary places in a crowd of k and keep every sensitive place below probability 1/l.

    One recoding for the whole data set; sensitive places stay as they are.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> xy = {"a": (0, 0), "b": (1, 0), "clinic": (9, 9)}
    >>> rows = [["a", "clinic"], ["a"], ["b"]]
    >>> data = Dataset.of("trajectories", rows, xy, sensitive=("clinic",))
    >>> LmAnon(k=2, m=1, l=3).anonymize(data, Run(bytes(32))).release.members()
    {'{a|b}': ('a', 'b')}

    References
    ----------
    Poulis et al., Select-Organize-Anonymize: A framework for trajectory data anonymization, Section III.
    """

    name: ClassVar[str] = "lm-anon"
    summary: ClassVar[str] = "Like seqanon, and no sensitive place can be inferred above probability 1/l."
    paper: ClassVar[str] = "Poulis et al., Select-Organize-Anonymize (2013), III"
    optimises: ClassVar[str] = "distance"
