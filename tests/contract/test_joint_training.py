"""Training of parsers that choose tags with the tree, their files, and text through them."""

from __future__ import annotations

import pytest
from small_training import changed, check_same_bytes, las, treebank

from arbora import _core
from arbora.dependency import (
    DependencyParser,
    ParseOptions,
    Rules,
    TrainingOptions,
    parse_with_rules,
    preset_options,
    train,
)
from arbora.dependency.training import check_recipe
from arbora.errors import ArboraError
from arbora.features import Templates
from arbora.models import read_model, write_model
from arbora.treebank import Sentence
from arbora.treebank.conllu import scan
from tests.oracles.scores import seeded

JOINT = {"joint_tags": 4, "solver": "bp", "loss": "crf", "propagations": 5, "parts": ()}


def joint(**more) -> TrainingOptions:
    return changed(preset="joint", **{**JOINT, **more})


def listed_treebank() -> list[Sentence]:
    """Gold tags, beside lists in which a tagger that knows little has put another one first now and then."""
    data = treebank()
    rng = seeded("listed")
    names = sorted({tag for sentence in data for tag in sentence.upos})
    for sentence in data:
        for word, tag in enumerate(sentence.upos):
            other = str(rng.choice([name for name in names if name != tag]))
            first, second = (tag, other) if rng.random() < 0.7 else (other, tag)
            text = f"{first}:0.6000;{second}:0.4000" if rng.random() < 0.6 else f"{tag}:1.0000"
            sentence.misc[word] = f"UposCandidates={text}"
    return data


def tag_accuracy(parser: DependencyParser, data: list[Sentence]) -> float:
    found = parser.parse([sentence.copy() for sentence in data])
    pairs = [pair for s, t in zip(data, found, strict=True) for pair in zip(s.upos, t.upos, strict=True)]
    return sum(own == other for own, other in pairs) / len(pairs)


@pytest.mark.parametrize(("labels", "parts"), [("joint", ()), ("both", None)])
def test_it_fits_what_it_is_shown(labels, parts):
    data = listed_treebank()
    options = preset_options("joint", epochs=10, bits=16, pruner_bits=14, labels=labels, parts=parts)
    reports = []
    parser = train(data, data, options, progress=reports.append)
    assert parser.tags == sorted({tag for sentence in data for tag in sentence.upos})
    assert las(parser, data) > 0.95
    assert las(parser, data, ParseOptions(decoder="mbr")) > 0.95
    assert tag_accuracy(parser, data) > 0.98
    assert reports[-2].scores["upos"] == pytest.approx(tag_accuracy(parser, data), abs=0.02)
    assert all("upos" not in reports[place].scores for place in (0, -1))  # of the pruner, of calibration


def test_the_same_bytes_for_any_threads_and_after_a_kill(tmp_path):
    check_same_bytes(tmp_path, data=listed_treebank(), preset="joint", **JOINT, features="supported")


@pytest.fixture(scope="module")
def parser() -> DependencyParser:
    data = listed_treebank()
    return train(data, data[:5], joint(epochs=4))


def test_a_model_file_keeps_them(parser, tmp_path):
    data = listed_treebank()
    parser.save(tmp_path / "model")
    loaded = DependencyParser.load(tmp_path / "model")
    for options in (ParseOptions(probabilities=True), ParseOptions(decoder="mbr", threads=3)):
        texts = [
            [s.to_conllu() for s in one.parse([s.copy() for s in data], options)] for one in (parser, loaded)
        ]
        assert texts[0] == texts[1]
    found = read_model(tmp_path / "model")
    for tags, message in [
        ([], "names of tags without joint_tags, or the other way round"),
        ("NOUN", "tags is no list"),
        (found.header["tags"][:-1], "laid out for other labels"),
    ]:
        write_model(tmp_path / "changed", {**found.header, "tags": tags}, found.tensors)
        with pytest.raises(ArboraError, match=message):
            DependencyParser.load(tmp_path / "changed")


@pytest.mark.parametrize("probabilities", [False, True])
def test_text_to_text_is_the_same(parser, probabilities):
    data = listed_treebank()
    data[0].misc[0] += "|SpaceAfter=No|UposProbability=0.5000"
    data[1].misc[0] = "_"  # then its tag is given
    data[1].upos[0], data[2].misc[1] = "NOUN", "UposCandidates=NOUN;X:2;VERB:0.5;VERB:0.5;ADJ:?;:1"
    text = "".join(sentence.to_conllu() for sentence in data).encode()
    options = ParseOptions(probabilities=probabilities, threads=2)
    expected = "".join(s.to_conllu() for s in parser.parse([s.copy() for s in data], options))
    found = b"".join(piece.data for piece in parser.parse_conllu([text], options)).decode()
    assert found == expected
    assert "UposCandidates" not in found
    assert found.count("UposProbability") == (sum(map(len, data)) if probabilities else 1)
    first, second, third = list(scan([found.encode()], False))[:3]
    assert first.misc[0].startswith("SpaceAfter=No")
    assert second.upos[0] == "NOUN"
    assert third.upos[1] == "VERB"


def test_what_is_given_is_kept(parser):
    data = listed_treebank()[:6]
    before = [sentence.copy() for sentence in data]
    for sentence in data:
        sentence.heads = [head if word % 2 else None for word, head in enumerate(sentence.heads)]
        sentence.deprels = ["_"] * len(sentence)
    found = parser.parse([sentence.copy() for sentence in data], ParseOptions(constraints=True))
    for sentence, gold in zip(found, before, strict=True):
        assert sentence.heads[1::2] == gold.heads[1::2]
        lists = _core.candidate_tags(parser.tags, gold.upos, gold.misc)[1]
        for tag, own in zip(sentence.upos, lists, strict=True):
            assert parser.tags.index(tag) in [choice for choice, _ in own]


def test_a_word_of_which_nothing_is_known_may_have_any_tag(parser):
    sentence = listed_treebank()[0]
    sentence.upos, sentence.misc = ["_"] * len(sentence), ["_"] * len(sentence)
    found = next(parser.parse([sentence]))
    assert set(found.upos) <= set(parser.tags)
    assert next(parser.parse([Sentence([])])).upos == []


def test_what_cannot_be(parser):
    data = listed_treebank()[:4]
    for options, message in [
        ({"joint_tags": 4}, "need the solver bp"),
        ({"joint_tags": 17, "solver": "bp"}, "between 0 and 16"),
        ({"joint_tags": 2, "latent_tags": 2, "solver": "bp"}, "latent_tags or joint_tags, not both"),
        ({"tag_threshold": 1.0}, "at least 0 and below 1"),
    ]:
        with pytest.raises(ArboraError, match=message):
            TrainingOptions(**options).check()
    with pytest.raises(ArboraError, match="joint_tags are summed out, which takes a loss with a finite beta"):
        check_recipe(TrainingOptions(joint_tags=3, solver="bp"))
    with pytest.raises(ArboraError, match=r"lists of a tagger \(UposCandidates in MISC\) beside gold UPOS"):
        train(treebank(), None, joint())
    with pytest.raises(ArboraError, match=r"no section \[tags\], which joint_tags need"):
        train(data, None, joint(), templates=Templates.parse("[arcs]\nhead.upos\n[labels]\nhead.upos"))
    odd = listed_treebank()[:2]
    odd[0].upos[0] = "A;B"
    with pytest.raises(ArboraError, match="'A;B' has no place in a list"):
        train(odd, None, joint())
    many = listed_treebank()
    for number, sentence in enumerate(many):
        sentence.upos = [f"{number}-{word}" for word in range(len(sentence))]
    with pytest.raises(ArboraError, match="UPOS tags; a parser chooses among 64"):
        train(many, None, joint())
    for line in ("head.form : alone", "modifier.form : distance", "modifier.form & arc.tags-between : alone"):
        for section in ("tag-bigrams", "tag-trigrams"):
            with pytest.raises(ArboraError, match=r"about one word|one or more of alone"):
                Templates.parse(f"[{section}]\n{line}")
    for options in (ParseOptions(certificates=True), ParseOptions(solver="ad3"), ParseOptions(solver="ilp")):
        with pytest.raises(ArboraError, match="chooses tags, by bp"):
            list(parser.parse([data[0].copy()], options))
    with pytest.raises(ArboraError, match="that chooses tags knows none"):
        list(parse_with_rules(parser, data, Rules.parse("no punct under any")))
