"""The commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.base.verdict import EXIT_CODES, Verdict
from sfumato.cli import studies
from sfumato.cli.compile import compile as compile_command
from sfumato.cli.edit import edit as edit_command
from sfumato.cli.explore import explore as explore_command
from sfumato.cli.hierarchies import app as hierarchies
from sfumato.cli.ontologies import app as warehouse
from sfumato.cli.options import RELEASE_FLAGS, Json, existing, parse_pairs, with_read_options
from sfumato.cli.output import Output, set_verbosity, show_stronger, show_work
from sfumato.cli.query import query as query_command
from sfumato.cli.risk import show_inspection
from sfumato.cli.serve import serve as serve_command
from sfumato.cli.workloads import app as workloads
from sfumato.data.kind import all_kinds, require
from sfumato.exceptions import ParameterError, SchemaError, VerificationError
from sfumato.formats.limits import EXPANSION, allow_expansion
from sfumato.messages import Message, option
from sfumato.release.options import BatchOptions, ReleaseOptions
from sfumato.release.suppression import read_limit

app = typer.Typer(
    name="sfumato",
    help="Anonymise data about people over time, and verify every release.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(workloads, name="workload")
app.add_typer(hierarchies, name="hierarchy")
app.add_typer(warehouse, name="warehouse")

Data = Annotated[Path, typer.Argument(help="Data file, or folder of data files.")]
DataOrUri = Annotated[
    str, typer.Argument(help="Data file, or folder of data files; with --engine spark also hdfs://, s3a:// ...")
]
Dir = Annotated[Path, typer.Argument(help="Directory of a release, with release/ and owner/.")]
Original = Annotated[Path, typer.Option(help="Original data.")]
KINDS = ", ".join(all_kinds())
Kind = Annotated[str, typer.Option(help=f"Kind of data: {KINDS}.", autocompletion=lambda: list(all_kinds()))]
Out = Annotated[Path, typer.Option(help="Directory for release/ and owner/.")]
Force = Annotated[bool, RELEASE_FLAGS["force"]]
Report = Annotated[bool, RELEASE_FLAGS["report"]]


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"sfumato {version('sfumato')}")
        raise typer.Exit


@app.callback()
def begin(
    context: typer.Context,
    max_expansion: Annotated[
        float,
        typer.Option(help="Largest expansion of a compressed file, in times its size; up to 268 MB is allowed."),
    ] = EXPANSION,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors and warnings.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print each step, also without a terminal.")] = False,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Anonymise data about people over time, and verify every release."""
    context.with_resource(allow_expansion(max_expansion))
    context.with_resource(set_verbosity(quiet=quiet, verbose=verbose))


@app.command()
def methods(
    name: Annotated[str, typer.Argument(help="Method to show in full.")] = "",
    kind: Annotated[str, typer.Option(help=f"Only methods for this kind of data: {KINDS}.")] = "",
    as_json: Json = False,
) -> None:
    """List anonymisation methods, or show one with its parameters."""
    from sfumato.cli import methods

    out = Output(as_json=as_json)
    descriptions = methods.find_methods(name, kind) if name else methods.describe_methods(kind)
    if name:
        methods.show_methods(out, descriptions)
    else:
        methods.list_methods(out, descriptions, [kind] if kind else all_kinds())
    out.finish({"methods": descriptions})


@app.command()
def start(
    data: Data,
    policy: Annotated[Path, typer.Option(help="Policy file to write.")] = Path("policy.toml"),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Accept what is detected, without asking.")] = False,
    kind: Annotated[str, typer.Option(help=f"Kind of data; detected if not given: {KINDS}.")] = "",
    sensitive: Annotated[list[str], typer.Option(help="Sensitive value or column. Repeatable.")] = [],  # noqa: B006
    force: Annotated[bool, typer.Option("--force", help="Replace an existing policy file.")] = False,
    as_json: Json = False,
) -> None:
    """Detect the kind and columns of a file, inspect it and write a policy."""
    from sfumato.cli.start import start

    start(Output(as_json=as_json), data, policy, kind=kind, sensitive=tuple(sensitive), yes=yes, force=force)


@app.command()
@with_read_options
def inspect(
    data: Data,
    kind: Kind,
    read_options: dict[str, Any],
    m: Annotated[
        int,
        typer.Option("-m", "--m", help="Places, items, events or columns that an attacker knows.", min=1),
    ] = 2,
    as_json: Json = False,
) -> None:
    """Describe data and their risk of re-identification."""
    from sfumato.api import calls

    out = Output(as_json=as_json)
    with show_work("read"):
        facts = calls.inspect(calls.read(data, kind, **read_options), m)
    for note in facts["notes"]:
        out.print_line(note)
    show_inspection(out, facts)
    out.finish(facts)


_STANDARD_INPUT = "-"


@app.command()
@with_read_options
def anonymize(
    data: DataOrUri,
    kind: Kind,
    method: Annotated[str, typer.Option(help="Method; list them: sfumato methods.")],
    read_options: dict[str, Any],
    release: ReleaseOptions,
    parameter: Annotated[
        list[str], typer.Option("-p", "--parameter", help="Parameter of the method: k=5. Repeatable.")
    ] = [],  # noqa: B006
    resume: Annotated[
        str, typer.Option(help="Resume an interrupted stream; replay: input starts over, onwards: input goes on.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Anonymise data, and write and verify a release."""
    parameters = parse_pairs(parameter, "-p")
    from sfumato.cli.partitioned import find_engine, find_file
    from sfumato.cli.publish import given_secret, publish_data
    from sfumato.cli.usage import example_of_parameters
    from sfumato.plugins import find_kind, make_method
    from sfumato.readers.archives import refuse_absent
    from sfumato.readers.files import is_uri

    if data != _STANDARD_INPUT and not is_uri(data):
        refuse_absent(Path(data))
    find_kind(kind)
    chosen = make_method(method, kind, parameters, example_of_parameters)
    read_limit(release.max_suppressed_records)
    streams = find_kind(kind).stream is not None and hasattr(chosen, "stream")
    if resume and not streams:
        raise ParameterError(Message(option("resume"), " applies only to streams of snapshots."), hint="Leave it out.")
    if data == _STANDARD_INPUT and not streams:
        raise ParameterError(
            f"{method} cannot read standard input: it needs all records at once.",
            option="data",
            hint=Message("Give a file, or use ", option("method", "reposition"), " for snapshots."),
        )
    out = Output(as_json=as_json)
    engine = find_engine(release.engine, release.cores, release.master, release.partition_size)
    if streams and engine is None and (resume or require(find_kind(kind).stream).is_feed(find_file(data))):
        if release.include:
            raise ParameterError(
                Message(option("include"), " does not apply to streams of snapshots."),
                hint="Leave it out, and publish the file beside the release.",
            )
        from sfumato.cli.stream import publish_stream

        if release.protect != "records":
            raise ParameterError(
                Message(option("protect"), " does not apply to snapshots, which have no k."), hint="Leave it out."
            )
        publish_stream(
            out,
            find_file(data),
            find_file(release.out),
            chosen,
            read_options,
            secret=given_secret(release.secret),
            force=release.force,
            resume=resume or None,
            report=release.report,
            max_suppressed_records=release.max_suppressed_records,
        )
        return
    publish_data(out, data, kind, read_options, chosen, release, engine)


@app.command()
@with_read_options
def apply(
    directory: Dir,
    data: Data,
    out: Out,
    read_options: dict[str, Any],
    release: BatchOptions,
    unknown: Annotated[str, typer.Option(help="Places that the recoding does not cover: error or suppress.")] = "error",
    as_json: Json = False,
) -> None:
    """Publish a later batch with the recoding of an earlier release."""
    from sfumato.api import calls
    from sfumato.cli.publish import given_secret, publish, read_batch

    publish(
        Output(as_json=as_json),
        out,
        lambda: read_batch(existing(directory), data, read_options),
        lambda dataset, run: calls.apply(
            directory, dataset, unknown=unknown, run=run, max_suppressed_records=release.max_suppressed_records
        ),
        secret=given_secret(release.secret),
        force=release.force,
        report=release.report,
        include=release.include,
    )


@app.command()
@with_read_options
def verify(
    directory: Dir,
    read_options: dict[str, Any],
    original: Annotated[Path | None, typer.Option(help="Original data, for further checks.")] = None,
    as_json: Json = False,
) -> None:
    """Verify a release: does it keep its guarantee?

    Exit codes: 0 verified, 1 broken, 2 inconclusive, 3 guarantee holds but a file is not declared.
    """
    from sfumato.api import calls
    from sfumato.cli.publish import check_against_file, read_original, show_verdict

    out = Output(as_json=as_json)
    verdict = None if original is None else check_against_file(existing(directory), original, read_options)
    dataset = None
    if verdict is None and original is not None:
        with show_work("read"):
            dataset = read_original(existing(directory), original, read_options)
    try:
        if verdict is None:
            with show_work("verify"):
                verdict = calls.verify(existing(directory), dataset)
    except SchemaError as error:
        # A release that cannot be read cannot be verified: the answer is inconclusive.
        verdict = Verdict(True, {}, {}, unsettled=(error.text,))
    except VerificationError as error:
        verdict = Verdict(False, {}, {}, {"check": error.text})
    out.print_line(verdict.sentence)
    out.print_note(verdict.method_note)
    for reason in verdict.unsettled:
        out.print_line(reason)
    for what in verdict.undeclared:
        out.print_line(f"Not declared: {what}.")
    show_verdict(out, verdict)
    out.warn(verdict.warnings)
    values = verdict.to_dict()
    out.remain(values["remaining"])
    out.finish(values)
    if not verdict:
        raise typer.Exit(EXIT_CODES[verdict.outcome])


@app.command()
@with_read_options
def attack(
    directory: Dir,
    original: Original,
    read_options: dict[str, Any],
    m: Annotated[
        int,
        typer.Option("-m", "--m", help="Also attack original and release with 1 to m known values.", min=0),
    ] = 0,
    other: Annotated[
        Path | None, typer.Option("--with", help="Another release of the same people; attacks both together.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Attack a release: how likely is re-identification?"""
    from sfumato.api import calls
    from sfumato.cli.publish import read_original, show_attacks
    from sfumato.cli.risk import show_by_knowledge

    out = Output(as_json=as_json)
    with show_work("read"):
        dataset = read_original(existing(directory), original, read_options)
    with show_work("attack"):
        risk = calls.attack(directory, dataset)
    with show_work("attack with more"):
        stronger = calls.attack_beyond(directory, dataset)
    attacked = show_attacks(out, risk, stronger)
    joint_attack = {}
    if other is not None:
        joint_attack = {"together": calls.attack_together(directory, existing(other), dataset).to_dict()}
        show_stronger(out, "Attacker with both releases", joint_attack["together"])
    by_knowledge = {}
    if m:
        both = calls.attack_rising(directory, dataset, m)
        by_knowledge = {when: [finding.to_dict() for finding in findings] for when, findings in both.items()}
        show_by_knowledge(out, "Risk by knowledge, original", by_knowledge["before"])
        show_by_knowledge(out, "Risk by knowledge, release", by_knowledge["after"])
    remaining = calls.sum_up_attacks(directory, dataset, risk, stronger).to_dict()
    out.remain(remaining)
    out.finish(attacked | joint_attack | ({"rising": by_knowledge} if by_knowledge else {}) | {"remaining": remaining})


@app.command()
@with_read_options
def measure(
    directory: Dir,
    original: Original,
    read_options: dict[str, Any],
    workload: Annotated[Path | None, typer.Option(help="File of COUNT queries, one per line: cafe > office.")] = None,
    seed: Annotated[int, typer.Option(help="Random seed of queries and projections.")] = 0,
    parameter: Annotated[
        list[str], typer.Option("-p", "--parameter", help="Parameter of measures: label=income. Repeatable.")
    ] = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Measure the utility of a release."""
    from sfumato.cli.publish import read_original, read_workload, show_scores

    out = Output(as_json=as_json)
    queries = None if workload is None else read_workload(workload)
    with show_work("read"):
        dataset = read_original(existing(directory), original, read_options)
    show_scores(out, directory, dataset, queries, seed, parse_pairs(parameter, "-p"))


@app.command()
def erase(
    directory: Dir,
    person: Annotated[
        str, typer.Argument(help="Person to remove, as named in the original; @FILE for several, one per line.")
    ],
    original: Original,
    column: Annotated[str, typer.Option(help="Column of the original that names people; detected if not given.")] = "",
    out: Annotated[
        Path | None, typer.Option(help="Directory for the new release; replaces the old one if not given.")
    ] = None,
    report: Report = True,
    as_json: Json = False,
) -> None:
    """Remove people from a release: publish it again without them."""
    from sfumato.cli.remove import erase_people

    erase_people(Output(as_json=as_json), existing(directory), person, original, column or None, out, report=report)


@app.command()
def export(
    directory: Dir,
    out: Annotated[Path, typer.Option(help="File to write; its extension is the format.")],
    layout: Annotated[str, typer.Option(help="long: a row per visit, event or item; wide: a row per record.")] = "",
    format: Annotated[
        str, typer.Option(help="csv, parquet, jsonl, geojson, xes or spmf; by the extension if not given.")
    ] = "",
    nested: Annotated[
        bool, typer.Option("--nested", help="Write each range in one column, not in NAME_lo and NAME_hi.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    as_json: Json = False,
) -> None:
    """Export the records of a release for other tools."""
    from sfumato.cli.publish import export_file

    output = Output(as_json=as_json)
    export_file(output, existing(directory), out, layout or None, format or None, nested=nested, force=force)


@app.command()
@with_read_options
def plot(
    directory: Annotated[Path, typer.Argument(help="Directory of a release, or folder of a study.")],
    out: Annotated[Path, typer.Option(help="Folder for the plots; plots of a release show original data.")],
    read_options: dict[str, Any],
    original: Annotated[Path | None, typer.Option(help="Original data of a release; not for a study.")] = None,
    form: Annotated[str, typer.Option("--as", help="Format: html, png, svg or pdf.")] = "png",
    force: Annotated[bool, typer.Option("--force", help="Replace existing plots.")] = False,
    as_json: Json = False,
) -> None:
    """Plot a release or a study, one file per plot."""
    from sfumato.api import calls
    from sfumato.cli.publish import read_original

    output = Output(as_json=as_json)
    if original is None and (directory / "release").is_dir():
        raise ParameterError(
            "plot needs the original data of a release.",
            option="original",
            hint=Message("Add it: ", option("original", "data.csv"), "."),
        )
    if original is None:
        drawn = studies.plot_study(existing(directory), out, form, force=force)
    else:
        dataset = read_original(existing(directory), original, read_options)
        drawn = calls.save_plots(directory, dataset, out, form, force=force)
    output.table("Plots, for the owner only", ["plot", "file"], [(path.stem, str(path)) for path in drawn])
    output.finish({"plots": [str(path) for path in drawn]})


@app.command()
def reconstruct(
    directory: Dir,
    out: Annotated[Path, typer.Option(help="File to write: .csv, .parquet or .jsonl.")],
    copies: Annotated[int, typer.Option(help="Number of datasets; several are numbered: file-1.csv.", min=1)] = 1,
    seed: Annotated[int | None, typer.Option(help="Random seed.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draw datasets that could be the original of a release by disassociation."""
    from sfumato.cli.publish import write_reconstructions

    write_reconstructions(Output(as_json=as_json), existing(directory), out, copies, seed, force=force)


@app.command()
def run(
    policy: Annotated[Path, typer.Argument(help="Policy file (TOML).")],
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Run a policy file: read, anonymise, verify, attack and measure."""
    from sfumato.cli.publish import run_policy

    run_policy(Output(as_json=as_json), policy, force=force)


@app.command(context_settings={"allow_extra_args": False})
def generate(
    kind: Annotated[str, typer.Argument(help=f"Kind of data: {KINDS}.")],
    size: Annotated[int, typer.Option(help="Number of people, or of time points.")],
    seed: Annotated[int, typer.Option(help="Random seed.")],
    out: Annotated[Path, typer.Option(help="File to write: .csv, .parquet or .jsonl.")],
    model: Annotated[str, typer.Option(help="Model of the data; an unknown one lists all.")] = "",
    option: Annotated[
        list[str], typer.Option("-o", "--option", help="Option of the model: places=100. Repeatable.")
    ] = [],  # noqa: B006
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Generate synthetic data of a kind."""
    from sfumato.cli.publish import generate_file

    generate_file(Output(as_json=as_json), kind, size, seed, out, model, parse_pairs(option, "-o"), force=force)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Directory for the demo.")] = Path("sfumato-demo"),
    as_json: Json = False,
) -> None:
    """Run a demo on bundled data: inspect, anonymise, verify, attack and measure."""
    from sfumato.cli.demo import show

    show(Output(as_json=as_json), out)


for _command in (
    studies.evaluate,
    studies.compare,
    explore_command,
    edit_command,
    compile_command,
    serve_command,
    query_command,
):
    app.command()(_command)
