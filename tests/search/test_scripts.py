"""In every script, each word of a note finds that note: alone and quoted, folded as people type it."""

import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bridge.models.catalogue import MULTILINGUAL_MODEL
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.text import scripts
from bridge.text.words import words_of
from tests.search.vaults import opened, write_vault

TEXTS = {
    "Amharic": "ሰላም ለዓለም። አዲስ አበባ ከተማ ናት።",
    "Arabic": "السَّلامُ عَلَيْكُم، هذا كِتَابٌ جديد عن النباتات.",
    "Armenian": "Բարեւ աշխարհ, սա նոր գիրք է։",
    "Bengali": "আমি বাংলায় গান গাই। ক্ষুদ্র পাখি উড়ে যায়।",
    "Bulgarian": "Здравей, свят! Това е нова книга.",
    "Burmese": "မြန်မာ ဘာသာ စကား။",
    "Chinese": "我们今天讨论了植物园的浇水计划。",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "Fulani": "𞤀𞤣𞤤𞤢𞤥 𞤆𞤵𞤤𞤢𞤪",
    "Georgian": "გამარჯობა მსოფლიო, ეს ახალი წიგნია.",
    "Greek": "Γειά σου Κόσμε, ο δρόμος είναι μακρύς.",
    "Gujarati": "નમસ્તે દુનિયા, આ નવું પુસ્તક છે.",
    "Hebrew": "שָׁלוֹם עוֹלָם, זה ספר חדש של צה״ל.",
    "Hindi": "तुम काम करो। नमस्ते दुनिया, हिन्दी में क़लम से लिखो।",
    "Icelandic": "Það er æðislegt að þýða ljóð.",
    "Japanese": "データベースの設計とテストを始めた。",
    "Kannada": "ನಮಸ್ಕಾರ ಪ್ರಪಂಚ, ಇದು ಹೊಸ ಪುಸ್ತಕ.",
    "Khmer": "សួស្តី ពិភពលោក។",
    "Korean": "인공지능 회의록을 정리했다.",
    "Lao": "ສະບາຍດີ ຊາວໂລກ",
    "Malayalam": "നമസ്കാരം ലോകമേ, ഇതൊരു പുസ്തകശാലയാണെന്നറിയുന്നു.",
    "Maltese": "Il-ħobż u ż-żejt huma tajbin għalik.",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠌",
    "Nepali": "नेपाली भाषा मिठो छ।",
    "Odia": "ନମସ୍କାର ଦୁନିଆ",
    "Persian": "می‌خواهم کتاب‌های تازه را بخوانم.",
    "Polish": "Zażółć gęślą jaźń w Łodzi.",
    "Punjabi": "ਸਤ ਸ੍ਰੀ ਅਕਾਲ ਦੁਨੀਆ",
    "Serbian": "Đorđe živi u Šapcu.",
    "Sinhala": "ආයුබෝවන් ලෝකය",
    "Symbols": "C++ and C#, not C, cost 5 € (§ 7) → 🌱 and 👩‍💻.",
    "Syriac": "ܫܠܡܐ ܥܠܡܐ",
    "Tamil": "வணக்கம் உலகம், இது தமிழ் நூல்.",
    "Telugu": "నమస్తే ప్రపంచం, ఇది తెలుగు.",
    "Thai": "สวัสดีชาวโลก วันนี้อากาศดี",
    "Tibetan": "བཀྲ་ཤིས་བདེ་ལེགས།",
    "Turkish": "İstanbul'da ışık çok, ağaçlar yeşil.",
    "Ukrainian": "П’ять їжаків з’їли ґрунт.",
    "Urdu": "یہ ایک نئی کتاب ہے۔",
    "Vietnamese": "Đường phố Hà Nội rất đông người.",
    "Yiddish": "שלום וועלט, דאָס איז אַ בוך.",
}
PLAIN = {
    "Arabic": ["السلام", "عليكم", "كتاب"], "Hebrew": ["שלום", "עולם", "צהל"], "Polish": ["zazolc", "lodzi"],
    "Serbian": ["dorde", "sapcu"], "Icelandic": ["thad", "aedislegt", "thyda"], "Maltese": ["hobz", "ghalik"],
    "Turkish": ["isik", "istanbul", "cok"], "Vietnamese": ["duong", "noi", "dong"], "Greek": ["δρομος"],
    "Hindi": ["कलम"], "Persian": ["كتابهای"], "Ukrainian": ["п'ять", "їжаків"], "Japanese": ["データ", "ﾃﾞｰﾀ", "ベース"],
    "Thai": ["อากาศ", "ชาวโลก"], "Chinese": ["植物园", "计划", "水"], "Korean": ["회의", "지능"], "Khmer": ["ពិភព"],
    "Symbols": ["c++", "C#", "€", "§", "→", "🌱"],
}  # fmt: skip


def _parts(text: str) -> list[str]:
    """Cut a text by Unicode category alone, apart from this project's own words."""
    kept = (one if unicodedata.category(one)[0] in "LMN" or one in "’'\u200c״" else " " for one in text)
    return [word for part in "".join(kept).split() if (word := part.strip("’'"))]


async def test_every_word_finds_its_note(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {f"{name}.md": text for name, text in TEXTS.items()})
    missed = []
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        for name, text in TEXTS.items():
            for word in [*_parts(text), *PLAIN.get(name, ())]:
                for typed in (word, f'"{word}"'):
                    answer = await search(sources, SearchRequest(typed, mode="keyword", limit=40))
                    why = [hit.why for hit in answer.hits if hit.path == f"{name}.md"]
                    if not why or not why[0][0].startswith(("says", "title")):
                        missed.append((name, typed, why))
    assert not missed, missed


def test_marks_are_those_of_unicode() -> None:
    mark = re.compile(scripts.MARK)
    every = (chr(code) for code in range(0x300, 0xE01F0) if not 0xD800 <= code < 0xE000)
    assert [one for one in every if (unicodedata.category(one)[0] == "M") > (mark.fullmatch(one) is not None)] == []
    assert not any(
        mark.fullmatch(one) for one in map(chr, range(0x2000, 0xFE00)) if unicodedata.category(one)[0] in "LNPSZ"
    )


def test_words_are_folded_as_they_are_cut() -> None:
    assert words_of("C++ and C#, i++; 🔥Firewood") == ["c++", "and", "c#", "i++", "🔥", "firewood"]


TYPED = (
    ('חיילי צה"ל חזרו לארה"ב.', ('צה"ל', "צה״ל", '"צה"ל"', 'ארה"ב')),
    ("เขาดื่มน้ำในห้องสมุดและทำงาน", ("ห้องสมุด", '"ห้องสมุด"')),
    ("ｶﾞｿﾘﾝで給油した", ("ガソリン", '"ガソリン"', '"給油"')),
    ("Mon–Fri 5–10 km, well‑known, 2020–2024", ('"Mon-Fri"', '"5-10 km"', '"well-known"', '"2020-2024"')),
    ("I don't know O'Neill. --flag Haus-Arbeit", ("don't*", "O'Neill*", "--flag*", "Haus-*")),
    ("کتاب\u200cهای زیادی", ("کتاب", "کتاب ها", "کتابهای")),
    ("see https://example.com/a?b=c now", ('"https://example.com/a?b=c"',)),
    ("Donaudampfschifffahrtsgesellschaftskapitän " + "ab12" * 16, ("Donaudampf*", "ab12" * 16)),
    ("അവന്\u200d കാര്\u200d Oʻzbekiston 葛\U000e0100城市", ("അവൻ", "കാർ", "O'zbekiston", "葛城")),
    ("सम्बन्ध और पाँच हिन्दी ख़बरें", ("संबंध", "पांच", '"हिंदी"', "खबरें")),
    ("Ինչո՞ւ, ահա՜ քարտեզը։", ("ինչու", "ահա", '"ինչու"', "քարտե՞զը")),
    ("ਖ਼ਬਰ ਪੜ੍ਹੋ", ("ਖਬਰ", '"ਖਬਰ"')),
    ("completed 100% today for $5 with .NET", ('"100%"', '"$5"', '".NET"')),
)
OTHERS = {"100 today.md": "completed 100 today for €5 with NET", "English.md": "in the garden in summer in the school"}


async def test_a_note_is_found_as_people_type_its_words(tmp_path: Path) -> None:
    notes = {f"{number}.md": text for number, (text, _) in enumerate(TYPED)}
    write_vault(tmp_path / "vault", {**notes, **OTHERS})
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        for number, (_, queries) in enumerate(TYPED):
            for typed in queries:
                answer = await search(sources, SearchRequest(typed, mode="keyword"))
                paths = [hit.path for hit in answer.hits]
                assert paths[:1] == [f"{number}.md"], (typed, paths)
                assert not (typed.startswith('"') and OTHERS.keys() & {*paths}), (typed, paths)


async def test_names_are_found_with_any_apostrophe(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {"O’Brien/L’été.md": "---\nl’auteur: Hugo\n---\nText.\n", "B.md": "Été.\n"})
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        for typed in ('"L’été"', 'title:"L\'été"', "file:L’été", "path:O'Brien", "[l'auteur:Hugo]"):
            answer = await search(sources, SearchRequest(typed, mode="keyword"))
            assert [hit.path for hit in answer.hits] == ["O’Brien/L’été.md"], typed


@pytest.mark.parametrize(
    ("path", "properties", "queries"),
    [
        ("Książki/Żurek.md", "", ["title:zurek", "title:ŻUREK", "path:ksiazki", "file:Zurek"]),
        ("Yer/İstanbul.md", "şehir: İzmir", ["file:istanbul", "title:ISTANBUL", "[şehir:izmir]", "[ŞEHİR:İZMİR]"]),
        ("Yer/Işık.md", "", ["title:IŞIK", "title:isik", "title:ışık"]),
        ("Τόποι/Γιώργος.md", "οδός: Σπύρος", ["title:ΓΙΩΡΓΟΣ", "path:ΤΟΠΟΙ", "[ΟΔΟΣ:ΣΠΥΡΟΣ]", "title:γιωργος"]),
        ("Orte/Straße.md", "", ["title:STRASSE", "file:straße"]),
        ("स्थान/ज़मीन.md", "पेशा: शिक्षक", ["title:जमीन", "[पेशा:शिक्षक]"]),
        ("أماكن/مَدرسة.md", "", ["title:مدرسة", "path:اماكن"]),
        ("Nơi/" + unicodedata.normalize("NFD", "Phở bò") + ".md", "", ["title:phở", "title:pho", "path:noi"]),
    ],
)
async def test_filters_know_no_case_and_no_accents(
    tmp_path: Path, path: str, properties: str, queries: list[str]
) -> None:
    write_vault(tmp_path / "vault", {path: f"---\n{properties}\n---\nText.\n", "B.md": "---\ncity: x\n---\n"})
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        for typed in queries:
            answer = await search(sources, SearchRequest(typed, mode="keyword"))
            assert [hit.path for hit in answer.hits] == [unicodedata.normalize("NFC", path)], (typed, answer.notices)


async def test_the_words_of_a_single_sentence_are_found_in_other_forms(tmp_path: Path) -> None:
    notes = {
        "kitap": "Kitapları masaya koydum ve çıktım.",
        "carte": "Am pus cărțile pe masă și am plecat.",
        "kirja": "Panin kirjat pöydälle, mutta ne ovat pois.",
        "Buch": "Bücher liegen auf dem Tisch.",
    }
    write_vault(tmp_path / "vault", {f"{number}.md": text for number, text in enumerate(notes.values())})
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        for number, typed in enumerate(notes):
            answer = await search(sources, SearchRequest(typed, mode="keyword"))
            assert [hit.path for hit in answer.hits] == [f"{number}.md"], typed


async def test_a_query_that_no_note_says_in_its_language_finds_the_nearest(tmp_path: Path) -> None:
    notes = {"Garden.md": "The botanical garden is by the river.\n", "Budget.md": "The board approved the spending.\n"}
    cosines = {"The botanical garden is by the river.": 0.2, "The board approved the spending.": 0.1}

    def at(cosine: float) -> np.ndarray:
        return np.array([cosine, (1 - cosine**2) ** 0.5], np.float32)

    async def embed_query(_text: str) -> np.ndarray:
        return at(1.0)

    write_vault(tmp_path / "vault", notes)
    async with opened(tmp_path / "vault", tmp_path / "index") as by_words:
        by_words.index.use_model(MULTILINGUAL_MODEL, 2)
        missing = await by_words.index.find_missing_vectors(10)
        vectors = np.array([at(cosines.get(one.text.strip(), 0.0)) for one in missing])
        await by_words.index.add_vectors([one.digest for one in missing], vectors)
        sources = replace(by_words, embed_query=embed_query)
        for typed, expected in {
            "植物园在哪里": [*notes],
            "wo ist der Park für das Budget": ["Budget.md", "Garden.md"],
            "quincunx": [],
        }.items():
            answer = await search(sources, SearchRequest(typed))
            assert [hit.path for hit in answer.hits] == expected, typed
