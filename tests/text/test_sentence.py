"""Where sentences end, in many languages."""

from itertools import pairwise

import pytest

from bridge.text.sentence import negates, sentence_ends

_WHOLE = """
Am 3. Oktober war es kalt.|Dann schneite es.
Er wohnt im 3. Stock.|Sie wohnt im 12. Stock.|Dort ist es still.
Sie kommt am 3.|Das ist spät.
Das ist z. B. so, vgl. S. 12 und Abb. 3.|Vgl. S. 13 des Buches.
Das kostete 30 Mio. Euro.|Es war 1999.|2000 war es billiger.
Die Fa. Meier GmbH u. Co. KG liefert usw.|Das genügt.
Er lebte um 300 v. Chr. in Rom.|Ich bin es.|Dann ging er.
Er sagte: „Komm her!“|Sie kam.|„Kommst du?“ fragte er.
Am 1. und 2. Feiertag ist zu.|Am 3. nicht.
It was at 3.15 p.m. on Oct. 13th.|It rained.
It cost $4.50, e.g. a book, i.e. one.|See fig. 3 and pp. 12-14.|Stop.
“Is it?” he asked.|She nodded (no!) twice.|He left... and came back.
Wait…|What is that (!) It is (…) |A poem.|Visit https://a.b/c.html?x=1.|Open a.txt.
He lives in the U.S. Army base.|We met in the U.S.|The rest is known.
There were 50 couples.|35,064 households had none.
I am here to . . . submit to it.|So do I.|Then we part.
**This is bold.** |And ==this is marked.== |More.
It opens with 1. e4 e5 2. Nf3 Nc6 3. Bb5 at once.|He won 3.|Then we left.
Il dott. Rossi e il sig. Bianchi, p. es. ieri, pag. 3.|L'art. 5 dice questo.
C'è.|L'altro no, ma quest'ultimo sì.|Apri (es. React).|Fine.
Il a dit : « Viens ! » |Elle vint.|Voir p. 12, p. ex. `là`.
Le 1er janv. 2020, M. Dupont vint.|Il partit.
El 1º oct. 1990 nació.|El Sr. López y la Sra. Gil viven en EE. UU. y Cuba.|¿Vienes?|¡Claro!
Dhr. Jansen en mevr. De Vries komen.|Dat is o.a. zo, d.w.z. altijd.
Det är bl.a. dr. Svensson.|Den 3. oktober kom han, f.eks. `nu`.
Prof. Kowalski i dr. Nowak mieszkają przy ul. Długiej.|Zob. s. 12.
Dne 3. října přišel Ing. Novák.|A 3. emeleten lakik.
Dr. Ahmet 3. katta, bkz. s. 12.|Bu 20. yüzyılda, vb. yerlerde.
Dl. Popescu stă pe str. Lungă nr. 3.|De ex. acesta.
Он живёт на ул. Ленина.|А. С. Пушкин, т. е. поэт.|См. рис. 3 и с. 12.
Ο κ. Παπαδόπουλος ήρθε.|Τι είναι;|Τίποτα.
यह पहला है।|डॉ. शर्मा और जे. ए. होबसन आए।|क्या?|हाँ।
उसने कहा, "नहीं।" |फिर वह गया।|1576 में वह आया।
আমি ভাত খাই।|ডা. রহমান এলেন।
هذا جيد.|هل أنت بخير؟|قال د. أحمد نعم.
یہ اچھا ہے۔|کیا تم ٹھیک ہو؟|ہاں۔
זה טוב.|האם אתה בסדר?|כן.
오늘은 날씨가 좋다.|왔니?|응.|그래.
ผมชื่อจอห์น ผมอยู่ที่กรุงเทพ
Սա լավ է։|Նա եկավ։
ကျွန်တော်သွားမယ်။|သူလာမယ်။
ይህ ጥሩ ነው።|እሱ መጣ።
"""
"""Lines of sentences with `|` where one ends and a space follows."""

_UNSPACED = """
今天天气很好。|我们去公园吧！！|好吗？|他说：“你好。”|然后走了。
我用Notion。|notion很好。|1999年出版（真的。）|下一句。
これは本です。|「はい。」と言った。|本当？！|うん。
"""


@pytest.mark.parametrize("marked", _WHOLE.strip().split("\n"))
def test_sentences_end_where_a_reader_ends_them(marked: str) -> None:
    _check(marked.replace(" |", "|").split("|"), " ")


@pytest.mark.parametrize("marked", _UNSPACED.strip().split("\n"))
def test_sentences_of_scripts_without_spaces_end_there_too(marked: str) -> None:
    _check(marked.split("|"), "")


def _check(sentences: list[str], between: str) -> None:
    text = between.join(sentences)
    ends = [0, *sentence_ends(text, (0, len(text)), by_lines=False), len(text)]
    found = [text[start:end].strip() for start, end in pairwise(ends) if text[start:end].strip()]
    assert found == sentences


def test_a_number_at_the_beginning_of_a_line_ends_no_sentence() -> None:
    text = "Steps:\n1. Mix it.\n2. Bake it.\n"
    ends = list(sentence_ends(text, (0, len(text)), by_lines=True))
    assert [text[end:].partition("\n")[0] for end in ends] == ["1. Mix it.", "2. Bake it.", ""]


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        ("L'examen est le 3 mai 2026", False),
        ("Der Kurs beginnt im Mai", False),
        ("Il corso non comincia mai", True),
        ("Mai di venerdì", True),
    ],
)
def test_the_month_of_may_denies_nothing(text: str, *, denies: bool) -> None:
    assert negates(text) is denies
