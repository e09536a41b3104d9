"""l^m-ANON: k^m-anonymity with sensitive places that cannot be inferred."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.dataset import Dataset
from sfumato.core.diversity import explain_failure
from sfumato.core.guarantee import Guarantee
from sfumato.core.merging import PlaceMerging
from sfumato.core.params import Param
from sfumato.core.publication import Recoded
from sfumato.core.run import Run
from sfumato.core.trajectories import Trajectories
from sfumato.guarantees.klm_anonymity import KlmAnonymity

__all__ = ["LmAnon"]


@dataclasses.dataclass(frozen=True)
class LmAnon(PlaceMerging):
    """Hide ordinary places in a crowd of k and keep every sensitive place below probability 1/l.

    One recoding for the whole data set; sensitive places stay as they are.

    Examples
    --------
    >>> from sfumato.core.run import Run
    >>> xy = {"a": (0, 0), "b": (1, 0), "clinic": (9, 9)}
    >>> rows = [["a", "clinic"], ["a"], ["b"]]
    >>> data = Dataset.from_trajectories(rows, xy, sensitive=("clinic",))
    >>> LmAnon(k=2, m=1, l=3).anonymize(data, Run(seed=1)).release.members()
    {'{a|b}': ('a', 'b')}

    References
    ----------
    Poulis et al., Select-Organize-Anonymize: A framework for trajectory data anonymization, Section III.
    """

    name: ClassVar[str] = "lm-anon"
    summary: ClassVar[str] = "Like seqanon, and no sensitive place can be inferred above probability 1/l."
    paper: ClassVar[str] = "Poulis et al., Select-Organize-Anonymize (2013), III"
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KlmAnonymity,)
    optimises: ClassVar[str] = "distance"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "sensitive places")

    l: Annotated[int, Param("One over the largest share that may visit a sensitive place.", ge=2)] = 2

    def claim(self, dataset: Dataset) -> KlmAnonymity:
        """Claim (k,l)^m-anonymity for the sensitive places that were named."""
        return KlmAnonymity(self.k, self.m, self.l, dataset.schema.sensitive)

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Merge places until no sequence is rare and none gives a sensitive place away."""
        from sfumato.kernels.recode import Demand, Places, Rows, Tree, recode

        x, y = rows.coordinates(type(self).__name__).T
        ordinary, sensitive = rows.ordinary, rows.visited_sensitive
        outcome = recode(
            Rows(ordinary.offsets, ordinary.codes, sensitive.offsets, sensitive.codes),
            Places(x, y),
            Tree(),
            Demand(self.k, self.l, self.sizes(rows)),
            run.report("sequences"),
        )
        if outcome.status != "done":
            raise explain_failure(rows, self.l, type(self).__name__)
        run.counters.update(merges=outcome.merges, sequences_checked=outcome.sequences_checked)
        return rows.recoded(outcome.group)
