"""`interleaf page RUN --url URL`: every verdict on a document of a run, on what stayed as on what went (filters.md 1).

Nothing is read but stored measures and the settings of the run: what is shown is what the run decided by.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from filters.rules import ActiveRules, Verdict, first_failure, judge
from pipelines.config import Config, config_from_dict
from pipelines.errors import UsageError
from pipelines.run_folder import RUN_FILE, read_plan, read_run
from transforms.documents.assemble import ScoredDocument, judge_document
from transforms.documents.codec import read_scored
from transforms.shards.plan import ShardPlan
from transforms.stored_path import arrow_source


def show_verdicts(run: str, url: str | None, as_json: bool) -> int:
    """Prints the verdicts on the documents of a URL: for people a line a thing, as JSON one a verdict. Returns the exit status."""
    if url is None:
        raise UsageError(f"{run}: is a run folder; give the --url of the page whose verdicts are wanted")
    config = config_from_dict(read_run(run)["config"], str(Path(run) / RUN_FILE))
    found = list(_documents(read_plan(run), url))
    if not found:
        raise UsageError(f"{run}: no document of {url} was judged; a page that was dropped before is in drops/, with its rule")
    for scored in found:
        for text, verdicts in _judged(scored, config):
            for line in _as_json(verdicts) if as_json else [_as_line(text, verdicts)]:
                print(line)
    return 0


def _documents(plan: ShardPlan, url: str) -> Iterator[ScoredDocument]:
    for index in range(plan.documents):
        source = plan.path("stages/scored", index, plan.documents)
        urls = pq.read_table(arrow_source(source), columns=["url"])["url"].to_pylist()
        places = [place for place, known in enumerate(urls) if known == url]
        if places:
            yield from map(read_scored, pq.read_table(arrow_source(source)).take(pa.array(places)).to_pylist())


def _judged(scored: ScoredDocument, config: Config) -> Iterator[tuple[str, tuple[Verdict, ...]]]:
    """Each image, paragraph and part with its verdicts, in the order of the document."""
    rules, kinds = config.effective_rules(), config.documents.judged_kinds
    for node in scored.nodes:
        target = f"{scored.document.id}#n{node.index}"
        if node.node.image is not None:
            yield node.node.image.href, judge("image", node.measures[0], rules, target)
            continue
        for place, (paragraph, measures) in enumerate(zip(node.node.paragraphs, node.measures, strict=True)):
            if paragraph.kind in kinds and paragraph.kind != "boundary":
                yield paragraph.text, judge("paragraph", measures, rules, f"{target}.p{place}")
    for number, measures in enumerate(judge_document(scored, ActiveRules(rules), config.documents).measured):
        yield scored.document.title or scored.document.url, judge("document", measures, rules, f"{scored.document.id}#part{number}")


def _as_json(verdicts: tuple[Verdict, ...]) -> Iterator[str]:
    return (json.dumps(dataclasses.asdict(verdict), ensure_ascii=False) for verdict in verdicts)


def _as_line(text: str, verdicts: tuple[Verdict, ...]) -> str:
    cause = first_failure(verdicts)
    said = ", ".join(_told(verdict) for verdict in verdicts if verdict.reason != "off")
    fate = "kept   " if cause is None else "dropped"
    shown = " ".join(text.split())
    return f"{fate} {verdicts[0].target.rpartition('#')[2]:<9} {json.dumps(shown[:70], ensure_ascii=False)}\n        {said}"


def _told(verdict: Verdict) -> str:
    name = verdict.rule.partition(".")[2]
    if verdict.verdict == "skip":
        return f"{name} not judged ({verdict.reason})"
    threshold = ", ".join(verdict.threshold) if isinstance(verdict.threshold, tuple) else verdict.threshold
    value = f"{verdict.value:.4g}" if isinstance(verdict.value, float) else verdict.value
    mark = " FAILS" if verdict.verdict == "fail" else ""
    return f"{name} {value}{f' {verdict.op} {threshold}' if verdict.op else ''}{mark}"
