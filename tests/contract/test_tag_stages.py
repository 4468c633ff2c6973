"""A tagger's stages against their slow twin: atoms, candidates, scores, gradients."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import tagging as slow
from small_training import treebank

from arbora import _core
from arbora.learning import LEARNERS
from arbora.text.tagging.lexicon import Labels, make_candidates, make_classes, open_labels
from arbora.text.tagging.options import STAGES
from arbora.text.tagging.structure import make_dictionary, make_stage
from arbora.text.tagging.templates import ATOMS, TaggerTemplates
from arbora.treebank import Sentence

FORMS = [
    "The", "McDonald's", "ßaß", "2nd", "e-mail", "ISTANBUL", "ώρα", "Überall", "a", "...", "-", "1,000.50",
    "antidisestablishmentarianism", "þatei", "ƕas", "ЙОГУРТ", "你好", "İzmir",
]  # fmt: skip
TEMPLATES = TaggerTemplates.parse("""
[upos]
word.lower
word.suffix2 & word-1.form
word.tags & word+2.kind
alone
[upos-bigrams]
alone
word+1.suffix1
[upos-trigrams]
alone
word-1.shape
[upos-candidates]
word.form : 3
[morph]
word.upos & word.suffix3
word-1.upos & word.prefix2
[morph-bigrams]
alone
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
    assert slow.ATOMS == ATOMS
    text = _core.TagText([FORMS[:7], [], FORMS[7:]])
    assert text.lengths() == [7, 0, len(FORMS) - 7]
    for number, name in enumerate(ATOMS):
        expected = [slow.atoms_of(form.replace("İ", "i"))[name] for form in FORMS]
        found = text.atoms(number).tolist()
        skipped = FORMS.index("İzmir")  # in lower case it is as if it were written with i, in others not
        if name in ("form", "shape", "kind"):
            del expected[skipped], found[skipped]
        assert found == expected, name


def test_templates_see_neighbours_and_what_is_beyond():
    text, words = _core.TagText([FORMS[:3]]), slow.Words(FORMS[:3])
    for line in (
        "alone",
        "word.form",
        "word-1.lower & word+3.suffix1",
        "word-3.shape & word.form & word+1.kind",
    ):
        template = TaggerTemplates.parse(f"[upos]\n{line}").compile("upos")[0][0]
        assert text.keys(template).tolist() == [words.hash(template, place) for place in range(3)]


def _beginning(sentence: Sentence, words: int) -> Sentence:
    columns = (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats)
    return Sentence(*(column[:words] for column in columns))


class Material:
    """A stage of the core, its twin for one sentence, and random weights."""

    def __init__(self, stage: str, sentence: int, *, training: bool = False) -> None:
        sentences = [_beginning(s, words) for s, words in zip(treebank(), (1, 2, 3, 3, 3, 2), strict=False)]
        number = STAGES.index(stage)
        labels = Labels.of(sentences)
        gold = labels.numbers(sentences)
        self.text = _core.TagText([s.forms for s in sentences])
        classes = make_classes(self.text, gold[0])
        self.text.set_classes(make_dictionary(classes, 1 << 16))
        for atom in ("upos", "morph"):
            self.text.set_numbers(ATOMS.index(atom), gold[STAGES.index(atom)])
        lists = make_candidates(TEMPLATES, stage, self.text, gold[number], training=training)
        open_ = open_labels(stage, sentences, gold[number])
        self.stage = make_stage(stage, labels, TEMPLATES, lists, open_, 100)
        self.gold, self.sentence = gold[number], sentence
        start = sum(map(len, sentences[:sentence]))
        own = slice(start, start + len(sentences[sentence]))
        self.own_gold = self.gold[own].tolist()
        forms = sentences[sentence].forms
        class_of = dict(zip(classes["keys"].tolist(), classes["lists"].tolist(), strict=True))
        lower = [slow.atoms_of(form)["lower"] for form in forms]
        tags = [class_of[key] + 1 if key in class_of else 0 for key in lower]
        self.words = slow.Words(forms, tags=tags, upos=gold[0][own].tolist(), morph=gold[1][own].tolist())
        found = {
            key: lists["lists"][begin:end].tolist()
            for key, begin, end in zip(
                lists["keys"].tolist(), lists["starts"], lists["starts"][1:], strict=False
            )
        }
        templates = TEMPLATES.compile(stage)
        candidates = []
        for place, form in enumerate(forms):
            hashes = [self.words.hash(level, place) for level in templates[3]]
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
