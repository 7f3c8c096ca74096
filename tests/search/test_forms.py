"""A question in other forms than the notes' finds the right note in languages that nothing here can stem, too."""

from pathlib import Path

import pytest

from bridge.features.answers.quotes import RelevantNote, choose_quotes
from bridge.markdown.documents import read_document
from bridge.search.model import SearchAnswer, SearchRequest
from bridge.search.pipeline import search
from bridge.search.read_query import read_question
from bridge.types import VaultPath
from tests.search.vaults import opened, write_vault

NOTES = {
    "Amharic": ("የምስር ሾርባ ሽንኩርት አለው።", "ሾርባው ውስጥ ምን አለ?"),
    "Armenian": ("Անասնաբույժը մայիսին կատվին պատվաստեց։", "Ե՞րբ պատվաստեցին կատուներին։"),
    "Czech": ("Zálohy leží na disku ve spodní zásuvce.", "Kde mám zálohu?"),
    "Finnish": ("Eläinlääkäri rokotti kissan toukokuussa.", "Milloin kissat rokotettiin?"),
    "Georgian": ("ტკიპამ ფუტკრები მოკლა.", "რა კლავს ფუტკრებს?"),
    "Greek": ("Το άκαρι σκότωσε πολλές μέλισσες.", "Τι σκοτώνει τη μέλισσα;"),
    "Hebrew": ("הגיבויים נמצאים במגירה התחתונה.", "איפה שמור הגיבוי?"),
    "Hungarian": ("Az állatorvos beoltotta a macskát.", "Mikor oltották be a macskákat?"),
    "Polish": ("Drużyna przepłynęła cztery kilometry.", "Ile kilometrów przepłynęliśmy?"),
    "Russian": ("Ветеринар привил кошку от бешенства.", "Когда прививали кошек?"),
    "Swedish": ("Bytte kedjan i verkstaden.", "Vad kostade en ny kedja?"),
    "Tamil": ("கால்நடை மருத்துவர் பூனைக்கு தடுப்பூசி போட்டார்.", "பூனைகளுக்கு எப்போது தடுப்பூசி?"),
    "Ukrainian": ("Поливаю помідори щоранку.", "Чому жовкне листя помідорів?"),
}


async def ask(tmp_path: Path, notes: dict[str, str], *questions: str) -> list[SearchAnswer]:
    write_vault(tmp_path / "vault", notes)
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        return [await search(sources, SearchRequest(question, mode="keyword")) for question in questions]


async def test_questions_find_notes_that_say_their_words_in_other_forms(tmp_path: Path) -> None:
    answers = await ask(
        tmp_path, {f"{name}.md": text for name, (text, _) in NOTES.items()}, *(one for _, one in NOTES.values())
    )
    for name, answer in zip(NOTES, answers, strict=True):
        assert [hit.path for hit in answer.hits][:1] == [f"{name}.md"], (name, answer.hits)
        assert "==" in answer.hits[0].snippet, name


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Пароль роутера наклеен снизу.", "Где пароли от роутеров?"),
        ("Ο κωδικός του δρομολογητή είναι κάτω.", "Πού είναι οι κωδικοί των δρομολογητών;"),
        ("הסיסמה של הנתב מודבקת מתחת.", "מה הסיסמה של הנתבים?"),
        ("Երթուղիչի գաղտնաբառը սարքի տակ է։", "Որտե՞ղ են երթուղիչների գաղտնաբառերը։"),
        ("Kilometry přeplavali čtyři.", "Kolik kilometrů přeplaval?"),
    ],
)
async def test_other_forms_answer_a_question(tmp_path: Path, text: str, question: str) -> None:
    [answer] = await ask(tmp_path, {"Answer.md": text, "Other.md": "Something else is told here."}, question)
    assert answer.answerability is not None
    assert (answer.answerability.verdict, answer.answerability.missing) == ("answered", ())


async def test_lines_are_quoted_for_questions_in_other_forms(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {"Verkko.md": "Koira nukkuu. Reitittimen salasana on laitteen pohjassa."})
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        question = read_question("Missä reitittimien salasanat ovat?", sources.index)
    note = read_document(VaultPath("Verkko.md"), (tmp_path / "vault/Verkko.md").read_bytes())
    quotes = choose_quotes(question, [RelevantNote(note, 1.0, [(1, 1)])])
    assert [one.sentence.text for one in quotes] == ["Reitittimen salasana on laitteen pohjassa."]


async def test_serbian_questions_find_notes_in_the_other_script(tmp_path: Path) -> None:
    notes = {
        "Bicikl.md": "Задња гума је била пробушена. Кочнице треба заменити на пролеће, јер су истрошене.",
        "Struja.md": "Toplotna pumpa je trošila manje struje nego što smo očekivali. Solarni paneli su dali puno.",
    }
    brakes, current = await ask(tmp_path, notes, "Kada treba zameniti kočnicu?", "Колико струје је дао соларни панел?")
    assert [hit.path for hit in brakes.hits][:1] == ["Bicikl.md"]
    assert "==Кочнице треба заменити==" in brakes.hits[0].snippet
    assert [hit.path for hit in current.hits][:1] == ["Struja.md"]
    assert brakes.answerability is not None
    assert not {"zameniti", "kočnicu"}.intersection(brakes.answerability.missing)


@pytest.mark.parametrize(
    ("text", "question", "read"),
    [
        ("Het deeg moet twaalf uur rijzen, daarna bak ik het brood.", "Waar ligt het brooddeeg?", "`brood deeg`"),
        ("Ich schrieb im Brief von Liebe und von Abschied.", "Wo ist der Liebesbrief?", "`liebe brief`"),
        ("Ik zaaide de tomaten op de vensterbank.", "Waar staan mijn tomatenplanten?", "`tomaten`"),
        ("Izincwadi zibolekwa amasonto amane emtapweni.", "Incwadi ibolekwa nini?", "`izincwadi`"),
        ("উপরের দাঁতে গর্ত আছে।", "কোন দাঁতটিতে গর্ত?", "`দাঁতে`"),
    ],
)
async def test_a_word_that_no_note_says_is_read_as_its_parts_or_another_form(
    tmp_path: Path, text: str, question: str, read: str
) -> None:
    [answer] = await ask(tmp_path, {"Answer.md": text, "Other.md": "Iets heel anders."}, question)
    assert [hit.path for hit in answer.hits][:1] == ["Answer.md"]
    assert any(read in notice for notice in answer.notices), answer.notices


async def test_an_english_word_is_parted_only_into_whole_words(tmp_path: Path) -> None:
    notes = {"A.md": "The book and the case are in the attic.", "B.md": "The fire is out in the place."}
    shelf, wood = await ask(tmp_path, notes, "which bookcase is in the attic", "which firewood is in the attic")
    assert any("`book case`" in notice for notice in shelf.notices)
    assert wood.notices == ()


async def test_short_english_words_have_no_other_forms(tmp_path: Path) -> None:
    notes = {"A.md": "The team won the game with the plugins.", "B.md": "The plugins load.", "C.md": "The end."}
    assert (await ask(tmp_path, notes, "the plugins wont load again now"))[0].notices == ()


async def test_another_english_word_is_no_form(tmp_path: Path) -> None:
    notes = {"A.md": "The muse of the poet.", "B.md": "The poet slept.", "C.md": "The end of the poet."}
    assert (await ask(tmp_path, notes, "which museum shows the poet and the painter"))[0].notices == ()


async def test_a_word_that_fits_no_note_about_the_rest_stays(tmp_path: Path) -> None:
    notes = {
        "Tomat.md": "Setiap pagi saya menyiram tomat, daunnya layu.",
        "Kucing.md": "Dokter memvaksin kucing.",
        "Vườn.md": "Cung đường đi bộ.",
    }
    answers = await ask(
        tmp_path, notes, "Mengapa daun tomat jadi kuning?", "kuning", "đoạn nào chúng tôi bơi với tomat"
    )
    assert answers[0].hits[0].path == "Tomat.md"
    assert not any("kucing" in notice for notice in answers[0].notices)
    assert answers[1].hits[0].path == "Kucing.md"
    assert not any("cung" in notice for notice in answers[2].notices)
