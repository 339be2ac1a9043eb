"""`script_length_scale`: articles in dense scripts pass and navigation of the same size does not (spec/readerable.md)."""

from __future__ import annotations

from itertools import cycle

import pytest
import regex

from transforms.html.readerable import GateConfig, gate_score, is_probably_readerable, readerable_score
from transforms.html.text_length import SCRIPT_LENGTH_SCALE, SCRIPTS, WHERE_SCRIPTS_ARE, check_scale, scaled_length, utf16_length
from transforms.html.tree import parse_html

ARTICLES = {
    "zh": [
        "村口的石桥修了三个月，今天终于重新开放。老人们一早就来了，有的拄着拐杖，有的抱着孙子，都想第一个走过去。",
        "石匠姓罗，今年六十八岁。他说旧石头能用的都留了下来，只有桥面上的十二块是新凿的，颜色还有些发白。",
        "下雨的时候，水从桥洞里流过，声音和从前一样。孩子们不懂这些，只管在桥上跑来跑去，比谁先到对岸。",
        "傍晚，有人在桥栏上放了一盏灯。灯光不亮，但是从田里回来的人远远就能看见，知道家已经不远了。",
        "明年春天，村里打算在桥边种几棵柳树。等树长大，夏天就又有地方乘凉，听人讲河里那条大鱼的故事了。",
    ],
    "ja": [
        "駅前の小さな本屋が、来月で店を閉じることになりました。六十年のあいだ、雨の日も雪の日も、朝の七時には明かりがついて"
        "いた店です。学校へ行く前に立ち読みをした人も多いでしょう。",
        "店主の話では、本が売れなくなったからではないそうです。階段の上り下りがつらくなり、高い棚の本に手が届かなくなったのだと、"
        "笑いながら教えてくれました。",
        "最後の週には、残った本を半額で売ります。子どものころに買えなかった図鑑を探しに、遠くの町から電車で来る人もいます。"
        "棚は少しずつ空いていきます。",
        "閉店のあと、建物は町の集会所になる予定です。大きな机と古い時計はそのまま残すことに決まりました。"
        "時計は五分だけ進んでいますが、だれも直そうとしません。",
        "店主は庭で野菜を育てるつもりだと言います。晴れた日は畑に出て、雨の日は家で本を読む。長いあいだ売るばかりで、"
        "読む時間がなかったのだそうです。",
    ],
    "th": [
        "ร้านซ่อมจักรยานของลุงสมอยู่ปากซอยมาสามสิบปีแล้ว ลุงเปิดร้านหกโมงเช้าทุกวัน เด็กนักเรียนที่โซ่หลุดหรือยางแบนแวะมาก่อนไปโรงเรียนเสมอ ลุงไม่เคยคิดเงินเด็ก",
        "เครื่องมือของลุงแขวนอยู่บนผนังไม้ ใต้ประแจแต่ละตัวมีรูปวาดด้วยชอล์กสีขาว ใครหยิบไปใช้แล้วต้องแขวนคืนให้ตรงรูป ไม่อย่างนั้นลุงจะบ่นทั้งวันจนถึงเย็น",
        "ปีที่แล้วหลานสาวกลับมาจากกรุงเทพ เธอเรียนจบช่างไฟฟ้าและอยากซ่อมจักรยานไฟฟ้าด้วย ลุงบอกว่าไม่เข้าใจเรื่องแบตเตอรี่ แต่ก็ยกโต๊ะตัวหนึ่งให้เธอทันที",
        "ตอนนี้หน้าร้านมีป้ายสองป้าย ป้ายเก่าเขียนด้วยมือ ป้ายใหม่มีไฟสว่างตอนกลางคืน คนที่ขี่ผ่านไปมาชอบหยุดถ่ายรูป แล้วก็มักจะนึกได้ว่าเบรกของตัวเองดังมานานแล้ว",
        "ตอนเย็นลุงปิดร้านแล้วนั่งดื่มชากับหลานอยู่หน้าประตู ทั้งสองคนไม่ค่อยพูดกัน แต่เพื่อนบ้านบอกว่าเสียงหัวเราะดังไปถึงปลายซอยเกือบทุกคืนในหน้าหนาว",
    ],
}
MENUS = {
    "zh": "首页 新闻 体育 财经 科技 汽车 房产 教育 旅游 健康 美食 联系我们 关于本站 用户登录 免费注册 网站地图 隐私政策",
    "ja": "ホーム ニュース スポーツ 経済 天気 地図 レシピ 旅行 住まい お問い合わせ よくある質問 ログイン 新規登録 サイトマップ",
    "th": "หน้าแรก ข่าว กีฬา เศรษฐกิจ เทคโนโลยี ท่องเที่ยว สุขภาพ อาหาร ติดต่อเรา เกี่ยวกับเรา เข้าสู่ระบบ สมัครสมาชิก แผนผังเว็บไซต์",
}
NAVIGATION = {
    "list": ("<nav><ul>", '<li><a href="/a">{}</a></li>', "</ul></nav>"),
    "list with paragraphs": ("<ul>", "<li><p><a href=/a>{}</a></p></li>", "</ul>"),
    "paragraphs": ("<div>", "<p><a href=/a>{}</a></p>", "</div>"),
    "row": ("<div>", "<a href=/a>{}</a> | ", "</div>"),
    "table": ("<table><tr>", "<td><a href=/a>{}</a></td>", "</tr></table>"),
    "lines": ("<div>", "<div><a href=/a>{}</a><br></div>", "</div>"),
}


def passes(html: str, scale: dict[str, float] | None) -> bool:
    answer = is_probably_readerable(parse_html(html), script_length_scale=scale)
    assert answer is (readerable_score(parse_html(html), script_length_scale=scale) > 20)
    assert answer is (gate_score(parse_html(html), GateConfig(script_length_scale=scale)) > 20)
    return answer


@pytest.mark.parametrize("language", ARTICLES)
def test_an_article_of_short_paragraphs_passes_by_the_scale_alone(language: str) -> None:
    html = "".join(f"<p>{paragraph}</p>" for paragraph in ARTICLES[language])
    assert (passes(html, None), passes(html, dict(SCRIPT_LENGTH_SCALE))) == (False, True)


@pytest.mark.parametrize("form", NAVIGATION)
@pytest.mark.parametrize("language", MENUS)
def test_navigation_of_the_same_size_does_not_pass(language: str, form: str) -> None:
    size = sum(map(len, ARTICLES[language]))
    entries: list[str] = []
    for entry in cycle(MENUS[language].split()):
        entries.append(entry)
        if sum(map(len, entries)) >= size:
            break
    before, item, after = NAVIGATION[form]
    html = before + "".join(item.format(entry) for entry in entries) + after
    assert len(parse_html(html).text()) >= size
    assert not passes(html, dict(SCRIPT_LENGTH_SCALE))


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_character_of_a_script_lies_where_none_is_looked_for(script: str) -> None:
    inside = regex.compile(f"[{SCRIPTS[script]}]")
    characters = [chr(point) for point in range(0x110000)]
    assert [c for c in characters if inside.match(c) and not WHERE_SCRIPTS_ARE.match(c)] == []
    assert any(map(inside.match, characters))


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        ("x" * 90, 90),
        ("é“—”" * 3, 12),
        ("漢" * 10, 42),
        ("\U00020000", 4.2),  # one code point, two units
        ("\U0001f600漢", 6.2),
        ("かナー", 4.2),
        ("，。　", 3),  # punctuation is of no script
        ("မ", 0.7),
        ("\ud800漢", 5.2),
    ],
)
def test_length_counts_code_points_by_their_script(text: str, length: float) -> None:
    assert scaled_length(SCRIPT_LENGTH_SCALE)(text) == pytest.approx(length, abs=1e-9)


def test_length_is_exact_in_whatever_pieces_a_text_is_counted() -> None:
    length = scaled_length({"Han": 2.333, "Thai": 1.1})
    for text in ("漢字とไทย é x" * 7, "ไ" * 77):
        assert round(sum(map(length, text)), 9) == length(text) == round(length(text[:9]) + length(text[9:]), 9)


def test_a_text_without_the_scripts_is_not_counted_by_character() -> None:
    """What is counted by character comes out of `sum` as a fraction; the others' length is a whole number."""
    length = scaled_length(SCRIPT_LENGTH_SCALE)
    for text in ("plain", "Größe – “x”", "Паром", "سفينة", "नाव"):
        assert length(text) == utf16_length(text)
        assert isinstance(length(text), int)
    assert isinstance(length("船"), float)


def test_an_exact_minimum_is_met_at_any_factor() -> None:
    """The quick look at the number of code points must not be stricter than the length itself, by rounding."""
    for minimum in range(1, 300):
        for thousandths in (1100, 1400, 2333, 2800, 4200):
            count = minimum * 1000 / thousandths
            if count.is_integer():
                html = f"<p>{'漢' * int(count)}</p>"
                options = {"min_content_length": minimum, "script_length_scale": {"Han": thousandths / 1000}}
                assert is_probably_readerable(parse_html(html), min_score=-1, **options), options  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ({"Latin": 2.0}, "unknown script 'Latin'; allowed: Han, Kana, Hangul, Thai, Lao, Khmer, Myanmar"),
        ({"Han": 2.0, "Thai": 0.0}, "Thai: 0.0 is not allowed; allowed: a number above 0"),
        ({"Han": -1.0}, "Han: -1.0 is not allowed"),
        ({"Han": float("inf")}, "Han: inf is not allowed"),
    ],
)
def test_a_scale_is_checked_where_it_is_configured(scale: dict[str, float], message: str) -> None:
    for check in (check_scale, scaled_length, lambda value: GateConfig(script_length_scale=value)):
        with pytest.raises(ValueError, match=message):
            check(scale)


def test_the_measured_scale_has_a_factor_for_every_script() -> None:
    assert list(SCRIPT_LENGTH_SCALE) == list(SCRIPTS)
    check_scale(SCRIPT_LENGTH_SCALE)
