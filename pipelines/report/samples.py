"""What the report shows of a run: a sample of its documents judged again, of its drops, and of its images (no HTML here).

    scored shards ─► some documents ─► every measure ─► values for the curves
                                   '─► every verdict ─► samples on both sides of each rule
    drops         ─► some rows of each rule

Which ones is decided by the rule's name and by the order of the shards: equal runs have equal samples.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from filters.rules import RULES, ActiveRules, RuleConfig, Verdict, judge_by
from filters.rules.table import Level
from pipelines.config import Config
from pipelines.run_rows import spread
from transforms.documents.assemble import JUDGED_STAGES, DatasetRow, Judgement, ScoredDocument, judge_document
from transforms.documents.codec import read_scored
from transforms.documents.parts import Measures
from transforms.images.urls import host_of
from transforms.shards.plan import ShardPlan
from transforms.stored_path import StoredPath, arrow_source

SAMPLES = 20
"""Samples of each rule, on either side, and of documents."""

SAMPLED_SHARDS = 64
"""Shards of a stage that samples come from, evenly spread: the report of a large run costs what a small one's does."""

SAMPLED_DOCUMENTS = 400
"""Documents whose measures make the curves, evenly spread over the shards."""

SHOWN_OF_DROPS = ["value", "threshold", "detail", "url", "target_id"]
"""Columns of `drops/`."""

_TRIES = 8
"""How many candidates are judged for each sample that is wanted: some were not judged at all, as too short for the rule."""


@dataclass(slots=True)
class Thing:
    """An image, paragraph or document of the sample, one of thousands. Not changed once made.

    text: what to show. sha256: of an image with bytes.
    """

    level: Level
    target: str
    url: str
    text: str
    measures: Measures
    sha256: str | None = None


@dataclass(frozen=True)
class RuleView:
    """A rule and what it does to the sample. values: of its measure, sorted. kept, dropped: samples with their verdicts."""

    rule: str
    config: RuleConfig
    things: int
    values: np.ndarray[Any, np.dtype[np.float64]]
    kept: Sequence[tuple[Thing, Verdict]]
    dropped: Sequence[tuple[Thing, Verdict]]


@dataclass
class Group:
    """The documents of one language or one domain. drops: documents and parts that went, by rule."""

    documents: int = 0
    kept: int = 0
    rows: int = 0
    words: int = 0
    images: int = 0
    drops: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Sample:
    """rows: documents and parts that are in the dataset, for reading. documents: how many were judged."""

    rules: Sequence[RuleView]
    rows: Sequence[DatasetRow]
    documents: int


class Chosen:
    """The documents of a run's sample. What came of them is kept where it is seen while the dataset is written, else read again."""

    def __init__(self, plan: ShardPlan) -> None:
        self._plan = plan
        shards = spread(plan.documents, SAMPLED_SHARDS)
        counts = [pq.read_metadata(arrow_source(self._path(shard))).num_rows for shard in shards]
        self._places = {
            shard: spread(count, -(-SAMPLED_DOCUMENTS * count // max(1, sum(counts))))
            for shard, count in zip(shards, counts, strict=True)
        }
        self._wanted = {shard: frozenset(places) for shard, places in self._places.items()}
        self._seen: dict[tuple[int, int], tuple[ScoredDocument, Judgement]] = {}

    def see(self, shard: int, place: int, scored: ScoredDocument, judgement: Judgement) -> None:
        """Keeps what came of a document, if it is of the sample (`transforms.dataset.write.Witness`)."""
        if place in self._wanted.get(shard, ()):
            self._seen[shard, place] = scored, judgement

    def judged(self, config: Config) -> Iterator[tuple[ScoredDocument, Judgement]]:
        """The documents in the order of the run, with what came of them."""
        rules = ActiveRules(config.effective_rules())
        for shard, places in self._places.items():
            missing = [place for place in places if (shard, place) not in self._seen]
            if missing:
                rows = _rows(_table(self._path(shard)), missing)
                for place, scored in zip(missing, map(read_scored, rows), strict=True):
                    self._seen[shard, place] = scored, judge_document(scored, rules, config.documents)
            for place in places:
                yield self._seen.pop((shard, place))

    def _path(self, shard: int) -> StoredPath:
        return self._plan.path("stages/scored", shard, self._plan.documents)


def sample_run(chosen: Chosen, config: Config) -> Sample:
    """What some of a run's documents show of each rule."""
    rules = config.effective_rules()
    things: dict[Level, list[Thing]] = {"image": [], "paragraph": [], "document": []}
    rows: list[DatasetRow] = []
    documents = 0
    for scored, judgement in chosen.judged(config):
        documents += 1
        rows += judgement.rows
        for thing in _things(scored, judgement.measured, config.documents.judged_kinds):
            things[thing.level].append(thing)
    rng = random.Random("documents")
    shown = sorted(rng.sample(range(len(rows)), min(SAMPLES, len(rows))))
    views = [_view(rule, rules[rule], things[RULES[rule].level], rules) for rule in RULES]
    return Sample(views, [rows[number] for number in shown], documents)


def sample_drops(plan: ShardPlan) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Some drops of each rule of each stage, in the order of the shards: what the report shows of them (`SHOWN_OF_DROPS`)."""
    places: dict[tuple[str, str], list[tuple[StoredPath, np.ndarray[Any, Any]]]] = defaultdict(list)
    for path in _drop_files(plan):
        stages, rules = map(_coded, _table(path, ["stage", "rule"], coded=True).columns)
        codes = stages.codes * len(rules.values) + rules.codes
        for code in np.unique(codes, return_index=True)[0].tolist():
            key = stages.values[code // len(rules.values)], rules.values[code % len(rules.values)]
            places[key].append((path, np.flatnonzero(codes == code)))
    wanted: dict[StoredPath, dict[tuple[str, str], list[int]]] = defaultdict(dict)
    for key, parts in sorted(places.items()):
        total = sum(len(found) for _, found in parts)
        chosen = sorted(random.Random("/".join(key)).sample(range(total), min(SAMPLES, total)))
        before = 0
        for path, found in parts:
            own = [int(found[n - before]) for n in chosen if before <= n < before + len(found)]
            before += len(found)
            if own:
                wanted[path][key] = own
    sampled: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(wanted, key=str):
        table = _table(path, SHOWN_OF_DROPS)
        for key, numbers in wanted[path].items():
            sampled[key] += _rows(table, numbers)
    return sampled


def groups_of(plan: ShardPlan) -> tuple[dict[str, Group], dict[str, Group]]:
    """The documents of the sampled shards by language and by domain, and what became of them."""
    languages: dict[str, Group] = defaultdict(Group)
    domains: dict[str, Group] = defaultdict(Group)
    language_of: dict[str, str] = {}
    shards = spread(plan.documents, SAMPLED_SHARDS)
    for index in shards:
        table = _table(plan.path("stages/scored", index, plan.documents), ["id", "domain", "language"])
        for document, domain, language in zip(*(table[name].to_pylist() for name in table.column_names), strict=True):
            language_of[document] = language
            for group in (languages[language], domains[domain]):
                group.documents += 1
    seen: set[str] = set()
    for index in sorted({plan.data_shard(shard) for shard in shards}):
        path = plan.path("data", index, plan.data, "train")
        columns = ["id", "domain", "scores.words", "scores.images"]
        for row in _table(path, columns).to_pylist() if path.is_file() else ():
            if row["id"] in language_of:
                for group in (languages[language_of[row["id"]]], domains[row["domain"]]):
                    group.rows += 1
                    group.kept += row["id"] not in seen
                    group.words += row["scores"]["words"] or 0
                    group.images += row["scores"]["images"] or 0
                seen.add(row["id"])
        path = plan.path("drops", index, plan.data, "part-data")
        for row in _drops_of(path, JUDGED_STAGES[-1]) if path.is_file() else ():
            language = language_of.get(row["target_id"].partition("#")[0])
            if language is not None:
                languages[language].drops[row["rule"]] += 1
                domains[host_of(row["url"])].drops[row["rule"]] += 1
    return dict(languages), dict(domains)


def image_bodies(plan: ShardPlan, wanted: Sequence[str]) -> dict[str, bytes]:
    """The bytes of some images by sha256. Only the row groups that hold one of them are read."""
    missing = set(wanted)
    found: dict[str, bytes] = {}
    for index in range(plan.images if missing else 0):
        path = plan.path("images", index, plan.images)
        if not path.is_file():
            continue
        with pq.ParquetFile(arrow_source(path)) as file:
            for group in range(file.num_row_groups):
                names = file.read_row_group(group, columns=["sha256"])["sha256"].to_pylist()
                numbers = [number for number, name in enumerate(names) if name in missing]
                if numbers:
                    bodies = file.read_row_group(group, columns=["bytes"])["bytes"]
                    found.update((names[number], bodies[number].as_py()) for number in numbers)
    return found


def _things(scored: ScoredDocument, parts: Sequence[Measures], judged_kinds: Sequence[str]) -> Iterator[Thing]:
    document = scored.document
    opening = ""
    for node in scored.nodes:
        target = f"{document.id}#n{node.index}"
        if node.node.image is not None:
            outcome, image = node.outcome, node.node.image
            url = outcome.url if outcome is not None else image.href
            words = f"{image.alt or ''} <{url}>".strip()
            yield Thing("image", target, document.url, words, node.measures[0], outcome.sha256 if outcome is not None else None)
            continue
        for place, (paragraph, measures) in enumerate(zip(node.node.paragraphs, node.measures, strict=True)):
            opening = opening if len(opening) > 300 else f"{opening} {paragraph.text}"
            if paragraph.kind in judged_kinds and paragraph.kind != "boundary":
                yield Thing("paragraph", f"{target}.p{place}", document.url, paragraph.text, measures)
    for number, measures in enumerate(parts):
        title = f"{document.title or ''} — {opening.strip()}"
        yield Thing("document", f"{document.id}#part{number}", document.url, title, measures)


def _view(rule_id: str, config: RuleConfig, things: Sequence[Thing], rules: Mapping[str, RuleConfig]) -> RuleView:
    rule = RULES[rule_id]
    # One that is missing is None, which becomes NaN.
    measures = [thing.measures for thing in things]
    values = np.array([each.get(rule.measure) for each in measures] if rule.measure else [None] * len(measures), np.float64)
    known = np.sort(values[~np.isnan(values)])
    if config.off:
        return RuleView(rule_id, config, len(things), known, (), ())
    # What numbers say first is only where to look: whether a thing is kept is for the rule to say.
    outside = np.zeros(len(things), bool)
    if config.min is not None:
        outside |= values < config.min
    if config.max is not None:
        outside |= (values >= config.max) if rule.max_is_exclusive else (values > config.max)
    if rule.category is not None and config.allowed is not None:
        outside |= np.array([each.get(rule.category) not in config.allowed for each in measures], bool)
    sides = []
    for name, candidates in (("kept", np.flatnonzero(~outside)), ("dropped", np.flatnonzero(outside))):
        tried = random.Random(f"{rule_id} {name}").sample(candidates.tolist(), min(_TRIES * SAMPLES, len(candidates)))
        judged = ((things[n], judge_by(rule_id, things[n].measures, rules, things[n].target)) for n in tried)
        wanted = "pass" if name == "kept" else "fail"
        sides.append([pair for pair in judged if pair[1].verdict == wanted][:SAMPLES])
    return RuleView(rule_id, config, len(things), known, *sides)


def _drop_files(plan: ShardPlan) -> Iterator[StoredPath]:
    for stage in plan.stages:
        for index in spread(plan.total(stage), SAMPLED_SHARDS):
            path = plan.path("drops", index, plan.total(stage), f"part-{stage}")
            if path.is_file():
                yield path


class _Coded(NamedTuple):
    """A column of few texts: the number of each row's text among `values`."""

    codes: np.ndarray[Any, np.dtype[np.int64]]
    values: list[str]


def _coded(column: pa.ChunkedArray) -> _Coded:
    """A column that was read as coded."""
    array = column.unify_dictionaries().combine_chunks()
    return _Coded(np.from_dlpack(array.indices).astype(np.int64), array.dictionary.to_pylist())


# What follows does without `take`, `filter` and `to_numpy`: these load Arrow's functions and pandas, for more than all of it takes.


def _table(path: StoredPath, columns: list[str] | None = None, coded: bool = False) -> pa.Table:
    """A whole file of a shard. `pq.read_table` would make a data set of it first, which costs as much again.

    coded: stage and rule as codes.
    """
    with pq.ParquetFile(arrow_source(path), read_dictionary=["stage", "rule"] if coded else None) as file:
        return file.read(columns, use_threads=False)


def _drops_of(path: StoredPath, stage: str) -> list[dict[str, Any]]:
    """The drops of one stage in a file."""
    table = _table(path, ["stage", "rule", "target_id", "url"], coded=True)
    stages = _coded(table["stage"])
    return _rows(table, np.flatnonzero(stages.codes == stages.values.index(stage)).tolist()) if stage in stages.values else []


def _rows(table: pa.Table, numbers: Sequence[int]) -> list[dict[str, Any]]:
    """Some rows of a table."""
    columns = list(zip(table.column_names, table.columns, strict=True))
    return [{name: column[number].as_py() for name, column in columns} for number in numbers]
