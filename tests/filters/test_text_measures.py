"""Measures of a text (filters.md 2.3, tests F6, F7, F10)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.measures import TEXT_MEASURES, join_measures, measure_text, profile_text
from filters.rules import first_failure, judge
from filters.words import number_words

TEXTS = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs"]),
        st.sampled_from("ab .'’_-\n\t1½é今ไខកあア한ि😀\u00a0\u200d\u0301\u0327\x1c۔،।、。"),
    ),
    max_size=120,
)
RATIOS = [name for name in TEXT_MEASURES if name not in ("words", "perplexity")]


@pytest.mark.parametrize(
    ("text", "measure", "expected"),
    [
        ("abcdefghij" * 3, "char_repetition_ratio", 7 / 21),
        ("a b c d e a b c d e", "word_repetition_ratio", 2 / 6),
        ("Hello, world!", "words", 2),
        ("Hello, world!", "special_char_ratio", 3 / 13),
        ("Hello, world!", "punctuation_ratio", 2 / 4),
        ("नमस्ते दुनिया", "special_char_ratio", 1 / 13),
        ("12 ab_😀!", "special_char_ratio", 6 / 8),
        ("cafe\u0301!", "special_char_ratio", 1 / 5),  # lengths are those of the composed text
        ("می\u200cشود.", "special_char_ratio", 1 / 6),  # the joiner does not count
        ("क्\u200dष.", "special_char_ratio", 1 / 4),
        ("می\u200cشود.", "punctuation_ratio", 1 / 2),  # nor does it cut the token
        ("snake_case it's it’s", "punctuation_ratio", 0.0),
        ("a.b;c:d?e!f,g-h(i)", "punctuation_ratio", 6 / 15),
        ("今天很好。明天也好，是吗？", "punctuation_ratio", 3 / 6),
        ("آج موسم اچھا ہے۔", "punctuation_ratio", 1 / 5),
        ("هل الجو جميل؟ نعم، جدا", "punctuation_ratio", 2 / 7),
        ("आज मौसम अच्छा है।", "punctuation_ratio", 1 / 5),
        ("ภาษาไทยเป็นภาษาราชการ.", "punctuation_ratio", None),
        ("ພາສາລາວ.", "punctuation_ratio", None),
        ("ភាសាខ្មែរ។", "punctuation_ratio", None),
        ("မြန်မာဘာသာ။", "punctuation_ratio", None),
        ("ភាសាខ្មែរ", "word_repetition_ratio", None),
        ("!?", "punctuation_ratio", 1.0),
        ("   ", "punctuation_ratio", None),
        ("   ", "special_char_ratio", 1.0),
    ],
)
def test_measure(text: str, measure: str, expected: float | None) -> None:
    assert measure_text(text, "en")[measure] == expected


def test_keys_are_those_of_the_spec_in_its_order() -> None:
    assert tuple(measure_text("Hello, world!")) == TEXT_MEASURES


def test_empty_text_counts_nothing_and_has_no_ratio() -> None:
    assert measure_text("") == {name: 0 if name == "words" else None for name in TEXT_MEASURES}


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("It’s the cat", "en", 2 / 3),  # the curly apostrophe is an apostrophe
        ("It's THE cat", "en", 2 / 3),
        ("le chat", "fr", 1 / 2),
        ("le chat", "en", 0.0),
        ("le chat", "und", None),
        ("le chat", "zu", None),
        ("le chat", "../en", None),
        ("!!!", "en", None),
        ("ភាសាខ្មែរ", "en", None),  # estimated words are in no list
    ],
)
def test_stop_words_are_those_of_the_language(text: str, language: str, expected: float | None) -> None:
    assert measure_text(text, language)["stop_word_ratio"] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She might share it later today.", 0.0),  # one hit is an accident
        ("Share this. Subscribe now.", 2 / 4),
        ("nothing of the kind", 0.0),
    ],
)
def test_spam_words_count_from_two_hits(text: str, expected: float) -> None:
    assert profile_text(text).measures("en")["spam_word_ratio"] == expected
    assert profile_text(text).measures("und")["spam_word_ratio"] is None


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The cat drinks xylophonic milk", "en", 4 / 5),
        ("In 2024 and ١٢ more", "en", 1.0),  # digits need no list
        ("xq7 zzxv", "en", 0.0),
        ("the cat", "de", None),
        ("the cat", "und", None),
        ("...", "en", None),
    ],
)
def test_common_words_are_those_of_the_language(text: str, language: str, expected: float | None) -> None:
    assert measure_text(text, language)["common_word_ratio"] == expected


@pytest.mark.parametrize("language", ["th", "lo", "km", "my"])
def test_punctuation_is_no_measure_of_languages_without(language: str) -> None:
    assert measure_text("Thai, with English in it.", language)["punctuation_ratio"] is None


def test_what_rules_need_beside_the_measures() -> None:
    measures = profile_text("Hello, world!").measures(None)
    assert {name: value for name, value in measures.items() if name not in TEXT_MEASURES} == {
        "language": "und",
        "words_method": "counted",
        "estimated_words": 0,
        "special_chars": 3,
        "terminal_marks": 2,
        "marks_and_tokens": 4,
        "letters": 10,
        "unpunctuated_letters": 0,
        "spam_word_ratio": None,
        "log10_probability": None,
        "model_tokens": None,
        "stop_words": None,
        "flagged_words": None,
        "common_words": None,
        "spam_words": None,
    }
    assert profile_text("ភាសាខ្មែរ").measures("km")["words_method"] == "estimated"


def test_language_score_belongs_to_the_language_asked_for() -> None:
    text = "The weather was fine, and we walked along the river until it was dark."
    found = measure_text(text)["language_score"]
    assert found is not None
    assert found > 0.8
    assert measure_text(text, "en")["language_score"] == pytest.approx(found)
    foreign = measure_text(text, "fr")["language_score"]
    assert foreign is not None
    assert foreign < 0.1
    assert measure_text(text, "no-such")["language_score"] is None


# F7: the cause of a drop on each level, by default limits.
@pytest.mark.parametrize(
    ("text", "paragraph", "document"),
    [
        ("", "paragraph.words", "document.words"),
        ("12 345 6789 012 3456 78 901 2345 67 890 123 45", "paragraph.special_chars", "document.special_chars"),
        ("😀 😃 🎉", "paragraph.words", "document.words"),
        ("a" * 100_000, "paragraph.words", "document.words"),
    ],
)
def test_texts_without_language_get_verdicts(text: str, paragraph: str, document: str) -> None:
    assert measure_text(text)["language_score"] is None
    measures = profile_text(text).measures("und") | {"images": 1}
    for level, expected in (("paragraph", paragraph), ("document", document)):
        verdicts = judge(level, measures, {})  # type: ignore[arg-type]
        failure = first_failure(verdicts)
        assert failure is not None
        assert failure.rule == expected
        assert all(verdict.reason is not None for verdict in verdicts if verdict.verdict == "skip")


KEPT = {
    "zh": "今天早上我和朋友一起去公园散步。天气很好，阳光照在湖面上，许多孩子在草地上放风筝。",
    "ja": "私は昨日友達と一緒に京都へ行きました。古い寺を見て、静かな庭を歩きました。",
    "th": "วันนี้ฉันไปตลาดกับแม่เพื่อซื้อผลไม้และผักสด เราเดินผ่านร้านขายดอกไม้ที่มีสีสวยงามมาก",
    "ar": "ذهبت أمس مع صديقي إلى السوق القديم في وسط المدينة لشراء بعض الكتب والهدايا لعائلتي.",
    "hi": "कल मैं अपने मित्र के साथ शहर के पुराने बाज़ार में गया था। वहाँ हमने कुछ किताबें और मिठाइयाँ खरीदीं।",
    "ko": "어제 친구와 함께 오래된 시장에 갔다. 날씨가 아주 맑아서 사람들이 많았다.",
    "km": "ខ្ញុំចង់ទៅផ្សារជាមួយម្តាយដើម្បីទិញផ្លែឈើនិងបន្លែស្រស់សម្រាប់អាហារពេលល្ងាច។",
    "ru": "Вчера мы с другом ходили на старый рынок, купили книги и долго гуляли у реки.",
    "en": "Yesterday we went to the old market with a friend, and bought some books for the children.",
    "de": "Gestern waren wir mit einem Freund auf dem alten Markt und haben dort Bücher für die Kinder gekauft.",
    "fr": "Hier nous sommes allés au vieux marché avec un ami, et nous avons acheté des livres pour les enfants.",
    "es": "Ayer fuimos al mercado viejo con un amigo, y allí compramos unos libros para los niños de la casa.",
    "it": "Ieri siamo andati al vecchio mercato con un amico, e abbiamo comprato dei libri per i bambini.",
    "pt": "Ontem fomos ao mercado velho com um amigo, e lá compramos uns livros para as crianças da casa.",
    "nl": "Gisteren gingen wij met een vriend naar de oude markt, en daar kochten we boeken voor de kinderen.",
}


@pytest.mark.parametrize("language", KEPT)
def test_plain_prose_passes_in_every_script(language: str) -> None:
    measures = profile_text(KEPT[language]).measures(language)
    assert first_failure(judge("paragraph", measures, {})) is None


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from([None, "en", "und", "th"]))
def test_never_raises_and_ratios_are_shares(text: str, language: str | None) -> None:
    measures = measure_text(text, language)
    assert isinstance(measures["words"], int)
    for name in RATIOS:
        value = measures[name]
        assert value is None or 0.0 <= value <= 1.0


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_a_document_is_measured_from_its_paragraphs(paragraphs: list[str]) -> None:
    profiles, whole = [profile_text(paragraph) for paragraph in paragraphs], profile_text("\n\n".join(paragraphs))
    numbers = np.frombuffer(number_words(profile.words.items for profile in profiles), np.uint32)
    joined = join_measures(paragraphs, [profile.measures("en") for profile in profiles], numbers, "en", 0.5)
    assert joined == whole.measures("en", 0.5)


@pytest.mark.timeout(120)  # anything quadratic takes hours
@pytest.mark.parametrize("text", ["a" * 2_000_000, "word " * 1_000_000, "今天天气很好" * 300_000, "a" + "\u0300\u0327" * 1_000_000])
def test_two_megabytes_are_measured(text: str) -> None:
    measures = measure_text(text)
    assert measures["words"]
    assert measures["char_repetition_ratio"]
