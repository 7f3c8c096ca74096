from pathlib import Path

import pytest

from bridge.models.catalogue import DEFAULT_MODEL, MULTILINGUAL_MODEL
from bridge.models.choice import choose_model
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault

TEXTS = {
    "English": "The dough rises slowly in a warm kitchen, and then it is baked for an hour with steam in the oven.",
    "German": "Der Teig geht langsam in der Küche auf und wird dann eine Stunde mit viel Dampf im Ofen gut gebacken.",
    "Turkish": "Hamur sıcak mutfakta yavaşça kabarır, sonra fırında bir saat boyunca buharla pişirilir; ertesi gün"
    " ekmek daha lezzetli olur ve uzun süre taze kalır, çünkü ekşi maya ekmeği korur.",
    "Hindi": "आटा गर्म रसोई में धीरे-धीरे फूलता है और फिर एक घंटे तक भाप के साथ तंदूर में पकाया जाता है।",
    "Chinese": "面团在温暖的厨房里慢慢发酵，然后放进烤箱里用蒸汽烤一个小时。",
    "Arabic": "يرتفع العجين ببطء في المطبخ الدافئ ثم يخبز لمدة ساعة في الفرن مع البخار.",
    "Hebrew": "הבצק תופח לאט במטבח החם ואז נאפה במשך שעה בתנור עם אדים.",
    "Russian": "Тесто медленно поднимается на тёплой кухне, а потом час печётся в духовке с паром.",
    "code": "\n".join(f"- [ ] item-{number} key_{number} = value{number}" for number in range(20)),
    "short": "- [ ] flour",
}


def chosen(tmp_path: Path, **notes: int) -> tuple[str, str]:
    """Write so many notes in each language and return what fits them."""
    for language, count in notes.items():
        for number in range(count):
            (tmp_path / f"{language} {number}.md").write_text(TEXTS[language], encoding="utf-8")
    vault = Vault(tmp_path, Rules())
    choice = choose_model(vault, [*vault.scan().files])
    return choice.id, choice.reason


@pytest.mark.parametrize("language", ["German", "Turkish", "Hindi", "Chinese", "Arabic", "Hebrew", "Russian"])
def test_notes_in_another_language_get_the_multilingual_model(tmp_path: Path, language: str) -> None:
    wanted = (MULTILINGUAL_MODEL, "100% of the notes are not clearly in English")
    assert chosen(tmp_path, **{language: 3, "short": 5}) == wanted


@pytest.mark.parametrize(("other", "id_"), [(0, DEFAULT_MODEL), (1, DEFAULT_MODEL), (4, MULTILINGUAL_MODEL)])
def test_a_few_notes_in_another_language_do_not_matter(tmp_path: Path, other: int, id_: str) -> None:
    assert chosen(tmp_path, English=18, code=3, short=5, Chinese=other)[0] == id_


def test_a_vault_on_the_border_keeps_its_model(tmp_path: Path) -> None:
    assert chosen(tmp_path, English=18, Hindi=1)[0] == DEFAULT_MODEL
    vault = Vault(tmp_path, Rules())
    paths = [*vault.scan().files]
    assert choose_model(vault, paths, f"{MULTILINGUAL_MODEL}-123").id == MULTILINGUAL_MODEL
    assert choose_model(vault, [], f"{MULTILINGUAL_MODEL}-123").id == MULTILINGUAL_MODEL
    assert choose_model(vault, paths, f"{DEFAULT_MODEL}-123").id == DEFAULT_MODEL


def test_notes_that_tell_no_language_and_unreadable_ones_get_the_default_model(tmp_path: Path) -> None:
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    assert chosen(tmp_path, short=3) == (DEFAULT_MODEL, "no note tells its language yet")
