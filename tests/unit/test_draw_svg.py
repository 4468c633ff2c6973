"""Trees as SVG: the pictures are read back as XML and measured."""

from __future__ import annotations

import re
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbora.draw import (
    constituency_svg,
    dependency_svg,
    display_width,
    stacked_svg,
    svg,
    text,
)
from arbora.treebank import Constituent, Sentence

SVG = "{http://www.w3.org/2000/svg}"
WOMAN = (
    ["A", "woman", "called", "today", "who", "speaks", "Greek"],
    [2, 3, 0, 3, 6, 2, 6],
    ["det", "nsubj", "root", "advmod", "nsubj", "acl:relcl", "obj"],
)


def of_class(picture: str, name: str) -> list[ElementTree.Element]:
    return [e for e in ElementTree.fromstring(picture).iter() if name in e.get("class", "").split()]


def texts(picture: str, name: str) -> list[str]:
    return [element.text or "" for element in of_class(picture, name)]


def extent(element: ElementTree.Element, size: float) -> tuple[float, float]:
    """Left and right edge of a centred text, half an em a cell: an estimate apart from the drawing's own."""
    half = display_width(element.text or "") * size / 4
    return float(element.get("x", "")) - half, float(element.get("x", "")) + half


def overlaps(elements: list[ElementTree.Element], size: float) -> list[tuple[float, float]]:
    edges = sorted(extent(element, size) for element in elements)
    return [right for left, right in pairwise(edges) if right[0] <= left[1]]


def test_all_words_labels_tags_and_arcs_are_there():
    tags = ["DET", "NOUN", "VERB", "ADV", "PRON", "VERB", "PROPN"]
    picture = dependency_svg(*WOMAN, tags=tags)
    assert texts(picture, "form") == WOMAN[0]
    assert texts(picture, "label") == WOMAN[2]
    assert texts(picture, "tag") == tags
    assert len(of_class(picture, "arc")) == 7
    assert len([arc for arc in of_class(picture, "arc") if "root" in arc.get("class", "")]) == 1


def test_document_stands_alone():
    root = ElementTree.fromstring(dependency_svg(*WOMAN))
    assert root.tag == f"{SVG}svg"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == " ".join(WOMAN[0])
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert "prefers-color-scheme: dark" in (root.findtext(f"{SVG}style") or "")


def test_everything_lies_inside_the_picture():
    picture = dependency_svg(*WOMAN, tags=["PRONOUN"] * 7)
    width = float(ElementTree.fromstring(picture).get("width", ""))
    edges = [extent(element, 16) for element in of_class(picture, "form") + of_class(picture, "tag")]
    assert min(left for left, _ in edges) >= 0
    assert max(right for _, right in edges) <= width


def test_unknown_heads_have_no_arc():
    picture = dependency_svg(["a", "b", "c"], [2, None, 2], ["x", None, "y"])
    assert len(of_class(picture, "arc")) == 2
    assert texts(picture, "label") == ["x", "y"]


def test_specials_are_escaped():
    forms = ["<b>", "&amp;", '"', "]]>", "a\x00b\x1b", "\ud800", "\uffff"]
    picture = dependency_svg(forms, [0, 1, 1, 1, 1, 1, 1], ["<x>"] * 7, tags=["&"] * 7, title="<&>")
    assert texts(picture, "form") == ["<b>", "&amp;", '"', "]]>", "a␀b␛", "\ufffd", "\ufffd"]
    assert texts(picture, "label") == ["<x>"] * 7
    assert ElementTree.fromstring(picture).findtext(f"{SVG}title") == "<&>"


def test_probabilities_are_written_and_fade_the_arcs():
    picture = dependency_svg(
        ["Go", "now", "x"], [0, 1, 1], ["root", "advmod", "dep"], probabilities=[1.0, 0.5, None]
    )
    assert texts(picture, "label") == ["root 1.00", "advmod 0.50", "dep"]
    assert [arc.get("opacity") for arc in of_class(picture, "arc")] == ["1.00", "0.65", None]


@pytest.mark.parametrize(
    "forms",
    [["木構造を描く", "のは", "楽しいです"], ["mmmmmmWWWW", "WWWWWmmmm", "MMMM"], ["🎉🎉🎉", "👩‍🌾", "🎉"]],
)
def test_words_do_not_overlap(forms):
    picture = dependency_svg(forms, [3, 1, 0], ["a", "b", "root"])
    assert overlaps(of_class(picture, "form"), 16 * 1.1) == []


def test_labels_fit_on_their_arcs():
    label = "a:very:long:label:indeed"
    picture = dependency_svg(["a", "b", "c"], [2, 0, 2], [label, "root", label])
    for arc in of_class(picture, "arc"):
        path = arc.find(f"{SVG}path")
        assert path is not None
        columns = [float(x) for x in re.findall(r"[MQ]([\d.]+) ", path.get("d", ""))]
        if len(columns) > 1:
            assert max(columns) - min(columns) > len(label) * 11 / 2
    assert overlaps([e for e in of_class(picture, "label") if e.text == label], 11) == []


def test_right_to_left_sentences_run_from_the_right():
    def places(forms: list[str]) -> list[float]:
        return [
            float(e.get("x", "")) for e in of_class(dependency_svg(forms, [2, 0, 2], ["", "", ""]), "form")
        ]

    hebrew, english = places(["ילדה", "קראה", "ספר"]), places(["she", "read", "books"])
    assert hebrew == sorted(hebrew, reverse=True)
    assert english == sorted(english)


def test_empty_and_single():
    assert of_class(dependency_svg([], [], []), "form") == []
    assert texts(dependency_svg(["Go"], [0], ["root"]), "form") == ["Go"]


@pytest.mark.parametrize("heads", [[0] + [1] * 999, list(range(1000)), [*range(2, 1001), 0]])
def test_a_thousand_words(heads):
    picture = dependency_svg([f"w{i}" for i in range(1000)], heads, ["x"] * 1000)
    assert len(of_class(picture, "arc")) == 1000
    height = float(ElementTree.fromstring(picture).get("height", ""))
    # A chain needs one level above the next word whatever its length; a star one for each of its arcs.
    assert height < (30_000 if heads.count(1) > 1 else 200)


@st.composite
def any_heads(draw):
    size = draw(st.integers(0, 10))
    return [
        draw(st.none() | st.integers(0, size).filter(lambda h, w=word: h != w)) for word in range(1, size + 1)
    ]


@given(any_heads(), st.data())
@settings(max_examples=100, deadline=None)
def test_any_graph_draws(heads, data):
    """Also graphs with cycles and many roots: a treebank under repair has them."""
    words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
    forms = data.draw(st.lists(words, min_size=len(heads), max_size=len(heads)))
    picture = dependency_svg(forms, heads, ["x"] * len(heads))
    assert len(of_class(picture, "arc")) == sum(head is not None for head in heads)
    assert len(of_class(picture, "form")) == len(heads)
    assert overlaps(of_class(picture, "form"), 16) == []


def levels_of(picture: str) -> list[tuple[float, float, float]]:
    """The top line of each arc: its height and its two ends."""
    found = []
    for arc in of_class(picture, "arc"):
        path = arc.find(f"{SVG}path")
        assert path is not None
        corners = re.findall(r"Q([\d.]+) ([\d.]+) ", path.get("d", ""))
        if corners:
            (left, y), (right, _) = sorted(corners, key=lambda corner: float(corner[0]))
            found.append((float(y), float(left), float(right)))
    return found


@given(any_heads())
@settings(max_examples=100, deadline=None)
def test_arcs_never_lie_on_each_other(heads):
    tops = levels_of(dependency_svg([f"w{i}" for i in range(len(heads))], heads, ["x"] * len(heads)))
    for place, (y, left, right) in enumerate(tops):
        assert not [
            1 for y2, left2, right2 in tops[place + 1 :] if y2 == y and left2 <= right and left <= right2
        ]


TREE = Constituent.from_string(
    "((S (NP-SBJ (DT The) (NN roof)) (VP (VBD was) (VP (VBN mended) (NP (-NONE- *-1)))) (. .)))"
)


def test_constituents_as_svg():
    picture = constituency_svg(TREE)
    assert texts(picture, "form") == ["The", "roof", "was", "mended", "."]
    assert texts(picture, "trace") == ["*-1"]
    assert texts(picture, "tag") == ["DT", "NN", "VBD", "VBN", "-NONE-", "."]
    assert texts(picture, "phrase") == ["S", "NP-SBJ", "VP", "VP", "NP"]
    assert len(of_class(picture, "line")) == 10  # one to each phrase and tag but the top
    words = of_class(picture, "form") + of_class(picture, "trace")
    assert len({word.get("y") for word in words}) == 1
    assert overlaps(words, 16) == []


def test_long_phrase_labels_do_not_overlap():
    tree = Constituent.from_string(
        "(S (ADVP-LOC-PRD-1 (RB a)) (ADVP-LOC-PRD-2 (RB b)) (ADVP-LOC-PRD-3 (RB c)))"
    )
    assert overlaps([e for e in of_class(constituency_svg(tree), "phrase") if e.text != "S"], 14) == []


def test_deep_constituents_do_not_recurse():
    tree: object = "deep"
    for _ in range(5000):
        tree = SimpleNamespace(label="X", children=[tree])
    assert texts(constituency_svg(tree), "form") == ["deep"]


def test_empty_constituent():
    assert texts(constituency_svg(Constituent("X", [])), "phrase") == ["X"]


def test_sentences_of_a_treebank():
    sentence = Sentence(
        *[WOMAN[0]], heads=WOMAN[1], deprels=WOMAN[2], comments=["# text = A woman called ..."]
    )
    picture = svg(sentence)
    assert texts(picture, "form") == WOMAN[0]
    assert texts(picture, "tag") == []  # all unknown
    assert ElementTree.fromstring(picture).findtext(f"{SVG}title") == "A woman called ..."
    sentence.xpos = ["DT"] * 7
    assert texts(svg(sentence), "tag") == ["DT"] * 7
    sentence.upos = ["DET"] * 7
    assert "DET" in text(sentence)
    sentence.deprels[0] = "_"
    assert "_" not in text(sentence)


def test_many_trees_stand_below_each_other():
    picture = stacked_svg([Sentence(["Go"], heads=[0]), TREE], captions=["<1>", "2"])
    assert texts(picture, "caption") == ["<1>", "2"]
    moves = [float(y) for y in re.findall(r"translate\([\d.]+ ([\d.]+)\)", picture)]
    assert len(moves) == 2
    assert moves[1] > moves[0] + 50
    ElementTree.fromstring(stacked_svg([], []))
