"""Pages decode as a browser decodes them (field_reports.md C, models.md 8, HTML standard, Encoding standard)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.archives.encoding import decode_html
from transforms.archives.meta_charset import declared_charsets

PORTUGUESE = "A Constituição da República não é só história; é a nossa língua"
SENTENCES = {
    "japanese": "これは日本語のページです。文字化けしないでください。東京都の天気は晴れです。",
    "chinese": "这是一个中文页面，请不要出现乱码。北京的天气很好。",
    "taiwanese": "這是一個中文頁面，請不要出現亂碼。臺北的天氣很好。",
    "korean": "이것은 한국어 페이지입니다. 깨지지 않게 해주세요. 서울의 날씨는 맑습니다.",
    "russian": "Это обычная страница на русском языке с несколькими словами.",
    "greek": "Αυτή είναι μια συνηθισμένη σελίδα στα ελληνικά",
    "arabic": "هذه صفحة عادية باللغة العربية",
    "hebrew": "זהו דף רגיל בשפה העברית",
    "thai": "นี่คือหน้าเว็บธรรมดาภาษาไทย",
    "polish": "Zażółć gęślą jaźń, proszę państwa",
    "portuguese": PORTUGUESE,
}


def html(text: str, head: str = "") -> str:
    return f"<!DOCTYPE html><html><head>{head}</head><body><p>{text}</p></body></html>"


META = '<meta charset="{}">'
PRAGMA = '<meta http-equiv="Content-Type" content="text/html; charset={}">'

# name, body, content type -> text, encoding, source, errors
CASES = [
    (
        "bom_beats_header_and_meta",
        b"\xef\xbb\xbf" + html("ü", META.format("latin1")).encode(),
        "text/html; charset=koi8-r",
        html("ü", META.format("latin1")),
        "utf-8",
        "bom",
        0,
    ),
    ("bom_utf16le", b"\xff\xfe" + "日本".encode("utf-16-le"), None, "日本", "utf-16le", "bom", 0),
    ("bom_utf16be", b"\xfe\xff" + "日本".encode("utf-16-be"), "text/html; charset=utf-8", "日本", "utf-16be", "bom", 0),
    ("bom_alone", b"\xef\xbb\xbf", None, "", "utf-8", "bom", 0),
    (
        "header_beats_meta",
        html("ж", META.format("utf-8")).encode("koi8-r"),
        "text/html; charset=KOI8-R",
        html("ж", META.format("utf-8")),
        "koi8-r",
        "header",
        0,
    ),
    ("header_quoted", "ж".encode("cp1251"), 'text/html; foo=bar; Charset = "windows-1251"', "ж", "windows-1251", "header", 0),
    ("header_in_single_quotes", "ж".encode("cp1251"), "text/html;charset='windows-1251'", "ж", "windows-1251", "header", 0),
    ("header_latin1_is_windows_1252", b"\x93a\x94 \x80", "text/html; charset=ISO-8859-1", "“a” €", "windows-1252", "header", 0),
    ("header_ascii_is_windows_1252", b"caf\xe9", "text/html; charset=us-ascii", "café", "windows-1252", "header", 0),
    ("header_utf16", "日本".encode("utf-16-le"), "text/html; charset=utf-16", "日本", "utf-16le", "header", 0),
    ("header_unknown_label", "ü".encode(), "text/html; charset=utf8mb4", "ü", "utf-8", "utf-8", 0),
    ("header_label_of_other_script", "ü".encode(), "text/html; charset=ütf", "ü", "utf-8", "utf-8", 0),
    (
        "C2_meta_latin1",
        html("m\xf6\xf6se", META.format("iso-8859-1")).encode("latin-1"),
        "text/html",
        html("möse".replace("ö", "öö"), META.format("iso-8859-1")),
        "windows-1252",
        "meta",
        0,
    ),
    (
        "C3_gb2312_is_gbk",
        (" " * 16_384 + "镕").encode("gb18030"),
        "text/html; charset=gb2312",
        " " * 16_384 + "镕",
        "gbk",
        "header",
        0,
    ),
    ("gbk_euro_in_one_byte", b"\x80 \xd6\xd0", "text/html; charset=gbk", "€ 中", "gbk", "header", 0),
    ("C4_two_bad_bytes_in_utf8", ("für " * 5000).encode() + b"\xff\xfe", None, "für " * 5000 + "\ufffd\ufffd", "utf-8", "utf-8", 2),
    ("C5_utf7", b"Roboto+Condensed +2AA-", "text/html; charset=utf-7", "Roboto+Condensed +2AA-", "utf-8", "utf-8", 0),
    ("C5_utf7_in_meta", html("a+b", META.format("utf-7")).encode(), None, html("a+b", META.format("utf-7")), "utf-8", "utf-8", 0),
    ("replacement_label", "ü".encode(), "text/html; charset=iso-2022-kr", "ü", "utf-8", "utf-8", 0),
    ("C6_unlabelled_western", b"Constitui\xe7\xe3o", None, "Constituição", "windows-1252", "detector", 0),
    (
        "C8_cp1252_footer_in_utf8",
        "Grüße ".encode() + b"\x93x\x94",
        "text/html; charset=utf-8",
        "Grüße \ufffdx\ufffd",
        "utf-8",
        "header",
        2,
    ),
    (
        "own_replacement_character_is_no_error",
        "a\ufffdb".encode() + b"\xff",
        "text/html; charset=utf-8",
        "a\ufffdb\ufffd",
        "utf-8",
        "header",
        1,
    ),
    (
        "bytes_that_windows_1252_leaves_free",
        b"\x81\x8d\x8f\x90\x9d",
        "text/html; charset=cp1252",
        "\x81\x8d\x8f\x90\x9d",
        "windows-1252",
        "header",
        0,
    ),
    ("free_byte_of_greek", b"\xe1\xd2", "text/html; charset=windows-1253", "α\ufffd", "windows-1253", "header", 1),
    ("windows_874_quotes", b"\x93\xa1\x94", "text/html; charset=tis-620", "“ก”", "windows-874", "header", 0),
    ("euc_jp_row_13", b"\xad\xa1\xa1\xc1", "text/html; charset=euc-jp", "①～", "euc-jp", "header", 0),
    ("iso_2022_jp_row_13", b"\x1b$B\x2d\x21\x24\x22\x1b(B.", "text/html; charset=iso-2022-jp", "①あ.", "iso-2022-jp", "header", 0),
    ("shift_jis_row_13", b"\x87\x40\x81\x60", "text/html; charset=shift_jis", "①～", "shift_jis", "header", 0),
    ("koi8_u_short_u", b"\xae\xbe", "text/html; charset=koi8-u", "ўЎ", "koi8-u", "header", 0),
    ("x_user_defined_in_header", b"a\xe9", "text/html; charset=x-user-defined", "a\uf7e9", "x-user-defined", "header", 0),
    (
        "x_user_defined_in_meta",
        html("\xe9", META.format("x-user-defined")).encode("latin-1"),
        None,
        html("é", META.format("x-user-defined")),
        "windows-1252",
        "meta",
        0,
    ),
    (
        "utf16_in_meta_is_utf8",
        html("ü", META.format("utf-16")).encode(),
        None,
        html("ü", META.format("utf-16")),
        "utf-8",
        "meta",
        0,
    ),
    ("pragma", html("ж", PRAGMA.format("koi8-r")).encode("koi8-r"), None, html("ж", PRAGMA.format("koi8-r")), "koi8-r", "meta", 0),
    ("lone_surrogates_in_utf8", b"a\xed\xa0\x80b", "text/html; charset=utf-8", "a\ufffd\ufffd\ufffdb", "utf-8", "header", 3),
    ("lone_surrogates_in_utf16", b"a\0\x3d\xd8b\0", "text/html; charset=utf-16le", "a\ufffdb", "utf-16le", "header", 1),
    ("utf16_without_anything", "<p>日本".encode("utf-16-le"), None, "<p>日本", "utf-16le", "detector", 0),
    ("utf8_cut_inside_a_character", ("日本" * 9).encode() + b"\xe6\x97", None, "日本" * 9 + "\ufffd", "utf-8", "utf-8", 1),
    ("ascii", b"<p>a", None, "<p>a", "utf-8", "utf-8", 0),
    ("empty", b"", None, "", "utf-8", "utf-8", 0),
    ("bad_bytes_do_not_eat_markup", b"\x81<p>\xff</p>", "text/html; charset=gbk", "\ufffd<p>\ufffd</p>", "gbk", "header", 2),
]


@pytest.mark.parametrize(
    ("body", "content_type", "text", "encoding", "source", "errors"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_decodes(body, content_type, text, encoding, source, errors):
    decoded = decode_html(body, content_type)
    assert (decoded.text, decoded.encoding, decoded.source, decoded.errors) == (text, encoding, source, errors)


DETECTED = [
    ("japanese", "cp932", "shift_jis"),
    ("japanese", "euc_jp", "euc-jp"),
    ("japanese", "iso2022_jp", "iso-2022-jp"),
    ("chinese", "gb18030", "gb18030"),
    ("taiwanese", "big5", "big5"),
    ("korean", "cp949", "euc-kr"),
    ("russian", "cp1251", "windows-1251"),
    ("russian", "koi8-r", "koi8-r"),
    ("greek", "cp1253", "windows-1253"),
    ("arabic", "cp1256", "windows-1256"),
    ("hebrew", "cp1255", "windows-1255"),
    ("thai", "cp874", "windows-874"),
    ("polish", "iso8859-2", "iso-8859-2"),
    ("portuguese", "cp1252", "windows-1252"),
]


@pytest.mark.parametrize(("language", "codec", "encoding"), DETECTED)
@pytest.mark.parametrize("head", ["", "<!-- " + "x" * 70_000 + " -->"], ids=["short", "long_ascii_head"])
def test_undeclared_legacy_encodings_are_detected(language, codec, encoding, head):
    text = head + html(SENTENCES[language] * 3)
    decoded = decode_html(text.encode(codec))
    assert decoded.text == text
    assert decoded.source == "detector"
    if language in ("japanese", "korean", "taiwanese"):
        assert decoded.encoding == encoding


LABELS = {
    "cp932": "Shift_JIS", "euc_jp": "x-euc-jp", "iso2022_jp": "ISO-2022-JP", "gb18030": "gb18030", "big5": "Big5-HKSCS",
    "cp949": "ks_c_5601-1987", "cp1251": "cp1251", "koi8-r": "KOI8", "cp1253": "windows-1253", "cp1256": "cp1256",
    "cp1255": "x-cp1255", "cp874": "iso-8859-11", "iso8859-2": "latin2", "cp1252": "ISO-8859-1",
}  # fmt: skip


@pytest.mark.parametrize(("language", "codec", "encoding"), DETECTED)
def test_labels_decide_header_before_meta(language, codec, encoding):
    label = LABELS[codec]
    for head, content_type, source in (
        ("", f"text/html; charset={label}", "header"),
        (META.format(label), "text/html", "meta"),
        (PRAGMA.format(label), None, "meta"),
        (META.format("utf-8"), f"text/html; charset={label}", "header"),
        (META.format("koi8-u"), f"text/html; charset={label}", "header"),
        (META.format(label), "text/html; charset=no-such-charset", "meta"),
    ):
        text = html(SENTENCES[language], head)
        decoded = decode_html(text.encode(codec), content_type)
        assert (decoded.text, decoded.encoding, decoded.source, decoded.errors) == (text, encoding, source, 0)


@pytest.mark.parametrize(("language", "codec", "encoding"), DETECTED)
def test_a_mark_or_a_wrong_label_of_utf8_page_decides_as_the_standard_says(language, codec, encoding):
    """The byte order mark beats every label; without it a label beats valid UTF-8, as in a browser."""
    text = html(SENTENCES[language], META.format(LABELS[codec]))
    marked = decode_html(b"\xef\xbb\xbf" + text.encode(), f"text/html; charset={LABELS[codec]}")
    assert (marked.text, marked.encoding, marked.source) == (text, "utf-8", "bom")
    labelled = decode_html(text.encode(), f"text/html; charset={LABELS[codec]}")
    assert (labelled.encoding, labelled.source) == (encoding, "header")
    assert labelled.text != text


MULTI_BYTE = [case for case in DETECTED if case[1] in ("cp932", "euc_jp", "gb18030", "big5", "cp949")]


@pytest.mark.parametrize(("language", "codec", "encoding"), MULTI_BYTE)
def test_a_stray_byte_costs_one_character_and_not_the_encoding(language, codec, encoding):
    sentence = SENTENCES[language]
    body = html(sentence).encode(codec).replace(b"</p>", b"\xff</p>" + b"<p>" + sentence.encode(codec) + b"</p>")
    decoded = decode_html(body, f"text/html; charset={LABELS[codec]}")
    assert (decoded.encoding, decoded.errors) == (encoding, 1)
    assert decoded.text == html(f"{sentence}\ufffd</p><p>{sentence}")


META_CASES = [
    ("<meta charset=utf-8>", ["utf-8"]),
    ('<META CHARSET="UTF-8" />', ["utf-8"]),
    ("<meta/charset='koi8-r'>", ["koi8-r"]),
    ("<meta name=x charset = utf-8>", ["utf-8"]),
    ('<meta http-equiv=content-type content="text/html; charset=big5">', ["big5"]),
    ("<meta content=\"text/html; charset='big5'\" http-equiv=Content-Type>", ["big5"]),
    ('<meta content="charset charset=big5;x" http-equiv="Content-Type">', ["big5"]),
    ('<meta content="text/html; charset=big5">', []),
    ('<meta http-equiv=refresh content="charset=big5">', []),
    ('<meta name=description content="charset=big5">', []),
    ("<meta charset=utf-8 charset=big5>", ["utf-8"]),
    ("<metacharset=utf-8>", []),
    ("<!-- <meta charset=big5> --><meta charset=utf-8>", ["utf-8"]),
    ("<!--><meta charset=utf-8>", ["utf-8"]),
    ("<!-- <meta charset=utf-8>", []),
    ("<? <meta charset=big5><meta charset=utf-8>", ["utf-8"]),
    ("<a title='<meta charset=big5>'><meta charset=utf-8>", ["utf-8"]),
    ("</a title='<meta charset=big5>'><meta charset=utf-8>", ["utf-8"]),
    ("a < b <meta charset=utf-8>", ["utf-8"]),
    ("<meta charset=nothing><meta charset=utf-8>", ["nothing", "utf-8"]),
    ("<title>x</title><meta charset=utf-8", []),
    ('<meta charset="utf-8>', []),
    (" " * 1010 + "<meta charset=utf-8>", []),
    (" " * 1004 + "<meta charset=utf-8>", ["utf-8"]),
    ("<?xml version='1.0' encoding='koi8-r'?><html>", ["koi8-r"]),
    ("<?xml version='1.0' encoding='koi8-r'?><meta charset=utf-8>", ["utf-8", "koi8-r"]),
    ("<?xml version='1.0'?><html>", []),
    ("<\0?\0x\0", ["utf-16le"]),
]


@pytest.mark.parametrize(("head", "labels"), META_CASES)
def test_prescan_finds_what_the_standard_finds(head, labels):
    assert declared_charsets(head.encode("latin-1")) == labels


@given(
    st.binary(max_size=400),
    st.sampled_from(
        [
            None,
            *(
                f"text/html; charset={label}"
                for label in (
                    "utf-8",
                    "gbk",
                    "big5",
                    "euc-jp",
                    "euc-kr",
                    "shift_jis",
                    "iso-2022-jp",
                    "utf-16",
                    "windows-1255",
                    "gb18030",
                    "x-user-defined",
                )
            ),
        ]
    ),
)
def test_any_bytes_give_text_that_can_be_encoded(body, content_type):
    decoded = decode_html(body, content_type)
    assert decoded.utf8 == decoded.text.encode("utf-8")
    assert decoded.errors >= 0
    assert not decoded.text.startswith("\ufeff")


@given(st.text(max_size=300).filter(lambda text: not text.startswith("\ufeff")))
def test_utf8_text_comes_back(text):
    assert decode_html(text.encode("utf-8"), "text/html; charset=utf-8").text == text


@pytest.mark.parametrize(
    "body",
    [
        b"ascii",
        "caf\u00e9".encode(),
        b"\xef\xbb\xbfmarked",
        b"\xef\xbb\xbf\xef\xbb\xbfmarked twice",
        "the page's own \ufffd".encode(),
        "the page's own \ufffd and ".encode() + b"a bad byte \xff",
        b"a bad lead byte \xe1\xef\xbf\xbd",
        b"caf\xe9",
        b"\x00",
        "caf\u00e9".encode("utf-16"),
    ],
)
@pytest.mark.parametrize("content_type", [None, "text/html; charset=utf-8"])
def test_utf8_is_the_text(body, content_type):
    decoded = decode_html(body, content_type)
    assert decoded.utf8 == decoded.text.encode("utf-8")


@pytest.mark.parametrize("marks", ["“quoted”, it’s", "a café, naïve", "10 € – ok", "Çelik"])
def test_few_marks_in_english_are_western(marks):
    text = html("Plain words that tell a story without any accent. " * 40 + marks)
    decoded = decode_html(text.encode("cp1252"))
    assert (decoded.text, decoded.encoding) == (text, "windows-1252")
