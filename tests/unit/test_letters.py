"""Letters as the core has them, held to Python's Unicode: cases, kinds, final sigma, marks, shapes.

The core's tables are those of Unicode 14, for ever. With the same version in Python every character is
compared, with another one those that Unicode 3.2 had already.
"""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles.words import characters_of, is_digit, is_letter, is_mark, is_upper, lower_of, shape_of

from arbora import _core


def _is_compared(c: str) -> bool:
    data = unicodedata if unicodedata.unidata_version == "14.0.0" else unicodedata.ucd_3_2_0
    return data.category(c) not in ("Cn", "Cs")


COMPARED = [c for c in map(chr, range(0x110000)) if _is_compared(c)]
TEXT = st.text(
    st.sampled_from("ΣσςΑαά'’.:-ʰ1 aAßΐ\u0301\u00ad\u0345İI") | st.sampled_from(COMPARED), max_size=12
)


def forms_atoms(forms: list[str], name: str) -> list[int]:
    return _core.TagText([forms]).atoms(name).tolist()


def test_every_character_has_the_lower_case_that_unicode_gives_it():
    """One character for one, so only U+0130 differs from Python, which makes an i and a dot of it."""
    assert len(COMPARED) > 90_000
    for c in COMPARED:
        assert _core.lower_case(c) == lower_of(c), hex(ord(c))
    assert sum(_core.lower_case(c) != c for c in COMPARED) > 700


def test_every_character_has_the_upper_case_that_comes_back():
    for c in COMPARED:
        upper = c.upper()
        is_pair = len(upper) == 1 and upper.lower() == c and upper != "\u0130"
        assert _core.upper_case(c) == (upper if is_pair else c), hex(ord(c))


def test_every_character_is_of_the_kind_that_unicode_says():
    for c in COMPARED:
        kind = (
            "mark"
            if is_mark(c)
            else "upper"
            if is_upper(c)
            else "letter"
            if is_letter(c)
            else "digit"
            if is_digit(c)
            else "other"
        )
        assert _core.letter_kind(c) == kind, hex(ord(c))


@given(TEXT)
@example("ΟΔΟΣ")
@example("ΟΔΟΣ ΣΑΣ")
@example("ΟΔΟΣ.")
@example("Σ")
@example("ΑΣ'Α")
@example("ΑΣ-Α")
@example("Α\u0301Σ\u0301")
def test_words_are_in_lower_case_as_python_has_them(text):
    """Sigmas too. Where a spacing mark stands before or after one, Python sees no word around it."""
    if not any(unicodedata.category(c) == "Mc" for c in text):
        assert _core.lower_case(text) == lower_of(text)


@pytest.mark.parametrize(
    ("form", "lower"),
    [
        ("İSTANBUL", "istanbul"),  # one word, whether the capital has its dot or not
        ("ISPARTA", "isparta"),
        ("ısı", "ısı"),  # dotless i stays
        ("IŞIK", "işik"),  # no locale: a plain capital I is i
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
        ("ᾈΔΗΣ", "ᾀδης"),
        ("ЁЖИК", "ёжик"),
        ("ᲐᲑ", "აბ"),
        ("\U00010400\U000104b0", "\U00010428\U000104d8"),  # Deseret, Osage
        ("\U000118a0\U0001e900", "\U000118c0\U0001e922"),  # Warang Citi, Adlam
        ("\u2c00\u2c80\u0531\u13a0", "\u2c30\u2c81\u0561\uab70"),  # Glagolitic, Coptic, Armenian, Cherokee
        ("\U00010330", "\U00010330"),  # Gothic has no case
    ],
)
def test_words_of_many_scripts(form, lower):
    assert _core.lower_case(form) == lower
    assert forms_atoms([form], "lower") == forms_atoms([lower], "lower")


@pytest.mark.parametrize(
    ("form", "shape"),
    [
        ("McDonald's", "XxXxx'x"),
        ("Ὀδυσσεύς", "Xxx"),
        ("ᾈδης", "Xxx"),
        ("Москва-2", "Xxx-d"),
        ("СССР", "XX"),
        ("İzmir", "Xxx"),
        ("O\u0301da\u0301", "Xxx"),  # marks do not count
        ("\U00010330\U00010331\U00010332", "xx"),
        ("١٩٩٠", "dd"),
        ("日本語", "xx"),
    ],
)
def test_shapes(form, shape):
    """The same as that of the ASCII word that is written like it."""
    plain = {"X": "A", "x": "a", "d": "1"}
    assert shape_of(form) == shape
    assert forms_atoms([form], "shape") == forms_atoms(["".join(plain.get(c, c) for c in shape)], "shape")


def test_a_letter_with_its_marks_is_one_character():
    form, plain = "a\u0308\u0323b\u0301cd", "äḅcd"
    assert len(characters_of(form)) == len(characters_of(plain)) == 4
    assert forms_atoms([form], "prefix1") == forms_atoms(["a\u0308\u0323x"], "prefix1")
    assert forms_atoms([form], "prefix2") == forms_atoms(["a\u0308\u0323b\u0301"], "prefix2")
    assert forms_atoms([form], "suffix3") == forms_atoms(["xb\u0301cd"], "suffix3")
    shorter = forms_atoms(["x"], "suffix5")
    assert forms_atoms([form, plain], "suffix5") == shorter * 2
    assert forms_atoms([form], "kind") == forms_atoms(["abcd"], "kind")
