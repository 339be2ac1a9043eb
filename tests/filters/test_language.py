"""Language identification (filters.md 2.2; field reports F2, F3, F6, F8)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.language_codes import normalize_language
from filters.measures.language import (
    LanguageGuess,
    check_single_provider,
    identify_language,
    language_probability,
)
from filters.rules import first_failure, judge, rules_from_config

ENGLISH = "The house stands on a hill above the river, and from its windows one can see the whole valley in the morning light. "
GERMAN = "Das Haus steht auf einem Hügel über dem Fluss, und aus den Fenstern sieht man am Morgen das ganze Tal im Licht. "
FRENCH_SENTENCE = "Nous avons mangé du pain et du fromage dans le petit jardin."


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (ENGLISH.upper(), "en"),
        (GERMAN, "de"),
        (FRENCH_SENTENCE, "fr"),
        ("今天早上我和朋友一起去公园散步。天气很好，阳光照在湖面上。", "zh"),
        ("วันนี้ฉันไปตลาดกับแม่เพื่อซื้อผลไม้และผักสด" * 10, "th"),
        ("Home\nNews\nContact\n" + GERMAN, "de"),  # F6: safe with line breaks, weighted by length
        (", ".join(f"{name} language" for name in ("Deutsch", "Français", "Español", "Italiano") * 30) + "\n" + ENGLISH * 30, "en"),
        (ENGLISH + "\ud800", "en"),
        ("iVBORw" * 40 + " " + GERMAN, "de"),
    ],
)
def test_identifies(text: str, language: str) -> None:
    guess = identify_language(text)
    assert guess.language == language
    assert guess.score is not None
    assert 0.5 < guess.score <= 1.0


@pytest.mark.parametrize("text", ["", "1234567890 " * 10, "😀" * 50, "\n", "nineteen letters ab", "x" * 100_000, "\ud800" * 30])
def test_too_few_letters_have_no_language(text: str) -> None:
    assert identify_language(text) == LanguageGuess("und", None)
    assert language_probability(text, "en") is None


def test_twenty_letters_are_enough() -> None:
    assert identify_language("nineteen letters ab").language == "und"
    assert sum(map(str.isalpha, "nineteen letters are c")) == 19
    assert identify_language("nineteen letters are c").language == "und"
    assert identify_language("nineteen letters are cd").score is not None


def test_long_texts_are_sampled_from_head_middle_and_tail() -> None:
    part = 332
    filler = "0 " * 20_000
    for text in (ENGLISH * 6 + filler, filler + ENGLISH * 12 + filler, filler + ENGLISH * 6):
        assert len(text) > 10 * part
        assert identify_language(text).language == "en"
    # What lies between the samples is not looked at.
    assert identify_language(filler[: 3 * part] + ENGLISH + filler).language == "und"


@settings(max_examples=100, deadline=None)
@given(st.text(st.one_of(st.characters(), st.characters(categories=["Cs"]), st.sampled_from("\n\r\x00 ")), max_size=100))
def test_never_raises_and_scores_are_probabilities(text: str) -> None:
    score = identify_language(text).score
    assert score is None or 0.0 <= score <= 1.0


def test_a_score_beyond_one_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is quantised, and its probabilities may add up to a little more than 1."""

    class Overconfident:
        def predict(self, text: str, count: int = 1, threshold: float = 0.0) -> tuple[tuple[str, ...], tuple[float, ...]]:
            return ("__label__en",), (1.00003,)

    monkeypatch.setattr("filters.measures.language._model", Overconfident)
    assert identify_language(ENGLISH) == LanguageGuess("en", 1.0)
    assert language_probability(ENGLISH, "en") == 1.0


def test_a_short_sentence_is_not_dropped_for_its_language() -> None:
    """F3: the score is kept; twelve words are no sample to drop a document by."""
    guess = identify_language(FRENCH_SENTENCE)
    measures = {"words": 12, "language": guess.language, "language_score": 0.6, "images": 1}
    rules = rules_from_config({})
    assert guess.score is not None
    assert first_failure(judge("document", measures, rules)) is None
    longer = first_failure(judge("document", {**measures, "words": 20}, rules))
    assert longer is not None
    assert longer.rule == "document.language"


@pytest.mark.parametrize(
    ("code", "label"),
    [
        ("en", "en"),
        ("eng", "en"),  # F2
        ("EN", "en"),
        ("en-GB", "en"),
        ("pt_BR", "pt"),
        ("ger", "de"),
        ("deu", "de"),
        ("cmn", "zh"),
        ("zh-Hant", "zh"),
        ("ceb", "ceb"),
        ("iw", "he"),
        ("no", "no"),
        ("nob", "no"),
    ],
)
def test_codes_are_normalized(code: str, label: str) -> None:
    assert normalize_language(code) == label


@pytest.mark.parametrize("code", ["xx", "english", "", "und", "e", "#"])
def test_unknown_codes_are_an_error(code: str) -> None:
    with pytest.raises(ValueError, match=f"unknown language code '{code}'.*known are.*en, eo"):
        normalize_language(code)


def test_every_label_of_the_model_is_a_known_code() -> None:
    from filters.language_codes import _known_codes
    from filters.measures.language import _model

    labels = {label.removeprefix("__label__") for label in _model().predict("text", -1, -1.0)[0]}
    assert set(_known_codes().values()) == labels
    assert all(_known_codes()[label] == label for label in labels)


def test_no_code_means_two_languages() -> None:
    from importlib.resources import files

    lines = (files("filters") / "lists" / "languages.txt").read_text(encoding="utf-8").splitlines()
    codes = [code for line in lines if not line.startswith("#") for code in line.split()]
    assert len(codes) == len(set(codes))


def test_one_provider_of_the_module_is_right() -> None:
    check_single_provider(["fasttext-predict"])
    check_single_provider(["fasttext-predict", "fasttext-predict"])


@pytest.mark.parametrize(
    ("providers", "message"),
    [
        (["fasttext-predict", "fasttext"], "fasttext, fasttext-predict.*pip uninstall -y fasttext fasttext-predict && pip install"),
        (["fasttext", "fasttext-wheel"], "fasttext, fasttext-wheel.*pip install fasttext-predict"),
        ([], "no installed distribution.*pip install fasttext-predict"),
    ],
)
def test_two_or_no_providers_are_an_error_with_its_remedy(providers: list[str], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        check_single_provider(providers)


def test_the_check_sees_the_installed_distributions(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata

    from filters.measures.language import _model

    installed = {"fasttext": ["fasttext-predict", "fasttext"]}
    monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: installed)
    with pytest.raises(RuntimeError, match="2 installed distributions"):
        _model.__wrapped__()
