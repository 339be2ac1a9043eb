"""Documents plus what became of their images -> scored documents -> dataset rows.

Two pure steps. `score_document` measures; its result is stored. `judge_document` compares stored measures with thresholds and can
be repeated with others. Order of rules: filters.md section 6, steps 3 to 5, 9 and 11.

What a document measures depends on which of its paragraphs stay. So scoring judges once with the limits of the run, and stores the
measures of the parts that come out; judging with other limits measures only the parts that are not among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Literal

import numpy as np

from filters.measures import PerplexityConfig, count_hits, join_measures, measure_image, profile_text, score_text
from filters.measures.language import language_probability
from filters.measures.repetition import Numbers
from filters.rules import RULES, ActiveRules, RuleConfig, Verdict
from filters.word_lists import SHIPPED, ListsConfig
from filters.words import number_words
from transforms.documents.parts import KeptNode, Measures, drop_idle_boundaries, merge_neighbours, split_nodes
from transforms.images.statuses import REFUSALS
from transforms.images.urls import url_key
from transforms.records import BlockKind, Document, Drop, ImageRef, Node, Outcome, Paragraph, Source, TargetKind

IMAGE_STAGE = "image_nodes"
PARAGRAPH_STAGE = "paragraphs"
PART_STAGE = "parts"
NSFW_RULE = "image.nsfw"
JUDGED_STAGES = (IMAGE_STAGE, PARAGRAPH_STAGE, PART_STAGE)

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

    nsfw: Literal["image", "document"] = field(
        default="image", metadata={"help": "what an image that the rule image.nsfw drops costs: itself, or its document"}
    )


# Not frozen, as nodes themselves: there are as many (see `transforms.records`).
@dataclass(slots=True)
class ScoredNode:
    """A node, its number in the document, and what was measured: one set a paragraph for text, one set for an image. Not changed
    once made.

    outcome: what became of the image; None for text.
    """

    index: int
    node: Node
    measures: tuple[Measures, ...]
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """The measures of a document or of a part of a split one. paragraphs: what it consists of, by their numbers in the document."""

    paragraphs: tuple[int, ...]
    measures: Measures


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """A document with every measure that the rules need. `document.nodes` is empty: they are in `nodes`.

    parts: those that the limits of the run make of it. word_numbers: of the words of all measured paragraphs in order, as
    `number_words` gives them: what tells which words repeat in another choice of paragraphs.
    """

    document: Document
    nodes: tuple[ScoredNode, ...]
    parts: tuple[ScoredPart, ...] = ()
    word_numbers: bytes = b""


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """One document, or one part of a split one, that passed every rule. scores: the document measures."""

    document: Document
    part: int
    nodes: tuple[KeptNode, ...]
    scores: Measures


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of a scored document. counts: `STAGE/in` and `STAGE/out` for the three levels, `paragraphs/judged` for those of
    the kinds that are judged. measured: of each part that has text and what else is required, kept or not.
    """

    rows: tuple[DatasetRow, ...]
    drops: tuple[Drop, ...]
    counts: Mapping[str, int]
    measured: tuple[Measures, ...]


def score_document(
    document: Document,
    outcomes: Mapping[bytes, Outcome],
    rules: Mapping[str, RuleConfig],
    documents: DocumentsConfig,
    perplexity: PerplexityConfig | None = None,
    nsfw_score_of: Callable[[Outcome], float | None] | None = None,
    lists: ListsConfig = SHIPPED,
) -> tuple[ScoredDocument, Judgement]:
    """Attaches to each image node the outcome of its first usable candidate and measures images, paragraphs and parts.

    The language identification is asked for each paragraph only where `paragraph.language` is on: it costs more than all other
    measures. perplexity: the models that score paragraphs, by language; None for those shipped. nsfw_score_of: of an image
    that has bytes; None where nobody asks. lists: word lists that take the place of those shipped.
    The second result is what `judge_document` makes of the first.
    """
    language = document.language
    models = perplexity or PerplexityConfig()
    config = rules.get("paragraph.language", RULES["paragraph.language"].default)
    nodes: list[ScoredNode] = []
    words: list[Sequence[str]] = []
    for index, node in enumerate(document.nodes):
        if node.image is not None:
            outcome = choose_outcome(node.image, outcomes)
            nsfw = None
            if nsfw_score_of is not None and outcome is not None and outcome.status == "ok":
                nsfw = nsfw_score_of(outcome)
            nodes.append(ScoredNode(index, node, (measure_image(node.image, outcome, nsfw),), outcome))
            continue
        measures: list[Measures] = []
        for paragraph in node.paragraphs:
            if paragraph.kind == "boundary":
                measures.append({})
            else:
                profile = profile_text(paragraph.text)
                words.append(profile.words.items)
                score = None if config.off else language_probability(paragraph.text, language)
                likelihood = score_text(paragraph.text, language, models)
                measures.append(profile.measures(language, score, likelihood, count_hits(profile, language, lists)))
        nodes.append(ScoredNode(index, node, tuple(measures)))
    scored = ScoredDocument(replace(document, nodes=()), tuple(nodes), word_numbers=number_words(words))
    judge = _Judge(scored, ActiveRules(rules), documents)
    judgement = judge.judgement()
    return replace(scored, parts=tuple(ScoredPart(*part) for part in judge.measured.items())), judgement


def choose_outcome(image: ImageRef, outcomes: Mapping[bytes, Outcome]) -> Outcome | None:
    """The outcome of the first candidate that has bytes; else the first candidate's, so that its status names the cause.

    The refusal of an owner ends the search (images.md 3.1), and so does what the page itself says against this mention.
    """
    if image.skipped is not None:
        return Outcome(url_key(image.href), image.href, image.skipped, detail=image.skip_detail)
    found = []
    for url in image.candidates:
        outcome = outcomes.get(url_key(url))
        if outcome is None:
            continue
        if outcome.status == "ok" or outcome.status in REFUSALS:
            return outcome
        found.append(outcome)
    return found[0] if found else None


def judge_document(scored: ScoredDocument, rules: ActiveRules, documents: DocumentsConfig) -> Judgement:
    """Applies image rules, paragraph rules, cleaning, splitting and document rules, in this order."""
    return _Judge(scored, rules, documents).judgement()


class _Judge:
    """The state of judging one document: its drops so far, and the measures of its parts."""

    def __init__(self, scored: ScoredDocument, rules: ActiveRules, documents: DocumentsConfig) -> None:
        self.document = scored.document
        self.nodes = scored.nodes
        self.rules = rules
        self.documents = documents
        self.word_numbers = scored.word_numbers
        self.measured: dict[tuple[int, ...], Measures] = {part.paragraphs: part.measures for part in scored.parts}
        self.drops: list[Drop] = []
        self.judged_paragraphs = 0
        self.nsfw_drop: tuple[Verdict, str] | None = None
        self.part_scores: list[Measures] = []

    def judgement(self) -> Judgement:
        kept = drop_idle_boundaries(merge_neighbours(self._drop_repeated_images(self._judge_nodes())))
        parts = self._split(kept)
        rows = tuple(row for number, part in enumerate(parts) if (row := self._judge_part(number, part)) is not None)
        entered = {
            IMAGE_STAGE: sum(n.node.image is not None for n in self.nodes),
            PARAGRAPH_STAGE: sum(paragraph.kind != "boundary" for n in self.nodes for paragraph in n.node.paragraphs),
            PART_STAGE: len(parts),
        }
        counts: dict[str, int] = {}
        dropped = Counter(drop.stage for drop in self.drops)
        for stage, count in entered.items():
            counts[f"{stage}/in"] = count
            counts[f"{stage}/out"] = count - dropped[stage]
        counts[f"{PARAGRAPH_STAGE}/judged"] = self.judged_paragraphs
        return Judgement(rows, tuple(self.drops), counts, tuple(self.part_scores))

    def _judge_nodes(self) -> Iterator[KeptNode]:
        before = 0
        for scored in self.nodes:
            kept = self._judge_image(scored) if scored.node.image is not None else self._judge_text(scored, before)
            before += len(scored.node.paragraphs)
            if kept is not None:
                yield kept

    def _judge_image(self, scored: ScoredNode) -> KeptNode | None:
        image = scored.node.image
        assert image is not None
        failure = self.rules.first_drop("image", scored.measures[0])
        if failure is None:
            return KeptNode(scored.index, scored.node.path, measures=scored.measures, image=image, outcome=scored.outcome)
        status = scored.outcome.status if scored.outcome is not None else "no candidate was looked up"
        detail = f"{image.href} {status}" if failure.rule == "image.available" else image.href
        if failure.rule == NSFW_RULE and self.nsfw_drop is None:
            self.nsfw_drop = failure, image.href
        self._drop(IMAGE_STAGE, "image", f"n{scored.index}", failure, detail)
        return None

    def _judge_text(self, scored: ScoredNode, before: int) -> KeptNode | None:
        """before: how many paragraphs of the document stand before the node."""
        paragraphs, measures = scored.node.paragraphs, scored.measures
        kinds, first_drop = self.documents.judged_kinds, self.rules.first_drop
        kept = []
        for place, paragraph in enumerate(paragraphs):
            if paragraph.kind in kinds and paragraph.kind != "boundary":
                self.judged_paragraphs += 1
                failure = first_drop("paragraph", measures[place])
                if failure is not None:
                    self._drop(PARAGRAPH_STAGE, "node", f"n{scored.index}.p{place}", failure, paragraph.path)
                    continue
            kept.append(place)
        if not kept:
            return None
        if len(kept) < len(paragraphs):
            paragraphs = tuple([paragraphs[place] for place in kept])
            measures = tuple([measures[place] for place in kept])
        return KeptNode(scored.index, paragraphs[0].path, paragraphs, measures, tuple([before + place for place in kept]))

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
        return split_nodes(nodes, *map(self.rules.max_of, ("document.words", "document.images")))

    def _judge_part(self, part: int, nodes: list[KeptNode]) -> DatasetRow | None:
        target = f"part{part}"
        if self.nsfw_drop is not None and self.documents.nsfw == "document":
            self._drop(PART_STAGE, "page", target, *self.nsfw_drop)
            return None
        images = sum(node.image is not None for node in nodes)
        paragraphs = {
            number: (paragraph, measures)
            for node in nodes
            if node.image is None
            for number, paragraph, measures in zip(node.numbers, node.paragraphs, node.measures, strict=True)
            if paragraph.kind != "boundary"
        }
        if not paragraphs:
            self._add(PART_STAGE, "document.no_text", "page", target, 0, 1, "no paragraph passed")
            return None
        if self.documents.require_image and not images:
            self._add(PART_STAGE, "document.no_image", "page", target, 0, 1, "no image passed")
            return None
        scores = {**self._measure_part(paragraphs), "images": images}
        self.part_scores.append(scores)
        failure = self.rules.first_drop("document", scores)
        if failure is not None:
            self._drop(PART_STAGE, "page", target, failure, None)
            return None
        return DatasetRow(self.document, part, tuple(nodes), scores)

    def _measure_part(self, paragraphs: Mapping[int, tuple[Paragraph, Measures]]) -> Measures:
        """The measures of these paragraphs together; those that are known are not measured again."""
        numbers = tuple(paragraphs)
        if numbers not in self.measured:
            texts, stored = [paragraph.text for paragraph, _ in paragraphs.values()], [m for _, m in paragraphs.values()]
            words = np.concatenate([self._words[number] for number in numbers])
            document = self.document
            self.measured[numbers] = join_measures(texts, stored, words, document.language, document.language_score)
        return self.measured[numbers]

    @cached_property
    def _words(self) -> list[Numbers]:
        """The numbers of the words of each paragraph; a boundary has none."""
        measures = (measures for node in self.nodes if node.node.image is None for measures in node.measures)
        stops = [0, *accumulate(int(each.get("words") or 0) for each in measures)]
        numbers = np.frombuffer(self.word_numbers, np.uint32)
        return [numbers[start:stop] for start, stop in pairwise(stops)]

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
