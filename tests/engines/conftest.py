"""One session of Spark on this machine for all tests."""

import pytest
from tests.engines.sessions import MISSING

from sfumato.engines.spark import Spark


@pytest.fixture(scope="session")
def spark():
    if MISSING:
        pytest.skip(MISSING)
    engine = Spark.start("local[2]")
    yield engine
    engine.session.stop()
