"""Questions asked of data and of releases, and what is certain, possible and expected of the answers.

``sf.query(release, "count person where clinic and then pharmacy within 7d")`` asks one.

Examples
--------
>>> import sfumato as sf
>>> sf.query(sf.Dataset.of("sets", [["bread"], ["wine", "bread"]]), "count record with bread and wine").certain
1
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any


class _CallableModule(types.ModuleType):
    """Lets ``sf.query`` be the function and this package at once, whichever was imported first."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        # By name, as kinds are found: the front door stands floors above.
        return importlib.import_module("sfumato.questions").query(*arguments, **options)


sys.modules[__name__].__class__ = _CallableModule
