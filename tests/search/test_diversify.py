from bridge.search.hits import collapse

BREAD = "Mix flour, water and salt, let the dough rest for an hour, then fold it three times and bake it hot."


def test_the_first_of_near_duplicates_stays_and_counts_the_others() -> None:
    items = [
        ("a", BREAD),
        ("b", "Something else altogether about ferns in the shade of trees."),
        ("c", BREAD + " Enjoy."),
    ]
    assert collapse(items) == (["a", "b"], {0: 1})


def test_short_passages_are_never_collapsed() -> None:
    assert collapse([("a", "Tasks"), ("b", "Tasks"), ("c", "")]) == (["a", "b", "c"], {})


def test_texts_that_share_half_their_words_both_stay() -> None:
    other = BREAD[:50] + "but here the recipe goes on in quite another way, with butter."
    assert collapse([("a", BREAD), ("b", other)]) == (["a", "b"], {})


def test_scripts_without_spaces_collapse_too() -> None:
    text = "黑豹队的防守只丢了三百分在联赛中排名第六同时也领先国家橄榄球联盟并且四次入选职业碗"
    assert collapse([("a", text), ("b", text)]) == (["a"], {0: 1})
