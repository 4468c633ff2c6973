"""The tagger as a whole: what comes out, what does not matter, what is odd."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from small_tagger import SMALL, bare, small_tagger
from small_training import treebank

from arbora.errors import ArboraError
from arbora.text import Tagger, TaggerOptions, TagOptions, jackknife_tags, train_tagger
from arbora.text.tagging.training import measure_tags
from arbora.treebank import EmptyNode, Multiword, Sentence

COLUMNS = ("forms", "upos", "xpos", "feats", "lemmas")


@pytest.mark.parametrize("language", ["en", "de", "tr"])
def test_a_tagger_knows_what_it_has_seen(language):
    tagger = train_tagger(
        treebank(language), options=TaggerOptions(epochs=6, bits=(16, 16, 14)), dev_fraction=0.0
    )
    found = measure_tags(tagger, treebank(language))
    assert min(found.values()) > 0.97, found


def test_words_alone_get_tags():
    sentence = treebank("tr")[2].copy()
    assert sentence.multiwords
    sentence.empty_nodes.append(EmptyNode(1, 1, "null"))
    tagged = next(small_tagger("tr").tag(bare([sentence])))
    assert len(tagged.upos) == len(tagged.forms)
    assert "_" not in tagged.upos
    assert tagged.multiwords == sentence.multiwords
    assert tagged.empty_nodes == sentence.empty_nodes
    assert tagged.comments == sentence.comments
    assert tagged.heads == sentence.heads


@pytest.mark.parametrize(("probabilities", "candidates"), [(False, 0), (True, 0), (False, 3), (True, 2)])
def test_nothing_depends_on_threads_batches_and_pieces(probabilities, candidates):
    tagger, sentences = (
        small_tagger(),
        [*bare(treebank()), Sentence(comments=["# no words"]), *bare(treebank())],
    )
    plain = TagOptions(probabilities=probabilities, candidates=candidates)
    expected = [s.to_conllu() for s in tagger.tag([s.copy() for s in sentences], plain)]
    for threads, batch in ((2, 1), (3, 50), (1, 7)):
        options = replace(plain, threads=threads, batch=batch)
        assert [s.to_conllu() for s in tagger.tag([s.copy() for s in sentences], options)] == expected
        data = "".join(s.to_conllu() for s in sentences).encode()
        for size in (len(data), 1000, 17):
            pieces = (data[at : at + size] for at in range(0, len(data), size))
            found = list(tagger.tag_conllu(pieces, options))
            assert b"".join(part.data for part in found).decode() == "".join(expected)
            assert sum(part.words for part in found) == sum(map(len, sentences))
            assert sum(part.sentences for part in found) == len(sentences)


def test_probabilities_are_exact_sums_over_rows():
    tagger, sentences = small_tagger(), [s for s in bare(treebank()) if len(s) <= 5][:3]
    rows = tagger.kbest(sentences, 10**6)
    for sentence, chances, ranked in zip(sentences, tagger.probabilities(sentences), rows, strict=True):
        assert chances.shape == (len(sentence), len(tagger.tags))
        np.testing.assert_allclose(chances.sum(1), 1, atol=1e-9)
        assert math.fsum(math.exp(row.log_probability) for row in ranked) == pytest.approx(1, abs=1e-9)
        summed = np.zeros_like(chances)
        for row in ranked:
            for word, tag in enumerate(row.tags):
                summed[word, tagger.tags.index(tag)] += math.exp(row.log_probability)
        np.testing.assert_allclose(chances, summed, atol=1e-9)
        assert ranked[0].tags == next(tagger.tag([sentence.copy()])).upos


def test_the_few_best_tags_of_words():
    tagger, sentences = small_tagger(), bare(treebank())[:5]
    whole = tagger.probabilities(sentences, threads=2)
    for sentence, words, chances in zip(
        sentences, tagger.best_tags(sentences, most=2, least=0.2), whole, strict=True
    ):
        assert len(words) == len(sentence)
        for listed, row in zip(words, chances, strict=True):
            assert listed[0][1] == row.max()
            assert len(listed) == min(2, max(1, int((row >= 0.2).sum())))
            assert all(row[tagger.tags.index(tag)] == chance for tag, chance in listed)


def test_lists_of_tags_for_a_parser_to_choose_among():
    tagger, sentences = small_tagger(), bare(treebank())
    sentences[0].misc[0] = "K=1|UposCandidates=OLD:1"
    chances, unsure = tagger.probabilities(sentences), 0
    for sentence, rows in zip(
        tagger.tag([s.copy() for s in sentences], TagOptions(candidates=3, least=0.01)), chances, strict=True
    ):
        for misc, upos, row in zip(sentence.misc, sentence.upos, rows, strict=True):
            assert misc.count("UposCandidates=") == 1
            listed = [item.rpartition(":") for item in misc.rpartition("=")[2].split(";")]
            tags, numbers = [tag for tag, _, _ in listed], [float(number) for _, _, number in listed]
            assert tags[0] == upos
            assert len(set(tags)) == len(tags) <= 3
            np.testing.assert_allclose(numbers, [row[tagger.tags.index(tag)] for tag in tags], atol=5.1e-5)
            assert numbers[1:] == sorted(numbers[1:], reverse=True)
            best = sorted(row, reverse=True)
            assert len(tags) == 3 or all(chance < 0.01 for chance in best[len(tags) :])
            unsure += len(tags) > 1
    assert unsure > 10
    assert next(tagger.tag([sentences[0].copy()], TagOptions(candidates=1))).misc[0].startswith("K=1|Upos")
    for wrong in ({"candidates": -1}, {"least": 1.0}):
        with pytest.raises(ArboraError, match=next(iter(wrong))):
            TagOptions(**wrong).check()


def test_the_graph_of_a_sentence_has_its_probabilities():
    tagger = small_tagger()
    for words in range(5):
        sentence = Sentence(treebank()[1].forms[:words])
        found = tagger.graph(sentence)
        assert len(found.words) == words
        if not words:
            continue
        solution = found.graph.solve("bp")
        chances = tagger.probabilities([sentence])[0]
        for row, variable, tags in zip(chances, found.words, found.tags, strict=True):
            own = [row[tagger.tags.index(tag)] for tag in tags]
            np.testing.assert_allclose(solution[variable].ravel(), own, atol=1e-9)


def test_odd_sentences():
    tagger = small_tagger()
    odd = [
        Sentence([]),
        Sentence(["word"]),
        Sentence(["x"] * 1000),
        Sentence(["\u200d", "👩‍👩‍👧", "ﷺ", "e\u0301", "\U0010ffff", "\ufeff", "A" * 5000, "_", "\x07"]),
    ]
    tagged = list(tagger.tag(sentence.copy() for sentence in odd))
    assert [s.forms for s in tagged] == [s.forms for s in odd]
    assert all(len(s.lemmas) == len(s.forms) and all(s.lemmas) for s in tagged)
    assert list(tagger.tag([])) == []
    assert tagger.kbest([Sentence([])], 3)[0][0].tags == []
    with pytest.raises(ArboraError, match="no Unicode text"):
        list(tagger.tag([Sentence(["\ud800"])]))
    with pytest.raises(ArboraError, match="k must be at least 1"):
        tagger.kbest([], 0)


def test_columns_that_a_treebank_does_not_have_stay_empty():
    sentences = bare(treebank())
    for sentence, gold in zip(sentences, treebank(), strict=True):
        sentence.upos = list(gold.upos)
    tagged = next(train_tagger(sentences, options=SMALL).tag([Sentence(["Dogs", "bark"])]))
    assert (tagged.xpos, tagged.feats, tagged.lemmas) == (["_", "_"], ["_", "_"], ["_", "_"])
    assert "_" not in tagged.upos


def test_one_word_is_enough_to_train_on():
    tagger = train_tagger([Sentence(["Go"], ["go"], ["VERB"], ["VB"], ["_"])], options=SMALL)
    found = next(tagger.tag([Sentence(["Stop", "Go"])]))
    assert (found.upos, found.xpos, found.lemmas) == (["VERB"] * 2, ["VB"] * 2, ["stop", "go"])


def test_training_needs_tags():
    whole, partial = treebank()[0], treebank()[1].copy()
    partial.upos[2] = "_"
    with pytest.raises(ArboraError, match=r"training sentence 2 .*: word 3 has no UPOS tag"):
        train_tagger([whole, partial], options=SMALL)
    with pytest.raises(ArboraError, match=r"dev sentence 1 .*: word 3 has no UPOS tag"):
        train_tagger([whole], [partial], options=SMALL)
    with pytest.raises(ArboraError, match="no words"):
        train_tagger([Sentence([])], options=SMALL)
    for options in ({"epochs": 0}, {"bits": (1, 2)}, {"most": 0}, {"batch": 0}, {"seed": -1}, {"rate": 0.0}):
        with pytest.raises(ArboraError, match=next(iter(options))):
            train_tagger([whole], options=TaggerOptions(**options))
    with pytest.raises(ArboraError, match="no loss"):
        train_tagger([whole], options=TaggerOptions(loss="none"))


def test_jackknife_tags_are_by_others():
    sentences = treebank()
    done = []
    tagged = list(jackknife_tags(sentences, SMALL, folds=3, progress=lambda *fold: done.append(fold)))
    assert done == [(1, 3), (2, 3), (3, 3)]
    assert [s.forms for s in tagged] == [s.forms for s in sentences]
    assert [s.heads for s in tagged] == [s.heads for s in sentences]
    third = round(len(sentences) / 3)
    others = train_tagger(sentences[third:], options=SMALL, dev_fraction=0.0)
    expected = [s.upos for s in others.tag(bare(sentences[:third]))]
    assert [s.upos for s in tagged[:third]] == expected
    like, how = train_tagger(sentences, sentences[:9], SMALL), TagOptions(probabilities=True)
    calm = list(jackknife_tags(sentences, SMALL, folds=3, how=how, like=like))
    assert [s.upos for s in calm] == [s.upos for s in tagged]
    header = {**others.header, "stages": {**others.header["stages"]}}
    assert header["stages"]["upos"]["scale"] != like.header["stages"]["upos"]["scale"]
    for name, stage in header["stages"].items():
        header["stages"][name] = {**stage, "scale": like.header["stages"][name]["scale"]}
    expected = [s.misc for s in Tagger(header, others.tensors).tag(bare(sentences[:third]), how)]
    assert [[misc[-70:] for misc in s.misc] for s in calm[:third]] == [[m[-70:] for m in s] for s in expected]
    for wrong in (1, 0):
        with pytest.raises(ArboraError, match="folds"):
            next(jackknife_tags(sentences, SMALL, folds=wrong))
    with pytest.raises(ArboraError, match="2 sentences"):
        next(jackknife_tags(sentences[:1], SMALL))


def test_a_multiword_is_no_word():
    sentence = Sentence(["do", "n't"], multiwords=[Multiword(1, 2, "don't")])
    assert len(next(small_tagger().tag([sentence])).upos) == 2


def test_a_model_without_its_parts_is_refused(tmp_path):
    from arbora.models import read_model, write_model

    path = tmp_path / "m"
    small_tagger().save(path)
    assert Tagger.load(path).header["upos"] == small_tagger().header["upos"]
    model = read_model(path)
    header = {name: value for name, value in model.header.items() if name != "version"}
    breaks = [
        ({**header, "upos": []}, {}),
        ({**header, "upos": header["upos"][:-1]}, {}),
        ({**header, "scripts": ["x", *header["scripts"][1:]]}, {}),
        ({**header, "morph": [[99, "_", "_"], *header["morph"][1:]]}, {}),
        ({**header, "morph": [[0, "a\tb", "_"], *header["morph"][1:]]}, {}),
        ({**header, "templates": "[upos]\nnothing"}, {}),
        ({name: value for name, value in header.items() if name != "stages"}, {}),
        (header, {"upos.keys": model.tensors["upos.keys"][::-1]}),
        (header, {"upos.lists": model.tensors["upos.lists"] + np.uint16(99)}),
        (header, {"morph.weights.codes": model.tensors["morph.weights.codes"][:-1]}),
    ]
    for broken, tensors in breaks:
        write_model(path, broken, {**model.tensors, **tensors})
        with pytest.raises(ArboraError, match="no tagger that Arbora can use"):
            Tagger.load(path)
