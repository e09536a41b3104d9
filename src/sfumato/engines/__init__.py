"""Where independent partitions are computed: on the cores of this machine, or on a cluster.

Examples
--------
>>> Local(cores=2).cores
2
"""

from sfumato.engines.local import Local
from sfumato.engines.spark import Spark

__all__ = ["Local", "Spark"]
