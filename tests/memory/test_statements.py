"""What a note says in so many words, in the languages of vaults."""

import pytest

from bridge.features.sessions.statements import find_statements
from bridge.markdown.parse import parse
from bridge.markdown.tasks import TaskSettings, TaskStatus
from bridge.types import VaultPath


def said(text: str, settings: TaskSettings | None = None) -> list[tuple[str, str]]:
    note = parse(VaultPath("a.md"), text.encode())
    return [(one.what, one.text) for one in find_statements(note, settings or TaskSettings())]


@pytest.mark.parametrize(
    ("decided", "left_open"),
    [
        ("We decided to treat the 2015 release as canonical.", "It is still open whether the mixes are the same."),
        ("Decided to keep the old folders for a year.", "We do not know yet which tags the diary needs."),
        ("Wir haben uns entschieden, die alten Ordner zu behalten.", "Noch ist unklar, ob das Tagebuch dazugehört."),
        ("Es wurde beschlossen, alles zu behalten.", "Wir haben noch nicht entschieden, ob das Tagebuch dazugehört."),
        ("Nous avons décidé de garder les vieux dossiers.", "Reste à savoir si le journal doit suivre."),
        ("Hemos decidido usar restic porque cifra.", "Todavía no sabemos si el segundo disco hace falta."),
        ("Abbiamo deciso di usare restic.", "Resta da capire se il secondo disco vada fuori casa."),
        ("Decidimos manter as pastas antigas.", "Ainda não sabemos se o diário também muda."),
        ("Am hotărât să păstrăm dosarele vechi.", "Rămâne de văzut dacă jurnalul se schimbă."),
        ("We hebben na lang praten besloten te wachten.", "Het is nog niet duidelijk of het dagboek meegaat."),
        ("Postanowiliśmy zostawić stare foldery.", "Nie wiadomo, czy dziennik też się zmieni."),
        ("Мы решили оставить старые папки.", "Пока неясно, нужны ли теги в дневнике."),
        ("Ми вирішили залишити старі папки.", "Незрозуміло, чи потрібні теги."),
        ("Eski klasörleri saklamaya karar verdik.", "Günlüğün taşınıp taşınmayacağı henüz belli değil."),
        ("我们决定以后只用标签来区分状态。", "还不清楚日记是否也要加标签。"),
        ("古いフォルダは年末まで残すことにしました。", "日記にタグを付けるかどうかはまだ決まっていません。"),
        ("우리는 오래된 폴더를 유지하기로 했습니다.", "일기를 옮길지는 아직 정하지 않았다."),
        ("हमने पुराने फ़ोल्डर रखने का निर्णय लिया।", "डायरी में टैग लगेंगे या नहीं, यह अभी तय नहीं है।"),
        ("قررنا الإبقاء على المجلدات القديمة حتى نهاية العام.", "لم نقرر بعد هل نضيف الوسوم إلى اليوميات."),
        ("Αποφασίσαμε να κρατήσουμε τους φακέλους.", "Δεν έχουμε αποφασίσει ακόμα για το ημερολόγιο."),
        ("החלטנו לשמור את התיקיות הישנות.", "עדיין לא ברור אם היומן ישתנה."),
        ("Chúng tôi đã quyết định giữ các thư mục cũ.", "Chúng tôi chưa thống nhất về nhật ký."),
        ("เราตัดสินใจว่าจะเก็บโฟลเดอร์เก่าไว้", "เรายังไม่ได้ตัดสินใจเรื่องบันทึกประจำวัน"),
        ("Rozhodli jsme se nechat staré složky.", "O deníku jsme se nedohodli."),
        ("Vi har bestämt att behålla mapparna.", "Vi har inte bestämt när dagboken flyttas."),
        ("Vi besluttede at beholde mapperne.", "Vi har ikke besluttet hvornår dagbogen flyttes."),
        ("Päätimme säilyttää vanhat kansiot.", "Emme ole vielä päättäneet päiväkirjasta."),
        ("Olemme päättäneet säilyttää kansiot.", "Päiväkirjasta ei ole vielä päätetty."),
        ("Úgy döntöttünk, hogy a régi mappák maradnak.", "Még nem döntöttük el, mi lesz a naplóval."),
        ("Решихме да запазим старите папки.", "Още не сме решили за дневника."),
        ("Вирішили зберегти старі папки.", "Ще не вирішили щодо щоденника."),
        ("Hem decidit guardar les carpetes.", "Encara no hem decidit res del diari."),
        ("আমরা পুরনো ফোল্ডার রাখার সিদ্ধান্ত নিয়েছি।", "দিনলিপি নিয়ে এখনও সিদ্ধান্ত হয়নি।"),
        ("பழைய கோப்புறைகளை வைத்திருக்க முடிவு செய்தோம்.", "நாட்குறிப்பு பற்றி இன்னும் முடிவு செய்யவில்லை."),
        ("我們決定不刪除舊資料夾。", "日記還沒決定要不要搬。"),
        ("Kami memutuskan menyimpan folder lama.", "Kami belum memutuskan nasib buku harian."),
        ("تصمیم گرفتیم پوشه‌های قدیمی را نگه داریم.", "هنوز دربارهٔ دفتر تصمیم نگرفته‌ایم."),
        ("Odlučili smo zadržati stare mape.", "Za dnevnik još nismo odlučili."),
        ("Dogovorili smo termin.", "Nismo dogovorili cijenu."),
        ("Одлучили смо да задржимо фасцикле.", "За дневник нисмо одлучили."),
        ("Odločili smo se obdržati mape.", "O dnevniku se še nismo odločili."),
        ("Rozhodli sme sa nechať staré priečinky.", "O denníku sme sa nedohodli."),
        ("Otsustasime vanad kaustad alles jätta.", "Päevikut ei ole veel otsustatud."),
        ("Nusprendėme palikti senus aplankus.", "Dėl dienoraščio nenusprendėme."),
        ("Nolēmām paturēt vecās mapes.", "Par dienasgrāmatu nevienojāmies."),
        ("Որոշեցինք պահել հին թղթապանակները։", "Օրագրի մասին դեռ չենք որոշել։"),
        ("გადავწყვიტეთ ძველი საქაღალდეების დატოვება.", "დღიურზე ჯერ არ გადაგვიწყვეტია."),
        ("ہم نے پرانے فولڈر رکھنے کا فیصلہ کیا۔", "ہم نے ڈائری کا فیصلہ نہیں کیا۔"),
        ("പഴയ ഫോൾഡറുകൾ സൂക്ഷിക്കാൻ തീരുമാനിച്ചു.", "ഡയറിയുടെ കാര്യം തീരുമാനിച്ചിട്ടില്ല."),
    ],
)
def test_decisions_and_what_is_left_open_are_known_in_many_languages(decided: str, left_open: str) -> None:
    assert said(f"{decided}\n\n{left_open}\n") == [("decision", decided), ("question", left_open)]


@pytest.mark.parametrize(
    "text",
    [
        "We have not agreed on the lamps.",
        "Wir haben uns nicht auf einen Preis geeinigt.",
        "Nous n'avons pas décidé du prix.",
        "No hemos decidido el precio.",
        "Non abbiamo deciso il prezzo.",
        "Não decidimos o preço.",
        "Nu am hotărât prețul.",
        "We hebben niet besloten welke prijs het wordt.",
        "Nie zdecydowaliśmy o lampach.",
        "Nie ustaliliśmy ceny.",
        "Мы не договорились о цене.",
        "Ми не домовилися про ціну.",
        "Kami belum memutuskan harganya.",
        "Vi bestämde inte om lamporna.",
        "Vi enades inte om priset.",
        "Vi besluttede ikke noget om gulvet.",
    ],
)
def test_a_decision_that_was_not_taken_is_open(text: str) -> None:
    assert said(text) == [("question", text)]


@pytest.mark.parametrize(
    "text",
    [
        "Abbiamo deciso di non comprare la lampada.",
        "Wir haben entschieden, nicht zu kaufen.",
        "It was not easy, but we decided to wait.",
        "Hemos decidido no comprar la lámpara.",
        "Postanowiliśmy nie kupować lampy.",
        "Мы решили не покупать лампу.",
    ],
)
def test_a_decision_against_something_is_one(text: str) -> None:
    assert said(text) == [("decision", text)]


@pytest.mark.parametrize(
    "text",
    [
        "Kto ma klucz?",
        "Кто привезёт доски?",
        "من يحمل المفتاح؟",
        "Ποιος έχει το κλειδί;",
        "Anahtar kimde?",
        "Ո՞վ ունի բանալին",
    ],
)
def test_a_short_question_is_one(text: str) -> None:
    assert said(f"## Pytania\n\n{text}\n") == [("question", text)]


@pytest.mark.parametrize(
    "text",
    [
        "Balance decided to leave London in 1999.",
        "He said “we decided to leave” once more.",
        "> We decided to leave London.",
        "> [!note]\n> We decided to leave London.",
        "```\nWe decided to leave London.\n```",
        "## We decided to leave London",
        "The shop is open on Sundays.",
        "地理环境决定了植物的分布。",
        "決定木は機械学習の手法です。",
        "We decided that the password is hunter2-and-3.",
        "# FAQ\n\nWhat is Rust good for?\n\nIt is a language for systems.",
        "What is Rust good for? It is a language for systems.",
        "- [[Are You Shivering?]]",
        "## Results\n\nThe second method is much faster.",
        "- [ ] ",
        "- [ ] ???",
        "- [-] Never mind this",
    ],
)
def test_what_others_decide_ask_or_show_is_left_out(text: str) -> None:
    assert said(f"{text}\n") == []


def test_labels_and_headings_say_what_a_line_is() -> None:
    text = (
        "# Log\n\n**Decision:** keep the clay oven\n\nEntscheidung 2: den Ofen behalten\n\n决定：保留旧的文件夹\n\n"
        "## Offene Fragen\n\n- Wer holt den Lehm ab\n\n## Outcomes\n\n- The roof holds again\n"
    )
    assert said(text) == [
        *(("decision", "keep the clay oven"), ("decision", "den Ofen behalten"), ("decision", "保留旧的文件夹")),
        *(("question", "Wer holt den Lehm ab"), ("outcome", "The roof holds again")),
    ]


def test_questions_that_nothing_answers_are_open() -> None:
    asked = "- Is the vinyl the same in both?\n- Who cut the second side?\n"
    text = f"# Vinyl\n\nIt came in March.\n\n{asked}\n# More\n\nText.\n"
    assert said(text) == [("question", "Is the vinyl the same in both?"), ("question", "Who cut the second side?")]


def test_one_sentence_can_decide_and_leave_open() -> None:
    text = "We decided to wait, but it is not yet clear for how long."
    assert said(text) == [("decision", text), ("question", text)]


def test_boxes_say_what_is_done_and_what_is_to_do() -> None:
    settings = TaskSettings(statuses={"w": TaskStatus("done", " ")})
    text = "- [ ] Call [[Ada|her]] 📅 2026-01-31\n- [x] Sweep the yard ✅ 2026-01-30\n- [w] Won\n- [>] Elsewhere\n"
    assert said(text, settings) == [("task", "Call her"), ("outcome", "Sweep the yard"), ("outcome", "Won")]
