"""Hierarchies from ontologies: several sources about the same things in one store, and trees out of it.

``sfumato warehouse build FILE.toml --out DIR`` reads sources into graphs of their own, infers what mappings onto a
top-level ontology give, links what is the same, and keeps for every statement who says so.

References
----------
Tzitzikas, Allocca, Bekiari, Marketakis, Fafalios, Doerr, Minadakis, Patkos, Candela: Unifying heterogeneous and
distributed information about marine species through the top level ontology MarineTLO.
"""

from __future__ import annotations

from sfumato.exceptions import ParameterError

try:
    import pyoxigraph as _store  # noqa: F401
except ImportError:
    raise ParameterError("Warehouses need Pyoxigraph.", hint="Install it: pip install 'sfumato[ontology]'") from None
