"""The example of the guide, and small warehouses of a few lines."""

import shutil
from pathlib import Path

import pytest

from sfumato.ontologies.building import build
from sfumato.ontologies.warehouse import Warehouse

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "tuna"


@pytest.fixture(scope="session")
def tuna_folder(tmp_path_factory):
    """The five sources about tuna, built once; nobody may write to it."""
    folder = tmp_path_factory.mktemp("tuna") / "warehouse"
    build(EXAMPLE / "tuna.toml", folder)
    return folder


@pytest.fixture
def tuna(tuna_folder):
    """The five sources about tuna, open."""
    with Warehouse(tuna_folder) as warehouse:
        yield warehouse


@pytest.fixture
def own_tuna(tmp_path):
    """A copy of the files of the example, to be changed: the file that describes the warehouse, not built."""
    shutil.copytree(EXAMPLE, tmp_path / "tuna")
    return tmp_path / "tuna" / "tuna.toml"


@pytest.fixture
def make(tmp_path):
    """Write files and a description, build, and return the open warehouse."""
    opened = []

    def write(definition: str, files: dict[str, str], *, build_it: bool = True):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "w.toml").write_text(definition, encoding="utf-8")
        if not build_it:
            return tmp_path / "w.toml"
        build(tmp_path / "w.toml", tmp_path / "w")
        opened.append(Warehouse(tmp_path / "w"))
        return opened[-1]

    yield write
    for warehouse in opened:
        warehouse.close()
