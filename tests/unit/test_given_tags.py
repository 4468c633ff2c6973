"""Tags and lemmas that are given stay, and the others are those that go best with them."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from small_pipeline import small_pipeline
from small_tagger import bare, small_tagger
from small_training import treebank

from arbora.dependency import ParseOptions
from arbora.text import RankedTags, TagOptions
from arbora.treebank import Sentence

COLUMNS = ("upos", "xpos", "feats", "lemmas")
KEEP = TagOptions(keep_tags=True)


def half_blank(seed: int) -> list[Sentence]:
    """Sentences some of whose tags and lemmas are known, right ones and wrong ones."""
    random = Random(seed)
    sentences = [sentence.copy() for sentence in treebank()]
    for sentence in sentences:
        for name in COLUMNS:
            values = list(getattr(sentence, name))
            random.shuffle(values) if random.random() < 0.3 else None
            setattr(sentence, name, [value if random.random() < 0.5 else "_" for value in values])
    return sentences


def short_sentences() -> list[Sentence]:
    """Few enough words for all rows of tags to be listed."""
    cut = [Sentence(s.forms[at : at + 4]) for s in treebank() for at in range(0, len(s), 4)]
    return [sentence for sentence in cut if len(sentence) >= 2][:40]


def agreeing(every: list[RankedTags], sentence: Sentence) -> list[tuple[list[str], float]]:
    """The slow twin: of all rows of tags those with the given ones, and their log-probabilities."""
    given = list(enumerate(sentence.upos))
    return [
        (row.tags, row.log_probability)
        for row in every
        if all(tag in ("_", row.tags[place]) for place, tag in given)
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_given_stays_and_the_rest_is_filled(seed):
    given = half_blank(seed)
    found = list(small_tagger().tag(given, KEEP))
    free = list(small_tagger().tag(given))
    for old, new in zip(given, found, strict=True):
        for name in COLUMNS:
            pairs = zip(getattr(old, name), getattr(new, name), strict=True)
            assert all(before in ("_", after) for before, after in pairs)
        assert "_" not in new.upos + new.lemmas
        assert new.to_conllu() == Sentence.from_conllu(new.to_conllu()).to_conllu()
    assert all(a.upos != b.upos for a, b in zip(given, free, strict=True))


def test_nothing_given_is_as_without():
    words = bare(treebank())
    options = TagOptions(probabilities=True, candidates=3)
    kept = TagOptions(probabilities=True, candidates=3, keep_tags=True)
    assert list(small_tagger().tag(words, options)) == list(small_tagger().tag(words, kept))


def test_given_tags_bind_the_chain_and_its_probabilities():
    """Decoding and sums are those of the rows that agree, so that neighbours profit."""
    tagger, random, changed = small_tagger(), Random(3), 0
    for sentence in short_sentences():
        rows = tagger.kbest([sentence], 10**6)[0]
        place = random.randrange(len(sentence))
        others = sorted({row.tags[place] for row in rows} - {rows[0].tags[place]})
        if not others:
            continue
        sentence.upos = ["_"] * len(sentence)
        sentence.upos[place] = random.choice(others)
        right = agreeing(rows, sentence)
        (found,) = tagger.tag([sentence], TagOptions(keep_tags=True, probabilities=True))
        assert found.upos == right[0][0]
        pasted = [*rows[0].tags[:place], sentence.upos[place], *rows[0].tags[place + 1 :]]
        changed += found.upos != pasted
        chances = [math.exp(score) for _, score in right]
        total = math.fsum(chances)
        table = tagger.probabilities([sentence], keep_tags=True)[0]
        for word in range(len(sentence)):
            parts: dict[str, list[float]] = {tag: [] for tag in tagger.tags}
            for (row, _), chance in zip(right, chances, strict=True):
                parts[row[word]].append(chance)
            for number, tag in enumerate(tagger.tags):
                assert abs(table[word, number] - math.fsum(parts[tag]) / total) < 1e-9
            own = tagger.tags.index(found.upos[word])
            assert abs(found.findings["UposProbability"][word] - table[word, own]) < 1e-9
        best = tagger.kbest([sentence], 2, keep_tags=True)[0]
        assert best[0].tags == found.upos
        assert abs(best[0].log_probability - (right[0][1] - math.log(total))) < 1e-9
        graph = tagger.graph(sentence, keep_tags=True)
        assert graph.tags[place] == [sentence.upos[place]]
        ((tag, mass),) = tagger.best_tags([sentence], keep_tags=True)[0][place]
        assert tag == sentence.upos[place]
        assert mass == pytest.approx(1, abs=1e-9)
    assert changed > 2


def test_a_tag_that_is_no_candidate_of_the_word_binds_too():
    tagger = small_tagger()
    sentence = Sentence(["The", "door", "is", "open", "."])
    listed = [set(tags) for tags in tagger.graph(sentence).tags]
    place, tag = next((p, t) for p, own in enumerate(listed) for t in tagger.tags if t not in own)
    sentence.upos[place] = tag
    (found,) = tagger.tag([sentence], TagOptions(keep_tags=True, probabilities=True, candidates=3))
    assert found.upos[place] == tag
    assert found.findings["UposProbability"][place] == 1
    assert found.findings["UposCandidates"][place] == [(tag, 1.0)]
    assert tagger.graph(sentence, keep_tags=True).tags[place] == [tag]


def test_a_tag_that_the_tagger_never_saw_stays():
    sentence = Sentence(
        ["The", "door", "is", "open"], upos=["_", "FOO", "_", "_"], xpos=["_", "BAR", "_", "_"]
    )
    (free,) = small_tagger().tag([sentence])
    (found,) = small_tagger().tag([sentence], TagOptions(keep_tags=True, probabilities=True, candidates=2))
    assert (found.upos[1], found.xpos[1]) == ("FOO", "BAR")
    assert [found.upos[i] for i in (0, 2, 3)] == [free.upos[i] for i in (0, 2, 3)]
    assert found.findings["UposCandidates"][1] == [("FOO", 1.0)]
    assert found.findings["UposProbability"][1] == 1
    assert found.lemmas[1] != "_"


def test_later_stages_see_what_is_given():
    """XPOS and FEATS go with a given UPOS, FEATS with a given XPOS, UPOS with a given XPOS."""
    tagger = small_tagger()
    labels = {(tagger.tags[tag], xpos, feats) for tag, xpos, feats in tagger.header["morph"]}
    upos_of = {xpos: {tag for tag, own, _ in labels if own == xpos} for _, xpos, _ in labels}
    for xpos, tags in upos_of.items():
        (found,) = tagger.tag([Sentence(["The", "walk"], xpos=["_", xpos])], KEEP)
        if xpos != "_":
            assert found.xpos[1] == xpos
            assert found.upos[1] in tags
            assert (found.upos[1], xpos, found.feats[1]) in labels
    for tag in tagger.tags:
        (found,) = tagger.tag([Sentence(["The", "walk"], upos=["_", tag])], KEEP)
        assert (tag, found.xpos[1], found.feats[1]) in labels


def test_feats_are_given_as_a_whole_and_lemmas_are_seen_by_nobody():
    words = Sentence(["The", "doors"], feats=["_", "Mood=Odd"], lemmas=["_", "gate"])
    (found,) = small_tagger().tag([words], TagOptions(keep_tags=True, probabilities=True))
    (free,) = small_tagger().tag([words])
    assert (found.feats[1], found.lemmas[1]) == ("Mood=Odd", "gate")
    assert found.findings["LemmaProbability"][1] == 1
    assert found.lemmas[0] == free.lemmas[0]
    assert found.upos == free.upos


def test_the_same_bytes_from_text_to_text():
    given = half_blank(4)
    data = "".join(sentence.to_conllu() for sentence in given).encode()
    options = TagOptions(keep_tags=True, probabilities=True, candidates=2)
    objects = "".join(sentence.to_conllu() for sentence in small_tagger().tag(given, options))
    cuts = [0, 100, len(data) // 2, len(data)]
    for threads in (1, 3):
        pieces = (data[a:b] for a, b in pairwise(cuts))
        own = TagOptions(keep_tags=True, probabilities=True, candidates=2, threads=threads, batch=7)
        found = b"".join(piece.data for piece in small_tagger().tag_conllu(pieces, own))
        assert found.decode() == objects
    tables = small_tagger().probabilities(given, keep_tags=True, threads=2)
    assert all(np.allclose(table.sum(axis=1), 1) for table in tables)


@pytest.mark.parametrize("how", ["keep_tags", "constraints"])
def test_pipelines_keep_tags_and_lemmas(how):
    given = half_blank(5)
    options = ParseOptions(constraints=how == "constraints", probabilities=True, threads=2)
    keep_tags = how == "keep_tags"
    found = list(small_pipeline().annotate(given, options, keep_tags=keep_tags))
    tagged = small_pipeline().tagger.tag(given, KEEP)
    for old, alone, new in zip(given, tagged, found, strict=True):
        assert [getattr(new, name) for name in COLUMNS] == [getattr(alone, name) for name in COLUMNS]
        assert new.heads == old.heads or keep_tags
    data = "".join(sentence.to_conllu() for sentence in given).encode()
    fast = small_pipeline().annotate_conllu([data], options, keep_tags=keep_tags)
    assert b"".join(piece.data for piece in fast).decode() == "".join(s.to_conllu() for s in found)
