"""`interleaf report`: the funnel of a run, its rules with samples on both sides, its documents, as one HTML file.

No script, no server, nothing loaded from elsewhere. The report holds no times, so equal runs have equal reports.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from filters.rules.table import RULES_OF_LEVEL, Level
from pipelines.config import config_from_dict
from pipelines.errors import UsageError
from pipelines.report.charts import bar
from pipelines.report.rules import rule_card, samples_list
from pipelines.report.samples import SAMPLED_SHARDS, Chosen, Group, Sample, groups_of, sample_drops, sample_run
from pipelines.report.style import STYLE
from pipelines.report.thumbnails import make_thumbnails
from pipelines.run_folder import read_plan, read_run
from transforms.documents.assemble import JUDGED_STAGES, DatasetRow
from transforms.sizes import format_size
from transforms.stored_path import TEMPORARY, StoredPath, publish_text

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
LEVELS: dict[Level, str] = {"image": "Rules on images", "paragraph": "Rules on paragraphs", "document": "Rules on documents"}
GROUPS = 30
"""Languages and domains that are listed; the others are one line."""

TEXT_LENGTH, TEXTS = 1500, 12
"""Characters of a text of a shown document, and how many of its texts and images are shown."""

# What hostile text could still try is refused by the browser.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def write_report(folder: StoredPath, chosen: Chosen | None = None) -> StoredPath:
    """Writes `report.html` into a run folder that has `stats.json`. Raises UsageError when it has none.

    chosen: the sample, where some of its documents were seen already.
    """
    try:
        stats = json.loads((folder / "stats.json").read_text(encoding="utf-8"))
    except OSError:
        raise UsageError(
            f"{folder}: no stats.json: the run is not finished; repeat the `interleaf build` command to resume"
        ) from None
    path = folder / "report.html"
    text = "".join(_page(folder, stats, chosen)).encode("utf-8", "replace").decode("utf-8")  # no lone surrogates
    publish_text(text, path, folder)
    if isinstance(folder, Path):
        with contextlib.suppress(OSError):
            (folder / TEMPORARY).rmdir()  # not there, or in use by a run that is not finished
    return path


def _page(folder: StoredPath, stats: dict[str, Any], chosen: Chosen | None) -> Iterator[str]:
    run, plan = read_run(folder), read_plan(folder)
    config = config_from_dict(run["config"], str(folder))
    sample, drops = sample_run(chosen or Chosen(plan), config), sample_drops(plan)
    pictures = make_thumbnails(plan, _images_of(sample))
    yield '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>interleaf report</title><style>{STYLE}</style>'
    yield from _head(run, stats, max(run["shards"].values()))
    yield '<h2 id="funnel">Funnel</h2>'
    yield from _funnel(stats, drops)
    yield from main_content_table(stats.get("main_content") or {})
    for level, title in LEVELS.items():
        yield f'<h2 id="{level}">{title}</h2>'
        if level == "image":
            total = stats["stages"]["scored"]["in"]
            yield f"<p class=soft>Curves and samples are of {sample.documents:,} of {total:,} documents. A line shows what the "
            yield "rule alone would keep with its <span class=min-ink>minimum</span> or <span class=max-ink>maximum</span> at each "
            yield "value. “First cause” counts the whole run: what falls to several rules is counted at the first of them.</p>"
        counts = stats["stages"][JUDGED_STAGES[list(LEVELS).index(level)]]
        yield "<div class=rules>"
        known = {rule for rule, _ in RULES_OF_LEVEL[level]}
        for view in sample.rules:
            if view.rule in known:
                yield from rule_card(view, counts["drops"].get(view.rule, 0), counts["in"], pictures)
        yield "</div>"
    languages, domains = groups_of(plan)
    for title, groups in (("Languages", languages), ("Domains", domains)):
        yield f'<h2 id="{title.lower()}">{title}</h2>'
        yield from _groups_table(groups, title[:-1].lower())
    yield '<h2 id="documents">Documents</h2>'
    for row in sample.rows:
        yield from _document(row, pictures)
    yield "</html>\n"


def _head(run: dict[str, Any], stats: dict[str, Any], largest: int) -> Iterator[str]:
    source = run["input"]
    yield "<h1>interleaf report</h1><p class=soft>"
    yield f"{source['files']:,} input files, {format_size(source['bytes'])}; run key <code>{escape(run['run_key'])}</code>"
    if "retuned" in run:
        retuned = run["retuned"]
        changes = ", ".join(f"{key} {change['from']} → {change['to']}" for key, change in retuned["changes"].items())
        yield f"; retuned from <code>{escape(retuned['run'])}</code>: {escape(changes or 'no key changed')}"
    yield "</p>"
    if largest > SAMPLED_SHARDS:
        yield f"<p class=soft>Samples are from {SAMPLED_SHARDS} of up to {largest:,} shards a stage; the counts are of all.</p>"
    sections = ("funnel", *LEVELS, "languages", "domains", "documents")
    yield f"<nav>{''.join(f'<a href=#{name}>{name}</a>' for name in sections)}</nav><div class=tiles>"
    pages = {"pages": stats["stages"]["documents"]["in"]}
    for name, value in {**pages, **stats["dataset"], "stored images": stats["stored_images"]}.items():
        yield f"<div><b>{value:,}</b>{escape(name)}</div>"
    yield "</div>"


def _funnel(stats: dict[str, Any], samples: dict[tuple[str, str], list[dict[str, Any]]]) -> Iterator[str]:
    yield "<div class=wide><table><tr><th>stage<th>of<th class=n>in<th class=n>out<th class=n>dropped<th>"
    for stage, numbers in stats["stages"].items():
        dropped = sum(numbers["drops"].values())
        yield f"<tr><td>{escape(stage)}<td>{STAGE_UNITS.get(stage, '')}<td class=n>{numbers['in']:,}<td class=n>{numbers['out']:,}"
        yield f"<td class=n>{dropped:,}<td>{bar(numbers['out'], dropped, numbers['in'])}"
    yield "</table></div><p class=soft>What was dropped, by stage and rule, with samples:</p>"
    for stage, numbers in stats["stages"].items():
        for rule, count in sorted(numbers["drops"].items(), key=lambda item: (-item[1], item[0])):
            yield f"<details><summary><b>{escape(rule)}</b> <small>{escape(stage)}: {count:,}</small></summary>"
            yield from samples_list(
                ((row["value"], row["threshold"], row["detail"] or "", row["url"] or "", row["target_id"], "")
                 for row in samples.get((stage, rule), [])),
                dropped=True,
            )  # fmt: skip
            yield "</details>"


def main_content_table(words: dict[str, int]) -> Iterator[str]:
    """Which share of the words of documents' pages was main content, and why the others were not; samples are among the drops."""
    total = sum(words.values())
    if not total:
        return
    yield "<h2>Main content</h2><div class=wide><table><tr><th>words<th class=n>number<th class=n>share<th>"
    for reason, number in sorted(words.items(), key=lambda item: (item[0] != "kept", -item[1], item[0])):
        label = "kept" if reason == "kept" else f"left out: {reason}"
        shown = (number, 0) if reason == "kept" else (0, number)
        yield f"<tr><td>{escape(label)}<td class=n>{number:,}<td class=n>{number / total:.1%}<td>{bar(*shown, total)}"
    yield "</table></div>"


def _groups_table(groups: dict[str, Group], name: str) -> Iterator[str]:
    yield f"<div class=wide><table><tr><th>{name}<th class=n>documents<th class=n>kept<th class=n>rows<th class=n>words"
    yield "<th class=n>images<th>kept and dropped<th>most dropped by"
    ordered = sorted(groups.items(), key=lambda item: (-item[1].documents, item[0]))
    rest = Group()
    for _, group in ordered[GROUPS:]:
        rest.documents, rest.kept, rest.rows = rest.documents + group.documents, rest.kept + group.kept, rest.rows + group.rows
        rest.words, rest.images = rest.words + group.words, rest.images + group.images
        rest.drops.update(group.drops)
    shown = ordered[:GROUPS] + ([(f"{len(ordered) - GROUPS:,} others", rest)] if ordered[GROUPS:] else [])
    for label, group in shown:
        causes = ", ".join(f"{rule} {count:,}" for rule, count in sorted(group.drops.items(), key=lambda i: (-i[1], i[0]))[:2])
        yield f"<tr><td>{escape(_short(label))}<td class=n>{group.documents:,}<td class=n>{group.kept:,}<td class=n>{group.rows:,}"
        yield f"<td class=n>{group.words:,}<td class=n>{group.images:,}"
        yield f"<td>{bar(group.kept, group.documents - group.kept, group.documents)}<td><small>{escape(causes)}</small>"
    yield "</table></div>"


def _document(row: DatasetRow, pictures: dict[str, str]) -> Iterator[str]:
    document, scores = row.document, row.scores
    part = f", part {row.part}" if row.part else ""
    facts = f"{document.language}, {scores['words']} words, {scores['images']} images{part}"
    yield f"<details class=doc><summary>{escape(_short(document.title or document.url))} <small>{escape(facts)}</small></summary>"
    yield f"<p class=id>{escape(_short(document.url))}</p>"
    for node in row.nodes[:TEXTS]:
        if node.image is None or node.outcome is None:
            text = node.text or ""
            yield f"<blockquote>{escape(text[:TEXT_LENGTH])}{' …' if len(text) > TEXT_LENGTH else ''}</blockquote>"
        else:
            outcome = node.outcome
            caption = f"{outcome.width} × {outcome.height} {outcome.format} {_short(node.image.alt or '')}"
            yield f"<figure>{pictures.get(outcome.sha256 or '', '')}<figcaption>{escape(caption)} "
            yield f"<span class=id>{escape(_short(outcome.url))}</span></figcaption></figure>"
    if len(row.nodes) > TEXTS:
        yield f"<p class=soft>… and {len(row.nodes) - TEXTS} more</p>"
    yield "</details>"


def _short(text: str, length: int = 200) -> str:
    return text if len(text) <= length else f"{text[:length]} …"


def _images_of(sample: Sample) -> Iterable[str]:
    """Images that are shown: of the documents, then of the rules, each rule's in turn."""
    for row in sample.rows:
        yield from (node.outcome.sha256 for node in row.nodes[:TEXTS] if node.outcome is not None and node.outcome.sha256)
    sides = [side for view in sample.rules for side in (view.kept, view.dropped)]
    for number in range(max((len(side) for side in sides), default=0)):
        for side in sides:
            if number < len(side) and (sha256 := side[number][0].sha256) is not None:
                yield sha256
