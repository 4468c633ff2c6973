"""Likely errors of annotation: ranks, jackknifing, marks, and errors that were put there."""

from __future__ import annotations

from itertools import pairwise

import pytest
from small_training import changed, treebank

from arbora.dependency import find_suspects, highlighted, judge_unseen, train
from arbora.errors import ArboraError
from arbora.evaluation import judge
from arbora.experiments import suspects as experiment
from arbora.training import make_folds
from arbora.treebank import Sentence

QUICK = changed(epochs=1, bits=12, pruner_bits=10)


def documents(sizes: list[int]) -> list[Sentence]:
    """Documents of so many sentences of one word each."""
    return [
        Sentence(["w"], comments=[] if place else [f"# newdoc id = d{number}"])
        for number, size in enumerate(sizes)
        for place in range(size)
    ]


def test_folds_keep_documents_whole():
    sentences = documents([3, 1, 4, 1, 5, 2])
    folds = make_folds(sentences, 3, seed=2)
    assert sorted(place for fold in folds for place in fold) == list(range(16))
    starts = [place for place, own in enumerate(sentences) if own.comments] + [16]
    for begin, end in pairwise(starts):
        assert len({n for n, fold in enumerate(folds) for p in fold if begin <= p < end}) == 1
    assert max(map(len, folds)) - min(map(len, folds)) <= 1
    assert folds == make_folds(sentences, 3, seed=2)
    assert any(folds != make_folds(sentences, 3, seed=seed) for seed in range(3, 6))


def test_folds_without_documents_are_of_neighbours_or_of_sentences():
    assert sorted(map(len, make_folds(documents([1000]), 4))) == [250] * 4
    assert sorted(map(len, make_folds(documents([5]), 5))) == [1] * 5
    for folds, reason in ((1, "at least 2 folds"), (6, "6 folds need at least as many sentences")):
        with pytest.raises(ArboraError, match=reason):
            make_folds(documents([5]), folds)


def test_the_least_probable_come_first(parser):
    sentences = treebank()
    sentences[2].heads[0] = None
    sentences[3].deprels[0] = "unheard-of"
    sentences[4].deprels[0] = "_"
    found = find_suspects(sentences, judge(sentences, parser))
    assert len(found.words) == sum(map(len, sentences)) - 1
    suspicion = [one.suspicion for one in found.words]
    assert suspicion == sorted(suspicion, reverse=True)
    for one in found.words:
        both = one.head_probability * (1 if one.label_probability is None else one.label_probability)
        assert one.suspicion == pytest.approx(1 - min(both / one.best_probability, 1))
        differs = one.head != one.best_head, one.deprel not in ("_", one.best_deprel)
        assert one.doubt == ("head" if differs[0] else "label" if differs[1] else "")
    first = found.words[0]
    assert (first.deprel, first.suspicion) == ("unheard-of", 1)
    preferred = [one for one in found.words if not one.doubt and one.label_probability is not None]
    assert max(one.suspicion for one in preferred) < 1e-9
    assert first.form == sentences[3].forms[0]
    assert len(found.most(5)) == 5
    assert len(found.most(0.1)) == round(0.1 * len(found.words))
    for wrong in (0, -1, 1.5):
        with pytest.raises(ArboraError, match="the most suspects"):
            found.most(wrong)


def test_lines_are_those_of_words(parser):
    text = treebank()[:4]
    lines = "".join(sentence.to_conllu() for sentence in text).splitlines()
    found = find_suspects(text, judge(text, parser)).words
    for one in found:
        assert lines[one.line - 1].split("\t")[:2] == [str(one.word), one.form]
    assert all(
        one.line == 0 for one in find_suspects([_unread(text[1])], judge([_unread(text[1])], parser)).words
    )


def _unread(sentence: Sentence) -> Sentence:
    return Sentence(sentence.forms, upos=sentence.upos, heads=sentence.heads, deprels=sentence.deprels)


def test_what_cannot_be_judged_is_told(parser):
    sentences = treebank()[:3]
    sentences[1] = Sentence(["a", "b"], heads=[2, 1])
    found = find_suspects(sentences, judge(sentences, parser))
    assert list(found.errors) == [1]
    assert {one.sentence for one in found.words} == {place for place in (0, 2) if len(sentences[place])}


def test_marks_are_added_and_the_rest_stays(parser):
    sentences = treebank()[:6]
    sentences[3].comments.append("# highlight deprels = 1 2 3")
    sentences[3].misc[0] = "BestHead=9|SpaceAfter=No"
    suspects = [one for one in find_suspects(sentences, judge(sentences, parser)).words if one.sentence == 3][
        :2
    ]
    suspects += [one for one in find_suspects(sentences, judge(sentences, parser)).words
                 if (one.sentence, one.word) == (3, 1) and one not in suspects]  # fmt: skip
    before = [sentence.copy() for sentence in sentences]
    marked = list(highlighted(sentences, suspects))
    assert sentences == before
    assert [a == b for a, b in zip(marked, before, strict=True)] == [True, True, True, False, True, True]
    ids = sorted(one.word for one in suspects)
    assert marked[3].comments == [
        *before[3].comments[:-1], f"# highlight deprels = {' '.join(map(str, ids))}"
    ]  # fmt: skip
    for one in suspects:
        items = marked[3].misc[one.word - 1].split("|")
        assert items[-4:] == [
            f"HeadProbability={one.head_probability:.4f}",
            f"LabelProbability={one.label_probability:.4f}",
            f"BestHead={one.best_head}",
            f"BestDeprel={one.best_deprel}",
        ]
    assert marked[3].misc[0].startswith("SpaceAfter=No|HeadProbability=")
    assert list(highlighted(marked, suspects)) == marked


def test_folds_are_judged_by_parsers_of_the_others():
    """The same as by hand; by any number of threads."""
    sentences = treebank()
    told = []
    found = judge_unseen(sentences, 2, QUICK, seed=3, threads=2, progress=lambda *report: told.append(report))
    for places in make_folds(sentences, 2, seed=3):
        others = [own for place, own in enumerate(sentences) if place not in places]
        parser = train(others, options=QUICK)
        assert [found[place] for place in places] == list(judge([sentences[p] for p in places], parser))
    assert [fold for fold, _, report in told if report is None] == [1, 2]


def test_corrupted_sentences_are_still_trees():
    sentences = treebank()
    copies, places = experiment.corrupt_heads(sentences, 0.1, 3)
    assert len(places) == round(0.1 * sum(map(len, sentences)))
    for place, (old, new) in enumerate(zip(sentences, copies, strict=True)):
        differ = {(place, w) for w, (a, b) in enumerate(zip(old.heads, new.heads, strict=True), 1) if a != b}
        assert differ == {own for own in places if own[0] == place}
        new.nonprojective_words()  # an error if there is a cycle
        assert old.roots == new.roots
    copies, places = experiment.corrupt_labels(sentences, 0.1, 3)
    differ = {
        (place, word)
        for place, (old, new) in enumerate(zip(sentences, copies, strict=True))
        for word, (a, b) in enumerate(zip(old.deprels, new.deprels, strict=True), 1)
        if a != b
    }
    assert differ == places
    assert len(places) == round(0.1 * sum(map(len, sentences)))


def test_the_experiment_finds_what_was_corrupted(tmp_path, monkeypatch):
    """By a parser that knows the treebank; of the rankings, the numbers add up."""
    from arbora.treebank import write

    path = str(tmp_path / "gold.conllu")
    write(path, treebank())
    monkeypatch.setattr(experiment, "PRESETS", ("first-order",))
    monkeypatch.setattr(experiment, "FOLDS", 2)
    monkeypatch.setattr(experiment, "SHARE", 0.1)
    monkeypatch.setattr(experiment, "CUT", 0.2)
    monkeypatch.setattr(experiment, "preset_options", lambda preset, **others: changed(**others))
    result = experiment.run(path, path, epochs=5)
    words = result["words"]
    assert words == sum(map(len, treebank()))
    for found in result["judges"].values():
        for rows in found.values():
            assert set(rows) == {"suspects", *experiment.RANKINGS}
            for row in rows.values():
                hits = row["precision"] * result["listed"]
                assert row["recall"] == pytest.approx(hits / round(0.1 * words))
    own = result["judges"]["first-order"]
    for what in ("heads", "labels"):
        assert own[what]["suspects"]["recall"] > 0.6  # by chance it is 0.2
    assert "precision" in str(experiment.table(result).columns[2].header)
    assert experiment.figure(result).startswith("<svg")
