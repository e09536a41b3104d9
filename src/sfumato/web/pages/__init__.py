"""The pages of the workbench. They show and ask; jobs do the work, and nothing is kept but in the project."""

from __future__ import annotations

from sfumato.web.pages import anonymise, compare, constraints, data, hierarchies, queries, releases, risk
from sfumato.web.pages.parts import Workspace

__all__ = ["register_pages"]


def register_pages(workspace: Workspace) -> None:
    """Make all pages for a project."""
    for module in (data, risk, hierarchies, constraints, queries, anonymise, compare, releases):
        module.register(workspace)
