"""Measures of 60 texts in 12 scripts against counts made by hand (filters.md 2.3).

Nothing here was made by the code that it tests: words, characters, marks and lists were counted with eyes and fingers, and where it
helps the comment shows how. Characters are those of NFC without joiners; special ones are neither letters nor marks.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from filters.measures.text import profile_text


class Counted(NamedTuple):
    """stop, flagged, common: words in the language's list, None where there is no list to count by. characters_repeated,
    words_repeated: repeated ones and all n-grams of 10 characters and of 5 words; None where words are only estimated.
    punctuated: whether the script marks the ends of sentences.
    """

    language: str
    text: str
    words: int
    characters: int
    special: int
    marks: int
    tokens: int
    stop: int | None
    flagged: int | None
    common: int | None = None
    characters_repeated: tuple[int, int] = (0, 0)
    words_repeated: tuple[int, int] | None = (0, 0)
    punctuated: bool = True


NO = None

LATIN = [
    Counted("en", "The cat sat on the mat.", 6, 23, 6, 1, 6, 3, 0, 6),  # the, on, the
    Counted("de", "Straße, Bäume & Häuser!", 3, 23, 6, 2, 3, 0, 0),
    Counted("fr", "L’e\u0301te\u0301, c’est l’été.", 3, 19, 7, 2, 3, 1, 0),  # 21 before é is one character; c'est
    # 65 characters: 19 + 2 + 22 + 2 + 19 + 1. "Rain, rain, go away" stands twice: 10 of its 10-grams, of which isqrt(46) = 6 count.
    Counted("en", "Rain, rain, go away; come again another day. Rain, rain, go away.",
            12, 65, 18, 7, 12, 4, 0, 12, (6 * 2, 56)),
    Counted("es", "¿Es el asno de Ana?", 5, 19, 6, 1, 5, 3, 1),  # a donkey is an entry
]  # fmt: skip
CYRILLIC = [
    Counted("ru", "Мама мыла раму.", 3, 15, 3, 1, 3, NO, 0),
    Counted("uk", "П’ять п’ят, і ще п’ять!", 5, 23, 9, 2, 5, NO, NO),
    # "дно, две, три" stands twice: 4 10-grams, all of which count.
    Counted("bg", "Едно, две, три: едно, две, три.", 6, 31, 11, 6, 6, NO, NO, NO, (4 * 2, 22)),
    Counted("ru", "№5 — 12 км/ч (примерно)", 4, 23, 12, 0, 5, NO, 0),  # № and the dash are no words
    # Period 3: of 8 10-grams the first stands three times, isqrt(3) = 1 of them counts.
    Counted("sr", "да да да да да да", 6, 17, 5, 0, 6, NO, NO, NO, (3, 8), (2, 2)),
]
GREEK = [
    Counted("el", "Καλημέρα, κόσμε!", 2, 16, 3, 2, 2, NO, NO),
    Counted("el", "Τι ώρα είναι\u037e Είναι μία.", 5, 24, 6, 2, 5, NO, NO),  # the Greek question mark is a semicolon in NFC
    Counted("el", "αβγδεζηθικ αβγδεζηθικ", 2, 21, 1, 0, 2, NO, NO, NO, (2, 12)),
    Counted("el", "Σ’ αγαπώ (3×2=6).", 3, 17, 11, 1, 5, NO, NO),
    Counted("el", "Ναι\u00b7 όχι\u00b7 ίσως.", 3, 15, 5, 1, 3, NO, NO),  # the raised dot is no terminal mark
]
ARABIC = [
    Counted("ar", "السلام عليكم، كيف الحال؟", 4, 24, 5, 2, 4, NO, 0),
    Counted("fa", "می\u200cروم. نمی\u200cروم.", 2, 14, 3, 2, 2, NO, 0),  # the joiner is inside a word and no character
    Counted("ur", "یہ کیا ہے؟ یہ کتاب ہے۔", 6, 22, 7, 2, 6, NO, NO),
    # Four letters with five marks; the decimal separator is no mark of a sentence.
    Counted("ar", "م\u064fح\u064eم\u0651\u064eد\u064c ٣٫٥ كم", 3, 16, 5, 0, 4, NO, 0),
    # Period 4 over the first 20: three 10-grams stand three times, one twice, two once; isqrt(6) = 2 count.
    Counted("ar", "نعم نعم نعم نعم نعم لا", 6, 22, 5, 0, 6, NO, 0, NO, (3 + 3, 13)),
]
HEBREW = [
    Counted("he", "שלום, עולם!", 2, 11, 3, 2, 2, NO, NO),
    Counted("he", "מה שלומך? טוב, תודה.", 4, 20, 6, 3, 4, NO, NO),
    # Six letters and five marks, three letters and three marks.
    Counted("he", "ב\u05b0\u05bcר\u05b5אש\u05b4\u05c1ית ב\u05b8\u05bcר\u05b8א", 2, 18, 1, 0, 2, NO, NO),
    Counted("he", "ב־1948 קמה צה״ל.", 3, 16, 9, 1, 5, NO, NO),
    # 23 characters twice: 14 10-grams, isqrt(24) = 4 count.
    Counted("he", "אחת שתיים שלוש ארבע חמש אחת שתיים שלוש ארבע חמש", 10, 47, 9, 0, 10, NO, NO, NO, (4 * 2, 38), (2, 6)),
]
DEVANAGARI = [
    Counted("hi", "नमस्ते दुनिया।", 2, 14, 2, 1, 2, 0, 0),
    Counted("hi", "यह मेरी किताब है।", 4, 17, 4, 1, 4, 3, 0),  # all but the book
    Counted("mr", "क्\u200dष त्\u200dर", 2, 7, 1, 0, 2, NO, NO),
    Counted("ne", "एक, दुई, तीन — १२३।", 4, 19, 11, 3, 4, NO, NO),
    # Period 4: two of four 10-grams count, each four times there.
    Counted("hi", "राम राम राम राम राम राम", 6, 23, 5, 0, 6, 0, 0, NO, (4 + 4, 14), (2, 2)),
]
TAMIL = [
    Counted("ta", "வணக்கம், உலகம்!", 2, 15, 3, 2, 2, NO, NO),
    Counted("ta", "நீ எப்படி இருக்கிறாய்?", 3, 22, 3, 1, 3, NO, NO),
    Counted("ta", "த\u0bc6\u0bbeகை ₹1,200.50 மட்டும்.", 3, 23, 12, 3, 5, NO, NO),  # the first vowel is one character in NFC
    Counted("ta", "அ ஆ இ ஈ உ அ ஆ இ ஈ உ", 10, 19, 9, 0, 10, NO, NO, NO, (0, 10), (2, 6)),
    Counted("ta", "ஒன்று; இரண்டு: மூன்று", 3, 21, 4, 2, 3, NO, NO),
]
THAI = [
    Counted("th", "ภาษาไทย", 2, 7, 0, 0, 1, NO, 0, punctuated=False),  # ภาษา ไทย
    Counted("th", "ฉันรักแมว", 3, 9, 0, 0, 1, NO, 0, punctuated=False),  # ฉัน รัก แมว
    Counted("th", "สวัสดีครับ 2024!", 3, 16, 6, 1, 2, NO, 0, punctuated=False),  # สวัสดี ครับ 2024
    Counted("th", "น้ำ น้ำ น้ำ น้ำ น้ำ น้ำ", 6, 23, 5, 0, 6, NO, 0, NO, (4 + 4, 14), (2, 2), punctuated=False),
    Counted("th", "กาแฟร้อน", 2, 8, 0, 0, 1, NO, 0, punctuated=False),  # กาแฟ ร้อน
]
HAN = [
    Counted("zh", "今天天气很好。", 3, 7, 1, 1, 1, NO, 0),  # 今天 天气 很好
    Counted("zh", "我喜欢苹果，香蕉、牛奶！", 5, 12, 3, 3, 3, NO, 0),  # 我 喜欢 苹果 香蕉 牛奶
    Counted("zh", "iPhone 15 手机", 3, 12, 4, 0, 3, NO, 0),
    Counted("zh", "现在是13点。", 4, 7, 3, 1, 1, NO, 2),  # 13点, by the clock or not, is an entry of two words
    Counted("zh", "苹果苹果苹果苹果苹果苹果", 6, 12, 0, 0, 1, NO, 0, NO, (2, 3), (2, 2)),
]
KANA = [
    Counted("ja", "これはペンです。", 4, 8, 1, 1, 1, NO, 0),  # これ は ペン です
    Counted("ja", "ねこが好きです", 4, 7, 0, 0, 1, NO, 0),  # ねこ が 好き です
    Counted("ja", "カメラ・レンズ", 2, 7, 1, 0, 2, NO, 0),
    Counted("ja", "コーヒー、パン、水。", 3, 10, 3, 3, 3, NO, 0),  # the long mark is a letter
    Counted("ja", "ﾃｽﾄ", 1, 3, 0, 0, 1, NO, 0),
]
HANGUL = [
    Counted("ko", "안녕하세요, 여러분!", 2, 11, 3, 2, 2, NO, 0),
    Counted("ko", "나는 학교에 간다.", 3, 10, 3, 1, 3, NO, 0),
    Counted("ko", "\u1112\u1161\u11ab\u1100\u1173\u11af", 1, 2, 0, 0, 1, NO, 0),  # six letters are two syllables in NFC
    Counted("ko", "3월 1일(토) 오후 2:30", 4, 16, 11, 1, 6, NO, 0),
    # Period 4: two of four 10-grams count, each five times there.
    Counted("ko", "가나다 가나다 가나다 가나다 가나다 가나다 가나다", 7, 27, 6, 0, 7, NO, 0, NO, (5 + 5, 18), (3, 3)),
]
# Words are a third of the clusters of each piece, rounded up.
KHMER = [
    Counted("km", "ភាសា", 1, 4, 0, 0, 1, NO, NO, words_repeated=NO, punctuated=False),  # ភា សា
    Counted("km", "ភាសាខ្មែរ។", 2, 10, 1, 1, 1, NO, NO, NO, (0, 1), NO, punctuated=False),  # ភា សា ខ្មែ រ
    Counted("km", "ខ្ញុំ 123", 2, 9, 4, 0, 2, NO, NO, punctuated=False),  # half of the words are counted
    Counted("km", "ក ខ គ", 3, 5, 2, 0, 3, NO, NO, words_repeated=NO, punctuated=False),
    Counted("km", "ទេ ទេ", 2, 5, 1, 0, 2, NO, NO, words_repeated=NO, punctuated=False),
]
SCRIPTS = {
    "Latin": LATIN, "Cyrillic": CYRILLIC, "Greek": GREEK, "Arabic": ARABIC, "Hebrew": HEBREW, "Devanagari": DEVANAGARI,
    "Tamil": TAMIL, "Thai": THAI, "Han": HAN, "Kana": KANA, "Hangul": HANGUL, "Khmer": KHMER,
}  # fmt: skip
CASES = [
    pytest.param(counted, id=f"{script}-{number}") for script, texts in SCRIPTS.items() for number, counted in enumerate(texts)
]


def test_there_are_60_texts_in_12_scripts() -> None:
    assert len(CASES) == len({case.values[0].text for case in CASES}) == 60  # type: ignore[attr-defined]
    assert len(SCRIPTS) == 12


@pytest.mark.parametrize("counted", CASES)
def test_measures_are_what_a_hand_count_gives(counted: Counted) -> None:
    measures = profile_text(counted.text).measures(counted.language)
    ratios = {
        "special_char_ratio": counted.special / counted.characters,
        "stop_word_ratio": None if counted.stop is None else counted.stop / counted.words,
        "flagged_word_ratio": None if counted.flagged is None else counted.flagged / counted.words,
        "common_word_ratio": None if counted.common is None else counted.common / counted.words,
        "punctuation_ratio": counted.marks / (counted.marks + counted.tokens) if counted.punctuated else None,
        "char_repetition_ratio": _share(counted.characters_repeated),
        "word_repetition_ratio": None if counted.words_repeated is None else _share(counted.words_repeated),
    }
    found = {name: measures[name] for name in ("words", "marks_and_tokens", *ratios)}
    assert found == {"words": counted.words, "marks_and_tokens": counted.marks + counted.tokens, **ratios}


def _share(repeated: tuple[int, int]) -> float:
    part, whole = repeated
    return part / whole if whole else 0.0
