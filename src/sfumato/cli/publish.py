"""Steps that several commands take: publish with progress, read an original again, run a policy."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sfumato import plugins
from sfumato._kernels.compilation import notice_compilation
from sfumato._kernels.loading import load_ahead
from sfumato.api import calls
from sfumato.attacks.risk import Finding
from sfumato.base.method import Method
from sfumato.base.verdict import Verdict
from sfumato.cli.output import STOPPED, Output, Quiet, Step, fail, show_progress, show_work
from sfumato.cli.risk import SIZES, show_sizes
from sfumato.cli.values import write_name
from sfumato.data.dataset import Dataset
from sfumato.data.secret import Secret
from sfumato.engines.local import Local
from sfumato.exceptions import ParameterError, ReleaseWarning, SchemaError, SfumatoError
from sfumato.formats.json_text import format_toml
from sfumato.messages import Message, option
from sfumato.metrics.aggregate import PARTITIONS
from sfumato.metrics.workload import Workload
from sfumato.readers.archives import refuse_absent
from sfumato.readers.files import is_uri
from sfumato.release import owner, partitioned, storage
from sfumato.release.folder import check_free
from sfumato.release.options import ReleaseOptions
from sfumato.release.release import Result
from sfumato.release.run import PartitionEngine, Run
from sfumato.verification.people import describe_counted_people

if TYPE_CHECKING:
    from sfumato.policy import Policy

__all__ = [
    "announce_compilation",
    "check_against_file",
    "check_file",
    "export_file",
    "generate_file",
    "given_secret",
    "publish",
    "publish_data",
    "read_batch",
    "read_original",
    "read_workload",
    "run_policy",
    "show_attacks",
    "show_measures",
    "show_scores",
    "show_verdict",
    "write_reconstructions",
]


_UNSHOWN = {"guarantee", "method_note", "unit", "notes", "warnings", "remaining"}


def publish(
    out: Output,
    directory: Path,
    read: Callable[[], Dataset],
    anonymize: Callable[[Dataset, Run], Result],
    *,
    secret: Secret | None,
    force: bool,
    report: bool,
    include: Sequence[Path] = (),
) -> dict[str, Any]:
    """Read, anonymise, write and verify, showing progress; return what was done."""
    check_free(directory, force=force)
    with show_progress() as progress:
        run = Run(secret, progress, Local())
        progress("read", 0, 0)
        wait_for_kernels = load_ahead()
        with run.phase("read"):
            dataset = read()
        wait_for_kernels()
        progress("anonymise", 0, 0)
        with notice_compilation(announce_compilation):
            result = anonymize(dataset, run)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ReleaseWarning)
                verdict = calls.write(result, directory, force=force, reports=report, include=include)
    release = result.release
    warning_texts = [str(warning.message) for warning in caught if issubclass(warning.category, ReleaseWarning)]
    done: dict[str, Any] = {
        "unit": release.unit.to_dict(),
        "published": len(release),
        "withheld": sum(release.suppressed_records.values()),
        "withheld_by_reason": dict(release.suppressed_records),
        "guarantee": release.guarantee.to_dict(release.unit),
        "method_note": release.method_note,
        "measured": verdict.measured,
        "counted": dict(result.owner_record.counters),
        "seconds": {phase: round(seconds, 4) for phase, seconds in result.owner_record.seconds.items()},
        "notes": [str(note) for note in run.notes],
        "warnings": warning_texts,
        "remaining": verdict.remaining.to_dict(),
        "out": str(directory),
    }
    try:
        for note in (*dataset.notes, *run.notes):
            out.print_line(note.message)
        out.facts(
            "Published",
            {name: value for name, value in done.items() if name not in _UNSHOWN}
            | {"published": release.unit.count(len(release)), "guarantee": str(release.guarantee)},
        )
        out.print_line(release.guarantee.statement(release.unit))
        out.print_note(release.method_note)
        if "fewest_people" in verdict.measured:
            out.print_line(
                describe_counted_people(
                    release, verdict.measured["fewest_people"], verdict.measured["most_records_of_one"]
                )
            )
        out.print_line(verdict.sentence)
        out.warn([*verdict.warnings, *(doubt.message for doubt in dataset.doubts)])
        out.remain(done["remaining"])
        out.print_line(f"Publish {directory / 'release'}; do not publish {directory / 'owner'}.")
        out.finish(done)
    except KeyboardInterrupt:
        fail(f"Stopped after {directory} was published.", STOPPED)
    return done


def announce_compilation() -> None:
    """Print that kernels are compiled, which takes a while."""
    sys.stderr.write("Compiling kernels (first run only, about a minute) ...\n")


def given_secret(path: str | Path | None) -> Secret | None:
    """Read the secret that was given, if one was."""
    return None if path is None else owner.read_secret(Path(path))


def read_original(directory: Path, path: Path, given: dict[str, Any]) -> Dataset:
    """Read the original with the options it was published with; options given now take precedence."""
    folder = partitioned.find_divided(directory)
    kind = storage.read_release(directory).kind if folder is None else partitioned.read_divided(folder).kind
    return calls.read(path, kind, **{**_remembered(directory), **given})


def check_against_file(directory: Path, path: Path, given: dict[str, Any]) -> Verdict | None:
    """Check a release in partitions against the file of its original in bounded memory; None where that cannot be."""
    if partitioned.find_divided(directory) is None:
        return None
    from sfumato.engines.verify import verify_file

    try:
        with show_progress() as progress:
            return verify_file(directory, path, given, progress=progress)
    except SchemaError as error:
        return Verdict(True, {}, {}, unsettled=(error.text,))


def read_batch(directory: Path, path: Path, given: dict[str, Any]) -> Dataset:
    """Read a later batch the same way, less what need not hold in it.

    A batch may visit no sensitive place, and places that no constraint or hierarchy knows; the claim and the
    recoding of the release say all that applying them needs. Where a file decides on the columns, what is sensitive are
    columns, which a batch has as well.
    """
    partitioned.refuse_divided(directory)
    release = storage.read_release(directory)
    about_values = {"constraints", "hierarchies"} | (
        {"sensitive"} if plugins.find_kind(release.kind).columns else set()
    )
    options = {name: value for name, value in _remembered(directory).items() if name not in about_values}
    return calls.read(path, release.kind, **{**options, **given})


def _remembered(directory: Path) -> dict[str, Any]:
    """Return the options a release's original was read with, if ``owner/`` has them."""
    read_options = owner.read_owner_record(directory).get("reading", {})
    if not isinstance(read_options, dict):
        raise SchemaError(
            f"{directory / 'owner' / 'trace.json'} does not hold the reading options.",
            hint="Give them again as options, as for sfumato anonymize.",
        )
    return {name: value for name, value in read_options.items() if name != "kind"}


def show_scores(
    out: Output, path: Path, original: Dataset, workload: Workload | None, seed: int, parameters: Mapping[str, str]
) -> None:
    """Measure a release, and list measures that need something that is not installed."""
    with show_work("measure"):
        scores = calls.measure(path, original, workload=workload, seed=seed, parameters=parameters)
    measures = [score.to_dict() for score in scores]
    show_measures(out, measures, with_details=True)
    out.remain(scores.remaining.to_dict())
    if any(PARTITIONS in score for score in measures):
        out.print_line(
            "Each value compares all partitions together with the whole original; least and most are those of single "
            "partitions with their own people."
        )
    lacking = {m.name: reason for m in plugins.metrics_for(original.kind) if (reason := m.lacks())} | scores.left_out
    for name, reason in lacking.items():
        out.print_line(f"{name}: {reason}")
    measured = {"measures": measures, "remaining": scores.remaining.to_dict()}
    out.finish(measured | ({"not_measured": lacking} if lacking else {}))


def show_measures(out: Output, measures: Sequence[Mapping[str, Any]], *, with_details: bool = False) -> None:
    """Show measures as a table: name, value, and the scale of the value.

    Examples
    --------
    >>> show_measures(Output(as_json=True), [{"metric": "ncp", "value": 0.1, "scale": "lower is better"}])
    """
    shown = ["metric", "value", "scale"]
    rows: list[list[Any]] = [[measure[name] for name in shown] for measure in measures]
    if with_details:
        for row, measure in zip(rows, measures, strict=True):
            row.append({name: value for name, value in measure.items() if name not in {*shown, "better"}})
    out.table("Utility", ["measure", *shown[1:], *(["details"] if with_details else [])], rows)


def show_verdict(out: Output, verdict: Verdict) -> None:
    """Show a counterexample if there is one, claimed beside measured values, and every check.

    Examples
    --------
    >>> show_verdict(Output(as_json=True), Verdict(True, {"k": 5}, {"k": 7}, checks={"readable": True}))
    """
    if verdict.counterexample:
        out.facts("Counterexample", verdict.counterexample)
    if not verdict.checks:
        return
    names = dict.fromkeys([*verdict.claimed, *verdict.measured])
    values = [(name, verdict.claimed.get(name), verdict.measured.get(name)) for name in names]
    out.table(
        "Claimed and measured",
        ["parameter", "claimed", "measured"],
        [
            (write_name(name), claimed, measured)
            for name, claimed, measured in values
            if claimed is not None or measured is not None
        ],
    )
    out.table("Checks", ["check", "passed"], list(verdict.checks.items()))


def read_workload(path: Path) -> Workload:
    """Read count queries from a file."""
    try:
        return Workload.from_csv(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SchemaError(f"{path} cannot be read: {error.strerror}.", option="workload") from None
    except UnicodeDecodeError:
        raise SchemaError(f"{path} is not UTF-8 text.", option="workload", hint="Save it as UTF-8.") from None
    except RecursionError:
        raise SchemaError(
            f"{path} is not a list of queries.", option="workload", hint="Write one query per line: cafe > office"
        ) from None


def run_policy(out: Output, path: Path, *, force: bool) -> None:
    """Read, anonymise, verify, attack and measure by a policy file; with ``force`` here or there, replace a release."""
    from sfumato.policy import name_keys, read_policy

    policy = read_policy(path)
    with name_keys():
        _run(out, policy, force=force)


def _run(out: Output, policy: Policy, *, force: bool) -> None:
    from sfumato.cli.partitioned import find_engine

    release = dataclasses.replace(policy.release, force=force or policy.release.force)
    if not is_uri(policy.data.path):
        refuse_absent(Path(policy.data.path))
    method = plugins.make_method(policy.method.name, policy.data.kind, policy.parameters, _suggest_lines)
    data, directory = Path(policy.data.path), Path(policy.release.out)
    quiet = Step() if not out.as_json else Quiet()
    engine = find_engine(release.engine, release.cores, release.master, release.partition_size)
    published = publish_data(quiet, policy.data.path, policy.data.kind, policy.read_options, method, release, engine)
    unread = _explain_unread(policy, published)
    if unread:
        out.print_line(unread)
        out.remain(published["remaining"])
        out.finish({"anonymize": published, **_verify_unread(out, policy), "left_out": unread})
        return
    with show_work("verify"):
        original = read_original(directory, data, policy.read_options)
        verdict = calls.verify(directory, original, attack=False)
    with show_work("attack"):
        risk, stronger = calls.attack(directory, original), calls.attack_beyond(directory, original)
        possible = calls.sum_up_attacks(directory, original, risk, stronger)
    with show_work("measure"):
        scores = calls.measure(directory, original)
    attacked = show_attacks(out, risk, stronger)
    measured = [score.to_dict() for score in scores]
    show_measures(out, measured)
    remaining = verdict.remaining.refine(possible).refine(scores.remaining).to_dict()
    out.print_line(verdict.sentence)
    out.remain(remaining)
    done = {"anonymize": published, "verify": verdict.to_dict(), "attack": attacked, "measure": measured}
    out.finish({**done, "remaining": remaining})


def _suggest_lines(parameters: dict[str, Any]) -> str:
    """Return lines of a policy file that give parameters."""
    return "Add to [method]: " + ", ".join(f"{name} = {format_toml(value)}" for name, value in parameters.items())


def _explain_unread(policy: Policy, published: Mapping[str, Any]) -> str:
    """Return why the original is not read into memory after it was published in partitions; nothing if it is."""
    from sfumato.engines.publish import REPORTED

    rest = "The release was not attacked or measured"
    if is_uri(policy.data.path) or is_uri(policy.release.out):
        return (
            f"{rest}: only Spark can read the original or the release. Copy both to this machine and run "
            "`sfumato attack` and `sfumato measure`."
        )
    bounded = policy.release.engine and not published["read_whole"]
    if bounded and published["published"] + published["withheld"] > REPORTED:
        return (
            f"{rest}: more than {REPORTED:,} records may not fit into memory. With enough memory, run "
            "`sfumato attack` and `sfumato measure`."
        )
    return ""


def _verify_unread(out: Output, policy: Policy) -> dict[str, Any]:
    """Check a release against its original in bounded memory, or on its own where the original is not here."""
    if is_uri(policy.release.out):
        return {}
    directory, verdict = Path(policy.release.out), None
    if not is_uri(policy.data.path):
        verdict = check_against_file(directory, Path(policy.data.path), policy.read_options)
    if verdict is None:
        with show_work("verify"):
            verdict = calls.verify(directory)
    out.print_line(verdict.sentence)
    return {"verify": verdict.to_dict()}


def publish_data(
    out: Output,
    data: str,
    kind: str,
    read_options: dict[str, Any],
    method: Method,
    release: ReleaseOptions,
    engine: PartitionEngine | None,
) -> dict[str, Any]:
    """Publish data by the options of a release: whole, or in partitions on an engine."""
    from sfumato.cli.partitioned import find_file, publish_partitions

    shared: dict[str, Any] = {
        "secret": given_secret(release.secret),
        "force": release.force,
        "include": release.include,
    }
    demand: dict[str, Any] = {"protect": release.protect, "max_suppressed_records": release.max_suppressed_records}
    if engine is not None:
        partitions: dict[str, Any] = {
            "partition_size": release.partition_size,
            "kind": kind,
            "reading": read_options,
            "reports": release.report,
        }
        return publish_partitions(out, release.out, data, method, engine, **partitions, **demand, **shared)
    file, directory = find_file(data), find_file(release.out)
    return publish(
        out,
        directory,
        lambda: calls.read(file, kind, **read_options),
        lambda dataset, run: calls.anonymize(dataset, method, run=run, **demand),
        report=release.report,
        **shared,
    )


def show_attacks(out: Output, risk: Finding, stronger: Sequence[Finding]) -> dict[str, Any]:
    """Show what attackers reach with the knowledge of the guarantee and with more; return plain values."""
    values = risk.to_dict() | {"beyond": [finding.to_dict() for finding in stronger]}
    show_risk(out, {name: value for name, value in values.items() if name != "beyond"})
    for stronger_attack in values["beyond"]:
        shown = {name: value for name, value in stronger_attack.items() if name != "warnings"}
        out.facts("Stronger attacker than the guarantee assumes", shown)
    return values


def show_risk(out: Output, risk: dict[str, Any]) -> None:
    """Show what an attacker reaches, and one who also sees that records are late or missing."""
    more = "; late and missing records are counted in the table below" if risk.get("fates") else ""
    shown = {n: v for n, v in risk.items() if n not in {"fates", *SIZES}}
    out.facts(f"Attacker with the knowledge that the guarantee assumes{more}", shown)
    show_sizes(out, [risk])
    if risk.get("fates"):
        out.table(
            "Attacker who also sees whether the record is late or missing: share of correct guesses",
            ["record", "records", "with the release alone", "with the frequencies of each snapshot"],
            [
                (state.replace("_", " "), counts["people"], counts["right"], counts["right_knowing_frequencies"])
                for state, counts in risk["fates"].items()
            ],
        )


def generate_file(
    out: Output,
    kind: str,
    size: int,
    seed: int,
    path: Path,
    model: str,
    options: dict[str, str],
    *,
    force: bool,
) -> None:
    """Generate data of a kind into a file."""
    from sfumato.exports import write_table

    check_file(path, force=force)
    generator = plugins.find_kind(kind).generator.load()
    chosen = {"model": model} if model else {}
    table = generator.generate(size, seed, **chosen, **options)
    write_table(table, path)
    out.print_line(f"Wrote {table.num_rows:,} rows (size {size:,}) to {path}.")
    out.finish({"rows": table.num_rows, "size": size, "out": str(path)})


def export_file(
    out: Output, directory: Path, path: Path, layout: str | None, format: str | None, *, nested: bool, force: bool
) -> None:
    """Write the records of a release in another layout and format."""
    check_file(path, force=force)
    done = calls.export_source(directory, path, layout, format, nested=nested, force=force)
    out.print_line(f"Wrote {done.rows:,} rows to {path}: {done.format} in the {done.layout} layout.")
    if done.empty:
        out.print_line(f"{done.empty:,} records have no entries and are written without any.")
    out.finish({**done._asdict(), "out": str(path)})


def write_reconstructions(
    out: Output, directory: Path, path: Path, copies: int, seed: int | None, *, force: bool
) -> None:
    """Draw possible originals of a release into files of one row per person and item."""
    from sfumato.exports import write_table

    numbered = [path.with_stem(f"{path.stem}-{number}") for number in range(1, copies + 1)]
    paths = numbered if copies > 1 else [path]
    for file in paths:
        check_file(file, force=force)
    for file, possible in zip(paths, calls.reconstruct(directory, copies=copies, seed=seed), strict=True):
        items = possible.history()
        people = possible.table.column(possible.schema.identifier).take(pa.array(items.row_of_token))
        labels = pa.array(items.labels, pa.string()).take(pa.array(items.codes))
        write_table(pa.table({"person": people, "item": labels}), file)
        out.print_line(f"Wrote {len(possible):,} possible records to {file}.")
    out.finish({"copies": copies, "out": [str(file) for file in paths]})


def check_file(path: Path, *, force: bool) -> None:
    """Refuse to replace an existing file without ``--force``, or to write into a directory that does not exist."""
    if path.exists() and not force:
        raise SfumatoError(f"{path} already exists.", hint=Message("Replace it: ", option("force", True), "."))
    if path.is_dir():
        raise ParameterError(f"{path} is a directory.", option="out", hint="Give the path of a file.")
    if not path.parent.is_dir():
        raise ParameterError(f"{path.parent} does not exist.", option="out", hint=f"Create it: mkdir -p {path.parent}")
