"""The `interleaf` command. Messages go to stderr, results to stdout; exit status 0 done, 1 failed or faulty, 2 wrong use,
128 + signal stopped."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Sequence

from pipelines.errors import RunError, UsageError
from pipelines.presets import describe_presets
from pipelines.stop import STOPPED

_DESCRIPTION = """\
From web crawl archives to interleaved image-text documents.

  interleaf build --input 'crawl/*.warc.gz' --output OUT     archives -> dataset
  interleaf plan INPUT                                       what a run will use, before it runs
  interleaf verify OUT                                       is the dataset what it says it is?
  interleaf retune OUT --output NEW --set rules.…=…          other thresholds for a finished run, in seconds
  interleaf report OUT                                       the funnel, and samples of what was dropped, as one HTML file
  interleaf page crawl/a.warc.gz --url https://…             one page: what happens to it, and why
  interleaf config --describe                                every setting, its default and its meaning
"""

_BUILD = """\
Reads crawl archives and writes a sharded dataset of interleaved image-text documents.

OUT becomes a run folder:
  data/         the dataset; datasets.load_dataset("parquet", data_dir="OUT/data") opens it
  images/       the bytes of each distinct image, once
  drops/        everything that was left out, with rule, measured value and threshold
  README.md  stats.json  report.html  run.yaml  _SUCCESS

A run that was stopped, by whatever, is resumed by the same command: finished shards are not made again, and the result has the
same bytes. Images are taken from the `image/*` responses of the same archives; no network is used unless images.source says so.

Examples:
  interleaf build --input 'crawl/*.warc.gz' --output OUT
  interleaf build --input crawl/ --output OUT --set rules.document.words.min=50 --set output.markdown=true
  interleaf build --config my.yaml --input a.warc.gz --output OUT --workers 8
  interleaf build --input-manifest archives.jsonl.gz --output OUT --set input.format=warc
  interleaf build --input crawl/ --output OUT --runner spark
  interleaf build --input crawl/ --output OUT --set images.source=both \\
      --set images.network.user_agent_contact=https://example.org/about-our-crawl

Runners, with their defaults; options that are given win over these, and any other name goes to Apache Beam as it stands:
{presets}

Options that are not listed here go to Apache Beam, e.g. --direct_runner_bundle_repeat=1.
"""

_RETUNE = """\
Judges a run again by other settings and writes the dataset that a build with them would have written, from the measures that the
run has stored: no archive is read and no page parsed. NEW refers to the stages and images of OUT, so OUT must stay where it is.

Rules, documents, language and output can be changed. So can lists and perplexity, after which the texts are measured again, and
extract.main_content.threshold of a run that was built with extract.main_content.retunable=true. A key that would need the archives
again is refused by name.

Examples:
  interleaf retune OUT --output NEW --set rules.document.words.min=20
  interleaf retune OUT --output NEW --set rules.paragraph.stop_words=null --set documents.too_long=drop
  interleaf retune OUT --output NEW --set extract.main_content.threshold=0.5
  interleaf retune OUT --output NEW --config my.yaml
"""

_PLAN = """\
Measures some ranges of an input and tells what a run of all of it will use: time, bytes read, written and shuffled, requests,
shards, memory. Nothing is written. The range of each figure says how far the sample lets it be known; more ranges, less error.

Examples:
  interleaf plan 'crawl/*.warc.gz' --sample 16 --cores 64
  interleaf plan --input-manifest archives.jsonl.gz --set input.format=warc
  interleaf plan --compare OUT
"""

_PAGE = """\
Shows what the pipeline makes of one page: encoding, limits, gate, blocks with their kinds and paths, what deduplication removed,
nodes, Markdown. The page is a file with HTML, a record of an archive, or a row of a table. Of a run folder: what each rule said
of the page's paragraphs and images and of the document, kept or not.

Examples:
  interleaf page --html page.html --url https://example.org/a
  interleaf page crawl/a.warc.gz --url https://example.org/a --stage nodes
  interleaf page crawl/a.warc.gz --offset 81734 --stage blocks --json
  interleaf page pages.parquet --url https://example.org/a --set input.html_column=content
  interleaf page OUT --url https://example.org/a
  interleaf page --html page.html --url https://example.org/a --profile obelics --trace
"""

_CONFIG = """\
Without --describe: the settings that a run with these options would have, as YAML; saved to a file it is a --config.
With --describe: every key with its default, its meaning and what is allowed, or those of a section or rule.

Examples:
  interleaf config --set output.markdown=true > my.yaml
  interleaf config --describe
  interleaf config --describe images
  interleaf config --describe rules.document.words
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status."""
    parser = make_parser()
    options, beam_arguments = parser.parse_known_args(arguments)
    if beam_arguments and options.command not in (_build, _retune):
        parser.error(f"unknown argument {beam_arguments[0]}")
    options.beam_arguments = beam_arguments
    # What holds for a whole process is not for that of somebody who calls this function with arguments of their own.
    if arguments is None:
        _own_process(options.command)
    try:
        command: Callable[[argparse.Namespace], int] = options.command
        return command(options)
    except UsageError as error:
        return _say(f"error: {error}", 2)
    except RunError as error:
        return _say(f"error: {error}", 1)
    except KeyboardInterrupt:
        return _say(STOPPED, 130)


def _own_process(command: object) -> None:
    """Makes this process one of a command."""
    # A closed pipe (`interleaf page … | head`) ends the program quietly, as it does any Unix tool.
    if command in (_page, _config) and hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if command is _retune:
        from transforms.shards.without_pandas import leave_pandas_out

        leave_pandas_out()


def _build(options: argparse.Namespace) -> int:
    from pipelines.build import build_dataset

    return build_dataset(
        config=options.config,
        overrides=options.set + ([] if options.sample is None else [f"input.sample={options.sample}"]),
        patterns=options.input,
        manifests=options.input_manifest,
        output=options.output,
        runner=options.runner,
        workers=options.workers,
        beam_arguments=options.beam_arguments,
        retry_images=options.retry_images,
    )


def _retune(options: argparse.Namespace) -> int:
    from pipelines.retune import retune_dataset

    return retune_dataset(
        options.run,
        output=options.output,
        config=options.config,
        overrides=options.set,
        runner=options.runner,
        workers=options.workers,
        beam_arguments=options.beam_arguments,
    )


def _verify(options: argparse.Namespace) -> int:
    from pipelines.run_folder import local_folder
    from pipelines.verify import verify_run

    faulty = False
    for result in verify_run(local_folder(options.run, "verify"), options.samples):
        faulty = faulty or bool(result.faults)
        print(f"{'FAULT' if result.faults else 'ok   '}  {result.name} ({result.checked} checked)", flush=True)
        for fault in result.faults[: options.faults]:
            print(f"       {fault}")
        if len(result.faults) > options.faults:
            print(f"       … and {len(result.faults) - options.faults} more (--faults N shows N)")
    return _say("the run has faults" if faulty else "the run is sound", 1 if faulty else 0)


def _report(options: argparse.Namespace) -> int:
    from pipelines.report import write_report
    from transforms.stored_path import stored_path

    print(write_report(stored_path(options.run)))
    return 0


def _plan(options: argparse.Namespace) -> int:
    from pipelines.plan import show_plan

    return show_plan(
        config=options.config,
        overrides=options.set,
        patterns=options.input,
        manifests=options.input_manifest,
        compare=options.compare,
        sample=options.sample,
        cores=options.cores,
        as_json=options.json,
    )


def _page(options: argparse.Namespace) -> int:
    from pathlib import Path

    if options.archive is not None and (Path(options.archive) / "run.yaml").is_file():
        from pipelines.verdicts import show_verdicts

        return show_verdicts(options.archive, options.url, options.json)
    from pipelines.page import show_page

    return show_page(
        archive=options.archive,
        html=options.html,
        url=options.url,
        offset=options.offset,
        stage=options.stage,
        as_json=options.json,
        trace=options.trace,
        config=options.config,
        overrides=options.set + ([] if options.profile is None else [f"extract.profile={options.profile}"]),
    )


def _config(options: argparse.Namespace) -> int:
    import yaml

    from pipelines.config import ConfigError, load_config
    from pipelines.describe import describe_keys

    if options.describe is not None:
        print(describe_keys(options.describe), end="")
        return 0
    try:
        config = load_config(options.config, options.set)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    print(yaml.safe_dump(config.as_dict(), sort_keys=False, allow_unicode=True), end="")
    return 0


def make_parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="interleaf", description=_DESCRIPTION, formatter_class=raw, allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int], summary: str, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=summary, description=text, formatter_class=raw, allow_abbrev=False)
        sub.set_defaults(command=run)
        return sub

    def configuration(sub: argparse.ArgumentParser, default: str | None = "default") -> None:
        sub.add_argument(
            "--config",
            metavar="C",
            default=default,
            help=f"YAML file, or a shipped one: default, demo, obelics (default: {default or 'the settings of OUT'})",
        )
        sub.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="override one key; may be repeated")

    def manifest_option(sub: argparse.ArgumentParser) -> None:
        sub.add_argument(
            "--input-manifest",
            "--input_manifest",  # as Beam spells options, and the Dataflow template
            metavar="FILE",
            nargs="+",
            action="extend",
            default=[],
            help='lists of archives, for long ones: a line is a path or {"path": …, "bytes": …}; may be compressed',
        )

    build = command("build", _build, "archives -> interleaved documents", _BUILD.format(presets=describe_presets()))
    configuration(build)
    build.add_argument("--input", metavar="GLOB", nargs="+", action="extend", default=[], help="archives: files, patterns, folders")
    manifest_option(build)
    build.add_argument(
        "--sample", metavar="FRACTION", help="read this share of the pages, such as 0.01, chosen by a hash of the URL; input.sample"
    )
    build.add_argument(
        "--output", metavar="OUT", required=True, help="run folder: new, empty, or of the same run to resume it; may be gs://…"
    )
    build.add_argument(
        "--runner",
        metavar="NAME",
        default="local",
        help="local, spark, flink, prism, dataflow, or any runner of Beam (default: local)",
    )
    build.add_argument(
        "--retry-images",
        action="store_true",
        help="of a finished run: ask again for the images that failed for a time, and for no others",
    )
    build.add_argument("--workers", metavar="N", type=int, help="worker processes of the local runner (default: the cores)")

    retune = command("retune", _retune, "other thresholds for a finished run", _RETUNE)
    retune.add_argument("run", metavar="OUT", help="run folder of a build, or of another retune")
    retune.add_argument("--output", metavar="NEW", required=True, help="run folder: new, empty, or of the same retune to resume it")
    configuration(retune, None)
    retune.add_argument("--runner", metavar="NAME", default="local", help="as for build (default: local)")
    retune.add_argument(
        "--workers",
        metavar="N",
        type=int,
        help="worker processes of the local runner (default: none but this; the cores where texts are measured again)",
    )

    verify = command("verify", _verify, "counts, hashes, provenance, loads with datasets", "Checks a finished run.")
    verify.add_argument("run", metavar="OUT", help="run folder")
    verify.add_argument(
        "--samples", metavar="N", type=int, default=200, help="nodes to read again from the archives (default: 200)"
    )
    verify.add_argument("--faults", metavar="N", type=int, default=10, help="faults to print a check (default: 10)")

    report = command("report", _report, "the funnel and samples as one HTML file", "Writes OUT/report.html and prints its path.")
    report.add_argument("run", metavar="OUT", help="run folder")

    plan = command("plan", _plan, "what a run will use, before it runs", _PLAN)
    plan.add_argument("input", metavar="INPUT", nargs="*", help="archives: files, patterns, folders")
    manifest_option(plan)
    plan.add_argument("--compare", metavar="OUT", help="a finished run instead of INPUT: its forecast beside what it used")
    plan.add_argument("--sample", metavar="N", type=int, default=8, help="input ranges to measure (default: %(default)s)")
    plan.add_argument("--cores", metavar="N", type=int, help="cores that the run will have (default: those of this machine)")
    plan.add_argument("--json", action="store_true", help="one JSON object: seconds, bytes, counts")
    configuration(plan)

    page = command("page", _page, "what happens to one page, and why", _PAGE)
    page.add_argument("archive", metavar="ARCHIVE", nargs="?", help="archive or table that holds the page, or a run folder")
    page.add_argument("--html", metavar="FILE", help="file with the page's HTML instead of an archive; - for standard input")
    page.add_argument("--url", help="the page's URL: which record or row of ARCHIVE, or the base of the links of --html FILE")
    page.add_argument(
        "--offset",
        metavar="BYTES",
        type=int,
        help="where the record starts in ARCHIVE as stored; Parquet, Arrow: the row",
    )
    page.add_argument(
        "--stage", choices=("blocks", "document", "repeats", "nodes", "markdown"), default="document", help="(default: document)"
    )
    page.add_argument("--profile", choices=("default", "obelics"), help="extract.profile")
    page.add_argument("--trace", action="store_true", help="with the profile obelics: how its texts merge, step by step")
    page.add_argument("--json", action="store_true", help="one JSON object a line (markdown stays text)")
    configuration(page)

    config = command("config", _config, "every setting, its default and its meaning", _CONFIG)
    config.add_argument("--describe", metavar="KEY", nargs="?", const="", help="tell what the keys mean: all, or those of KEY")
    configuration(config)
    return parser


def _say(text: str, status: int) -> int:
    print(f"interleaf: {text}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
