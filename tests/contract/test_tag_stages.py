"""A tagger's stages against their slow twin: atoms, candidates, scores, gradients."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import tagging as slow
from oracles.words import BY_WORD, atoms_of, number
from small_training import treebank

from arbora import _core
from arbora.features import atoms_by
from arbora.learning import LEARNERS
from arbora.text.tagging.core_objects import make_dictionary, make_stage, set_found
from arbora.text.tagging.lexicon import Labels, make_candidates, make_classes, open_labels
from arbora.text.tagging.options import STAGES
from arbora.text.tagging.templates import TaggerTemplates
from arbora.treebank import Sentence

FORMS = [
    "The", "McDonald's", "ßaß", "2nd", "e-mail", "ISTANBUL", "ώρα", "Überall", "a", "...", "-", "1,000.50",
    "antidisestablishmentarianism", "þatei", "ƕas", "ЙОГУРТ", "你好", "İzmir", "ΟΔΟΣ", "ΟΔΟΣ.", "ısı", "_",
    "a\u0308b\u0323\u0307c", "\u0301a", "\u0301", "ᾈδης", "कि", "٣٤", "ǅ",
]  # fmt: skip
TEMPLATES = TaggerTemplates.parse("""
[upos]
word.lower
word.suffix2 & word-1.form
word.known-tags & word+2.kind
bias
[upos-bigrams]
bias
word+1.suffix1
[upos-trigrams]
bias
word-1.shape
[upos-candidates]
word.form : 3
[morph]
word.upos & word.suffix3
word-1.upos & word.prefix2
[morph-bigrams]
bias
[morph-candidates]
word.form & word.upos : 3
word.upos : 1
[lemma]
word.morph & word.suffix3
word.upos & word.lower
[lemma-candidates]
word.form & word.morph : 3 1
word.upos : 1
""")
BITS = 10


def test_atoms_are_those_of_the_twin():
    text = _core.TagText([FORMS[:7], [], FORMS[7:]])
    assert text.lengths() == [7, 0, len(FORMS) - 7]
    for name in atoms_by("form"):
        assert text.atoms(name).tolist() == [atoms_of(form)[name] for form in FORMS], name


def test_atoms_of_one_name_have_one_value_for_taggers_and_parsers():
    """Those of forms; and UPOS and morph, which a tagger finds and a parser reads."""
    sentence = treebank()[0]
    labels = Labels.of([sentence])
    gold = labels.numbers([sentence])
    text = _core.TagText([sentence.forms])
    for stage in ("upos", "morph"):
        set_found(text, stage, labels, gold[STAGES.index(stage)])
    columns = (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats)
    of_parser = _core.word_atoms(_core.encode([columns]))
    for name in (*atoms_by("form"), "upos", "morph"):
        assert text.atoms(name).tolist() == [word[name] for word in of_parser], name
    assert set(BY_WORD) == set(atoms_by("form", "columns"))


def test_templates_see_neighbours_and_what_is_beyond():
    text, words = _core.TagText([FORMS[:3]]), slow.Words(FORMS[:3])
    for line in (
        "bias",
        "word.form",
        "word-1.lower & word+3.suffix1",
        "word-3.shape & word.form & word+1.kind",
    ):
        template = TaggerTemplates.parse(f"[upos]\n{line}").compile("upos")["labels"][0]
        assert text.keys(template).tolist() == [words.hash(template, place) for place in range(3)]


def _beginning(sentence: Sentence, words: int) -> Sentence:
    columns = (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats)
    return Sentence(*(column[:words] for column in columns))


class Material:
    """A stage of the core, its twin for one sentence, and random weights."""

    def __init__(self, stage: str, sentence: int, *, training: bool = False) -> None:
        sentences = [_beginning(s, words) for s, words in zip(treebank(), (1, 2, 3, 3, 3, 2), strict=False)]
        which = STAGES.index(stage)
        labels = Labels.of(sentences)
        gold = labels.numbers(sentences)
        self.text = _core.TagText([s.forms for s in sentences])
        classes = make_classes(self.text, gold[0])
        self.text.set_classes(make_dictionary(classes, 1 << 16))
        for before in ("upos", "morph"):
            set_found(self.text, before, labels, gold[STAGES.index(before)])
        lists = make_candidates(TEMPLATES, stage, self.text, gold[which], training=training)
        open_ = open_labels(stage, sentences, gold[which])
        self.stage = make_stage(stage, labels, TEMPLATES, lists, open_, 100)
        self.gold, self.sentence = gold[which], sentence
        start = sum(map(len, sentences[:sentence]))
        own = slice(start, start + len(sentences[sentence]))
        self.own_gold = self.gold[own].tolist()
        forms = sentences[sentence].forms
        class_of = dict(zip(classes["keys"].tolist(), classes["lists"].tolist(), strict=True))
        lower = [atoms_of(form)["lower"] for form in forms]
        tags = [number("known-tags", class_of[key] + 1 if key in class_of else 0) for key in lower]
        found_by_tagger = (getattr(sentences[sentence], name) for name in ("upos", "xpos", "feats"))
        own_columns = zip(forms, *found_by_tagger, strict=True)
        found_atoms = [atoms_of(form, upos=u, xpos=x, feats=f) for form, u, x, f in own_columns]
        self.words = slow.Words(
            forms,
            known_tags=tags,
            upos=[atoms["upos"] for atoms in found_atoms],
            morph=[atoms["morph"] for atoms in found_atoms],
        )
        found = {
            key: lists["lists"][begin:end].tolist()
            for key, begin, end in zip(
                lists["keys"].tolist(), lists["starts"], lists["starts"][1:], strict=False
            )
        }
        templates = TEMPLATES.compile(stage)
        candidates = []
        for place, form in enumerate(forms):
            hashes = [self.words.hash(level, place) for level in templates["candidates"]]
            listed = next((found[key] for key in hashes if key in found), open_)
            if stage == "lemma":
                fitting = [
                    label for label in listed if _core.apply_script(labels.scripts[label], form) is not None
                ]
                listed = fitting or open_
            if training and self.own_gold[place] not in listed:
                listed = [*listed, self.own_gold[place]]
            candidates.append(listed)
        self.twin = slow.Stage(templates, labels.pieces(stage)[0], candidates)
        self.learner = LEARNERS["sgd"].start(BITS, self.stage.padding)
        rng = np.random.default_rng(sentence)
        self.learner.weights[:] = rng.integers(-512, 512, self.learner.size).astype(np.float32) / 256


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("sentence", range(6))
def test_lattices_of_stages_are_those_of_the_twin(stage, sentence):
    material = Material(stage, sentence)
    held = _core.ShortWeights.rounded(material.learner.weights)
    starts, labels, local, triples = material.stage.lattice(held, material.text, sentence)
    expected = material.twin.lattice(material.words, material.learner.weights, (1 << BITS) - 1)
    sizes, own_local, own_triples = expected.flat()
    assert np.diff(starts).tolist() == sizes
    assert labels.tolist() == [label for group in material.twin.candidates for label in group]
    np.testing.assert_allclose(local, own_local, atol=1e-9)
    np.testing.assert_allclose(triples, own_triples, atol=1e-9)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_gradients_of_stages_are_those_of_the_twin(stage, gamma):
    for sentence in range(6):
        material = Material(stage, sentence, training=True)
        material.learner.weights[:] /= 8  # no probability so small that it is left out
        loss, gradient = material.stage.differentiate(
            material.learner, material.text, sentence, material.gold, 1.0, gamma
        )
        weights, mask = material.learner.weights, (1 << BITS) - 1
        lattice = material.twin.lattice(material.words, weights, mask)
        row = [
            labels.index(label)
            for labels, label in zip(material.twin.candidates, material.own_gold, strict=False)
        ]
        row += [0] * (len(lattice.sizes) - len(row))
        assert loss == pytest.approx(lattice.loss(tuple(row), 1.0, gamma), abs=1e-9)
        found = np.zeros(len(weights))
        for index, value in gradient:
            found[index] += value
        expected = material.twin.gradient(material.words, weights, mask, material.own_gold, gamma)
        left_out = slow.NEGLIGIBLE * 16  # what is left out may add up where features share a weight
        np.testing.assert_allclose(found, expected, atol=left_out)
        assert np.abs(expected).max() > 10 * left_out or len(row) == 1 or not np.abs(expected).any()
