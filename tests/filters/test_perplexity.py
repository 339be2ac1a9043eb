"""Perplexity (filters.md 2.3, models.md 3)."""

from __future__ import annotations

import hashlib
import json
import random
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.measures import measure_text, profile_text
from filters.measures.model_lines import ccnet_lines, own_lines
from filters.measures.perplexity import (
    SHIPPED_ENGLISH,
    Likelihood,
    PerplexityConfig,
    find_model,
    join_likelihoods,
    load_model,
    model_versions,
    score_text,
    stored_likelihood,
)

ARPA = """\\data\\
ngram 1=6
ngram 2=3

\\1-grams:
-1.0\t<unk>\t0
-99\t<s>\t-0.3
-0.7\t</s>\t0
-0.5\tthe\t-0.2
-0.9\tcat\t-0.4
-1.1\tsat\t0

\\2-grams:
-0.2\t<s> the
-0.4\tthe cat
-0.25\tsat </s>

\\end\\
"""


@pytest.fixture(name="arpa")
def _arpa(tmp_path: Path) -> str:
    path = tmp_path / "tiny.arpa"
    path.write_text(ARPA)
    return str(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“It’s 4.5 km,” she said. Far!", ['" it\'s 0 . 0 km , " she said .']),
        ("One two three. Four five six", ["one two three .", "four five six"]),
        ("Is it so?) Yes, it is.", ["is it so ? )", "yes , it is ."]),
        ("at 3.5 p.m. on a day", ["at 0 . 0 p . m . on a day"]),
        ("one two three\nfour five six", ["one two three", "four five six"]),
        ("one two\n\n", []),
        ("今天，很好。明天，也好", ["今天 ， 很好 。", "明天 ， 也好"]),
        ("Он был там. Она — тут, да", ["он был там .", "она — тут , да"]),
        ("नमस्ते दुनिया। यह ठीक है।", ["नमस्ते दुनिया ।", "यह ठीक है ।"]),
        ("क़ीमत १२ रुपये", ["क़ीमत 00 रुपये"]),
        ("snake_case 100%", ["snake _ case 000 %"]),
        ("", []),
    ],
)
def test_own_lines(text: str, expected: list[str]) -> None:
    assert list(own_lines(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“It’s 4.5 km，” she said…\x07", ['"It\'s 0.0 km," she said...']),
        (" a\n\n b。\u0085c", ["a", "b.", "c"]),
        ("\x00\x1f", []),
    ],
)
def test_ccnet_lines(text: str, expected: list[str]) -> None:
    assert list(ccnet_lines(text)) == expected


# The sums are of the file above: known pairs as they stand there, others as the back-off of the first plus the second alone.
@pytest.mark.parametrize(
    ("text", "log10", "tokens"),
    [
        ("the cat sat", -0.2 - 0.4 + (-0.4 - 1.1) - 0.25, 4),
        ("The CAT sat", -0.2 - 0.4 + (-0.4 - 1.1) - 0.25, 4),
        ("Dogs sat there", (-0.3 - 1.0) - 1.1 - 1.0 - 0.7, 4),
        ("the cat sat.", -0.2 - 0.4 + (-0.4 - 1.1) - 1.0 - 0.7, 5),
        ("The cat sat\nDogs sat there", -2.35 - 4.1, 8),  # each line ends
        ("The cat sat. Dogs sat there", -3.8 - 4.1, 9),
    ],
)
def test_perplexity_is_that_of_the_file(arpa: str, text: str, log10: float, tokens: int) -> None:
    config = PerplexityConfig(models={"en": arpa})
    found = score_text(text, "en", config)
    assert found is not None
    assert (found.log10, found.tokens) == (pytest.approx(log10, abs=1e-5), tokens)
    measures = measure_text(text, "en", config)
    assert measures["perplexity"] == pytest.approx(10 ** (-log10 / tokens), rel=1e-5)


@pytest.mark.parametrize(("text", "language"), [("the cat sat", "de"), ("the cat sat", "und"), ("the cat", "en"), ("", "en")])
def test_what_is_not_scored_has_no_perplexity(arpa: str, text: str, language: str) -> None:
    assert measure_text(text, language, PerplexityConfig(models={"en": arpa, "de": None}))["perplexity"] is None


def test_a_document_is_scored_from_its_paragraphs(arpa: str) -> None:
    config = PerplexityConfig(models={"en": arpa})
    texts = ["The cat sat.", "the cat", "Dogs sat there"]
    stored = [profile_text(text).measures("en", None, score_text(text, "en", config)) for text in texts]
    assert join_likelihoods(map(stored_likelihood, stored)) == score_text("\n\n".join(texts), "en", config)
    assert join_likelihoods([Likelihood(-1.0, 2), None]) is None
    assert stored_likelihood(profile_text("x").measures("en")) is None


def test_lone_surrogates_are_unknown_words(arpa: str) -> None:
    found = score_text("the \ud800 sat", "en", PerplexityConfig(models={"en": arpa}))
    assert found is not None
    assert found.log10 == pytest.approx(-0.2 + (-0.2 - 1.0) - 1.1 - 0.25, abs=1e-5)


def test_an_impossible_text_has_a_finite_perplexity() -> None:
    assert Likelihood(-1e6, 2).perplexity == 1e300


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ["no-model.arpa", "no such file", SHIPPED_ENGLISH]),
        (b"", ["no-model.arpa", "kenlm cannot read it"]),
        (b"{}\n" * 9, ["no-model.arpa", "kenlm cannot read it"]),
    ],
)
def test_a_model_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None, words: list[str]) -> None:
    path = tmp_path / "no-model.arpa"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match="perplexity model") as raised:
        model_versions(PerplexityConfig(models={"en": str(path)}))
    assert all(word in str(raised.value) for word in words)


def test_languages_are_named_by_any_code_and_unknown_ones_are_refused(arpa: str) -> None:
    assert PerplexityConfig(models={"eng": arpa}).files_of("en") == (arpa, None)
    with pytest.raises(ValueError, match="unknown language code 'engl'"):
        PerplexityConfig(models={"engl": arpa})
    with pytest.raises(ValueError, match="there is no model for it"):
        PerplexityConfig(models={}, sentencepiece={"de": "de.model"})


def test_versions_are_the_hashes_of_the_models(arpa: str) -> None:
    versions = model_versions(PerplexityConfig(models={"en": arpa, "de": None}))
    assert versions == {"perplexity model en": hashlib.sha256(ARPA.encode()).hexdigest(), "perplexity lines": "1"}
    assert model_versions(PerplexityConfig(models={"en": None})) == {}


def test_a_model_without_unknown_words_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "closed.arpa"
    path.write_text(ARPA.replace("ngram 1=6", "ngram 1=5").replace("-1.0\t<unk>\t0\n", ""))
    with pytest.warns(RuntimeWarning, match="no probability for unknown words"):
        load_model(str(path), None)


def test_a_missing_module_is_named_with_its_extra(arpa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ValueError, match=r"pip install 'interleaf\[sentencepiece\]'"):
        load_model(arpa, arpa)


def test_sentencepiece_cuts_the_lines(arpa: str, tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    pieces = tmp_path / "pieces.model"
    corpus = ["the cat sat on the mat, and the dog sat by the cat 000 times."] * 50
    with pieces.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(corpus), model_writer=file, vocab_size=40, minloglevel=2, hard_vocab_limit=False
        )
    config = PerplexityConfig(models={"en": arpa}, sentencepiece={"en": str(pieces)})
    cut = sentencepiece.SentencePieceProcessor(model_file=str(pieces)).encode("the cat 00", out_type=str)
    found = score_text("the cat 42\n\n", "en", config)
    assert found is not None
    assert found.tokens == len(cut) + 1
    # No piece is a word of the model: each is unknown, after the back-off of the beginning.
    assert found.log10 == pytest.approx(-0.3 - 1.0 * len(cut) - 0.7, abs=1e-5)
    assert score_text(" \n", "en", config) == Likelihood(0.0, 0)
    assert score_text("a\ud800b", "en", config) is not None
    assert set(model_versions(config)) == {"perplexity model en", "sentencepiece model en", "perplexity lines"}
    with pytest.raises(ValueError, match="sentencepiece model"):
        load_model(arpa, arpa)


def test_the_shipped_model_is_that_of_its_card() -> None:
    content = find_model(SHIPPED_ENGLISH).read_bytes()
    card = json.loads(files("configs").joinpath("models", "perplexity.en.card.json").read_text(encoding="utf-8"))
    assert (card["sha256"], card["bytes"]) == (hashlib.sha256(content).hexdigest(), len(content))
    assert len(content) < 5_000_000
    assert card["data"]["licence"] == "CC-BY-4.0"
    assert card["recipe"]["lines"].startswith("filters/measures/model_lines.py, own_lines, version 1;")


SENTENCES = [
    "The old bridge was built when the river was wider, and it has been kept ever since.",
    "If you want to bake bread at home, you need flour, water, salt and some patience.",
    "She told the children that the museum would be closed for the rest of the week.",
    "Our team has been working on a new version of the software since last summer.",
    "Most of the birds leave before the first snow and come back in the spring.",
]


def test_the_shipped_model_prefers_sentences_to_their_shuffled_words() -> None:
    for sentence in SENTENCES:
        shuffled = sentence.split()
        random.Random(1).shuffle(shuffled)
        clean, soup = (measure_text(text, "en")["perplexity"] for text in (sentence, " ".join(shuffled)))
        assert clean is not None
        assert soup is not None
        assert clean * 2 < soup


@settings(max_examples=150, deadline=None)
@given(st.text(st.one_of(st.characters(), st.characters(categories=["Cs"]), st.sampled_from("ab .!?\"'\n\x00今。9")), max_size=80))
def test_any_text_is_scored(text: str) -> None:
    found = score_text(text, "en", PerplexityConfig())
    assert found is not None
    assert found.log10 <= 0.0
    assert (found.perplexity is None) == (found.tokens == 0)
