"""Documents plus outcomes -> scored -> judged rows (filters.md 3, 4, 6)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from filters.measures import measure_text, profile_text
from filters.rules import ActiveRules, RuleConfig, rules_from_config
from filters.word_lists import ListsConfig
from transforms.documents.assemble import (
    DocumentsConfig,
    choose_outcome,
    judge_document,
    score_document,
)
from transforms.documents.parts import KeptNode, merge_neighbours, split_nodes
from transforms.images.urls import url_key
from transforms.records import BlockKind, Document, ImageRef, Node, Outcome, Paragraph, Source

SENTENCE = "The old bridge at the end of the village was built when the river was wider, and it has been kept ever since"


def prose(number: int) -> str:
    return f"{SENTENCE}; of the {number} stones in it, none was ever moved."


def text_node(*texts: str, kind: BlockKind = "paragraph", path: str = "/html/body/p") -> Node:
    paragraphs = tuple(Paragraph(text, kind, "\n\n" if i else "", f"{path}[{i + 1}]", (i, i + 1)) for i, text in enumerate(texts))
    return Node(path, (0, len(texts)), paragraphs=paragraphs)


def image_node(*urls: str) -> Node:
    return Node("/html/body/img", (0, 1), image=ImageRef(urls[0], urls))


def ok(url: str, sha256: str = "aa", **facts: object) -> Outcome:
    values = {"format": "JPEG", "width": 400, "height": 300, "bytes": 9, **facts}
    return Outcome(url_key(url), url, "ok", sha256=sha256, **values)  # type: ignore[arg-type]


def document(*nodes: Node, language: str = "en") -> Document:
    return Document("d" * 32, "https://e.x/p", "e.x", Source("a.warc.gz", 7, 9), nodes, language=language, language_score=0.99)


# The texts of these tests repeat each other on purpose.
OFF = ("document.char_repetition", "document.word_repetition", "paragraph.char_repetition", "paragraph.word_repetition")


def limits(**rules: object) -> dict[str, RuleConfig]:
    mapping = {**dict.fromkeys(OFF), "document.images": {"min": 0}, **{k.replace("__", "."): v for k, v in rules.items()}}
    return rules_from_config(mapping)  # type: ignore[arg-type]


def judge(nodes: tuple[Node, ...], outcomes: tuple[Outcome, ...] = (), settings: DocumentsConfig | None = None, **rules: object):  # type: ignore[no-untyped-def]
    configured = limits(**rules), settings or DocumentsConfig()
    scored, judged = score_document(document(*nodes), {o.url_key: o for o in outcomes}, *configured)
    assert judge_document(scored, ActiveRules(configured[0]), configured[1]) == judged
    return judged


def drops(judged) -> Counter[tuple[str, str]]:  # type: ignore[no-untyped-def]
    return Counter((drop.stage, drop.rule) for drop in judged.drops)


GOOD, OTHER, BAD = "https://e.x/a.jpg", "https://e.x/b.jpg", "https://e.x/c.jpg"


def test_the_first_candidate_with_bytes_is_the_image() -> None:
    image = ImageRef(BAD, (BAD, OTHER, GOOD))
    missing = Outcome(url_key(BAD), BAD, "not_in_archive")
    outcomes = {o.url_key: o for o in (missing, ok(OTHER, "b"), ok(GOOD, "a"))}
    found = choose_outcome(image, outcomes)
    assert found is not None
    assert found.url == OTHER


def test_without_bytes_the_first_candidate_names_the_cause() -> None:
    failed = [Outcome(url_key(u), u, status) for u, status in ((BAD, "truncated_image"), (OTHER, "not_in_archive"))]
    found = choose_outcome(ImageRef(BAD, (BAD, OTHER)), {o.url_key: o for o in failed})
    assert found is not None
    assert found.status == "truncated_image"
    assert choose_outcome(ImageRef(GOOD, (GOOD,)), {}) is None


def test_texts_and_images_that_pass_make_one_row() -> None:
    judged = judge((text_node(prose(1)), image_node(GOOD), text_node(prose(2))), (ok(GOOD),))
    assert not judged.drops
    (row,) = judged.rows
    assert [node.text for node in row.nodes] == [prose(1), None, prose(2)]
    assert row.nodes[1].outcome == ok(GOOD)
    assert row.scores["images"] == 1
    assert judged.counts == {
        "image_nodes/in": 1, "image_nodes/out": 1, "paragraphs/in": 2, "paragraphs/out": 2, "paragraphs/judged": 2,
        "parts/in": 1, "parts/out": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "rule"),
    [
        (Outcome(url_key(GOOD), GOOD, "not_in_archive"), "image.available"),
        (ok(GOOD, width=149), "image.width"),
        (ok(GOOD, height=149), "image.height"),
        (ok(GOOD, format="GIF"), "image.format"),
        (ok(GOOD, width=900, height=300), "image.aspect"),
    ],
)
def test_an_image_that_fails_a_rule_is_a_drop_and_its_neighbours_merge(outcome: Outcome, rule: str) -> None:
    judged = judge((text_node(prose(1)), image_node(GOOD), text_node(prose(2))), (outcome,))
    assert drops(judged) == {("image_nodes", rule): 1}
    (row,) = judged.rows
    assert [node.text for node in row.nodes] == [f"{prose(1)}\n\n{prose(2)}"]
    assert row.nodes[0].index == 0


def test_a_paragraph_that_fails_is_a_drop_with_value_and_threshold() -> None:
    judged = judge((text_node(prose(1), "Too short"),))
    (drop,) = judged.drops
    assert (drop.stage, drop.rule, drop.value, drop.threshold) == ("paragraphs", "paragraph.words", 2.0, 4.0)
    assert drop.target_id == "d" * 32 + "#n0.p1"
    assert (drop.file, drop.offset) == ("a.warc.gz", 7)
    assert judged.rows[0].nodes[0].text == prose(1)


def test_the_perplexity_of_a_row_is_that_of_the_paragraphs_that_stay() -> None:
    (row,) = judge((text_node(prose(1), "Too short"), image_node(GOOD), text_node(prose(2))), (ok(GOOD),)).rows
    together = measure_text(f"{prose(1)}\n\n{prose(2)}", "en")
    assert together["perplexity"] is not None
    assert row.scores["perplexity"] == together["perplexity"]


@pytest.mark.parametrize(
    ("policy", "stage", "rows"), [("image", {("image_nodes", "image.nsfw"): 1}, 1), ("document", {("parts", "image.nsfw"): 1}, 0)]
)
def test_an_image_over_the_limit_costs_itself_or_its_document(policy: str, stage: dict[tuple[str, str], int], rows: int) -> None:
    nodes = (text_node(prose(1)), image_node(GOOD), image_node(OTHER), image_node(BAD))
    outcomes = {o.url_key: o for o in (ok(GOOD, "a"), ok(OTHER, "b"), Outcome(url_key(BAD), BAD, "not_in_archive"))}
    scores = {"a": 0.81, "b": 0.8}
    rules = limits(image__nsfw={"max": 0.8})
    settings = DocumentsConfig(nsfw=policy)  # type: ignore[arg-type]
    scored, judged = score_document(
        document(*nodes), outcomes, rules, settings, nsfw_score_of=lambda outcome: scores[outcome.sha256 or ""]
    )
    assert judge_document(scored, ActiveRules(rules), settings) == judged
    assert {("image_nodes", "image.nsfw"): 1} | stage | {("image_nodes", "image.available"): 1} == drops(judged)
    assert len(judged.rows) == rows
    assert [drop.value for drop in judged.drops if drop.rule == "image.nsfw"] == [0.81] * len(
        {*stage, ("image_nodes", "image.nsfw")}
    )


def test_lists_of_the_run_measure_paragraphs_and_documents(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("bridge stones")
    lists = ListsConfig(function_words={"en": str(path)})
    nodes = (text_node(prose(1), "Too short"), image_node(GOOD), text_node(prose(2)))
    off = limits(paragraph__stop_words=None, document__stop_words=None)
    stored, judged = score_document(document(*nodes), {}, off, DocumentsConfig(), lists=lists)
    (row,) = judged.rows
    assert row.scores["stop_word_ratio"] == 2 * 2 / row.scores["words"]
    # Judged by other limits, a part that was not measured before has the same lists.
    others = limits(paragraph__stop_words=None, document__stop_words=None, paragraph__words={"min": 1})
    _, fresh = score_document(document(*nodes), {}, others, DocumentsConfig(), lists=lists)
    assert judge_document(stored, ActiveRules(others), DocumentsConfig()) == fresh
    assert fresh.rows[0].scores["stop_word_ratio"] == 2 * 2 / (row.scores["words"] + 2)


def test_an_image_without_a_score_is_kept() -> None:
    (row,) = judge((text_node(prose(1)), image_node(GOOD)), (ok(GOOD),), image__nsfw={"max": 0.8}).rows
    assert row.scores["images"] == 1


@pytest.mark.parametrize("kind", ["heading", "table", "code"])
def test_headings_tables_and_code_are_not_judged_as_prose(kind: BlockKind) -> None:
    judged = judge((text_node("Tides", kind=kind), text_node(prose(1))))
    assert not judged.drops
    assert (judged.counts["paragraphs/in"], judged.counts["paragraphs/judged"]) == (2, 1)
    assert judge((text_node("Tides"), text_node(prose(1)))).drops


def test_which_kinds_are_judged_can_be_set() -> None:
    nodes = (text_node("Tides", kind="heading"), text_node(prose(1)))
    assert drops(judge(nodes, settings=DocumentsConfig(judged_kinds=("heading",)))) == {("paragraphs", "paragraph.words"): 1}


def test_of_equal_images_in_a_document_the_first_stays() -> None:
    judged = judge((image_node(GOOD), text_node(prose(1)), image_node(OTHER)), (ok(GOOD), ok(OTHER)))
    assert drops(judged) == {("image_nodes", "dup.in_document"): 1}
    assert [node.index for node in judged.rows[0].nodes] == [0, 1]


def test_a_document_without_text_is_a_drop() -> None:
    assert drops(judge((image_node(GOOD),), (ok(GOOD),))) == {("parts", "document.no_text"): 1}


def test_a_document_without_image_is_a_drop_only_where_one_is_required() -> None:
    nodes = (text_node(prose(1)),)
    assert judge(nodes).rows
    assert drops(judge(nodes, settings=DocumentsConfig(require_image=True))) == {("parts", "document.no_image"): 1}


def test_document_rules_judge_what_the_node_rules_left() -> None:
    judged = judge((text_node(prose(1), "Too short"),), document__words={"min": 1000, "max": 2000})
    assert drops(judged) == {("paragraphs", "paragraph.words"): 1, ("parts", "document.words"): 1}
    words = next(drop.value for drop in judged.drops if drop.rule == "document.words")
    assert words == len(prose(1).split())


def test_a_long_document_is_split_before_a_heading_into_parts_that_pass() -> None:
    length = len(prose(1).split())
    nodes = tuple(
        node
        for number in range(10)
        for node in (text_node(f"Chapter {number}", kind="heading"), text_node(prose(number), prose(number + 100)))
    )
    judged = judge(nodes, document__words={"min": 10, "max": 5 * length})
    assert [row.part for row in judged.rows] == list(range(len(judged.rows)))
    assert len(judged.rows) == 5
    assert all(str(row.nodes[0].text).startswith("Chapter") for row in judged.rows)
    whole = "\n\n".join(str(node.text) for row in judged.rows for node in row.nodes)
    assert whole == "\n\n".join(str(node.text) for node in nodes)
    assert judged.counts["parts/in"] == 5


def test_a_long_document_is_dropped_where_the_configuration_says_so() -> None:
    nodes = (text_node(*(prose(n) for n in range(30))),)
    settings = DocumentsConfig(too_long="drop")
    assert drops(judge(nodes, settings=settings, document__words={"max": 100})) == {("parts", "document.words"): 1}


def kept(words: int, kind: BlockKind = "paragraph") -> KeptNode:
    paragraph = Paragraph("x", kind, "", "/p", (0, 1))
    return KeptNode(0, "/p", (paragraph,), ({"words": words},), (words,))


def test_splitting_looks_at_each_unit_a_bounded_number_of_times() -> None:
    """Doubling the document doubles the parts; every unit is in exactly one."""
    for count in (1000, 2000):
        parts = split_nodes([kept(10) for _ in range(count)], 100, None)
        assert len(parts) == count // 10
        assert sum(len(node.paragraphs) for part in parts for node in part) == count


def test_one_paragraph_over_the_limit_is_a_part_of_its_own() -> None:
    parts = split_nodes([kept(5), kept(500), kept(5)], 100, None)
    assert [[m["words"] for node in part for m in node.measures] for part in parts] == [[5], [500], [5]]


def test_images_are_split_by_their_maximum() -> None:
    image = KeptNode(0, "/img", image=ImageRef(GOOD, (GOOD,)))
    assert [len(part) for part in split_nodes([image] * 7, None, 3)] == [3, 3, 1]


def test_texts_that_become_neighbours_are_joined_by_a_blank_line() -> None:
    (merged,) = merge_neighbours([kept(1), kept(2)])
    assert merged.text == "x\n\nx"
    assert [m["words"] for m in merged.measures] == [1, 2]


def test_a_text_stands_where_its_first_paragraph_that_stays_does() -> None:
    (row,) = judge((text_node("No.", prose(1), prose(2)),)).rows
    (node,) = row.nodes
    assert (node.path, node.numbers) == ("/html/body/p[2]", (1, 2))


NODES = (
    text_node(prose(1), "Too short", prose(2)),
    image_node(GOOD),
    text_node("A heading that is long enough", kind="heading"),
    text_node(prose(3), "One of 5 words here", prose(4)),
    image_node(OTHER),
)


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"document__words": {"min": 1000}},
        {"document__words": {"max": 60}},
        {"paragraph__words": {"min": 6}},
        {"paragraph__words": {"min": 1}},
        {"image__width": {"min": 401}},
        {"document__images": {"max": 1}},
        {"paragraph__stop_words": None},
    ],
)
def test_judging_again_with_other_limits_gives_what_scoring_with_them_gives(rules: dict[str, object]) -> None:
    outcomes = {o.url_key: o for o in (ok(GOOD), ok(OTHER, "bb", width=500))}
    stored, _ = score_document(document(*NODES), outcomes, limits(), DocumentsConfig())
    fresh, expected = score_document(document(*NODES), outcomes, limits(**rules), DocumentsConfig())
    assert judge_document(stored, ActiveRules(limits(**rules)), DocumentsConfig()) == expected
    assert fresh.nodes == stored.nodes


def test_measures_of_a_part_that_are_stored_are_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    scored, expected = score_document(document(*NODES), {}, limits(), DocumentsConfig())

    def measured_again(texts: list[str], *others: object) -> None:
        raise AssertionError(texts)

    monkeypatch.setattr("transforms.documents.assemble.join_measures", measured_again)
    assert judge_document(scored, ActiveRules(limits()), DocumentsConfig()) == expected
    assert judge_document(scored, ActiveRules(limits(document__words={"min": 1000})), DocumentsConfig()).rows == ()
    with pytest.raises(AssertionError, match="stones"):
        judge_document(scored, ActiveRules(limits(paragraph__words={"min": 6})), DocumentsConfig())


def test_a_switched_off_maximum_splits_nothing() -> None:
    nodes = (text_node(*(prose(n) for n in range(60))),)
    judged = judge(nodes, document__words={"min": 10, "max": None})
    assert len(judged.rows) == 1
    assert isinstance(rules_from_config({})["document.words"], RuleConfig)


BOUNDARY = Paragraph("THE_END", "boundary", "\n\n", "/html/body/a", (1, 1))


def between_boundaries(*paragraphs: Paragraph) -> Node:
    return Node("/html/body", (0, 9), paragraphs=paragraphs)


def paragraph(text: str) -> Paragraph:
    return Paragraph(text, "paragraph", "\n\n", "/html/body/p", (0, 1))


@pytest.mark.parametrize(
    ("paragraphs", "text"),
    [
        ((paragraph(prose(1)), BOUNDARY, paragraph(prose(2))), f"{prose(1)}\n\nTHE_END\n\n{prose(2)}"),
        ((paragraph(prose(1)), BOUNDARY, paragraph("No."), BOUNDARY, paragraph(prose(2))), f"{prose(1)}\n\nTHE_END\n\n{prose(2)}"),
        ((paragraph("No."), BOUNDARY, paragraph(prose(2))), prose(2)),
        ((paragraph(prose(1)), BOUNDARY, paragraph("No.")), prose(1)),
    ],
)
def test_a_boundary_is_not_judged_nor_first_nor_last_nor_doubled(paragraphs: tuple[Paragraph, ...], text: str) -> None:
    settings = DocumentsConfig(judged_kinds=("paragraph", "boundary"))
    (row,) = judge((between_boundaries(*paragraphs),), settings=settings).rows
    assert [node.text for node in row.nodes] == [text]
    assert row.scores["words"] == sum(len(p.text.split()) for p in paragraphs if p.text.startswith(SENTENCE))


def test_a_part_repeats_what_its_own_paragraphs_do() -> None:
    again = "We heard the same old song again, and again, on the long way home."
    paragraphs = (paragraph(prose(1)), BOUNDARY, paragraph("No."), paragraph(again), paragraph(prose(2)), paragraph(again))
    (row,) = judge((between_boundaries(*paragraphs),)).rows
    kept = "\n\n".join(paragraphs[number].text for number in (0, 3, 4, 5))
    for name in ("words", "word_repetition_ratio", "char_repetition_ratio"):
        assert row.scores[name] == profile_text(kept).measures("en")[name]
    assert row.scores["word_repetition_ratio"]


def test_a_document_of_boundaries_has_no_text() -> None:
    judged = judge((image_node(GOOD), between_boundaries(BOUNDARY), image_node(OTHER)), (ok(GOOD), ok(OTHER, "bb")))
    assert drops(judged) == {("parts", "document.no_text"): 1}
