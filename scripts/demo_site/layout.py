"""What stands around an article: head, menu, cookie banner, side column and footer, in the article's language.

The templates are plain files with `$name` places; the words of each language are a table, so that a German page has a German menu
and an extractor meets the boilerplate that real sites have.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from types import MappingProxyType

FOLDER = Path(__file__).parent

RIGHT_TO_LEFT = frozenset({"ar"})

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "site_name": "The Everyday Almanac",
        "skip": "Skip to content",
        "cookie_text": "We use cookies to count visits and to remember your choices. You can accept them, or decline and read on.",
        "cookie_accept": "Accept all",
        "cookie_decline": "Only what is needed",
        "search": "Search",
        "home": "Home",
        "share_mail": "Send by mail",
        "share_link": "Copy link",
        "print": "Print",
        "related_heading": "Read next",
        "most_read": "Most read",
        "newsletter": "One letter a month",
        "subscribe": "Subscribe",
        "about": "About us",
        "contact": "Contact",
        "privacy": "Privacy",
        "menu": "Kitchen|Outdoors|Workshop|Sky|Shop|Forum",
    },
    "de": {
        "site_name": "Der Alltagsalmanach",
        "skip": "Zum Inhalt springen",
        "cookie_text": "Wir verwenden Cookies, um Besuche zu zählen und Ihre Auswahl zu behalten. Sie können auch ablehnen.",
        "cookie_accept": "Alle annehmen",
        "cookie_decline": "Nur notwendige",
        "search": "Suche",
        "home": "Startseite",
        "share_mail": "Per Mail senden",
        "share_link": "Link kopieren",
        "print": "Drucken",
        "related_heading": "Weiterlesen",
        "most_read": "Meistgelesen",
        "newsletter": "Ein Brief im Monat",
        "subscribe": "Abonnieren",
        "about": "Über uns",
        "contact": "Kontakt",
        "privacy": "Datenschutz",
        "menu": "Küche|Draußen|Werkstatt|Himmel|Laden|Forum",
    },
    "fr": {
        "site_name": "L’Almanach de tous les jours",
        "skip": "Aller au contenu",
        "cookie_text": "Nous utilisons des cookies pour compter les visites et retenir vos choix. Vous pouvez accepter ou refuser.",
        "cookie_accept": "Tout accepter",
        "cookie_decline": "Refuser",
        "search": "Rechercher",
        "home": "Accueil",
        "share_mail": "Envoyer par courriel",
        "share_link": "Copier le lien",
        "print": "Imprimer",
        "related_heading": "À lire ensuite",
        "most_read": "Les plus lus",
        "newsletter": "Une lettre par mois",
        "subscribe": "S’abonner",
        "about": "À propos",
        "contact": "Contact",
        "privacy": "Confidentialité",
        "menu": "Cuisine|Dehors|Atelier|Ciel|Boutique|Forum",
    },
    "es": {
        "site_name": "El almanaque de cada día",
        "skip": "Saltar al contenido",
        "cookie_text": "Usamos cookies para contar visitas y recordar sus preferencias. Puede aceptarlas o rechazarlas.",
        "cookie_accept": "Aceptar todas",
        "cookie_decline": "Solo las necesarias",
        "search": "Buscar",
        "home": "Inicio",
        "share_mail": "Enviar por correo",
        "share_link": "Copiar enlace",
        "print": "Imprimir",
        "related_heading": "Seguir leyendo",
        "most_read": "Lo más leído",
        "newsletter": "Una carta al mes",
        "subscribe": "Suscribirse",
        "about": "Quiénes somos",
        "contact": "Contacto",
        "privacy": "Privacidad",
        "menu": "Cocina|Aire libre|Taller|Cielo|Tienda|Foro",
    },
    "zh": {
        "site_name": "日常年鉴",
        "skip": "跳到正文",
        "cookie_text": "我们使用 Cookie 统计访问量并记住您的选择。您可以接受,也可以拒绝后继续阅读。",
        "cookie_accept": "全部接受",
        "cookie_decline": "仅限必要",
        "search": "搜索",
        "home": "首页",
        "share_mail": "邮件分享",
        "share_link": "复制链接",
        "print": "打印",
        "related_heading": "继续阅读",
        "most_read": "阅读最多",
        "newsletter": "每月一封信",
        "subscribe": "订阅",
        "about": "关于我们",
        "contact": "联系我们",
        "privacy": "隐私",
        "menu": "厨房|户外|工坊|天空|商店|论坛",
    },
    "ja": {
        "site_name": "暮らしの年鑑",
        "skip": "本文へ移動",
        "cookie_text": "訪問数の集計と設定の保存のためにクッキーを使用しています。同意するか、拒否するかを選べます。",
        "cookie_accept": "すべて同意する",
        "cookie_decline": "必要なものだけ",
        "search": "検索",
        "home": "ホーム",
        "share_mail": "メールで送る",
        "share_link": "リンクをコピー",
        "print": "印刷",
        "related_heading": "次に読む",
        "most_read": "よく読まれている記事",
        "newsletter": "月に一通の手紙",
        "subscribe": "購読する",
        "about": "このサイトについて",
        "contact": "お問い合わせ",
        "privacy": "プライバシー",
        "menu": "台所|野外|工房|空|お店|掲示板",
    },
    "th": {
        "site_name": "สมุดรายวัน",
        "skip": "ข้ามไปยังเนื้อหา",
        "cookie_text": "เราใช้คุกกี้เพื่อนับจำนวนผู้เข้าชมและจดจำตัวเลือกของคุณ คุณสามารถยอมรับหรือปฏิเสธได้",
        "cookie_accept": "ยอมรับทั้งหมด",
        "cookie_decline": "เฉพาะที่จำเป็น",
        "search": "ค้นหา",
        "home": "หน้าแรก",
        "share_mail": "ส่งทางอีเมล",
        "share_link": "คัดลอกลิงก์",
        "print": "พิมพ์",
        "related_heading": "อ่านต่อ",
        "most_read": "อ่านมากที่สุด",
        "newsletter": "จดหมายเดือนละฉบับ",
        "subscribe": "สมัครรับ",
        "about": "เกี่ยวกับเรา",
        "contact": "ติดต่อ",
        "privacy": "ความเป็นส่วนตัว",
        "menu": "ครัว|กลางแจ้ง|โรงงาน|ท้องฟ้า|ร้านค้า|กระดานสนทนา",
    },
    "ar": {
        "site_name": "تقويم كل يوم",
        "skip": "انتقل إلى المحتوى",
        "cookie_text": "نستخدم ملفات تعريف الارتباط لإحصاء الزيارات وتذكر اختياراتك. يمكنك القبول أو الرفض ومتابعة القراءة.",
        "cookie_accept": "قبول الكل",
        "cookie_decline": "الضروري فقط",
        "search": "بحث",
        "home": "الرئيسية",
        "share_mail": "إرسال بالبريد",
        "share_link": "نسخ الرابط",
        "print": "طباعة",
        "related_heading": "اقرأ أيضا",
        "most_read": "الأكثر قراءة",
        "newsletter": "رسالة كل شهر",
        "subscribe": "اشترك",
        "about": "من نحن",
        "contact": "اتصل بنا",
        "privacy": "الخصوصية",
        "menu": "المطبخ|في الهواء الطلق|الورشة|السماء|المتجر|المنتدى",
    },
    "hi": {
        "site_name": "रोज़ का पंचांग",
        "skip": "सामग्री पर जाएँ",
        "cookie_text": "हम आगंतुकों की गिनती और आपकी पसंद याद रखने के लिए कुकी का उपयोग करते हैं। आप स्वीकार या अस्वीकार कर सकते हैं।",
        "cookie_accept": "सब स्वीकार करें",
        "cookie_decline": "केवल ज़रूरी",
        "search": "खोजें",
        "home": "मुखपृष्ठ",
        "share_mail": "मेल से भेजें",
        "share_link": "लिंक कॉपी करें",
        "print": "छापें",
        "related_heading": "आगे पढ़ें",
        "most_read": "सबसे ज़्यादा पढ़े गए",
        "newsletter": "महीने में एक चिट्ठी",
        "subscribe": "सदस्य बनें",
        "about": "हमारे बारे में",
        "contact": "संपर्क",
        "privacy": "निजता",
        "menu": "रसोई|बाहर|कार्यशाला|आकाश|दुकान|मंच",
    },
    "ru": {
        "site_name": "Повседневный альманах",
        "skip": "Перейти к содержанию",
        "cookie_text": "Мы используем файлы cookie, чтобы считать посещения и помнить ваш выбор. Их можно принять или отклонить.",
        "cookie_accept": "Принять все",
        "cookie_decline": "Только необходимые",
        "search": "Поиск",
        "home": "Главная",
        "share_mail": "Отправить почтой",
        "share_link": "Скопировать ссылку",
        "print": "Печать",
        "related_heading": "Читайте также",
        "most_read": "Самое читаемое",
        "newsletter": "Одно письмо в месяц",
        "subscribe": "Подписаться",
        "about": "О нас",
        "contact": "Связь",
        "privacy": "Конфиденциальность",
        "menu": "Кухня|На воздухе|Мастерская|Небо|Магазин|Форум",
    },
}

SECTION_URLS = ("/kitchen/", "/outdoors/", "/workshop/", "/sky/", "/shop/", "/forum/")


@cache
def template(name: str) -> Template:
    return Template((FOLDER / "templates" / f"{name}.html").read_text(encoding="utf-8"))


def page_text(name: str) -> str:
    """The hand-written body of a page, `pages/NAME.html`."""
    return (FOLDER / "pages" / f"{name}.html").read_text(encoding="utf-8")


def lay_out(
    name: str,
    *,
    layout: str,
    url: str,
    language: str,
    title: str,
    description: str,
    section: int,
    related: tuple[tuple[str, str], ...],
    charset: str | None,
    head_extra: str = "",
    embedded: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The whole page: the body of `pages/NAME.html` inside the layout, with the words of the language.

    section: index of the menu entry the page belongs to. related: (URL, label) of the links below the text. charset: what the
    `meta` element declares; None leaves it out. embedded: what to put into the `$name` places of the body.
    """
    words = WORDS[language]
    labels = words["menu"].split("|")
    places = {
        **words,
        "language": language,
        "direction": "rtl" if language in RIGHT_TO_LEFT else "ltr",
        "charset_tag": "" if charset is None else f'<meta charset="{charset}">\n',
        "title": title,
        "description": description,
        "canonical": url,
        "head_extra": head_extra,
        "section": labels[section],
        "section_url": SECTION_URLS[section],
        "menu": "\n".join(
            f'      <li><a href="{target}">{label}</a></li>' for target, label in zip(SECTION_URLS, labels, strict=True)
        ),
        "related": "\n".join(f'    <li><a href="{target}">{label}</a></li>' for target, label in related),
        "content": Template(page_text(name).strip()).substitute(embedded) if embedded else page_text(name).strip(),
    }
    return template(layout).substitute(places)
