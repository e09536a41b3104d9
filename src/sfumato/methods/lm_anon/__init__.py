"""l^m-ANON: k^m-anonymity with sensitive places that cannot be inferred."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.dataset import Dataset
from sfumato.core.diversity import explain_failure
from sfumato.core.guarantee import Guarantee
from sfumato.core.lengths import hideable_rows
from sfumato.core.method import Method
from sfumato.core.params import Param
from sfumato.core.publication import publish
from sfumato.core.release import Result
from sfumato.core.run import Run
from sfumato.core.trajectories import TOO_LONG, Trajectories
from sfumato.guarantees.klm_anonymity import KlmAnonymity

__all__ = ["LmAnon"]


@dataclasses.dataclass(frozen=True)
class LmAnon(Method):
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
    kinds: ClassVar[tuple[str, ...]] = ("trajectories",)
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KlmAnonymity,)
    optimises: ClassVar[str] = "distance"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "sensitive places")

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of ordinary places an attacker knows, in order.", ge=1)]
    l: Annotated[int, Param("One over the largest share that may visit a sensitive place.", ge=2)] = 2
    infeasible: Annotated[str, Param("What to do with records too long to hide.", choices=("error", "suppress"))] = (
        "error"
    )

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a (k,l)^m-anonymous release."""
        from sfumato.kernels.recode import Demand, Places, Rows, Tree, recode

        owner = type(self).__name__
        self.accept(dataset, self.k)
        everyone = Trajectories.of(dataset)
        kept = everyone.take(hideable_rows(everyone.ordinary.lengths, self.k, self.m, self.infeasible, owner))
        xy = everyone.coordinates(owner)
        ordinary, sensitive = kept.ordinary, kept.visited_sensitive
        with run.phase("recode"):
            outcome = recode(
                Rows(ordinary.offsets, ordinary.codes, sensitive.offsets, sensitive.codes),
                Places(xy[:, 0], xy[:, 1]),
                Tree(),
                Demand(self.k, self.l, tuple(range(1, self.m + 1))),
                run.report("sequences"),
            )
        if outcome.status != "done":
            raise explain_failure(kept, self.l, owner)
        run.counters.update(merges=outcome.merges, sequences_checked=outcome.sequences_checked)
        recoded = dataclasses.replace(kept.recoded(outcome.group), withheld={TOO_LONG: len(everyone) - len(kept)})
        guarantee = KlmAnonymity(self.k, self.m, self.l, dataset.schema.sensitive)
        return publish(dataset, self, guarantee, recoded, run)
