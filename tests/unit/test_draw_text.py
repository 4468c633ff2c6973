"""Trees as text: golden pictures, laws that hold for every tree, and characters that terminals find hard."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbora.draw import DrawingError, constituency_text, dependency_text, display_width
from arbora.draw.characters import em_width, is_right_to_left, visible


def node(label, *children):
    return SimpleNamespace(label=label, children=list(children))


PROJECTIVE = (
    ["The", "old", "keeper", "never", "trusted", "it", "."],
    [3, 3, 5, 5, 0, 5, 5],
    ["det", "amod", "nsubj", "advmod", "root", "obj", "punct"],
)
NONPROJECTIVE = (
    ["A", "woman", "called", "today", "who", "speaks", "Greek"],
    [2, 3, 0, 3, 6, 2, 6],
    ["det", "nsubj", "root", "advmod", "nsubj", "acl:relcl", "obj"],
)


def test_arcs_of_a_projective_tree():
    assert dependency_text(*PROJECTIVE) == (
        "   ╭─▶ The      det\n"
        "   ├─▶ old      amod\n"
        " ╭─┴─▶ keeper   nsubj\n"
        " ├───▶ never    advmod\n"
        "─┼───▶ trusted  root\n"
        " ├───▶ it       obj\n"
        " ╰───▶ .        punct"
    )


def test_arcs_that_cross_pass_behind_each_other():
    assert dependency_text(*NONPROJECTIVE) == (
        "   ╭───▶ A       det\n"
        " ╭─┼───▶ woman   nsubj\n"
        "─┼─│───▶ called  root\n"
        " ╰─│───▶ today   advmod\n"
        "   │ ╭─▶ who     nsubj\n"
        "   ╰─┼─▶ speaks  acl:relcl\n"
        "     ╰─▶ Greek   obj"
    )


def test_indented_tree_numbers_its_words():
    assert dependency_text(*NONPROJECTIVE, style="indented") == (
        "3 called  root\n"
        "├─ 2 woman  nsubj\n"
        "│  ├─ 1 A  det\n"
        "│  └─ 6 speaks  acl:relcl\n"
        "│     ├─ 5 who  nsubj\n"
        "│     └─ 7 Greek  obj\n"
        "└─ 4 today  advmod"
    )


def test_tags_and_probabilities_stand_in_columns():
    drawn = dependency_text(
        ["Go", "now"], [0, 1], ["root", "advmod"], tags=["VERB", "ADV"], probabilities=[1.0, None]
    )
    assert drawn == "─┬─▶ Go   VERB  root    1.00\n ╰─▶ now  ADV   advmod"


def test_unknown_heads_have_no_arc():
    assert dependency_text(["a", "b", "c"], [2, None, None], ["x", "", ""]) == " ╭─▶ a  x\n ╰─╴ b\n     c"


def test_a_cycle_is_drawn_and_each_word_once():
    for style in ("arcs", "indented"):
        drawn = dependency_text(["one", "two", "three"], [2, 1, 2], ["x", "y", "z"], style=style)
        assert (
            sorted(len([line for line in drawn.splitlines() if f in line]) for f in ("one", "two", "three"))
            == [1] * 3
        )


@pytest.mark.parametrize("style", ["arcs", "indented"])
def test_empty_and_single(style):
    assert dependency_text([], [], [], style=style) == ""
    assert len(dependency_text(["Go"], [0], ["root"], style=style).splitlines()) == 1


def test_columns_line_up_under_wide_and_combining_characters():
    forms = ["木構造", "cafe\u0301", "👩‍🌾", "x", "한국어"]
    lines = dependency_text(forms, [0, 1, 1, 1, 1], list("abcde")).splitlines()
    assert {display_width(line[:-1]) for line in lines} == {display_width(lines[0][:-1])}


def test_lines_with_right_to_left_words_keep_their_columns():
    lines = dependency_text(["שלום", "peace"], [0, 1], ["root", "x"]).splitlines()
    assert [line.startswith("\u200e") for line in lines] == [True, False]


def test_control_characters_cannot_reach_the_terminal():
    drawn = dependency_text(["a\x1b[2Jb", "c\nd"], [0, 1], ["ro\tot", "x"], tags=["\r", "\x7f"])
    assert len(drawn.splitlines()) == 2
    assert not any(ord(char) < 32 for char in drawn.replace("\n", ""))


def test_colours_change_nothing_but_colours():
    import re

    plain = dependency_text(*NONPROJECTIVE, tags=["X"] * 7)
    coloured = dependency_text(*NONPROJECTIVE, tags=["X"] * 7, coloured=True)
    assert "\x1b[" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ((["a"], [2], ["x"]), "word 1: head 2 is not between 0 and 1"),
        ((["a"], [-1], ["x"]), "word 1: head -1 is not between 0 and 1"),
        ((["a"], [1], ["x"]), "word 1 is its own head"),
        ((["a"], [0], []), "1 forms need 1 labels, not 0"),
        ((["a"], [0], ["x"], ["T", "U"]), "1 forms need 1 tags, not 2"),
        ((["a"], [0], ["x"], None, "round"), "there is no style 'round'; the styles are arcs, indented"),
    ],
)
def test_bad_data_is_one_clear_line(columns, reason):
    with pytest.raises(DrawingError) as caught:
        dependency_text(*columns)
    assert str(caught.value) == reason


def test_constituents_as_text():
    tree = node(
        "",
        node("S", node("NP", node("DT", "The"), node("NN", "kettle")), node("VP", node("VBZ", "whistles"))),
    )
    assert constituency_text(tree) == ("S\n├─ NP\n│  ├─ DT The\n│  └─ NN kettle\n└─ VP\n   └─ VBZ whistles")


def test_words_beside_phrases_and_empty_phrases():
    assert constituency_text(node("X", "bare", node("", "a", "b"), node("Y"))) == (
        "X\n├─ bare\n├─ ∅\n│  ├─ a\n│  └─ b\n└─ Y"
    )


def test_deep_constituents_do_not_recurse():
    tree = node("NN", "deep")
    for _ in range(3000):
        tree = node("X", tree)
    assert constituency_text(tree).endswith("└─ NN deep")


@pytest.mark.parametrize("heads", [[0] + [1] * 999, list(range(1000)), [*range(2, 1001), 0]])
@pytest.mark.parametrize("style", ["arcs", "indented"])
def test_a_thousand_words(heads, style):
    forms = [f"w{i}" for i in range(1000)]
    assert len(dependency_text(forms, heads, ["x"] * 1000, style=style).splitlines()) == 1000


@st.composite
def trees(draw):
    """Any tree over up to 12 words, projective or not, some heads unknown."""
    size = draw(st.integers(1, 12))
    order = draw(st.permutations(range(1, size + 1)))
    heads: list[int | None] = [0] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = draw(st.none() | st.sampled_from(order[:place]))
    return heads


@given(trees())
@settings(max_examples=150, deadline=None)
def test_every_tree_draws_with_its_words_in_order(heads):
    forms = [f"w{i}" for i in range(len(heads))]
    lines = dependency_text(forms, heads, [f"l{i}" for i in range(len(heads))]).splitlines()
    assert [line.split()[-2:] for line in lines] == [[f"w{i}", f"l{i}"] for i in range(len(heads))]
    indented = dependency_text(forms, heads, [""] * len(heads), style="indented").splitlines()
    assert sorted(line.split()[-1] for line in indented) == sorted(forms)


def heads_read_from(drawn: str) -> list[int | None]:
    """Read the heads back from the arcs as an eye would: follow a line to the left, then the spine there."""
    rows = drawn.splitlines()
    arcs = [row[: row.index("w") - 1] for row in rows]
    ends = [max(map(len, arcs)) - 1] * len(rows)
    start, own = [], []  # for each row, the column where its line starts, and where it meets its own spine
    for row, end in zip(arcs, ends, strict=True):
        reach = [column for column in range(end) if row[column] in "╭╰├┬┴┼"]
        rooted = row[0] == "─"
        start.append(None if row[end] != "▶" or rooted else reach[0])
        own.append(_own_spine(row[end] == "▶", rooted, reach))
    heads: list[int | None] = []
    for row in range(len(rows)):
        if start[row] is None:
            heads.append(0 if arcs[row][0] == "─" else None)
        else:
            spine = _spine_rows(arcs, row, start[row])
            heads.append(next(r for r in spine if r != row and own[r] == start[row]) + 1)
    return heads


def _own_spine(has_arrow: bool, rooted: bool, reach: list[int]) -> int | None:
    if has_arrow and not rooted:
        return reach[1] if len(reach) > 1 else None
    return reach[0] if reach else None


def _spine_rows(arcs: list[str], row: int, column: int) -> list[int]:
    found = [row]
    for step, goes_on in ((-1, "╰├┴┼│"), (1, "╭├┬┼│")):
        at = row
        while arcs[at][column] in goes_on:
            at += step
            found.append(at)
    return found


@given(trees())
@settings(max_examples=150, deadline=None)
def test_the_tree_can_be_read_back_from_its_arcs(heads):
    forms = [f"w{i}" for i in range(len(heads))]
    assert heads_read_from(dependency_text(forms, heads, [""] * len(heads))) == heads


@given(st.text(max_size=20))
def test_any_text_has_a_width_and_is_made_visible(text):
    shown = visible(text)
    assert 0 <= display_width(shown) <= 2 * len(shown)
    assert em_width(shown) >= 0
    assert visible(shown) == shown
    assert len(shown.splitlines()) <= 1
    shown.encode()


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("", 0),
        ("abc", 3),
        ("ｗｉｄｅ", 8),
        ("e\u0301", 1),
        ("🎉", 2),
        ("👍🏽", 2),
        ("🇩🇪", 2),
        ("❤️", 2),
        ("각", 2),
        ("ab\u200b", 2),
    ],
)
def test_display_width(text, cells):
    assert display_width(text) == cells


def test_direction():
    assert is_right_to_left("مرحبا hi")
    assert not is_right_to_left("hello שלום")
