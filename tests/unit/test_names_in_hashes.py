"""Saved models mean the same for ever: what features are hashed from goes by names, and never changes.

The numbers here are pinned. If a test fails because one of them is another now, every model that was ever
saved has lost its meaning: it needs a new format version.
"""

from __future__ import annotations

import numpy as np
import pytest
from oracles.features import all_arcs
from oracles.words import SHORT, TAGS, hash_text, join, mix

from arbora import _core
from arbora.dependency import preset_templates
from arbora.dependency.linear_model import encode
from arbora.features import PARTS, Templates
from arbora.text.tagging.templates import SECTIONS as OF_TAGGERS
from arbora.text.tokenizing.characters import CLASSES, class_table
from arbora.text.tokenizing.templates import parse_templates
from arbora.treebank import Sentence

SENTENCE = Sentence(
    ["Ὀδυσσεύς", "went", "(", "to", "Īle", ")"],
    ["Ὀδυσσεύς", "go", "(", "to", "_", ")"],
    ["PROPN", "VERB", "PUNCT", "ADP", "PROPN", "PUNCT"],
    ["NNP", "VBD", "-LRB-", "IN", "NNP", "-RRB-"],
    ["Case=Nom", "Tense=Past|VerbForm=Fin", "_", "_", "Case=Acc", "_"],
)
PINNED_ATOMS: dict[str, int] = {
    "closer": 0x299B13295AE2D3AB,
    "feat": 0x91EFAAAEC86F8985,
    "feats": 0xF3168BA2E03200FF,
    "form": 0x2CD34E89CBF7E97D,
    "kind": 0x246295418488E33B,
    "lemma": 0x0000000000000000,
    "lower": 0xE3ED7659EF3065C1,
    "mark": 0xEA7157C0096F2269,
    "mark-rank": 0x9251A96015B68DFF,
    "morph": 0x8BD48E626C517D97,
    "opener": 0xBA15133F9A8FE03D,
    "prefix1": 0x972DA7AAC61A17D5,
    "prefix2": 0x87669F97E8541871,
    "prefix3": 0xE7CA73790E53031B,
    "prefix4": 0xA60AABCB47026AB1,
    "prefix5": 0x62A2100B13072215,
    "shape": 0x4A9EE5B782C715B5,
    "suffix1": 0xC9894513489595BF,
    "suffix2": 0x8E56BFA987F5012D,
    "suffix3": 0x7A45E703F75132C9,
    "suffix4": 0x8AEBFBBFC9D681B1,
    "suffix5": 0x8B8BB15E8C9FA94F,
    "suffix6": 0xFFE546D31037BA77,
    "upos": 0x01EFD90A59822D85,
    "verb-rank": 0xE476C089D3A45919,
    "xpos": 0x3E55BC34F19C6F03,
}
"""Of the fifth word."""
PINNED_PLACES = {
    ("arcs", "head.form & modifier.upos : alone"): 687459,
    ("arcs", "head.form & modifier.upos : direction"): 687469,
    ("arcs", "head.form & modifier.upos : distance"): 687466,
    ("arcs", "head-1.lower & modifier+1.xpos : alone"): 448255,
    ("arcs", "modifier+9.form & head-9.form : alone"): 111730,
    ("arcs", "modifier.feat : alone"): 932690,
    ("arcs", "arc.tags-between & arc.verbs-between : alone"): 285891,
    ("arcs", "arc.marks-between : alone"): 622991,
    ("arcs", "arc.conjunctions-between & arc.brackets-between : direction"): 111181,
    ("arcs", "head.upos & between.lemma & modifier.upos : alone"): 655873,
    ("labels", "head.suffix3 & modifier.prefix2 : direction"): 918912,
    ("labeler", "first-child.upos & last-child.upos & grandparent.upos : distance"): 785920,
    ("siblings", "head.opener & grandparent.upos"): 230880,
    ("consecutive-siblings", "head.upos & modifier.upos & sibling.upos : direction"): 48172,
    ("all-siblings", "head.upos & modifier.upos & sibling.upos : direction"): 925836,
    ("grandparents", "head.upos & modifier.upos & grandparent.upos : direction"): 553925,
    ("grand-siblings", "head.upos & modifier.upos & sibling.upos & grandparent.upos : direction"): 83177,
    ("head-bigrams", "head.upos & modifier.upos & other-head.upos : direction"): 505333,
    ("crossings", "head.upos & modifier.upos & other.upos : direction"): 774490,
    ("tri-siblings", "head.upos & modifier.upos & sibling.upos & earlier-sibling.upos : direction"): 866356,
    ("valencies", "head.upos : direction"): 150440,
    ("nonprojective-arcs", "head.upos & modifier.upos : direction"): 356909,
}
"""By section and template: where the weight of the arc from the second to the fifth word lies, or that of the
last part if all arcs are candidates."""
PINNED_KEYS = {
    ("upos", "word.form & word-1.suffix2 & word+3.shape"): 0xB926595F2C77470E,
    ("upos-bigrams", "bias"): 0x1DD8A1C1621208B4,
    ("morph", "word.upos & word+1.lower"): 0x837E31DC5F09EFBB,
    ("lemma-candidates", "word.form & word-3.kind : 3 1"): 0x91DEAD9796A7D5A6,
}
"""Of taggers: the hash at the fifth word."""
PINNED_GAPS = {
    ("tokens", "left.char & right+1.char"): 499975,
    ("tokens", "left-5.class & right.class & gap.spaces"): 839006,
    ("tokens", "left.word & right.word-shape & left.marks"): 70984,
    ("sentences", "left.run & left-1.shape & right.between"): 310461,
    ("sentences", "left-1.word & right+1.run & left.length"): 942797,
}
"""Of tokenizers: the place of the gap after the fourth character of a text."""
BITS = 20
HEADS = [2, 0, 5, 5, 2, 5]


def structure_of(sections: dict[str, list]) -> _core.LinearModel:
    return _core.LinearModel(sections, 0.0, 10, [True], [True])


def scores(structure: _core.LinearModel, section: str, weights: np.ndarray) -> float:
    encoded, arcs = encode([SENTENCE]), [(2, 5)]
    if section == "arcs":
        return structure.arc_scores(False, weights, encoded, 0, arcs)[0]
    if section == "siblings":
        return structure.sibling_scores(weights, encoded, 0, HEADS, 2)[0]
    if section in PARTS:
        of_parts = structure.part_scores(weights, encoded, 0, all_arcs(6))[list(PARTS).index(section)]
        return of_parts[2].tolist()[-1]
    return structure.label_scores(section == "labeler", weights, encoded, 0, HEADS, arcs)[0][0]


def place_of(section: str, line: str) -> int:
    """Where the weight of a template's first feature lies: half of the table is 1, half of that, ..."""
    structure = structure_of(Templates.parse(f"[{section}]\n{line}").compile())
    assert scores(structure, section, np.ones((1 << BITS) + structure.padding, np.float32))
    low, high = 0, 1 << BITS
    while high - low > 1:
        middle = (low + high) // 2
        weights = np.zeros((1 << BITS) + structure.padding, np.float32)
        weights[low:middle] = 1
        low, high = (low, middle) if scores(structure, section, weights) else (middle, high)
    return low


def key_of(section: str, line: str) -> int:
    text = _core.TagText([SENTENCE.forms])
    text.set_upos(["PROPN"], np.zeros(len(SENTENCE), np.int32))
    return text.keys(OF_TAGGERS[section].compile(OF_TAGGERS[section].read(line))).tolist()[4]


def gap_of(section: str, line: str) -> int:
    text = "It's 7 e-mails, \U0001f642 e.g.\n\nto Ὀδυσσεύς."
    core = _core.TrainingText(text.encode(), np.zeros(len(text), np.uint8), *class_table())
    return core.features(parse_templates(f"[{section}]\n{line}"), BITS)[4][0]


def test_atoms_are_what_they_were():
    """Others may come beside them."""
    found = _core.word_atoms(encode([SENTENCE]))[4]
    assert {name: found[name] for name in PINNED_ATOMS} == PINNED_ATOMS


@pytest.mark.parametrize(("section", "line"), PINNED_PLACES)
def test_features_of_parsers_are_what_they_were(section, line):
    assert place_of(section, line) == PINNED_PLACES[section, line]


@pytest.mark.parametrize(("section", "line"), PINNED_KEYS)
def test_features_of_taggers_are_what_they_were(section, line):
    assert key_of(section, line) == PINNED_KEYS[section, line]


@pytest.mark.parametrize(("section", "line"), PINNED_GAPS)
def test_features_of_tokenizers_are_what_they_were(section, line):
    assert gap_of(section, line) == PINNED_GAPS[section, line]


def test_the_seed_of_an_atom_is_its_name():
    """Two atoms that are found from the same text differ by the hashes of their names only."""
    word = _core.word_atoms(encode([Sentence(["x"], ["x"], ["x"], ["x"], ["x"])]))[0]
    for name in ("form", "lemma", "upos", "xpos", "feats", "mark"):
        assert word[name] == join(hash_text(name), hash_text("x")) | 1


def test_numbers_of_classes_are_those_of_saved_tables():
    assert CLASSES[:16] == (
        "other", "space", "line break", "upper", "lower", "letter", "mark", "digit", "number", "opening",
        "closing", "dash", "punctuation", "symbol", "picture", "control",
    )  # fmt: skip


def test_sets_of_tags_have_the_places_that_they_had():
    """Each universal tag has one of its own, in the order of the alphabet."""
    structure = structure_of(Templates.parse("[arcs]\narc.tags-between : alone").compile())
    weights = np.random.default_rng(1).normal(size=(1 << BITS) + structure.padding).astype(np.float32)
    for number, tag in enumerate(TAGS):
        between = Sentence(["a", "b", "c"], upos=["X", tag, "X"])
        value = join(17, hash_text("tags-between") + (1 << number)) * 0xD6E8FEB86659FD93 & ((1 << 64) - 1)
        place = (mix(hash_text("arcs: arc.tags-between")) & SHORT) + (value ^ value >> 32) & ((1 << BITS) - 1)
        found = structure.arc_scores(False, weights, encode([between]), 0, [(1, 3)])
        assert found == [float(weights[place])]


def test_the_order_of_sections_and_templates_means_nothing():
    """Sections and templates in any order, and others beside them, leave every score as it is."""
    templates = preset_templates("second-order").compile()
    turned = {name: own[::-1] for name, own in reversed(templates.items())}
    fewer = {name: own for name, own in turned.items() if name in ("arcs", "labels")}
    weights = (np.random.default_rng(3).integers(-99, 99, 1 << BITS) / 64).astype(np.float32)
    structures = [structure_of(sections) for sections in (templates, turned, fewer)]
    weights = np.concatenate([weights, np.zeros(structures[0].padding, np.float32)])
    for section in ("arcs", "labels"):
        found = [scores(structure, section, weights) for structure in structures]
        assert found[0] == found[1] == found[2] != 0
