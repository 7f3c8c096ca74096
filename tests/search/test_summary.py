"""A summary says each thing once, and nothing that is cut open."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.markdown.parse import parse
from bridge.search.sentences import Sentence
from bridge.search.summary import FocusLines, choose_sentences_of
from bridge.text.cues import split_subjects
from bridge.types import VaultPath

PLAIN = "The induction begins at one and ends where the bound is reached."


def sentences(*texts: str, most: int = 10, focus: str = "") -> list[str]:
    notes = [parse(VaultPath(f"{at}.md"), text.encode()) for at, text in enumerate(texts)]
    return [one.text for one in choose_sentences_of(notes, most, focus)]


@pytest.mark.parametrize(
    "cut",
    [
        "The sum is $$ \\begin{align} a &= b, and nothing closes it in this paragraph.",
        "Seen on <% tp.date.now() %> in the garden behind the house.",
        "This is the note {{title}} of the day that it names.",
        "The root $\\frac{1}{2} is never reached by the row of numbers.",
        "- Searched 3 times, read 1,204 notes, changed 1 note.",
        "Truth is a song first released on the album [RELEASE NAME].",
        "#coding #git #published",
        "- Lorem ipsum\n- Dolor sit amet\n- Consectetur",
        "up:: [[Map of Bread]] and more",
        "The worries before were many, and all of them but one…",
        "- [The bread kit for everybody, from start to end - Video](https://video.example/w)",
        "【The bread kit for everybody, from start to end - Video】https://example.org/w",
    ],
)
def test_what_is_cut_open_or_a_template_is_left_out(cut: str) -> None:
    assert sentences(f"{cut}\n\n{PLAIN}\n") == [PLAIN]


def test_what_is_whole_stays() -> None:
    for whole in (
        "The bound is $$ a_{n} = 1 $$ above three, and costs $5 at most.",
        "The sum is $$ \\begin{align} a &= b. And c &= d \\\\ \\end{align} $$ as was to be shown.",
        "The root $\\frac{1. And 2}$ is never reached by the row.",
    ):
        assert sentences(f"{whole}\n") == [whole]
    assert sentences("We call `open(path. Then` the file is read.\n") == ["We call open(path. Then the file is read."]


def test_a_sentence_of_several_notes_is_said_once() -> None:
    assert sentences(f"{PLAIN}\n\n{PLAIN}\n", PLAIN.upper(), "Another sentence stands here.") == [
        PLAIN,
        "Another sentence stands here.",
    ]


def test_a_note_is_summed_up_by_its_beginning_and_each_of_several_is_heard() -> None:
    first, second = (
        "Rye is a grain. It grows in the north. It is sown in autumn.",
        "Oats are fed to horses. They are eaten.",
    )
    assert sentences(first, most=2) == ["Rye is a grain.", "It grows in the north."]
    assert sentences("It grows in the north. It is sown in autumn.", "See [[Rye]] now.", most=2) == [
        "It grows in the north.",
        "It is sown in autumn.",
    ]
    assert sentences(first, second, most=3) == [
        "Rye is a grain.",
        "It grows in the north.",
        "Oats are fed to horses.",
    ]


def long_note(*headings: str, count: int = 15) -> str:
    """Return a note with so many sentences of five words below each heading."""
    beginning = "# Bread\n\nBread is baked at home. One loaf takes a day. Every loaf is worth the day.\n\n"
    return beginning + "\n\n".join(
        f"## {name}\n\nThe {name.lower()} now begins here. "
        + " ".join(f"Step {at} is {name.lower()} again." for at in range(1, count))
        for name in headings
    )


def test_a_short_summary_of_a_long_note_names_its_sections() -> None:
    names = ["Flour", "Water", "Kneading", "Proofing", "Baking"]
    assert sentences(long_note(*names), most=3) == [
        "Bread is baked at home.",
        "One loaf takes a day.",
        "0: Flour, Water, Kneading, Proofing, Baking",
    ]
    first = ["Bread is baked at home.", "One loaf takes a day.", "Every loaf is worth the day."]
    assert sentences(long_note(*names, count=3), most=3) == first
    assert sentences(long_note(*names[:2], count=50), most=3) == first
    assert sentences(long_note(*names), most=1) == first[:1]


def test_a_long_summary_of_a_long_note_tells_something_of_each_section() -> None:
    names = ["Flour", "Water", "Kneading", "Proofing", "Baking"]
    told = sentences(long_note(*names), most=7)
    assert told[0] == "Bread is baked at home."
    assert [one for one in told if ": " in one] == [f"{name}: The {name.lower()} now begins here." for name in names]
    assert len(told) == 7


def test_sections_below_few_chapters_are_told_as_well() -> None:
    names = ["Flour", "Water", "Kneading", "Proofing", "Baking"]
    told = sentences(long_note(*names).replace("## Proofing", "# Oven\n\n## Proofing"), most=7)
    assert [one for one in told if ": " in one] == [f"{name}: The {name.lower()} now begins here." for name in names]


def test_a_long_summary_is_spread_over_a_long_list() -> None:
    bits = "".join(f"- Bit {at} says what to do. Nobody has to follow bit {at} here.\n" for at in range(40))
    told = sentences(f"Here are bits of advice for all of you.\n\n{bits}")
    assert len(told) == 10
    assert told[-1].startswith(("Bit 3", "Nobody has to follow bit 3"))


def test_a_line_says_what_a_thing_is_and_not_what_it_is_not_nor_praise() -> None:
    def line(title: str, text: str) -> str:
        return choose_sentences_of([parse(VaultPath(f"{title}.md"), text.encode())], 1)[0].text

    free = "Obsidian est gratuit et soutenu par ses utilisateurs."
    refund = "Les licences commerciales ne sont pas éligibles au remboursement."
    assert line("Licence commerciale", f"{free}\n\n{refund}\n") == free
    is_one = "Une licence commerciale est une preuve de soutien."
    assert line("Licence commerciale", f"{free}\n\n{is_one}\n") == is_one
    praise, told = (
        "简介： 诺贝尔奖得主经典之作，彻底颠覆你对思考的看法！",
        "卡尼曼认为我们的大脑有快与慢两种作决定的方式。",
    )
    assert line("思考，快与慢", f"{praise}{told}") == told
    refunds = "以下のサービスは7日以内であれば全額返金いたします：\n\n- Publish\n- Sync\n"
    steps = "## 返金をリクエストする\n\n1. アカウントにログインします。\n2. 請求の下にある表示を選択します。\n"
    assert (
        line("返金ポリシー", f"{refunds}\n{steps}")
        == "以下のサービスは7日以内であれば全額返金いたします: Publish, Sync"
    )


def test_what_an_author_marked_tells_a_section() -> None:
    names = ["Flour", "Water", "Kneading", "Proofing", "Baking"]
    text = long_note(*names).replace(
        "The water now begins here. Step 1", "Now it begins. ==All of it comes from the well.== Step 1"
    )
    assert "Water: All of it comes from the well." in sentences(text, most=7)


def test_lines_and_properties_near_a_focus_are_about_it() -> None:
    written = {"Rye": "It grows in the north.\n\nIt is sown in autumn.\n", "Loaf": "A loaf is baked at home.\n"}
    rye, loaf = (parse(VaultPath(f"{name}.md"), text.encode()) for name, text in written.items())
    fact = Sentence(loaf.path, "grain: Rye", (1, 1), "table", 2)
    about = FocusLines([rye, loaf], "seed time", facts=lambda note: [fact] if note is loaf else [])
    assert about.choose(2) == []
    about.add_meaning({one.sentence: 0.8 for one in about.list_likely(9) if one.sentence.lines != (1, 1)} | {fact: 0.7})
    assert [one.text for one in about.choose(2)] == ["It is sown in autumn.", "grain: Rye"]


def test_a_line_says_a_focus_in_other_words_that_stands_out_by_meaning() -> None:
    said, other = "The free tier has room for ten loaves.", "It costs nothing up to a million of rolls."
    texts = [said, other, "Free.", *(f"The oven has {at} doors of glass and steel." for at in range(20))]
    notes = [parse(VaultPath(f"{at}.md"), text.encode()) for at, text in enumerate(texts)]

    def find_alike(focus: str, near: float) -> list[str]:
        about = FocusLines(notes, focus)
        lines = [one for own in about.lines.values() for one in own]
        values = {said: 0.8, other: near, "Free.": near}
        about.add_meaning({one.sentence: values.get(one.text, 0.2 + at / 200) for at, one in enumerate(lines)})
        return [one.text for one in about.find_alike([about.best_of(own) for own in about.lines.values()])]

    assert find_alike("free tier", 0.75) == [said, other]
    assert find_alike("free tier", 0.6) == [said]
    assert find_alike("gratis", 0.45) == [said]


def test_of_lines_as_near_to_a_focus_the_one_that_says_more_is_best() -> None:
    text = "If rye is bad.\n\nRye bread keeps for a week when it is wrapped in cloth.\n"
    about = FocusLines([parse(VaultPath("Bread.md"), text.encode())], "rye")
    [lines] = about.lines.values()
    assert about.best_of(lines) == lines[0]
    about.add_meaning({lines[0].sentence: 0.95, lines[1].sentence: 0.9})
    [lines] = about.lines.values()
    assert about.best_of(lines) == lines[1]


def test_a_pair_that_joins_two_words_is_no_part_of_a_focus() -> None:
    note = parse(VaultPath("云.md"), "计费按小时算，便宜一些。\n".encode())
    [line] = FocusLines([note], "计费方式", {"计费": 3.0, "费方": 9.0, "方式": 1.0}).lines[note.path]
    assert line.cover == 0.75


def test_a_focus_is_not_read_as_other_words() -> None:
    note = parse(VaultPath("Rye.md"), b"Everybody passed the examination in May.\n")
    assert FocusLines([note], "passport", {"passed": 5.0}).choose(1) == []
    assert len(FocusLines([note], "Passed", {"passed": 5.0}).choose(1)) == 1


def test_a_line_about_a_note_is_no_short_sentence() -> None:
    letter = "It is snowing. I am old by now. Here are bits of advice on bread.\n"
    note = parse(VaultPath("Bits of advice.md"), letter.encode())
    assert [one.text for one in choose_sentences_of([note], 1)] == ["Here are bits of advice on bread."]
    assert sentences("It rains. All is grey and wet here.\n", most=1) == ["All is grey and wet here."]
    assert sentences("It rains.\n", most=1) == []
    assert sentences("It rains now.\n", most=1) == ["It rains now."]


def test_sentences_about_a_focus_come_before_the_beginning() -> None:
    text = "Rye is a grain. It grows in the north. It is sown in autumn. A sown field rests."
    assert sentences(text, most=2, focus="when is it sown") == ["It is sown in autumn.", "A sown field rests."]
    assert sentences(text, most=1, focus="price") == ["Rye is a grain."]


def test_a_caption_and_a_mere_link_are_told_only_where_there_is_nothing_else() -> None:
    caption = "![[Balance.jpg]]\n*Left: Balance, who performs in 1985*"
    assert sentences(f"{caption}\n\n{PLAIN}\n\n[Entry of Balance elsewhere](https://a.example/b)\n", most=3) == [PLAIN]
    assert sentences(f"{caption}\n", most=1) == ["Left: Balance, who performs in 1985"]
    assert sentences(f"![[Balance.jpg]]\n{PLAIN} It rises in autumn.\n\nIt ends where it began.\n", most=1) == [PLAIN]
    assert sentences(f"> [!info] The levain, seen from the left\n\n{PLAIN}\n", most=1) == [PLAIN]


def test_a_list_is_told_by_its_head_its_length_and_its_first_items() -> None:
    songs = "".join(
        f"{at}. [[{name}]]\n" for at, name in enumerate(("Ostia", "Blue Rats", "Windowpane", "Slur", "Red"), 1)
    )
    assert sentences(f"## Setlist\n{songs}") == ["Setlist: Ostia, Blue Rats, Windowpane, Slur, Red"]
    assert sentences("It was said to hold:\n\n- rye\n- oats\n") == ["It was said to hold: rye, oats"]
    steps = "- Feed the starter twice a day.\n- Keep it in a warm place.\n- Bake it when it floats.\n"
    assert len(sentences(steps)) == 3


def test_a_list_that_is_most_of_a_note_or_a_section_is_its_content() -> None:
    names = "".join(f"- Question {at} asks whether a thing lasts as long as you do?\n" for at in range(9))
    rest = "We stood at the gate. Nobody had a key to it. So we went home again."
    told = sentences(f"{rest}\n\n## Asked\n\n{names}", most=3)
    assert told[-1].startswith("Asked (9): Question 0 asks")
    sections = long_note("Flour", "Water", "Kneading", "Proofing", count=20)
    assert "Asked: These we asked (9)" in " ".join(
        sentences(f"{sections}\n\n## Asked\n\n{rest} These we asked:\n\n{names}")
    )


def test_headings_alone_are_a_list() -> None:
    names = "".join(f"### [[{name}]]\n\n" for name in ("Ostia", "Blue Rats", "Red Slur"))
    assert sentences(f"# Songs\n\nCoil only performed these:\n\n{names}") == [
        "Coil only performed these: Ostia, Blue Rats, Red Slur"
    ]
    assert sentences(f"# 0\n\n{names}", most=1) == ["0: Ostia, Blue Rats, Red Slur"]
    assert sentences(names.replace("\n\n", "\n\n![[Songs.base]]\n\n")) == []


def test_tasks_that_are_done_are_marked_and_blanks_are_left_out() -> None:
    assert sentences("## To do\n- [x] Colours\n- [ ] Contrast\n- [X] Print\n", most=1) == [
        "To do: ✓ Colours, Contrast, ✓ Print"
    ]
    assert sentences("- Subject: ____________\n- Terms\n- Branches\n- Ideas\n", most=1) == ["0: Terms, Branches, Ideas"]


def test_what_a_colon_introduces_is_said_with_it_or_the_colon_is_not() -> None:
    assert sentences("Note this about rye:\n\nIt keeps for a week.\n") == ["Note this about rye: It keeps for a week."]
    assert sentences(f"Run the following line:\n\n```\nbake\n```\n\n{PLAIN}\n") == [PLAIN]


def test_a_table_is_told_by_its_head_its_length_and_its_first_rows() -> None:
    table = "| item | price |\n|---|---|\n" + "".join(f"| {name} | 1 EUR |\n" for name in ("rye", "oats", "spelt"))
    told = "Prices: rye: price 1 EUR, oats: price 1 EUR, spelt: price 1 EUR"
    assert sentences(f"# Prices\n{table}", most=1) == [told]
    beside = f"{PLAIN}\n\n# Prices\n{table}"
    assert sentences(beside, most=3) == [PLAIN, told]
    assert sentences(beside, most=1) == [PLAIN]
    long = table.replace(
        "1 EUR", "one that is far too high for all of us, and for most of our neighbours of the north and south"
    )
    assert sentences(f"# Prices\n{long}") == ["Prices: rye; oats; spelt"]
    assert sentences("| | |\n|---|---|\n| Born | 1962 |\n| Died | 2004 |\n| Name | John |\n") == [
        "Born: 1962",
        "Died: 2004",
        "Name: John",
    ]


def test_a_list_of_sentences_stands_together_below_what_introduces_it() -> None:
    items = "- Cover the beans before the frost.\n- Water them in the morning only.\n"
    told = "Cover the beans before the frost. Water them in the morning only."
    for head, name in (("## In May", "In May"), ("Free:", "Free"), ("免费：", "免费")):
        assert sentences(f"{head}\n\n{items}", most=3) == [f"{name}: {told}"]
    # A line tells a short list that a note begins with, and sentences about a focus are chosen one by one.
    assert sentences(f"## In May\n\n{items}", most=1) == [f"In May: {told}"]
    more = "".join(f"- Water bed {bed} of them in the morning, and none of the other beds.\n" for bed in range(9))
    assert sentences(f"## In May\n\n{items}{more}", most=1) == ["Cover the beans before the frost."]
    assert sentences(f"## In May\n\n{items}", most=3, focus="morning") == ["Water them in the morning only."]
    lists = "".join(f"## Bed {bed}\n\n{items.replace('beans', f'beans of {bed}')}\n" for bed in range(4))
    assert [one.partition(":")[0] for one in sentences(lists, most=3)] == ["Bed 0", "Bed 1", "Bed 2"]
    # Where a note is mostly lists, one is told, which is as much as two sentences.
    long = "".join(f"- The induction begins at one and ends at the bound of bed {bed}.\n" for bed in range(4))
    assert [
        one.partition(":")[0]
        for one in sentences(f"It is spring. Two beds lie to the south.\n\n## Bed\n\n{long}", most=3)
    ] == ["Two beds lie to the south.", "Bed"]


def test_what_only_names_the_source_is_left_out() -> None:
    for source in ("原文：[Evergreen notes](https://notes.example/z)", "Source: <https://a.example/b>"):
        assert sentences(f"{source}\n\n{PLAIN}\n") == [PLAIN]
    quoted = (
        "> - ![Red Sorghum|200](https://a.example/b.png)\n> - Book: Red Sorghum at last\n> - Three kin are at war.\n"
    )
    assert sentences(quoted, most=1) == ["Book: Red Sorghum at last"]


def test_the_last_sentence_says_the_title_where_the_first_ones_do_not() -> None:
    story = "It was late in the year. We stood at the gate for an hour. Nobody had a key to it. So we went home again."
    rule = "Against frost the beans are covered."

    def told(text: str) -> list[str]:
        return [one.text for one in choose_sentences_of([parse(VaultPath("Frost and beans.md"), text.encode())], 3)]

    assert told(f"{story} {rule}") == ["It was late in the year.", "We stood at the gate for an hour.", rule]
    assert told(f"The beans died of frost. {story} {rule}")[-1] == "We stood at the gate for an hour."
    assert told(f"It's cold. {story}")[0] == "It was late in the year."


def test_what_an_author_calls_a_summary_comes_first() -> None:
    core = "Never buy a dear car."
    for summary in (
        f"> [!abstract] Cars\n> {core}\n",
        f"> [!note] In una frase\n> {core}\n",
        f"## TL;DR\n\n{core}\n",
    ):
        assert sentences(f"{PLAIN}\n\n{summary}\n## Why\n\nA car only brings you there.\n", most=1) == [core]
    # Further below, it sums up a section.
    story = "".join(f"On day {day} we drove on to the next town.\n\n" for day in range(6))
    assert sentences(f"{story}> [!abstract] Summary\n> {core}\n", most=1) == ["On day 0 we drove on to the next town."]


def test_items_are_cut_to_their_labels_where_there_are_many() -> None:
    rest = "it takes many words to tell what is meant by it, and some more of them that nobody has to read. " * 2
    steps = "".join(f"1. **{name}**: {rest}\n   - {rest}\n" for name in ("Application", "Exam", "Renewal"))
    assert sentences(f"What the certificate asks of you:\n\n{steps}") == [
        "What the certificate asks of you: Application; Exam; Renewal"
    ]
    code = "1. Fetch the image\n\n```\npull\n```\n\n2. Run the image\n\n```\nrun\n```\n"
    assert sentences(f"Steps in order\n\n{code}") == ["Steps in order: Fetch the image, Run the image"]


def test_items_below_a_label_are_told_with_it() -> None:
    nested = "- Daily need\n\t- By the scale I need 2k a day, and 3k with some sport.\n- Burnt:\n\t- 500 by a run.\n"
    assert sentences(f"{PLAIN}\n\n{nested}", most=3)[-1] == (
        "0: Daily need: By the scale I need 2k a day, and 3k with some sport. Burnt: 500 by a run."
    )


def test_a_line_that_asks_or_points_elsewhere_stands_for_no_note() -> None:
    rule = "Yeast raises the dough in warm rooms."
    for weak in ("What does the yeast do?", "See below how yeast works."):
        assert sentences(f"{weak} {rule}", most=1) == [rule]
    below = "一天的脂肪供能降到百分之15%以下。"
    assert sentences(f"{below}也有不错的减脂效果。", most=1) == [below]
    assert sentences("The method clone() copies a note.") == ["The method clone() copies a note."]
    assert sentences(f"See [[Rye]] now. It is sown in autumn. {rule}", most=2) == [
        "It is sown in autumn.",
        rule,
    ]


def test_a_section_is_told_by_what_stands_by_itself() -> None:
    rule = "Warm water wakes the yeast within an hour."
    opening = "Some bakers wait for a day. Nobody knows why they do."
    for weak in (
        "For example, a spoon of sugar feeds the yeast.",
        "Sugar feeds the yeast, for example.",
        "These are fed to the yeast with a spoon of sugar.",
        "But a spoon of sugar feeds the yeast (as said in May.",
    ):
        assert sentences(f"{opening} {weak} {rule}", most=3)[-1] == rule
    defined = "指做一件事一开始很难，坚持下去就会越来越轻松。"
    assert sentences(f"这个名字容易误导我。不如理解成推磨。启动很难很慢很累。{defined}", most=1) == [defined]


def test_a_label_without_a_value_tells_nothing() -> None:
    table = b"# Anna\n\n| | |\n|---|---|\n| Name: | Anna |\n| Born: | null |\n"
    assert choose_sentences_of([parse(VaultPath("Anna.md"), table)], 3) == []
    addresses = "The [flour](https://flour.example/a/very/long/address/of/the/mill) rises here.\n"
    assert sentences(addresses, most=1) == ["The flour rises here."]


def test_an_index_names_its_links() -> None:
    links = "".join(f"- [[Breads/Old/{name}]]\n" for name in ("Rye bread of Zürich", "Oats and more of it"))
    assert sentences(f"## North\n\n{links}", most=1) == ["Links: Rye bread of Zürich, Oats and more of it"]


def test_a_field_sums_up_a_note_that_says_nothing_else_above_its_sections() -> None:
    said = "Use:: buys fried chicken and coffee"
    dull = "up:: [[Map of Bread]]\nSeen:: 2023-03-01 10:00\nRole:: user\n%%Mine:: a thought about it%%\n"
    for written in (said, f"- **Use**:: {said.partition(':: ')[2]}"):
        assert sentences(f"{dull}{written}\n") == ["Use: buys fried chicken and coffee"]
    assert sentences(f"{dull}{said}\n\n## Windows\n\n{PLAIN}\n") == ["Use: buys fried chicken and coffee", PLAIN]
    assert sentences(f"{said}\n\n{PLAIN}\n") == [PLAIN]
    assert sentences(dull) == []


def test_a_field_does_not_head_a_list() -> None:
    items = "- Too little sleep makes ill\n- Too little sleep makes fat\n- Too little sleep makes slow\n"
    assert sentences(f"x:: [[How to sleep]]\n\n{items}", most=3) == [
        "0: Too little sleep makes ill, Too little sleep makes fat, Too little sleep makes slow"
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (f"**=={PLAIN}\n==**\nRye is a grain.", PLAIN),
        ("Said is ==what it does. And not how it is done==.", "And not how it is done."),
        ("总之==睡眠很重要，应该保证。运动也很重要==但次之。", "总之睡眠很重要，应该保证。"),
        ("The filter `port == 22` keeps what `a==b` says. It ends.", "The filter port = = 22 keeps what a= =b says."),
    ],
)
def test_half_a_highlight_leaves_no_marks(written: str, said: str) -> None:
    assert said in sentences(written)


def test_a_list_whose_head_says_a_focus_is_told_whole() -> None:
    diet = "Keep to a diet that keeps the share of fat below twelve per cent over the months"
    items = f"- {diet}\n- Train daily\n"
    for lead in ("To show muscles, two conditions hold:", "## Showing muscles"):
        [told] = sentences(f"{lead}\n{items}", focus="muscles")
        assert told.endswith(f": {diet}; Train daily")


def test_a_list_below_a_section_about_a_focus_is_told_whole() -> None:
    text = "It is a hormone.\n\n## Raise its level\n\n### Long term\n\n- Oil of cod each day\n- A cold bath"
    assert sentences(text, focus="raise the level") == ["Long term: Oil of cod each day, A cold bath"]


@pytest.mark.parametrize(
    "meta",
    [
        "This article is a free translation of that post.",
        "Questo articolo è una libera traduzione di questo post.",
    ],
)
def test_what_is_said_of_the_text_gives_way_to_its_subject(meta: str) -> None:
    assert sentences(f"{meta}\n\n{PLAIN}\n", most=1) == [PLAIN]
    assert sentences(f"{meta}\n", most=1) == [meta]


BLOCKS = (
    "Rye is a grain of the north. It is sown in autumn.",
    "> The loaf was baked by all of us. It was meant to be longer. This never came about in the end.",
    "> [!note] Aside\n> The oven was lit at five. The dough had rested for a night.",
    "- Salt\n- Flour of rye and wheat from the mill\n- Water",
    "- The dough is mixed before the sun is up.\n- It rests until the bakers come back.\n- Then it is baked.",
    "| item | price |\n|---|---|\n| apples | 3 EUR |\n| pears | 4 EUR |",
    "These were asked:\n\n1. Strange Bread (10th Version)\n2. Bread\n3. The Song of the Long Bread (Live)",
)


@given(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=len(BLOCKS), unique=True))
@example([BLOCKS[at] for at in (4, 6, 3, 0, 1)])
def test_a_longer_summary_never_says_less(blocks: list[str]) -> None:
    note = "\n\n".join(blocks)
    line, short, long = (" ".join(sentences(note, most=most)).removeprefix("0: ") for most in (1, 3, 10))
    assert len(line) <= len(short) <= len(long)


def test_the_name_of_a_link_says_nothing_of_a_focus() -> None:
    said = "It is milled late in the day so that caffeine is far away."
    assert sentences(f"- [[How much caffeine is in a cup]].\n- {said} [[Caffeine and rye]].\n", focus="caffeine") == [
        said
    ]


def test_items_that_have_items_are_told_by_their_heads() -> None:
    grades = "".join(
        f"- Grade {at}. It takes {at} days.\n\t- As in baking the bread of the north.\n" for at in (1, 2, 3)
    )
    told = "0: Grade 1. It takes 1 days. Grade 2. It takes 2 days. Grade 3. It takes 3 days."
    assert sentences(grades, most=1) == [told]
    ways = (
        "- Two ways\n\t- By folder\n\t- By link\n- Frames of others that cover more\n\t- The first one is for reading."
    )
    assert sentences(f"{ways}\n\t- The other one is for writing.\n", most=3) == [
        "0: Two ways; Frames of others that cover more: The first one is for reading. The other one is for writing."
    ]


@pytest.mark.parametrize(
    ("title", "defined", "before"),
    [
        ("Docker", "Docker è una piattaforma per le applicazioni.", "Questa nota prende a piene mani da un corso."),
        ("Rye", "Rye is a grain of the north.", "We met it in the hills by chance."),
        ("第二大脑", "第二大脑，是一个存储知识的外挂知识库。", "其实和个人知识管理谈论的都是同一个东西。"),
        ("碳水循环饮食法减脂", "碳循环饮食法是控制碳水的方法。", "各种营养素比例，都能达到目的。先尝试轻断食。"),
        ("墨菲定律", "指凡是可能出错的事总会出错。", "小概率事件会发生。" * 2 + "我把椅子寄存在别人那了。" * 6),
    ],
)
def test_a_definition_of_its_title_stands_for_a_note(title: str, defined: str, before: str) -> None:
    def told(text: str) -> list[str]:
        return [one.text for one in choose_sentences_of([parse(VaultPath(f"{title}.md"), text.encode())], 1)]

    assert told(f"{before} {defined}") == [defined]
    named = f"{title}, as we know it, grows here."
    assert told(f"{named} {before} {defined}") == [named]


def test_a_list_of_long_items_is_told_by_their_heads() -> None:
    names = ("Sleep", "Water", "Steps", "Food", "Rest")
    rest = "It takes many words to tell what is meant by it, and some more of them that nobody has to read. "
    told = "0: Sleep. Water. Steps. Food. Rest."
    assert sentences("".join(f"- {name}. {rest}{rest}\n" for name in names), most=1) == [told]
    numbered = "".join(f"- Rule {at}. {rest}{rest}\n" for at in range(5))
    assert sentences(numbered, most=1) == [rest.strip()]


def test_headings_that_are_sentences_stand_for_a_note_that_begins_with_them() -> None:
    steps = ("Start with five minutes and no more", "Keep a little ahead of what you planned")
    text = "".join(f"## {one}\n\nWhat tires us is thinking of it for hours.\n\n" for one in steps)
    assert sentences(text, most=1) == [f"0: {'; '.join(steps)}"]
    assert sentences(f"{PLAIN}\n\n{text}", most=1) == [PLAIN]
    assert sentences("## Start\n\nRye is sown late.\n\n## End\n\nIt is cut.\n", most=1) == ["Rye is sown late."]


def test_a_sentence_that_the_next_one_takes_back_stands_with_it() -> None:
    denied, taken_back = "Rice raises the sugar in the blood.", "But it is eaten with other food."
    assert sentences(f"{denied} {taken_back} {PLAIN}", most=1) == [f"{denied} {taken_back}"]
    assert sentences(f"{denied}\n\n{taken_back} {PLAIN}", most=1) == [denied]


def test_a_focus_takes_the_block_below_a_heading_or_label_or_item_that_says_it() -> None:
    ending = "The boy plants a tree in her yard."
    rest = "The girl climbs the old tree. It is cut down."
    for head in ("## Ending", "Ending:", "### The ending of it"):
        [told] = sentences(f"{rest}\n\n{head}\n\n{ending}\n", focus="ending")
        assert told == ending
    assert sentences(f"- Beginning\n\t- {rest}\n- Ending\n\t- {ending}\n", focus="ending") == [f"0: Ending: {ending}"]


def test_a_focus_of_two_subjects_finds_what_says_one_of_them() -> None:
    both, one = "Durable things are easy to repair.", "Expect to pay a dollar in repairs for each that you spend."
    notes = [parse(VaultPath(f"{at}.md"), text.encode()) for at, text in enumerate((both, one))]
    lines = FocusLines(notes, "durability and repair").lines
    assert [[line.own for line in said] for said in lines.values()] == [[1], [0.8]]


@pytest.mark.parametrize(
    ("text", "language", "parts"),
    [
        ("come collegare i cavi", "italian", ["come collegare i cavi"]),
        ("pliki i foldery", "polish", ["pliki", "foldery"]),
        ("des appels en ligne", "french", ["des appels en ligne"]),
        ("brood en kaas", "dutch", ["brood", "kaas"]),
        ("pan y vino o agua", "spanish", ["pan", "vino", "agua"]),
        ("fåglar i skogen", "swedish", ["fåglar i skogen"]),
        ("flour and water", None, ["flour", "water"]),
        ("盐和水", None, ["盐", "水"]),
    ],
)
def test_a_conjunction_joins_subjects_in_its_own_languages(text: str, language: str | None, parts: list[str]) -> None:
    assert split_subjects(text, language) == parts


def test_a_caption_gives_way_to_what_a_note_says() -> None:
    caption = "![[labels.jpeg]]\n*Bottle labels of absinthe. Left to right: green, white.*\n"
    said = "The box has a bottle of absinthe in it."
    assert sentences(f"{said}\n\n{caption}", focus="absinthe") == [said]


def test_a_list_keeps_what_a_few_words_above_it_go_on_from() -> None:
    text = "The mill stands still until the spring. Reasons:\n\n- No water comes down.\n- No wind blows up there.\n"
    assert sentences(text) == [
        "The mill stands still until the spring. Reasons: No water comes down. No wind blows up there."
    ]


def test_a_long_summary_tells_what_is_below_the_items_of_a_note_that_is_a_list() -> None:
    text = (
        "# Work in town\n\n- Who decides at last\n\t- Three people sit there:\n\t\t- miller\n\t\t- baker\n"
        "\t- The miller says most of it.\n- Where to ask\n\t- mill\n\t- bakery\n\t- market\n- Trial week\n"
    )
    assert sentences(text, most=10) == [
        "Who decides at last: Three people sit there: miller, baker; The miller says most of it.",
        "Where to ask: mill, bakery, market",
        "Work in town: Trial week",
    ]


def test_a_long_summary_says_what_a_short_one_says() -> None:
    text = long_note("Flour", "Water", "Kneading", "Proofing", "Baking").replace("One loaf", "Bread, one loaf,")
    short = sentences(text, most=3)[:2]
    assert "Bread, one loaf, takes a day." in short
    assert {*short} <= {*sentences(text, most=10)}


@pytest.mark.parametrize(
    ("title", "text", "told"),
    [
        (
            "Rule of two days",
            "Devised by Anna Berg.\n\nThis rule tells bakers never to rest two days in a row.",
            "This rule tells bakers never to rest two days in a row.",
        ),
        (
            "Berg rule",
            "Berg was a baker up in the north. Berg sold bread. The Berg rule ==says to rest the dough twice a day==.",
            "The Berg rule says to rest the dough twice a day.",
        ),
        (
            "Proofing basket",
            "A proofing basket comes to help! It keeps the dough in shape until it is baked.",
            "A proofing basket comes to help! It keeps the dough in shape until it is baked.",
        ),
    ],
)
def test_where_an_idea_is_from_or_a_call_yields_to_what_it_says(title: str, text: str, told: str) -> None:
    note = parse(VaultPath(f"{title}.md"), text.encode())
    assert [one.text for one in choose_sentences_of([note], 1)] == [told]
