"""How large the cells are that attributes are published as."""

from __future__ import annotations

import dataclasses

from sfumato.kinds.table.metrics import ncp

__all__ = ["Ncp"]


@dataclasses.dataclass(frozen=True)
class Ncp(ncp.Ncp):
    """Measure NCP of the attributes, as of a table: what rum-bound keeps below delta.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> data = sf.Dataset.of("rt", [(20, "f"), (24, "m"), (60, "m"), (60, "m")], ("age", "sex"), [["a"]] * 4)
    >>> result = sf.anonymize(data, sf.methods.RFirst(k=2, relational="mondrian", transaction="coat"), secret=bytes(32))
    >>> Ncp().measure(Comparison(data, result.release)).value
    0.275

    References
    ----------
    Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 5.
    """
