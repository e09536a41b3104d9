"""A simulated user of the workbench who takes steps on a project; jobs run at once, in this process."""

from __future__ import annotations

import asyncio
import sys

import pytest
from nicegui.testing.user_simulation import user_simulation
from tests.web.filling import JobsAtOnce

from sfumato.web.pages import register_pages
from sfumato.web.pages.parts import Field, Workspace
from sfumato.web.project import Project


@pytest.fixture(autouse=True)
def keep_modules():
    """Put modules back that a simulation takes out, so that what runs later patches those that are in use."""
    before = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "sfumato"}
    yield
    sys.modules.update(before)


@pytest.fixture
def walk(tmp_path, monkeypatch):
    """Let a simulated user take steps on a project; fields of the page are filled by what they are called."""
    fields: list[tuple[str, Field]] = []
    begin = Field.__init__

    def note(self, label, *given, **more):
        begin(self, label, *given, **more)
        fields.append((label, self))

    monkeypatch.setattr(Field, "__init__", note)

    def fill(label, value, at=-1):
        [field for name, field in fields if name == label][at].value = value

    def run(steps):
        async def take():
            async with user_simulation() as user:
                project = Project.open(tmp_path / "project")
                workspace = Workspace(project, JobsAtOnce(project))
                register_pages(workspace)
                look = user.open

                async def open(path, **more):
                    fields.clear()
                    await look(path, **more)

                user.open = open
                await steps(user, workspace, fill)

        asyncio.run(take())

    return run
