"""Documents plus what became of their images -> scored documents -> dataset rows.

Two pure steps. `score_document` measures and decides nothing; its result is stored. `judge_document` compares stored measures
with thresholds and can be repeated with others. Order of rules: filters.md section 6, steps 3 to 5, 9 and 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from filters.measures import join_profiles, measure_image, profile_text
from filters.measures.language import language_probability
from filters.rules import RuleConfig, Verdict, first_drop
from transforms.images.urls import url_key
from transforms.records import BlockKind, Document, Drop, ImageRef, Node, Outcome, Paragraph, Source, TargetKind, join_paragraphs

Measures = Mapping[str, float | int | str | None]

IMAGE_STAGE = "image_nodes"
PARAGRAPH_STAGE = "paragraphs"
PART_STAGE = "parts"

PROSE_KINDS: tuple[BlockKind, ...] = ("paragraph", "list-item", "quote", "figure-caption")


@dataclass(frozen=True)
class DocumentsConfig:
    """What happens to whole documents."""

    too_long: Literal["drop", "split"] = field(
        default="split",
        metadata={"help": "a document over the maxima of document.words or document.images: drop it, or split it into parts"},
    )
    require_image: bool = field(default=False, metadata={"help": "drop documents that have no image left"})
    judged_kinds: tuple[str, ...] = field(
        default=PROSE_KINDS,
        metadata={"help": "kinds of block that the paragraph rules judge; headings, tables and code are no prose and pass"},
    )


@dataclass(frozen=True, slots=True)
class ScoredNode:
    """A node, its number in the document, and what was measured: one set a paragraph for text, one set for an image.

    outcome: what became of the image; None for text.
    """

    index: int
    node: Node
    measures: tuple[Measures, ...]
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """A document with every measure that the node rules need. `document.nodes` is empty: they are in `nodes`."""

    document: Document
    nodes: tuple[ScoredNode, ...]


@dataclass(frozen=True, slots=True)
class KeptNode:
    """A node of a dataset row: a text of one or more paragraphs, or an image with bytes.

    index: number of the (first) node in the document before filtering.
    """

    index: int
    path: str
    paragraphs: tuple[Paragraph, ...] = ()
    measures: tuple[Measures, ...] = ()
    image: ImageRef | None = None
    outcome: Outcome | None = None

    @property
    def text(self) -> str | None:
        return None if self.image is not None else join_paragraphs(self.paragraphs)


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """One document, or one part of a split one, that passed every rule. scores: the document measures."""

    document: Document
    part: int
    nodes: tuple[KeptNode, ...]
    scores: Measures


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of a scored document. counts: `STAGE/in` and `STAGE/out` for the three levels."""

    rows: tuple[DatasetRow, ...]
    drops: tuple[Drop, ...]
    counts: Mapping[str, int]


def score_document(document: Document, outcomes: Mapping[bytes, Outcome], paragraph_language: bool = False) -> ScoredDocument:
    """Attaches to each image node the outcome of its first usable candidate and measures every paragraph and image.

    paragraph_language: whether the language model is asked for each paragraph as well; it costs more than all other measures.
    """
    nodes = []
    for index, node in enumerate(document.nodes):
        if node.image is not None:
            outcome = choose_outcome(node.image, outcomes)
            nodes.append(ScoredNode(index, node, (measure_image(node.image, outcome),), outcome))
        else:
            language = document.language
            measures = tuple(
                {}
                if p.kind == "boundary"
                else profile_text(p.text).measures(language, language_probability(p.text, language) if paragraph_language else None)
                for p in node.paragraphs
            )
            nodes.append(ScoredNode(index, node, measures))
    return ScoredDocument(replace(document, nodes=()), tuple(nodes))


def choose_outcome(image: ImageRef, outcomes: Mapping[bytes, Outcome]) -> Outcome | None:
    """The outcome of the first candidate that has bytes; else the first candidate's, so that its status names the cause."""
    found = [outcome for url in image.candidates if (outcome := outcomes.get(url_key(url))) is not None]
    return next((outcome for outcome in found if outcome.status == "ok"), found[0] if found else None)


def judge_document(scored: ScoredDocument, rules: Mapping[str, RuleConfig], documents: DocumentsConfig) -> Judgement:
    """Applies image rules, paragraph rules, cleaning, splitting and document rules, in this order."""
    return _Judge(scored, rules, documents).judgement()


class _Judge:
    """The state of judging one document: its drops so far."""

    def __init__(self, scored: ScoredDocument, rules: Mapping[str, RuleConfig], documents: DocumentsConfig) -> None:
        self.document = scored.document
        self.nodes = scored.nodes
        self.rules = rules
        self.documents = documents
        self.drops: list[Drop] = []

    def judgement(self) -> Judgement:
        judged = (node for n in self.nodes if (node := self._judge_node(n)) is not None)
        kept = drop_idle_boundaries(merge_neighbours(self._drop_repeated_images(judged)))
        parts = self._split(kept)
        rows = tuple(row for number, part in enumerate(parts) if (row := self._judge_part(number, part)) is not None)
        entered = {
            IMAGE_STAGE: sum(n.node.image is not None for n in self.nodes),
            PARAGRAPH_STAGE: sum(paragraph.kind != "boundary" for n in self.nodes for paragraph in n.node.paragraphs),
            PART_STAGE: len(parts),
        }
        counts: dict[str, int] = {}
        for stage, count in entered.items():
            counts[f"{stage}/in"] = count
            counts[f"{stage}/out"] = count - sum(drop.stage == stage for drop in self.drops)
        return Judgement(rows, tuple(self.drops), counts)

    def _judge_node(self, scored: ScoredNode) -> KeptNode | None:
        node = scored.node
        if node.image is not None:
            failure = first_drop("image", scored.measures[0], self.rules)
            if failure is not None:
                status = scored.outcome.status if scored.outcome is not None else "no candidate was looked up"
                detail = f"{node.image.href} {status}" if failure.rule == "image.available" else node.image.href
                self._drop(IMAGE_STAGE, "image", f"n{scored.index}", failure, detail)
                return None
            return KeptNode(scored.index, node.path, measures=scored.measures, image=node.image, outcome=scored.outcome)
        paragraphs, measures = [], []
        for number, (paragraph, measured) in enumerate(zip(node.paragraphs, scored.measures, strict=True)):
            failure = None
            if paragraph.kind in self.documents.judged_kinds and paragraph.kind != "boundary":
                failure = first_drop("paragraph", measured, self.rules)
            if failure is not None:
                self._drop(PARAGRAPH_STAGE, "node", f"n{scored.index}.p{number}", failure, paragraph.path)
            else:
                paragraphs.append(paragraph)
                measures.append(measured)
        if not paragraphs:
            return None
        return KeptNode(scored.index, node.path, tuple(paragraphs), tuple(measures))

    def _drop_repeated_images(self, nodes: Iterable[KeptNode]) -> list[KeptNode]:
        """Of equal images in a document the first stays (filters.md section 7, dup.in_document)."""
        seen: dict[str, int] = {}
        kept = []
        for node in nodes:
            digest = node.outcome.sha256 if node.outcome is not None else None
            if node.image is not None and digest in seen:
                detail = f"{node.image.href} is the image of node {seen[digest]}"
                self._add(IMAGE_STAGE, "dup.in_document", "image", f"n{node.index}", None, None, detail)
                continue
            if digest is not None:
                seen[digest] = node.index
            kept.append(node)
        return kept

    def _split(self, nodes: list[KeptNode]) -> list[list[KeptNode]]:
        if self.documents.too_long == "drop" or not nodes:
            return [nodes]
        words, images = (self.rules.get(rule) for rule in ("document.words", "document.images"))
        return split_nodes(
            nodes,
            words.max if words is not None and words.enabled else None,
            images.max if images is not None and images.enabled else None,
        )

    def _judge_part(self, part: int, nodes: list[KeptNode]) -> DatasetRow | None:
        target = f"part{part}"
        images = sum(node.image is not None for node in nodes)
        paragraphs = [paragraph for node in nodes for paragraph in node.paragraphs if paragraph.kind != "boundary"]
        if not paragraphs:
            self._add(PART_STAGE, "document.no_text", "page", target, 0, 1, "no paragraph passed")
            return None
        if self.documents.require_image and not images:
            self._add(PART_STAGE, "document.no_image", "page", target, 0, 1, "no image passed")
            return None
        profile = join_profiles([profile_text(paragraph.text) for paragraph in paragraphs])
        scores = profile.measures(self.document.language, self.document.language_score)
        scores["images"] = images
        failure = first_drop("document", scores, self.rules)
        if failure is not None:
            self._drop(PART_STAGE, "page", target, failure, None)
            return None
        return DatasetRow(self.document, part, tuple(nodes), scores)

    def _drop(self, stage: str, kind: TargetKind, target: str, failure: Verdict, detail: str | None) -> None:
        value = failure.value if isinstance(failure.value, int | float) else None
        threshold = failure.threshold if isinstance(failure.threshold, int | float) else None
        if value is None and failure.value is not None:
            detail = f"{failure.value} not in {failure.threshold}" + (f" {detail}" if detail else "")
        self._add(stage, failure.rule, kind, target, value, threshold, detail)

    def _add(
        self,
        stage: str,
        rule: str,
        kind: TargetKind,
        target: str,
        value: float | None,
        threshold: float | None,
        detail: str | None,
    ) -> None:
        source: Source = self.document.source
        target_id = f"{self.document.id}#{target}"
        self.drops.append(
            Drop(stage, rule, kind, target_id, self.document.url, value, threshold, detail, source.file, source.offset)
        )


def merge_neighbours(nodes: Sequence[KeptNode]) -> list[KeptNode]:
    """Texts that became neighbours because an image between them went are one text, joined by a blank line."""
    merged: list[KeptNode] = []
    for node in nodes:
        if merged and node.image is None and merged[-1].image is None:
            before = merged[-1]
            paragraphs = (*before.paragraphs, replace(node.paragraphs[0], separator="\n\n"), *node.paragraphs[1:])
            merged[-1] = replace(before, paragraphs=paragraphs, measures=(*before.measures, *node.measures))
        else:
            merged.append(node)
    return merged


def drop_idle_boundaries(nodes: Sequence[KeptNode]) -> list[KeptNode]:
    """Of boundaries in a row the first stays, and none at either end of the document (obelics.md 4.5)."""
    kept: list[KeptNode] = []
    after_boundary = True  # as at the beginning
    for node in nodes:
        if node.image is not None:
            kept.append(node)
            after_boundary = False
            continue
        numbers = []
        for number, paragraph in enumerate(node.paragraphs):
            is_boundary = paragraph.kind == "boundary"
            if not (is_boundary and after_boundary):
                numbers.append(number)
            after_boundary = is_boundary
        if numbers:
            kept.append(_with_paragraphs(node, numbers))
    if kept and kept[-1].paragraphs and kept[-1].paragraphs[-1].kind == "boundary":
        last = kept.pop()
        if len(last.paragraphs) > 1:
            kept.append(_with_paragraphs(last, range(len(last.paragraphs) - 1)))
    return kept


def _with_paragraphs(node: KeptNode, numbers: Sequence[int]) -> KeptNode:
    if len(numbers) == len(node.paragraphs):
        return node
    return replace(node, paragraphs=tuple(node.paragraphs[n] for n in numbers), measures=tuple(node.measures[n] for n in numbers))


def split_nodes(nodes: Sequence[KeptNode], max_words: float | None, max_images: float | None) -> list[list[KeptNode]]:
    """Cuts a node sequence into parts of at most `max_words` words and `max_images` images (filters.md section 4).

    Each cut is before the last heading or boundary in the second half of a full part, else between two paragraphs or nodes. One
    paragraph over the limit is a part of its own; the rules judge it.
    """
    parts: list[list[KeptNode]] = []
    current: list[KeptNode] = []
    words = images = 0
    for unit in (unit for node in nodes for unit in _units(node)):
        words += _words(unit)
        images += unit.image is not None
        while current and _over(words, max_words) | _over(images, max_images):
            cut = _cut_before_heading(current)
            parts.append(_rejoin(current[:cut]))
            current = current[cut:]
            words = sum(map(_words, current)) + _words(unit)
            images = sum(u.image is not None for u in current) + (unit.image is not None)
        current.append(unit)
    parts.append(_rejoin(current))
    return parts


def _cut_before_heading(units: Sequence[KeptNode]) -> int:
    """Where to end a full part: before the last heading of its second half by words, else after its last unit."""
    half = sum(map(_words, units)) / 2
    after = 0
    for number in range(len(units) - 1, 0, -1):
        after += _words(units[number])
        if after > half:
            break
        if units[number].paragraphs and units[number].paragraphs[0].kind in ("heading", "boundary"):
            return number
    return len(units)


def _over(value: int, limit: float | None) -> bool:
    return limit is not None and value > limit


def _words(unit: KeptNode) -> int:
    return 0 if unit.image is not None else int(unit.measures[0].get("words") or 0)


def _units(node: KeptNode) -> list[KeptNode]:
    if node.image is not None:
        return [node]
    return [
        replace(node, path=paragraph.path, paragraphs=(paragraph,), measures=(measures,))
        for paragraph, measures in zip(node.paragraphs, node.measures, strict=True)
    ]


def _rejoin(units: Sequence[KeptNode]) -> list[KeptNode]:
    joined: list[KeptNode] = []
    for unit in units:
        if joined and unit.image is None and joined[-1].image is None:
            before = joined[-1]
            joined[-1] = replace(before, paragraphs=before.paragraphs + unit.paragraphs, measures=before.measures + unit.measures)
        else:
            joined.append(unit)
    return joined
