"""Wrong types for what users call: options, texts, files, plain data; each is one clear line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_pipeline import small_pipeline

import arbora
from arbora import draw, treebank
from arbora.constituency.trees import TaggedWords
from arbora.dependency import ArrayParser, ParseOptions, Rules, TrainingOptions, parse_with_rules
from arbora.errors import ArboraError, WrongTypeError
from arbora.evaluation import evaluate_brackets, evaluate_raw_text, judge
from arbora.models.options import a_count, check_types
from arbora.pipeline import Document, ParsedSentence
from arbora.text import TaggerOptions, TagOptions
from arbora.treebank import Constituent, Sentence

GOLDEN = Path(__file__).parents[1] / "golden"
ONE_LINE = r"^[^\n]+$"
WRONG: tuple[Any, ...] = (None, 3, "x", object(), [[1], [1, 2]])


def constituency(name: str) -> Any:
    return arbora.load(GOLDEN / f"{name}.v2.arbora")


# A call with one argument, and what of WRONG it takes after all.
CALLS: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "nlp's options": (lambda own: small_pipeline()("a", own), (None,)),
    "options of annotate": (lambda own: list(small_pipeline().annotate([["a"]], own)), (None,)),
    "options of parse": (lambda own: list(small_pipeline().parser.parse([], own)), (None,)),
    "options of tag": (lambda own: list(small_pipeline().tagger.tag([], own)), (None,)),
    "options of graph": (lambda own: small_pipeline().parser.graph(Sentence(["a"]), own), (None,)),
    "given_heads": (lambda own: small_pipeline().parser.graph(Sentence(["a"]), given_heads=own), (None,)),
    "batch_size": (lambda own: list(small_pipeline().pipe(["a"], batch_size=own)), (3,)),
    "threads": (lambda own: list(small_pipeline().pipe(["a"], threads=own)), (3,)),
    "k": (lambda own: list(small_pipeline().parser.kbest([Sentence(["a"])], own)), (3,)),
    "k of tags": (lambda own: small_pipeline().tagger.kbest([Sentence(["a"])], own), (3,)),
    "pieces": (lambda own: list(small_pipeline().parser.parse_conllu(own)), ()),
    "a piece": (lambda own: list(small_pipeline().parser.parse_conllu([own])), ()),
    "pieces of text": (lambda own: list(small_pipeline().parse_text(own)), ()),
    "ranges": (lambda own: small_pipeline().tokenizer.tokenize("a", ranges=own), ()),
    "a token": (lambda own: small_pipeline().tokenizer.split(own), ("x",)),
    "a document's data": (Document.from_dict, ()),
    "a sentence's data": (ParsedSentence.from_dict, ()),
    "words of data": (lambda own: ParsedSentence.from_dict({"words": own}), ()),
    "multiwords of data": (lambda own: ParsedSentence.from_dict({"words": [], "multiwords": own}), ()),
    "a text of CoNLL-U": (Sentence.from_conllu, ()),
    "a text of brackets": (Constituent.from_string, ()),
    "a tree": (lambda own: setattr(Sentence(["a"]), "constituents", own), (None,)),
    "a file": (treebank.read, ("x",)),
    "a file to write": (lambda own: treebank.write(own, []), ("x",)),
    "what is written": (lambda own: treebank.write("-", own, "conllu"), ()),
    "who judges": (lambda own: list(judge([], own)), ()),
    "rules that judge": (lambda own: list(judge([], small_pipeline(), rules=own)), (None,)),
    "rules": (lambda own: list(parse_with_rules(small_pipeline().parser, [], own)), ()),
    "who keeps rules": (lambda own: list(parse_with_rules(own, [], Rules.parse(""))), ()),
    "a text of rules": (Rules.parse, ()),
    "trees": (lambda own: evaluate_brackets(own, []), ()),
    "raw text": (lambda own: evaluate_raw_text([], own), ()),
    "drawn": (draw.text, ()),
    "drawn as SVG": (draw.svg, ()),
    "scores": (ArrayParser().parse, ()),
    "words and tags": (lambda own: constituency("span-parser").parse(own), ()),
    "words and tags of the ISBN": (lambda own: constituency("isbn-parser").parse(own), ()),
    "words": (lambda own: constituency("span-parser").parse([TaggedWords(own, ["NN"])]), ()),
    "tags": (lambda own: constituency("isbn-parser").parse([TaggedWords(["a"], own)]), ()),
}


@pytest.mark.parametrize("wrong", WRONG, ids=["None", "3", "x", "object", "ragged"])
@pytest.mark.parametrize("call", CALLS)
def test_what_is_of_another_type(call, wrong):
    use, takes = CALLS[call]
    if any(wrong is own or wrong == own for own in takes):
        return
    with pytest.raises(ArboraError, match=ONE_LINE):
        use(wrong)


@pytest.mark.parametrize(
    "options",
    [
        ParseOptions(threads="x"),  # type: ignore[arg-type]
        ParseOptions(probabilities="x"),  # type: ignore[arg-type]
        ParseOptions(single_root=3),  # type: ignore[arg-type]
        ParseOptions(decoder=[]),  # type: ignore[arg-type]
        ParseOptions(batch=True),
        ParseOptions(iterations=1.5),  # type: ignore[arg-type]
        TagOptions(least="x"),  # type: ignore[arg-type]
        TagOptions(keep_tags=None),  # type: ignore[arg-type]
        TaggerOptions(bits=3),  # type: ignore[arg-type]
        TrainingOptions(epochs=None),  # type: ignore[arg-type]
        TrainingOptions(parts=(3,)),  # type: ignore[arg-type]
    ],
)
def test_options_of_another_type(options):
    with pytest.raises(WrongTypeError, match=r"^the option \w+ is [^\n]+, not [^\n]+$"):
        options.check()


def test_numbers_of_numpy_are_numbers():
    check_types(ParseOptions(threads=np.int64(2)))
    check_types(TrainingOptions(beta=np.float32(2), rate=1, gamma=float("inf")))
    assert a_count(np.int32(2), "k") == 2


def test_formats_have_their_types(tmp_path):
    for name, item in (("brackets", Sentence(["a"])), ("conllu", Constituent("A", ["b"])), ("conllu", 3)):
        with pytest.raises(WrongTypeError, match=r"are made of [^\n]+$"):
            treebank.write(tmp_path / "t", [item], name)  # type: ignore[list-item]
