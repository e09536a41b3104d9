"""Publish data about people over time: true records, a guarantee anyone can check.

Examples
--------
>>> import sfumato as sf
>>> places = {"home": (0, 0), "cafe": (1, 0), "office": (5, 5)}
>>> people = [["home", "office"], ["cafe", "office"], ["home", "office"]]
>>> data = sf.Dataset.of("trajectories", people, places)
>>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2))
>>> result.release.members()
{'{cafe|home}': ('cafe', 'home')}
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato import engines, methods
    from sfumato.api.calls import (
        anonymize,
        apply,
        attack,
        attack_beyond,
        attack_rising,
        attack_together,
        draw_workload,
        export,
        inspect,
        measure,
        plot,
        read,
        reconstruct,
        verify,
        write,
    )
    from sfumato.api.query import query, query_all
    from sfumato.attacks.risk import Risk
    from sfumato.base.verdict import Verdict
    from sfumato.data.dataset import Dataset
    from sfumato.data.record_unit import RecordUnit
    from sfumato.engines.publish import publish_in_partitions
    from sfumato.exceptions import (
        InfeasibleError,
        ParameterError,
        ReleaseWarning,
        SchemaError,
        SfumatoError,
        VerificationError,
    )
    from sfumato.exports import read_export
    from sfumato.formats.limits import allow_expansion
    from sfumato.hierarchies.hierarchy import Hierarchy
    from sfumato.metrics.workload import Workload
    from sfumato.release.release import Release, Result
    from sfumato.release.run import Run
    from sfumato.release.storage import read_release
    from sfumato.studies import run_study as study
    from sfumato.studies.explore import explore

__all__ = [
    "Dataset",
    "Hierarchy",
    "InfeasibleError",
    "ParameterError",
    "RecordUnit",
    "Release",
    "ReleaseWarning",
    "Result",
    "Risk",
    "Run",
    "SchemaError",
    "SfumatoError",
    "Verdict",
    "VerificationError",
    "Workload",
    "allow_expansion",
    "anonymize",
    "apply",
    "attack",
    "attack_beyond",
    "attack_rising",
    "attack_together",
    "draw_workload",
    "engines",
    "explore",
    "export",
    "inspect",
    "measure",
    "methods",
    "plot",
    "publish_in_partitions",
    "query",
    "query_all",
    "read",
    "read_export",
    "read_release",
    "reconstruct",
    "study",
    "verify",
    "write",
]

_WHERE = {
    "Dataset": "sfumato.data.dataset",
    "Hierarchy": "sfumato.hierarchies.hierarchy",
    "Release": "sfumato.release.release",
    "Result": "sfumato.release.release",
    "Risk": "sfumato.attacks.risk",
    "Run": "sfumato.release.run",
    "RecordUnit": "sfumato.data.record_unit",
    "Verdict": "sfumato.base.verdict",
    "Workload": "sfumato.metrics.workload",
    "allow_expansion": "sfumato.formats.limits",
    "publish_in_partitions": "sfumato.engines.publish",
    "read_export": "sfumato.exports",
    "explore": "sfumato.studies.explore",
    "query": "sfumato.api.query",
    "query_all": "sfumato.api.query",
    "read_release": "sfumato.release.storage",
}


def __getattr__(name: str) -> Any:
    """Load public names on first use, so that the command line answers at once."""
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("sfumato")
    if name in ("Unit", "publish_in_parts"):
        from sfumato.old_names import find_new_name

        return __getattr__(str(find_new_name("sfumato", name)))
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("engines", "methods"):
        return importlib.import_module(f"sfumato.{name}")
    if name == "study":
        return importlib.import_module("sfumato.studies").run_study
    errors = name.endswith(("Error", "Warning"))
    module = _WHERE.get(name, "sfumato.exceptions" if errors else "sfumato.api.calls")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
