import pytest

from bridge.text.budget import estimate_tokens
from bridge.text.stems import (
    CACHE_SIZE,
    MAX_CACHED_CHARS,
    BoundedCache,
    index_forms,
    language_of,
    query_forms,
    stem_words,
)

TEXTS = {
    "english": "The children were playing in the garden and it was a warm evening for all of them",
    "german": "Die Kinder spielten im Garten und es war ein warmer Abend für alle, die nicht müde waren",
    "french": "Les enfants jouaient dans le jardin et la soirée était douce pour tous ceux qui ne dormaient pas",
    "spanish": "Los niños jugaban en el jardín y la tarde era cálida para todos los que no dormían con ellos",
    "italian": "I bambini giocavano nel giardino e la sera era mite per tutti quelli che non dormivano con loro",
    "portuguese": "As crianças brincavam no jardim e a noite era amena para todos os que não dormiam com eles",
    "dutch": "De kinderen speelden in de tuin en het was een warme avond voor iedereen die niet sliep, ook voor mij",
    "swedish": "Barnen lekte i trädgården och det var en varm kväll för alla som inte sov, men jag var trött",
    "danish": "Børnene legede i haven, og det var en varm aften for alle, der ikke sov, men jeg var træt af det",
    "polish": "Dzieci bawiły się w ogrodzie, a wieczór był ciepły dla wszystkich, którzy nie spali, jak tylko",
    "czech": "Děti si hrály na zahradě a večer byl teplý pro všechny, kteří nespali, ale já jsem byl unavený, že je",
    "hungarian": "A gyerekek a kertben játszottak, és az este meleg volt, de nem aludt, csak az, aki már fáradt",
    "finnish": "Lapset leikkivät pihalla ja ilta oli lämmin, mutta kun he eivät nukkuneet, se oli myös pitkä",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_language_is_told_by_its_small_words(language: str) -> None:
    assert language_of(TEXTS[language]) == language


def test_a_text_without_latin_letters_has_no_language_to_stem() -> None:
    assert language_of("我们在研究人工智能 123") is None
    assert language_of("") is None
    assert language_of("Recipe") == "english"
    assert language_of("Visit Los Angeles") == "english"
    assert language_of("Café Müller, Crème brûlée") == "english"


def test_a_query_is_stemmed_in_every_language_of_the_vault() -> None:
    assert query_forms("Häuser", ["german", "english"]) == [frozenset({"haus", "häuser"})]
    assert query_forms("running shoes", []) == [frozenset({"run"}), frozenset({"shoe"})]


def test_runs_of_scripts_without_spaces_have_no_stems() -> None:
    assert index_forms("회의를 했다", None) == ""
    assert query_forms("회의", ["english"]) == []
    assert index_forms("Running, 3d 42-running 研究", "english") == "run 3d 42 run"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("الكتاب", "كتاب"), ("والكتاب", "كتاب"), ("हिन्दी", "हिन्दियों"), ("הבית", "בית"),
        ("বাংলাদেশের", "বাংলাদেশ"), ("საქართველოს", "საქართველო"),
    ],
)  # fmt: skip
def test_words_of_other_scripts_are_found_by_other_forms(one: str, other: str) -> None:
    language = language_of(one)
    assert language is not None
    assert index_forms(one, language) == index_forms(other, language) != ""
    assert index_forms(one, "english") == index_forms(one, language)


def test_words_in_cyrillic_and_greek_letters_are_stemmed_by_their_script() -> None:
    assert index_forms("Сухари and сухарями", "english").split() == ["сухар", "and", "сухар"]
    assert query_forms("сухарей", ["german", "french"]) == [frozenset({"сухар"})]
    assert stem_words("english", ["running", "заметки", "σημειώσεις"]) == [
        "run",
        *stem_words("german", ["заметкам", "σημείωση"]),
    ]
    assert language_of("Только по-русски.") == "russian"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ноћни воз полази у седам и има кола за спавање, а Moby Dick је дугачка књига", "serbian"),
        ("---\ntype: memory\nkind: fact\n---\nПосејао сам парадајз крајем фебруара на прозору", "serbian"),
        ("Қызанақты ақпанның соңында терезе алдына ектім", "other"),
        ("Ночной поезд отправляется в семь часов", "russian"),
        ("Нощният влак тръгва в седем и има спални вагони", "russian"),
        ("পেছনের চাকা ফুটো ছিল। বসন্তকালে ব্রেক বদলাতে হবে।", "other"),
        ("Roedd twll yn y teiar, felly rhoddais glwt ar y tiwb a bydd angen breciau newydd yn y gwanwyn", "other"),
        ("Milk, eggs, bread, butter, apples and cheese from the shop on the corner", "english"),
        ("Kirjasto Katu Ovi", "english"),
    ],
)
def test_a_text_in_no_known_language_is_not_taken_for_english_or_russian(text: str, language: str) -> None:
    assert language_of(text) == language


def test_digits_are_no_endings() -> None:
    assert index_forms("edit2024 edit2025 breciau", "other") == "edit2024 edit2025 breci"


def test_serbian_words_have_one_stem_in_both_scripts() -> None:
    assert stem_words("serbian", ["кочнице", "мачка"]) == stem_words("serbian", ["kočnicu", "mačke"])
    assert index_forms("Књига о мачкама", "serbian") == index_forms("knjige o mačkama", "serbian")


def test_what_is_remembered_of_a_text_is_bounded() -> None:
    lengths = BoundedCache(len)
    assert lengths["x" * 2 * MAX_CACHED_CHARS] == 2 * MAX_CACHED_CHARS
    assert not lengths
    for number in range(CACHE_SIZE + 10):
        assert lengths[str(number)] == len(str(number))
    assert len(lengths) <= CACHE_SIZE


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("", 0, 0), ("word " * 100, 100, 140), ("研究" * 50, 95, 110), ("слово " * 100, 200, 320), ("ประชุม" * 10, 50, 70)],
)
def test_the_length_of_a_text_is_estimated_by_its_script(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most
