"""How data are published: every option, for commands and for the section ``[release]`` of a policy."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any, ClassVar

from sfumato.old_names import with_old_names
from sfumato.params import Option
from sfumato.release.suppression import MAX_SUPPRESSED_RECORDS

__all__ = ["BatchOptions", "ReleaseOptions"]


@dataclasses.dataclass(frozen=True)
class BatchOptions:
    """Options that every release is published with, that of a later batch, too.

    Examples
    --------
    >>> BatchOptions("published").max_suppressed_records
    0.05
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    out: Annotated[
        str, Option("Directory for release/ and owner/; with the engine spark also hdfs://, s3a:// ...", form="never")
    ]
    secret: Annotated[
        Path | None, Option("owner/secret.hex of an earlier release, to make it again.", files=True, form="never")
    ] = None
    force: Annotated[bool, Option("Replace a release that is there.", form="never")] = False
    report: Annotated[bool, Option("Write owner/report.html.", form="never")] = True
    include: Annotated[
        tuple[Path, ...],
        Option(
            "File to publish beside the release, such as a LICENSE; declared in release.json.", files=True, form="never"
        ),
    ] = ()
    max_suppressed_records: Annotated[
        float,
        Option("Share of the records that may be left out; with more, nothing is published.", label="May be left out"),
    ] = MAX_SUPPRESSED_RECORDS


@with_old_names
@dataclasses.dataclass(frozen=True)
class ReleaseOptions(BatchOptions):
    """Options that data are published with: the section ``[release]`` of a policy.

    Examples
    --------
    >>> ReleaseOptions("published", protect="people").report
    True
    """

    protect: Annotated[
        str, Option("What k counts: records, or people, where people have several records.", label="k counts")
    ] = "records"
    engine: Annotated[
        str,
        Option("Publish in partitions of people who are alike, on: local, spark.", label="In partitions"),
    ] = ""
    partition_size: Annotated[
        int | None,
        Option(
            "People in a partition at most; chosen by the kind of data if not given.",
            least=2,
            label="In a partition at most",
        ),
    ] = None
    cores: Annotated[int | None, Option("Cores for the engine local; all if not given.", least=1, form="never")] = None
    master: Annotated[str, Option("Cluster for the engine spark: local[2], spark://HOST:PORT, yarn.", form="never")] = (
        ""
    )
