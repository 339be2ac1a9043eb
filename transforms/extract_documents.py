"""Input ranges -> document shards: read, decode, parse once, gate, blocks, document, write; all in one fused stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import apache_beam as beam

import transforms.coders  # noqa: F401  registers the records
from transforms.archives import ReadSettings, read_range
from transforms.archives.revisits import capture_key, find_originals, payload_key, read_repeated
from transforms.archives.select import SelectConfig, media_type, sample_drop, select_page
from transforms.archives.warc import UNRESOLVED, unresolved_drop
from transforms.documents.choose import STAGE, document_counts
from transforms.documents.codec import document_row
from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document, extract_undecided, page_drop
from transforms.documents.isolate import IsolatedExtractor, IsolationLimits, WorkerStartError
from transforms.documents.isolate_protocol import describe_error
from transforms.group_by_shard import GroupByShard
from transforms.images.captures import capture_row, unresolved_row
from transforms.images.mentions import Mentions
from transforms.images.urls import url_key
from transforms.records import (
    Document,
    Drop,
    InputRange,
    Page,
    PayloadSighting,
    RepeatedPayload,
    Response,
    Revisit,
    ShardManifest,
    Source,
)
from transforms.shard_maker import ShardMaker
from transforms.shards.plan import ShardPlan, read_rows
from transforms.shards.schemas import CAPTURES, DOCUMENTS, INLINE, REFERENCES, REVISITS
from transforms.shards.writer import ShardWriter, find_finished

MAX_ERROR_SHARE = 0.01
"""Share of a shard's pages that may end in an unexpected exception before the run stops; five pages always may."""

MIN_ERRORS = 5


@dataclass(frozen=True)
class ExtractSettings:
    """What the stage needs of the configuration.

    keep_blocks: store each page's blocks beside its nodes. sample: share of the pages, by a hash of the URL; images are all read.
    Where `extract.main_content.retunable` is on, pages are stored undecided (`transforms.documents.choose`).
    """

    select: SelectConfig = field(default_factory=SelectConfig)
    extract: ExtractConfig = field(default_factory=ExtractConfig)
    keep_blocks: bool = False
    read: ReadSettings = field(default_factory=ReadSettings)
    sample: float | None = None

    @property
    def function(self) -> Callable[[Page, ExtractConfig, bool], Document | Drop]:
        """What makes a document of a page."""
        return extract_undecided if self.extract.main_content.retunable else extract_document

    def extract_page(self, page: Page) -> Document | Drop:
        """Makes a document of a page in this process."""
        return self.function(page, self.extract, self.keep_blocks)


def extract_range(
    range_: InputRange, plan: ShardPlan, settings: ExtractSettings, isolated: IsolatedExtractor | None = None
) -> ShardManifest:
    """Makes the document shard of one input range, or finds it finished.

    Files: documents, the distinct image URLs they mention, what the range answers for image URLs, its revisits, drops. Rows stand
    in archive order. isolated: what extracts the pages; None for this process.
    """
    is_archive = range_.format == "warc"
    return _make_shard(range_.index, lambda: read_range(range_, settings.read), is_archive, plan, settings, isolated)


def extract_revisits(
    index: int,
    revisits: Iterable[RepeatedPayload],
    plan: ShardPlan,
    settings: ExtractSettings,
    isolated: IsolatedExtractor | None = None,
) -> ShardManifest:
    """Makes a document shard, one of those behind the shards of the ranges, of revisits and the responses they repeat."""
    shard = plan.documents - plan.revisits + index
    return _make_shard(shard, lambda: read_repeated(revisits, settings.read), True, plan, settings, isolated)


def _make_shard(
    index: int,
    read: Callable[[], Iterator[Response | Revisit | Drop]],
    with_images: bool,
    plan: ShardPlan,
    settings: ExtractSettings,
    isolated: IsolatedExtractor | None,
) -> ShardManifest:
    finished = find_finished(plan.folder, STAGE, index, plan.documents, plan.key)
    if finished is not None:
        return finished
    counts: Counter[str] = Counter({f"{stage}/{end}": 0 for stage in ("read", STAGE, "blocks") for end in ("in", "out")})
    mentions = Mentions()
    undecided = settings.extract.main_content.retunable
    extract = settings.extract_page if isolated is None else isolated.extract
    cpu_seconds_before = _cpu_seconds(isolated)
    with ShardWriter(plan.folder, STAGE, index, plan.documents, plan.key) as shard:
        documents = shard.table("stages/documents", DOCUMENTS)
        references = shard.table("stages/references", REFERENCES, row_group_rows=10_000)
        captures = shard.table("stages/captures", CAPTURES, row_group_rows=10_000)
        inline = InlineTable(shard)
        revisits = shard.table("stages/revisits", REVISITS, row_group_rows=10_000)
        for item in read():
            if isinstance(item, Revisit):
                if plan.revisits:
                    revisits.append(_revisit_row(item))  # counted where it is resolved
                    continue
                item = unresolved_drop(item)
            counts["read/in"] += 1
            counts.update(f"flags/{flag}" for flag in (item.flags if isinstance(item, Response) else ()))
            capture = _capture(item) if with_images else None
            if capture is not None:
                captures.append(capture)
            if isinstance(item, Response) and capture is not None and capture["kind"] == "image":
                counts["read/images"] += 1
                if media_type(item.content_type) not in (settings.select.mime or ()):
                    counts["read/out"] += 1
                    continue
                # Bytes of an image under the type of a page: whoever asks for the image may have it, as a page it is a drop.
            page = item if isinstance(item, Drop) else sample_drop(item, settings.sample) or select_page(item, settings.select)
            if isinstance(page, Drop):
                shard.drop([page])
                continue
            counts["read/out"] += 1
            counts[f"{STAGE}/in"] += 1
            document = _extract_or_drop(page, extract, counts)
            if isinstance(document, Drop):
                shard.drop([document])
                continue
            if undecided:
                documents.append(document_row(document, with_drops=True))
            else:
                counts.update(document_counts(document))
                shard.drop(document.drops)
                documents.append(document_row(document))
            mentions.add(document)
            inline.add(document)
        for row in mentions.rows():
            references.append(row)
        return shard.commit(counts, _cpu_seconds(isolated) - cpu_seconds_before)


class InlineTable:
    """The images that stand in a shard's pages: a row for each, with its bytes in a file beside it. The first page counts."""

    def __init__(self, shard: ShardWriter) -> None:
        self._table = shard.table("stages/inline", INLINE, row_group_rows=10_000)
        self._bodies = shard.bodies("stages/inline")
        self._seen: set[str] = set()

    def add(self, document: Document) -> None:
        for image in document.inline:
            if image.url in self._seen:
                continue
            self._seen.add(image.url)
            place = {"file": self._bodies.name, "offset": self._bodies.append(image.body), "length": len(image.body)}
            self._table.append({"url_key": url_key(image.url), "url": image.url, "date": document.date or "", **place})


def _extract_or_drop(page: Page, extract: Callable[[Page], Document | Drop], counts: Counter[str]) -> Document | Drop:
    """`extract`, an unexpected exception made a Drop: it costs one page, and the run if it is no exception any more."""
    try:
        return extract(page)
    except WorkerStartError:
        raise
    except Exception as error:
        counts[f"{STAGE}/errors"] += 1
        if counts[f"{STAGE}/errors"] > max(MIN_ERRORS, MAX_ERROR_SHARE * counts[f"{STAGE}/in"]):
            raise RuntimeError(
                f"{page.source.file}, offset {page.source.offset}, {page.url}: more than {MAX_ERROR_SHARE:.0%} of the pages of "
                f"this shard end in an unexpected error; the last: {describe_error(error)}"
            ) from error
        return page_drop(page, "extract.error", detail=describe_error(error)[:500])


def _cpu_seconds(isolated: IsolatedExtractor | None) -> float:
    return 0.0 if isolated is None else isolated.cpu_seconds


def _capture(item: Response | Drop) -> dict[str, Any] | None:
    """What an item says about an image at its URL, as a row of `CAPTURES`."""
    if isinstance(item, Drop):
        return unresolved_row(item) if item.rule == UNRESOLVED else None
    return capture_row(item)


def _revisit_row(revisit: Revisit) -> dict[str, object]:
    url, date = revisit.refers_to
    row = {"url": revisit.url, "date": revisit.date or "", "source": asdict(revisit.source)}
    return {**row, "refers_url": url, "refers_date": date}


def read_payloads(manifest: ShardManifest, plan: ShardPlan) -> Iterator[tuple[str, PayloadSighting]]:
    """The payloads of a document shard: those of documents and images, and those that revisits repeat.

    Each is there under its digest, and under its URL and date; a revisit under the URL and date that it names. One that names
    nothing has a key of its own, and so no original.
    """
    columns = {"documents": [], "captures": ["kind"], "revisits": ["refers_url", "refers_date"]}
    for folder, more in columns.items():
        path = plan.path(f"stages/{folder}", manifest.index, plan.documents)
        for row in read_rows(path, ["url", "date", "source", *more], batch_rows=10_000):
            if row.get("kind", "image") != "image":
                continue
            source, is_revisit = Source(**row["source"]), folder == "revisits"
            place = (source.file, source.offset, source.length, source.record_id, source.digest)
            seen = PayloadSighting(is_revisit, row["url"], row["date"] or "", *place)
            capture = capture_key(row["refers_url"], row["refers_date"]) if is_revisit else capture_key(seen.url, seen.date)
            keys = [key for key in (_key(BY_DIGEST, payload_key(source.digest)), _key(BY_CAPTURE, capture)) if key is not None]
            for key in keys or ([f"{source.file}:{source.offset}"] if is_revisit else []):
                yield key, seen


BY_DIGEST, BY_CAPTURE = "digest ", "capture "


def _key(kind: str, key: str | None) -> str | None:
    return None if key is None else kind + key


def isolated_extractor(settings: ExtractSettings) -> IsolatedExtractor | None:
    """What extracts pages in a process of its own; None where the settings have this one do it."""
    extract = settings.extract
    if extract.isolation != "process":
        return None
    limits = IsolationLimits(extract.limits.seconds, extract.limits.memory)
    function = f"{settings.function.__module__}:{settings.function.__name__}"
    return IsolatedExtractor(extract, limits, keep_blocks=settings.keep_blocks, function=function)


class _Extract(ShardMaker):
    """What extracts pages has a child process, one for all shards that an instance makes."""

    def __init__(self, plan: ShardPlan, settings: ExtractSettings) -> None:
        self._plan = plan
        self._settings = settings
        self._isolated: IsolatedExtractor | None = None

    def setup(self) -> None:
        """One child process for all ranges that this instance gets; it ends with this process if there is no teardown."""
        super().setup()
        self._isolated = isolated_extractor(self._settings)

    def teardown(self) -> None:
        if self._isolated is not None:
            self._isolated.close()


class _ExtractRange(_Extract):
    def process(self, element: InputRange) -> Iterator[ShardManifest]:
        yield extract_range(element, self._plan, self._settings, self._isolated)


class _ExtractRevisits(_Extract):
    def process(self, element: tuple[int, Iterable[RepeatedPayload]]) -> Iterator[ShardManifest]:
        index, revisits = element
        yield extract_revisits(index, revisits, self._plan, self._settings, self._isolated)


def _originals_by_shard(element: tuple[str, Iterable[PayloadSighting]], total: int) -> Iterator[tuple[int, RepeatedPayload]]:
    for revisit in find_originals(element[1], by_digest=not element[0].startswith(BY_CAPTURE)):
        yield int.from_bytes(url_key(revisit.url)[:8], "big") % total, revisit


@dataclass
class ExtractDocuments(beam.PTransform):  # type: ignore[misc]
    """Input ranges -> manifests of document shards. Same bytes for any bundling."""

    plan: ShardPlan
    settings: ExtractSettings

    def expand(self, ranges: beam.PCollection[InputRange]) -> beam.PCollection[ShardManifest]:
        return ranges | "ExtractRange" >> beam.ParDo(_ExtractRange(self.plan, self.settings)).with_output_types(ShardManifest)


@dataclass
class ExtractRevisits(beam.PTransform):  # type: ignore[misc]
    """Manifests of the document shards of ranges -> manifests of the document shards of revisits (field_reports.md D12).

    What is joined are two light rows a page and image: digest, URL, date, place.
    """

    plan: ShardPlan
    settings: ExtractSettings

    def expand(self, documents: beam.PCollection[ShardManifest]) -> beam.PCollection[ShardManifest]:
        return (
            documents
            | "ReadPayloads" >> beam.FlatMap(read_payloads, self.plan).with_output_types(tuple[str, PayloadSighting])
            | "JoinByPayload" >> beam.GroupByKey()
            | "FindOriginals"
            >> beam.FlatMap(_originals_by_shard, self.plan.revisits).with_output_types(tuple[int, RepeatedPayload])
            | "GroupRevisits" >> GroupByShard(self.plan.revisits, RepeatedPayload)
            | "ExtractShard" >> beam.ParDo(_ExtractRevisits(self.plan, self.settings)).with_output_types(ShardManifest)
        )
