"""Edit scripts and letters: any lemma of any form, and back."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arbora import _core

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(TEXT, TEXT)
@example("Cities", "city")
@example("went", "go")
@example("İstanbul'da", "İstanbul")
@example("1990s", "1990")
@example("a,b:c", "=x,1:2")
@example("ΣΑΣ", "σας")
@example("😀😀", "😀")
def test_a_script_makes_the_lemma_of_the_form(form, lemma):
    assert _core.apply_script(_core.find_script(form, lemma), form) == lemma


@given(st.lists(st.sampled_from(["ab", "Ab", "AB", "s", "ing", "1", "é", "É"]), min_size=1, max_size=5))
def test_scripts_of_words_that_share_letters(pieces):
    form = "".join(pieces)
    for lemma in (form.lower(), form.title(), form.upper(), form[: -(-len(form) // 2)], form + "x"):
        assert _core.apply_script(_core.find_script(form, lemma), form) == lemma


def test_scripts_are_shared():
    regular = _core.find_script("dogs", "dog")
    assert regular == _core.find_script("Keys", "key") == "l0,0,1,0:s"
    assert _core.apply_script(regular, "TREES") == "tree"
    assert _core.apply_script(regular, "ox") is None  # it does not end so
    assert _core.apply_script(regular, "s") is None  # nothing would be left
    assert _core.find_script("is", "be") == "=be"
    assert _core.find_script("Bush", "Bush") == "k0,0,0,0:"
    assert _core.find_script("the", "the") == _core.find_script("The", "the") == "l0,0,0,0:"


@pytest.mark.parametrize(
    "text", ["", "x0,0,0,0:", "l0,0,0:", "l0,0,9,0:s", "l0,0,0,0:s", "l0;0;0;0:", "l-1,0,0,0:"]
)
def test_what_is_no_script_is_refused(text):
    with pytest.raises(ValueError, match="no edit script"):
        _core.apply_script(text, "word")


def test_letters_have_the_cases_that_unicode_gives_them():
    """In the blocks that are covered; letters whose other case is several characters stay as they are."""
    covered = [
        *range(0x20, 0x180), 0x195, *range(0x1CD, 0x1DD), *range(0x1DE, 0x1F1), 0x1F6, *range(0x1F8, 0x220),
        *range(0x386, 0x3CF), *range(0x400, 0x530), *range(0x531, 0x587), *range(0x1E00, 0x1E96),
        *range(0x1EA0, 0x1F00), 0x4E2D, 0x1F600,
    ]  # fmt: skip
    odd = set("ıſİßŉǰẞΐΰσςẖμµ'")
    for letter in map(chr, covered):
        if letter in odd:
            continue
        lower, upper = letter.lower(), letter.upper()
        assert _core.lower_case(letter) == (lower if len(lower) == 1 and lower.upper() == letter else letter)
        assert _core.upper_case(letter) == (upper if len(upper) == 1 and upper.lower() == letter else letter)
    assert _core.lower_case("İ") == "i"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_text_goes_through_letters_unharmed(text):
    assert _core.apply_script("k0,0,0,0:", text) == (text or None)
