"""Words in any script (filters.md 2.1)."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.words import count_words, split_words, words

# Any code point, lone surrogates too, and those with a rule of their own far more often than chance brings them.
TEXTS = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs"]),
        st.sampled_from("a b.'’_-\n\t 1½é今天ไทยខ្ែမာကဗあア한हिै😀\u00a0\u2009\u200b\u200d\u0301\u1dc0\x1c😀۔،।、。"),
    ),
    max_size=80,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t\u00a0\u2009\u3000 ", []),
        ("It’s", ["it's"]),
        ("well-known,", ["well-known"]),
        ("(Hello) — “World”!", ["hello", "world"]),
        ("no\u00a0break\u2009thin\u2028line", ["no", "break", "thin", "line"]),
        ("a\x1cb", ["a\x1cb"]),  # no White_Space, whatever str.split says
        ("... !!! ❤️ 👍🏽", []),
        ("love❤️ 🎉party", ["love", "party"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("cafe\u0301", ["café"]),
        ("3.14 ½ #7", ["3.14", "½", "7"]),
        ("नमस्ते दुनिया।", ["नमस्ते", "दुनिया"]),  # a vowel sign at the end belongs to the word
        ("می‌شود کتاب", ["می‌شود", "کتاب"]),
        ("今天天气很好", ["今天", "天气", "很好"]),
        ("ภาษาไทยเป็นภาษาราชการ", ["ภาษา", "ไทย", "เป็น", "ภาษา", "ราชการ"]),
        ("😀今天😀😀天气很好 iPhone手机", ["今天", "天气", "很好", "iphone", "手机"]),  # offsets in UTF-16 would shift here
        ("𠀋😀ภาษาไทย", ["𠀋", "ภาษา", "ไทย"]),
        ("a\ud800今天", ["a", "今天"]),
        ("今ិ", ["今"]),  # a Khmer vowel on its own is no word
    ],
)
def test_splits_into_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


# Hand-cut; the words of the first three scripts are written without the spaces.
PARAGRAPHS = {
    "zh": (
        "今天 早上 我 和 朋友 一起 去 公园 散步 。 天气 很 好 ， 阳光 照 在 湖面 上 ， 许多 孩子 在 草地 上 "
        "放 风筝 。 我们 坐 在 树 下 喝 茶 ， 谈论 最近 读 过 的 书 ， 直到 中午 才 回家 。"
    ),
    "ja": (
        "私 は 昨日 友達 と 一緒 に 京都 へ 行き まし た 。 古い 寺 を 見 て 、 静か な 庭 を 歩き まし た 。 "
        "昼 は 小さな 店 で そば を 食べ 、 夕方 に なる と 川 の 近く で 写真 を 撮り まし た 。"
    ),
    "th": (
        "วันนี้ ฉัน ไป ตลาด กับ แม่ เพื่อ ซื้อ ผลไม้ และ ผัก สด เรา เดิน ผ่าน ร้าน ขาย ดอกไม้ ที่ มี สี "
        "สวยงาม มาก แม่ เลือก มะม่วง สุก สาม ลูก และ กล้วย หนึ่ง หวี หลังจาก นั้น เรา นั่ง พัก ที่ ร้าน กาแฟ "
        "ใกล้ บ้าน"
    ),
    "ar": (
        "ذهبت أمس مع صديقي إلى السوق القديم في وسط المدينة لشراء بعض الكتب والهدايا لعائلتي. كان الجو جميلا "
        "والشوارع مليئة بالناس الذين يتحدثون ويضحكون. جلسنا بعد ذلك في مقهى صغير قرب النهر وشربنا الشاي "
        "وتحدثنا عن ذكريات المدرسة حتى غروب الشمس."
    ),
    "hi": (
        "कल मैं अपने मित्र के साथ शहर के पुराने बाज़ार में गया था। वहाँ हमने कुछ किताबें और मिठाइयाँ खरीदीं। "
        "मौसम बहुत अच्छा था और सड़कों पर लोगों की भीड़ थी। शाम को हम नदी के किनारे बैठे और बचपन की बातें याद "
        "करते रहे।"
    ),
    "ko": (
        "어제 친구와 함께 오래된 시장에 갔다. 날씨가 아주 맑아서 사람들이 많았다. 우리는 작은 가게에서 국수를 "
        "먹고 강가를 걸으며 어린 시절의 이야기를 오랫동안 나누었다. 해가 질 무렵에는 다리 위에서 사진을 찍고 "
        "따뜻한 차를 마신 뒤 천천히 집으로 돌아왔다."
    ),
}
UNSPACED = {"zh", "ja", "th"}


@pytest.mark.parametrize("language", PARAGRAPHS)
def test_counts_within_a_fifth_of_a_hand_count(language: str) -> None:
    by_hand = [piece for piece in PARAGRAPHS[language].split() if any(character.isalpha() for character in piece)]
    text = PARAGRAPHS[language].replace(" ", "") if language in UNSPACED else PARAGRAPHS[language]
    assert len(by_hand) >= 30
    assert 0.8 * len(by_hand) <= count_words(text) <= 1.2 * len(by_hand)


@pytest.mark.parametrize(
    ("text", "count", "method"),
    [
        ("ភាសាខ្មែរ", 2, "estimated"),  # 4 clusters: ភា សា ខ្មែ រ; 4 / 3 rounded up
        ("ភាសា", 1, "estimated"),
        ("မြန်မာဘာသာ", 3, "estimated"),  # 8 clusters: here a spacing vowel is one of its own
        ("ភាសាខ្មែរ ភាសា។", 3, "estimated"),
        ("the word for language in Khmer is ភាសា", 8, "counted"),
        ("plain text", 2, "counted"),
        ("今天天气很好", 3, "counted"),
        ("", 0, "counted"),
    ],
)
def test_estimates_khmer_and_burmese(text: str, count: int, method: str) -> None:
    assert count_words(text) == count
    assert split_words(text).method == method


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_words_of_paragraphs_are_words_of_the_document(first: str, second: str) -> None:
    assert words(first + "\n\n" + second) == words(first) + words(second)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_every_word_has_a_letter_or_a_number(text: str) -> None:
    for word in words(text):
        assert regex.search(r"[\p{L}\p{N}]", word)
        assert not any(character in " \n\t\u00a0\u2009\u3000" for character in word)


@pytest.mark.timeout(120)  # two megabytes; whatever is quadratic in any of these takes minutes to hours
@pytest.mark.parametrize(
    "unit",
    ["x", "x!", "é!\u0301", "今天", "ก", "ខ្", "words ", "a\u0300\u0327", "\u0300\u0327", "今😀"],
)
def test_two_megabytes_are_counted(unit: str) -> None:
    text = (unit * 2_000_000)[:2_000_000]
    assert count_words(text) == count_words(text + " ")
