"""The graph of `interleaf build`: the stages of design.md, joined by manifests and light rows.

ranges -> ExtractDocuments -+---------------------+-> LookUpImages -> ResolveImages -+--------------------------------+-> outcomes
                            '-> ExtractRevisits --'                                  '-> FetchImages -> MergeOutcomes --'
outcomes -+-> StoreImages
          '-> OutcomesByDocumentShard -> AssembleDocuments
AssembleDocuments -> WriteDataset
the manifests of all -> FinishRun
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

import apache_beam as beam

from filters.rules import GuardConfig, RuleConfig, check_rules
from pipelines.config import Config
from pipelines.finish import add_totals, check_shard, finish_run, origin_manifests, shard_totals
from pipelines.run_folder import RANGE_FILE, Run
from transforms.assemble_documents import AssembleDocuments, ScoreSettings
from transforms.extract_documents import ExtractDocuments, ExtractRevisits, ExtractSettings
from transforms.fetch_images import LookUpImages, OutcomesByDocumentShard, ResolveImages, StoreImages
from transforms.read_pages import ReadRanges
from transforms.records import RunTotals, ShardManifest
from transforms.shards.plan import ShardPlan
from transforms.stored_path import stored_path
from transforms.write_dataset import WriteDataset


def extract_settings(config: Config) -> ExtractSettings:
    """What the first stage needs of a configuration."""
    return ExtractSettings(config.select, config.extract, config.keep_blocks, config.input.read_settings(), config.input.sample)


def score_settings(config: Config) -> ScoreSettings:
    """What the stage that measures documents needs of a configuration."""
    undecided = config.extract if config.extract.main_content.retunable else None
    return ScoreSettings(
        config.effective_rules(),
        config.documents,
        config.perplexity,
        config.asked_nsfw_model,
        config.lists,
        undecided,
        config.keep_blocks,
    )


def build(root: beam.Pipeline, run: Run, started: float) -> beam.PCollection[str]:
    """Wires the whole job; the result is the path of the `_SUCCESS` file."""
    config, plan = run.config, run.plan
    extract = extract_settings(config)
    ranges = root | "ReadRanges" >> ReadRanges(str(run.folder / RANGE_FILE))
    documents = ranges | "ExtractDocuments" >> ExtractDocuments(plan, extract)
    if plan.revisits:
        repeated = documents | "ExtractRevisits" >> ExtractRevisits(plan, extract)
        documents = (documents, repeated) | "WithRevisits" >> beam.Flatten()
    sources = config.images
    wanted = documents | "LookUpImages" >> LookUpImages(plan, sources, sources.optout, sources.source)
    looked_up = wanted | "ResolveImages" >> ResolveImages(plan, sources.stored())
    outcomes, asked = looked_up, []
    if plan.rounds:
        from transforms.fetch_network_images import FetchImages, FetchSettings, MergeOutcomes

        settings = FetchSettings(sources.network, sources.optout, sources.stored(), run.earlier, sources.placeholder_urls)
        fetched = looked_up | "FetchImages" >> FetchImages(plan, settings)
        outcomes = fetched | "MergeOutcomes" >> MergeOutcomes(plan)
        asked = [looked_up, fetched]
    images = outcomes | "StoreImages" >> StoreImages(plan)
    by_shard = outcomes | "OutcomesByDocumentShard" >> OutcomesByDocumentShard(plan)
    scored = by_shard | "AssembleDocuments" >> AssembleDocuments(plan, score_settings(config))
    # Images too: a run that stops here has all that `interleaf retune` goes on from.
    data = _write_if_allowed(scored, config, plan, images)
    manifests = (documents, *asked, outcomes, images, scored, data) | "AllManifests" >> beam.Flatten()
    return manifests | "FinishRun" >> FinishRun(plan, started)


def retune(root: beam.Pipeline, run: Run, started: float) -> beam.PCollection[str]:
    """Wires what `interleaf retune` runs: as `build`, from the manifests of another run's scored shards on, or its outcomes."""
    config, plan = run.config, run.plan
    origins = root | "Plan" >> beam.Create([plan]) | "Origins" >> beam.FlatMap(origin_manifests).with_output_types(ShardManifest)
    if "scored" in plan.origins:
        scored = origins | "Scored" >> beam.Filter(_is_of, "scored")
        data = scored | "WriteDataset" >> WriteDataset(plan, config.write_settings())
        return (origins, data) | "AllManifests" >> beam.Flatten() | "FinishRun" >> FinishRun(plan, started)
    # Shuffled: all manifests come from one element, and what reads their tables should not be one worker.
    outcomes = origins | "Outcomes" >> beam.Filter(_is_of, "outcomes") | "SpreadOutcomes" >> beam.Reshuffle()
    by_shard = outcomes | "OutcomesByDocumentShard" >> OutcomesByDocumentShard(plan)
    scored = by_shard | "AssembleDocuments" >> AssembleDocuments(plan, score_settings(config))
    # Only scored shards are waited for: with the outcomes in one more Flatten, Beam's fuser in Java tears the graph apart.
    data = _write_if_allowed(scored, config, plan)
    return (origins, scored, data) | "AllManifests" >> beam.Flatten() | "FinishRun" >> FinishRun(plan, started)


def _write_if_allowed(
    scored: beam.PCollection[ShardManifest], config: Config, plan: ShardPlan, *also: beam.PCollection[ShardManifest]
) -> beam.PCollection[ShardManifest]:
    """Manifests of scored shards -> manifests of data shards, unless a rule drops nearly everything. also: what is waited for."""
    allowed = scored
    if config.guard.max_dropped is not None:
        rules = config.effective_rules()
        judged = (scored, *also) | "Judged" >> beam.Flatten() if also else scored
        summed = judged | "SumJudged" >> SumShards()
        checked = summed | "CheckRules" >> beam.Map(_check_rules, rules, config.guard, plan.folder).with_output_types(bool)
        # A step of its own before the side input: Beam's fuser in Java parts a step that has one from the stage before it, and with
        # it all that reads the same collection. A Flatten among those it tears apart, and the job ends before it begins.
        waiting = scored | "Waiting" >> beam.Map(_same).with_output_types(ShardManifest)
        allowed = waiting | "AfterCheck" >> beam.Map(_after, beam.pvalue.AsIter(checked)).with_output_types(ShardManifest)
    return allowed | "WriteDataset" >> WriteDataset(plan, config.write_settings())


def _check_rules(totals: RunTotals, rules: Mapping[str, RuleConfig], guard: GuardConfig, folder: str) -> bool:
    judged = {name.removeprefix("judged/"): count for name, count in totals.counts.items() if name.startswith("judged/")}
    check_rules(judged, rules, guard, folder)
    return True


def _same(manifest: ShardManifest) -> ShardManifest:
    return manifest


def _after(manifest: ShardManifest, checked: Iterable[bool]) -> ShardManifest:
    """The manifest; that it can be asked for means that the check is over."""
    return manifest


def _is_of(manifest: ShardManifest, stage: str) -> bool:
    return manifest.stage == stage


class _CheckShard(beam.DoFn):  # type: ignore[misc]
    def __init__(self, plan: ShardPlan) -> None:
        self._plan = plan

    def process(self, element: tuple[tuple[str, int], Iterable[ShardManifest]]) -> Iterator[ShardManifest]:
        yield check_shard(self._plan, element[1])


@beam.typehints.with_input_types(ShardManifest)
@beam.typehints.with_output_types(RunTotals)
class _SumShards(beam.CombineFn):  # type: ignore[misc]
    """Sums that are as small for a million shards as for one, so that no worker holds all manifests."""

    def create_accumulator(self) -> RunTotals:
        return RunTotals({}, {}, {}, {}, {})

    def add_input(self, totals: RunTotals, manifest: ShardManifest) -> RunTotals:
        return add_totals(totals, shard_totals(manifest))

    def merge_accumulators(self, parts: Iterable[RunTotals]) -> RunTotals:
        return reduce(add_totals, parts, self.create_accumulator())

    def extract_output(self, totals: RunTotals) -> RunTotals:
        return totals

    def get_accumulator_coder(self) -> beam.coders.Coder:
        return beam.coders.registry.get_coder(RunTotals)


class _FinishRun(beam.DoFn):  # type: ignore[misc]
    def __init__(self, plan: ShardPlan, started: float) -> None:
        self._plan = plan
        self._started = started

    def process(self, element: RunTotals) -> Iterator[str]:
        yield str(finish_run(stored_path(self._plan.folder), self._plan, element, self._started))


def _by_shard(manifest: ShardManifest) -> tuple[tuple[str, int], ShardManifest]:
    return (manifest.stage, manifest.index), manifest


def _with_one_key(manifest: ShardManifest) -> tuple[int, ShardManifest]:
    return 0, manifest


@dataclass
class SumShards(beam.PTransform):  # type: ignore[misc]
    """Manifests -> their sum, one element."""

    def expand(self, manifests: beam.PCollection[ShardManifest]) -> beam.PCollection[RunTotals]:
        return (
            manifests
            | "OneKey" >> beam.Map(_with_one_key).with_output_types(tuple[int, ShardManifest])
            | "Sum" >> beam.CombinePerKey(_SumShards())
            | "Totals" >> beam.Values().with_output_types(RunTotals)
        )


@dataclass
class FinishRun(beam.PTransform):  # type: ignore[misc]
    """All manifests -> each shard checked once -> their sums -> card, statistics, report, and `_SUCCESS` last."""

    plan: ShardPlan
    started: float

    def expand(self, manifests: beam.PCollection[ShardManifest]) -> beam.PCollection[str]:
        return (
            manifests
            | "ByShard" >> beam.Map(_by_shard).with_output_types(tuple[tuple[str, int], ShardManifest])
            | "GroupAttempts" >> beam.GroupByKey()
            | "CheckShard" >> beam.ParDo(_CheckShard(self.plan)).with_output_types(ShardManifest)
            | "SumShards" >> SumShards()
            | "Finish" >> beam.ParDo(_FinishRun(self.plan, self.started)).with_output_types(str)
        )
