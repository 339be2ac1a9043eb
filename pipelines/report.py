"""`interleaf report`: the funnel of a run and samples of what each rule took, as one HTML file without scripts or server.

The report holds no times, so equal runs have equal reports.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import html
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pipelines.errors import UsageError
from pipelines.run_folder import read_plan, read_run
from transforms.shards.plan import ShardPlan, read_rows
from transforms.sizes import format_size
from transforms.stored_path import TEMPORARY, StoredPath, publish_text

SAMPLES = 8
"""Samples a rule and of documents; those with the smallest hash of their id, so that a run always shows the same."""

SAMPLED_SHARDS = 64
"""Shards of a stage that samples come from, evenly spread: the report of a large run costs what a small one's does."""

STAGE_UNITS = {
    "read": "responses in the archives",
    "documents": "HTML pages",
    "blocks": "blocks of documents",
    "images": "distinct image URLs",
    "image_nodes": "images in documents",
    "scored": "documents measured",
    "paragraphs": "paragraphs",
    "parts": "documents and parts of split ones",
}

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1b1f24;background:#fff}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}
td,th{padding:.2rem .7rem;border-bottom:1px solid #d8dee4;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}.bar{background:#2f6f4f;height:.7rem;display:inline-block}
.drop{background:#b5523b}code,td.id{font:12px ui-monospace,monospace;word-break:break-all}
details{margin:.3rem 0}summary{cursor:pointer}
blockquote{border-left:3px solid #d8dee4;margin:.4rem 0;padding:.1rem .8rem;white-space:pre-wrap}small{color:#59636e}
"""


def write_report(folder: StoredPath) -> StoredPath:
    """Writes `report.html` into a run folder that has `stats.json`. Raises UsageError when it has none."""
    try:
        stats = json.loads((folder / "stats.json").read_text(encoding="utf-8"))
    except OSError:
        raise UsageError(
            f"{folder}: no stats.json: the run is not finished; repeat the `interleaf build` command to resume"
        ) from None
    path = folder / "report.html"
    publish_text("".join(_page(folder, stats)), path, folder)
    if isinstance(folder, Path):
        with contextlib.suppress(OSError):
            (folder / TEMPORARY).rmdir()  # not there, or in use by a run that is not finished
    return path


def smallest_by_hash(rows: Iterable[dict[str, Any]], key: str, count: int) -> list[dict[str, Any]]:
    """A sample that depends on the rows' keys alone, not on their order. Constant memory."""
    keyed = (
        (hashlib.blake2b(str(row[key]).encode("utf-8", "surrogatepass"), digest_size=8).digest(), number, row)
        for number, row in enumerate(rows)
    )
    return [row for _, _, row in heapq.nsmallest(count, keyed, key=lambda item: item[:2])]


def _page(folder: StoredPath, stats: dict[str, Any]) -> Iterator[str]:
    run = read_run(folder)
    source, largest = run["input"], max(run["shards"].values())
    yield f'<!doctype html><html lang="en"><meta charset="utf-8"><title>interleaf report</title><style>{_STYLE}</style>'
    yield "<h1>interleaf report</h1>"
    yield f"<p>{source['files']} input files, {format_size(source['bytes'])}; run key <code>{run['run_key']}</code></p>"
    yield "<table>"
    dataset = stats["dataset"]
    for name, value in (*dataset.items(), ("stored images", stats["stored_images"])):
        yield f"<tr><td>{html.escape(name)}<td class=n>{value:,}"
    yield "</table><h2>Funnel</h2><table><tr><th>stage<th>of<th>in<th>out<th>dropped<th>"
    for stage, numbers in stats["stages"].items():
        dropped = sum(numbers["drops"].values())
        width = 16 * numbers["out"] / numbers["in"] if numbers["in"] else 0
        yield (
            f"<tr><td>{stage}<td>{STAGE_UNITS.get(stage, '')}<td class=n>{numbers['in']:,}<td class=n>{numbers['out']:,}"
            f'<td class=n>{dropped:,}<td><span class=bar style="width:{width:.2f}rem"></span>'
            f'<span class="bar drop" style="width:{16 - width if numbers["in"] else 0:.2f}rem"></span>'
        )
    yield "</table><h2>Drops by rule</h2>"
    if largest > SAMPLED_SHARDS:
        yield f"<p>Samples are from {SAMPLED_SHARDS} of up to {largest:,} shards a stage; the counts are of all."
    yield from _drops(folder, stats)
    yield from main_content_table(stats.get("main_content") or {})
    yield "<h2>Documents</h2>"
    yield from _documents(folder)
    yield "</html>\n"


def _drops(folder: StoredPath, stats: dict[str, Any]) -> Iterator[str]:
    samples: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in _sampled_drops(read_plan(folder)):
        kept = samples.setdefault((row["stage"], row["rule"]), [])
        kept.append(row)
        if len(kept) > 50 * SAMPLES:
            samples[row["stage"], row["rule"]] = smallest_by_hash(kept, "target_id", SAMPLES)
    for stage, numbers in stats["stages"].items():
        for rule, count in sorted(numbers["drops"].items(), key=lambda item: (-item[1], item[0])):
            yield f"<details><summary><b>{html.escape(rule)}</b> in {stage}: {count:,}</summary><table>"
            yield "<tr><th>value<th>threshold<th>what<th>where"
            for row in smallest_by_hash(samples.get((stage, rule), []), "target_id", SAMPLES):
                yield (
                    f"<tr><td class=n>{_number(row['value'])}<td class=n>{_number(row['threshold'])}"
                    f"<td>{html.escape((row['detail'] or '')[:300])}<td class=id>{html.escape((row['url'] or '')[:200])}"
                    f"<br>{row['target_kind']} {html.escape(row['target_id'][:80])}"
                )
            yield "</table></details>"


def main_content_table(words: dict[str, int]) -> Iterator[str]:
    """Which share of the words of documents' pages was main content, and why the others were not; samples are among the drops."""
    total = sum(words.values())
    if not total:
        return
    yield "<h2>Main content</h2><table><tr><th>words<th>number<th>share<th>"
    for reason, number in sorted(words.items(), key=lambda item: (item[0] != "kept", -item[1], item[0])):
        share = number / total
        label = "kept" if reason == "kept" else f"left out: {reason}"
        bar = "bar" if reason == "kept" else "bar drop"
        yield f"<tr><td>{html.escape(label)}<td class=n>{number:,}<td class=n>{share:.1%}"
        yield f'<td><span class="{bar}" style="width:{16 * share:.2f}rem"></span>'
    yield "</table>"


def _documents(folder: StoredPath) -> Iterator[str]:
    plan = read_plan(folder)
    paths = (plan.path("data", index, plan.data, "train") for index in spread(plan.data, SAMPLED_SHARDS))
    rows = (row for path in paths if path.is_file() for row in read_rows(path))
    for row in smallest_by_hash(rows, "id", SAMPLES):
        words, images = row["scores"]["words"], row["scores"]["images"]
        title = html.escape(row["title"] or row["url"])
        yield f"<details><summary>{title} <small>{row['language']}, {words} words, {images} images</small></summary>"
        yield f"<p class=id>{html.escape(row['url'])}</p>"
        for text, node in zip(row["texts"], row["nodes"], strict=True):
            if text is None:
                image = node["image"]
                alt = html.escape(image["alt"] or "")
                facts = f"{image['width']} × {image['height']} {image['format']}"
                yield f"<p>[image {facts}] {alt} <code>{html.escape(image['url'])}</code></p>"
            else:
                yield f"<blockquote>{html.escape(text[:2000])}{' …' if len(text) > 2000 else ''}</blockquote>"
        yield "</details>"


def spread(total: int, count: int) -> list[int]:
    """At most `count` of the numbers below `total`, evenly spread.

    >>> spread(3, 5), spread(100, 4)
    ([0, 1, 2], [0, 25, 50, 75])
    """
    return sorted({number * total // count for number in range(count)}) if total > count else list(range(total))


def _sampled_drops(plan: ShardPlan) -> Iterator[dict[str, Any]]:
    for stage in plan.stages:
        yield from _drops_of_shards(plan, stage, spread(plan.total(stage), SAMPLED_SHARDS))


def drop_rows(folder: StoredPath) -> Iterator[dict[str, Any]]:
    """All drops of a run, shard by shard; those of stages that another run made stand there."""
    plan = read_plan(folder)
    for stage in plan.stages:
        yield from _drops_of_shards(plan, stage, range(plan.total(stage)))


def _drops_of_shards(plan: ShardPlan, stage: str, shards: Iterable[int]) -> Iterator[dict[str, Any]]:
    for index in shards:
        path = plan.path("drops", index, plan.total(stage), f"part-{stage}")
        if path.is_file():
            yield from read_rows(path, batch_rows=1000)


def data_rows(folder: StoredPath, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """All rows of the dataset, in order."""
    paths: list[StoredPath] = sorted((folder / "data").glob("train-*.parquet"), key=str)
    for path in paths:
        yield from read_rows(path, columns)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
