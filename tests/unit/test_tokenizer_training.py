"""Training a tokenizer: the text of a treebank, steps of the learner, multiword tokens, model files."""

from __future__ import annotations

import json
import math
import random
from collections import Counter

import numpy as np
import pytest
from oracles import tokenizing as oracle
from small_tokenizer import random_tokenizer, trained, treebank

from arbora import _core
from arbora.errors import ArboraError, FileError
from arbora.models import write_model
from arbora.text import Tokenizer, TokenizerOptions, train_tokenizer
from arbora.text.tokenizing.characters import class_table
from arbora.text.tokenizing.multiwords import learn_multiwords, make_multiwords, pattern_of
from arbora.text.tokenizing.running_text import (
    SENTENCE_END,
    TOKEN_END,
    paragraphs_of,
    running_text,
    text_of,
    varied_text,
)
from arbora.text.tokenizing.templates import parse_templates
from arbora.text.tokenizing.training import dev_scores
from arbora.treebank import Multiword, Sentence


def test_the_text_of_a_sentence():
    forms, misc = ["Er", "geht", "zu", "dem", "See", "."], ["_"] * 4 + ["SpaceAfter=No", "_"]
    sentence = Sentence(forms, misc=misc, multiwords=[Multiword(3, 4, "zum")])
    assert text_of(sentence).text == "Er geht zum See."
    assert text_of(sentence).ends == [2, 7, 11, 15, 16]
    sentence.comments = ["# text = Er  geht\xa0zum See ."]
    assert text_of(sentence).text == "Er  geht\xa0zum See ."
    sentence.comments = ["# text = Something else."]
    assert text_of(sentence).text == "Er geht zum See."


def spaced(*texts: str, comments: str = "") -> list[Sentence]:
    return [Sentence(text.split(), comments=[comments] if comments else []) for text in texts]


def test_running_text():
    sentences = [
        *spaced("a b", "c"),
        *spaced("d", comments="# newpar id = p2"),
        *spaced("e", comments="# newdoc"),
    ]
    sentences[0].misc[1] = "SpaceAfter=No"
    text = running_text(paragraphs_of([*sentences, Sentence(comments=["# end"])]))
    assert text.text == "a bc\n\nd\n\ne"
    assert text.boundary.tolist() == [1, 0, 2, 2, 0, 0, 2, 0, 0, 2]
    assert text.token_spans().tolist() == [[0, 1], [2, 3], [3, 4], [6, 7], [9, 10]]
    assert text.sentence_spans().tolist() == [[0, 3], [3, 4], [6, 7], [9, 10]]
    with pytest.raises(ArboraError, match="no words"):
        paragraphs_of([Sentence(comments=["# end"])])


@pytest.mark.parametrize("seed", range(5))
def test_varied_text_has_the_same_tokens(seed):
    paragraphs = paragraphs_of(treebank("de") * 3)
    plain, varied = running_text(paragraphs), varied_text(paragraphs, np.random.default_rng(seed))
    for kind in (TOKEN_END, SENTENCE_END):
        assert (plain.boundary == kind).sum() == (varied.boundary == kind).sum()
    assert "".join(plain.text.split()) == "".join(varied.text.split())
    forms = [[text.text[a:b] for a, b in text.token_spans().tolist()] for text in (plain, varied)]
    assert forms[0] == forms[1]
    assert "\n" in varied.text.replace("\n\n", "")


@pytest.mark.parametrize("kind", ["tokens", "sentences"])
def test_steps_are_those_of_logistic_regression(kind):
    """Plain SGD over batches of eight gaps, written out, from the same features."""
    text = "Yes, it is. No! It is\nnot: e.g. this.\n\nEnd"
    ends = {m for m, c in enumerate(text) if c in "seotg,.!:" and not text[m + 1 : m + 2].islower()}
    boundary = np.zeros(len(text), np.uint8)
    boundary[[*ends]] = TOKEN_END
    boundary[[10, 14, len(text) - 6, len(text) - 1]] = SENTENCE_END
    templates, bits, rate = f"[{kind}]\nleft.char & right.char\nleft.run & gap.spaces\nright.word", 12, 0.5
    learner = _core.OnlineLearner(bits, 0, "sgd", rate)
    core = _core.TrainingText(text.encode(), boundary, *class_table())
    if kind == "tokens":
        loss = core.train_token_ends(parse_templates(templates), [], 7, learner)
    else:
        loss = core.train_sentence_ends(parse_templates(templates), 7, learner)
    weights, batch, total = np.zeros(1 << bits), [], 0.0
    symbols = oracle.symbols_of(text)
    gaps = [i for i, symbol in enumerate(symbols) if symbol[0] < 0x110000]
    for i in gaps:
        gap, label = oracle.Gap(symbols, i), int(boundary[symbols[i][2]])
        if not gap.is_empty if kind == "tokens" else label == 0 or gap.inner[0] == oracle.PARAGRAPH[0]:
            continue
        gold = label > 0 if kind == "tokens" else label == SENTENCE_END
        places = oracle.places(gap, templates, bits)
        score = sum(weights[p] for p in places)
        total += math.log1p(math.exp(-score if gold else score))
        batch.append((places, 1 / (1 + math.exp(-score)) - gold))
        if len(batch) == 8:
            step(weights, batch, rate)
    step(weights, batch, rate)
    assert loss == pytest.approx(total, abs=1e-5)
    np.testing.assert_allclose(learner.weights, weights, atol=1e-6)
    assert np.count_nonzero(weights) > 20


def step(weights, batch, rate):
    for places, slope in batch:
        for place in places:
            weights[place] -= rate * slope
    batch.clear()


@pytest.mark.parametrize("language", ["en", "de", "tr"])
def test_it_learns_its_treebank(language):
    tokens, by_threshold = dev_scores(trained(language), running_text(paragraphs_of(treebank(language))))
    assert tokens > 0.99
    assert by_threshold[0.0] > 0.95


def test_the_same_bytes(tmp_path):
    options = TokenizerOptions(epochs=2, bits=12)
    sentences = treebank("en")
    for name in ("a", "b"):
        train_tokenizer(sentences, sentences[:20], options, licence="CC0").save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    tokenizer = Tokenizer.load(tmp_path / "a")
    report = tokenizer.header["report"]
    assert [row["epoch"] for row in report["epochs"]] == [1, 2]
    best = max(report["epochs"], key=lambda row: row["token_f1"] + row["sentence_f1"])
    assert report["kept"] == best["epoch"]
    gold = running_text(paragraphs_of(sentences[:20]))
    scores = dev_scores(tokenizer, gold)
    assert scores[0] == best["token_f1"]
    assert max(scores[1].values()) == best["sentence_f1"]
    train_tokenizer(sentences, options=TokenizerOptions(epochs=2, bits=12, seed=2)).save(tmp_path / "c")
    assert (tmp_path / "c").read_bytes() != (tmp_path / "a").read_bytes()


def test_the_threshold_does_what_dev_scores_says():
    """The F1 of a threshold is that of a tokenizer with it."""
    gold = running_text(paragraphs_of(treebank("en")))
    for threshold in (-4.0, 0.0, 2.0):
        tokenizer = trained("en")
        header = {**tokenizer.header, "sentences": {**tokenizer.header["sentences"], "threshold": threshold}}
        found = Tokenizer(header, tokenizer.to_parts()[1]).spans(gold.text)
        right = {tuple(span) for span in gold.sentence_spans().tolist()}
        spans = {(sentence[0].start, sentence[-1].end) for sentence in found}
        f1 = 2 * len(right & spans) / (len(right) + len(spans))
        assert dev_scores(tokenizer, gold)[1][threshold] == pytest.approx(f1)


def test_spaces_in_tokens():
    sentences = [Sentence(["we", "paid", f"{n} 000", "euros"]) for n in range(10, 40)]
    tokenizer = train_tokenizer(sentences, options=TokenizerOptions(epochs=5, bits=12))
    assert tokenizer.header["spaces_in_tokens"] == [(7, 7)]
    found = tokenizer.tokenize("we paid 77 000 euros")
    assert found[0].forms == ["we", "paid", "77 000", "euros"]


def test_patterns():
    assert pattern_of("du", ("de", "le")) == ((), 1, "e", ("le",))
    assert pattern_of("bunu", ("bu", "nu")) == ((2,), 0, "", ())
    assert pattern_of("xyz", ("abc", "d")) == ((), 3, "abc", ("d",))


def test_multiword_rules():
    seen = Counter(
        {("du", ("de", "le")): 5, ("au", ("à", "le")): 3, ("eau", ("eau",)): 2, ("tu", ("tu",)): 9}
    )
    for stem in ("ev", "köy", "okul", "şehir"):
        seen[stem + "deki", (stem + "de", "ki")] = 1
        seen[stem + "de", (stem + "de",)] = 4
    seen["vaki", ("vaki",)] = seen["saki", ("saki",)] = seen["baki", ("baki",)] = 1
    rules = learn_multiwords(seen)
    core = make_multiwords(json.loads(json.dumps(rules)))
    expected = {
        "du": ["de", "le"], "Du": ["De", "le"], "au": ["à", "le"], "Au": ["à", "le"], "eau": None, "tu": None,
        "evdeki": ["evde", "ki"], "ormandeki": ["ormande", "ki"], "KÖYDEKI": ["KÖYDE", "KI"], "vaki": None,
        "taki": None, "deki": ["de", "ki"], "ki": None, "": None, "x": None,
    }  # fmt: skip
    assert {form: core.split(form) for form in expected} == expected


@pytest.mark.parametrize("seed", range(20))
def test_multiword_rules_give_back_what_was_seen(seed):
    """Random tokens: each form has the words that it had most often, unless in doubt."""
    draw = random.Random(seed)
    seen: Counter = Counter()
    for _ in range(60):
        form = "".join(draw.choice("abç'") for _ in range(draw.randint(1, 6)))
        cut = draw.randint(1, len(form))
        words = (form[:cut], form[cut:]) if cut < len(form) else (form,)
        words = draw.choice([words, (form,), ("x", "y")])
        seen[form, words] += draw.randint(1, 3)
    core = make_multiwords(learn_multiwords(seen))
    for form in {form for form, _ in seen}:
        counts = {words: count for (other, words), count in seen.items() if other == form}
        best = [words for words, count in counts.items() if count == max(counts.values())]
        found = core.split(form)
        assert ((form,) if found is None else tuple(found)) in best


def test_multiwords_in_text():
    sentences = [s for s in treebank("de") if any(token.form == "vom" for token in s.multiwords)]
    assert sentences
    found = trained("de").tokenize("Der Zug fährt vom Bahnsteig ab.")[0]
    assert found.forms == ["Der", "Zug", "fährt", "von", "dem", "Bahnsteig", "ab", "."]
    assert [(t.first, t.last, t.form) for t in found.multiwords] == [(4, 5, "vom")]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda h, t: h.pop("multiwords"), "it lacks 'multiwords'"),
        (
            lambda h, t: h["tokens"].update(templates="[tokens]\nleft-9.char"),
            "'left-9.char': neighbours of left",
        ),
        (lambda h, t: h["options"].update(sentence_tokens=0), "sentence_tokens must be from 2 to 10000"),
        (lambda h, t: h["multiwords"].update(forms={"a": 7}), "no such pattern"),
        (lambda h, t: t.pop("tokenizer.tokens"), "it lacks 'tokenizer.tokens'"),
        (lambda h, t: t.update({"tokenizer.tokens": t["tokenizer.tokens"][:-1]}), "power of two"),
        (lambda h, t: t.update({"tokenizer.pages": t["tokenizer.pages"] + 9999}), "classes is not whole"),
        (lambda h, t: t.update({"tokenizer.blocks": t["tokenizer.blocks"] | 16}), "classes is not whole"),
        (
            lambda h, t: t.update({"tokenizer.blocks": t["tokenizer.blocks"] * 1.0}),
            "tokenizer.blocks' is no row of uint8",
        ),
    ],
)
def test_a_file_that_is_no_tokenizer(tmp_path, change, reason):
    tokenizer = random_tokenizer(1)
    header, tensors = tokenizer.to_parts()
    header, tensors = json.loads(json.dumps(header)), dict(tensors)
    change(header, tensors)
    write_model(tmp_path / "m", header, tensors)
    with pytest.raises(FileError, match=reason) as caught:
        Tokenizer.load(tmp_path / "m")
    assert "no tokenizer that Arbora can use" in str(caught.value)


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"bits": 40}, {"rate": 0}, {"sentence_tokens": 1}])
def test_wrong_options(wrong):
    with pytest.raises(ArboraError, match=next(iter(wrong))):
        train_tokenizer(treebank("en"), options=TokenizerOptions(**wrong))
