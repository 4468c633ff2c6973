"""Sentences that were broken in place, and what is no sentence: one line names sentence, column and word."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from small_pipeline import small_pipeline

import arbora
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError, ColumnError, WrongTypeError
from arbora.evaluation import evaluate, judge
from arbora.treebank import Sentence, write

GOLDEN = Path(__file__).parents[1] / "golden"
PARSERS = (
    "dependency-parser",
    "dependency-parser-with-all-parts",
    "generative-parser-of-trees",
    "neural-parser",
)


@cache
def golden(name: str) -> Any:
    return arbora.load(GOLDEN / f"{name}.v2.arbora")


def sound() -> Sentence:
    tags = {"upos": ["DET", "NOUN", "VERB"], "xpos": ["DT", "NN", "VBD"]}
    return Sentence(["The", "man", "ran"], **tags, heads=[2, 3, 0], deprels=["det", "nsubj", "root"])


def setting(name: str, value: object) -> Callable[[Sentence], None]:
    return lambda sentence: getattr(sentence, name).__setitem__(1, value)


def adding(name: str, value: object) -> Callable[[Sentence], None]:
    return lambda sentence: getattr(sentence, name).append(value)


# How it is broken, and what the message says after the sentence.
BREAKS: dict[str, tuple[Callable[[Sentence], None], str]] = {
    "a text as head": (setting("heads", "x"), "heads: word 2 has the head 'x', which is not in the range"),
    "half a head": (setting("heads", 1.5), "heads: word 2 has the head 1.5"),
    "a huge head": (setting("heads", 2**40), "heads: word 2 has the head 1099511627776"),
    "a number as tag": (setting("upos", 3), "upos: word 2 needs a text, not 3"),
    "no form": (setting("forms", None), "forms: word 2 needs a text, not None"),
    "half a character": (setting("forms", "\ud800"), r"forms: word 2: '\\ud800' is no Unicode text"),
    "a list as misc": (setting("misc", ["x"]), r"misc: word 2 needs a text, not \['x'\]"),
    "a head more": (adding("heads", 0), "heads has 4 values for 3 forms"),
    "a head less": (lambda sentence: sentence.heads.pop(), "heads has 2 values for 3 forms"),
    "a form more": (adding("forms", "x"), "lemmas has 3 values for 4 forms"),
    "a number as comment": (adding("comments", 3), "comments: a comment needs a text, not 3"),
    "a number as multiword": (adding("multiwords", 3), "multiwords are of the type Multiword, 3 is not"),
    "a number as node": (adding("empty_nodes", 3), "empty_nodes are of the type EmptyNode, 3 is not"),
}
TAKES_ALL: dict[str, Callable[[Sentence], Any]] = {
    **{f"parse by {name}": lambda own, name=name: list(golden(name).parse([own])) for name in PARSERS},
    **{f"kbest by {name}": lambda own, name=name: list(golden(name).kbest([own], 2)) for name in PARSERS},
    "tag": lambda own: list(golden("tagger").tag([own])),
    "annotate": lambda own: list(small_pipeline().annotate([own])),
}
"""What needs all columns."""
TAKES_SOME: dict[str, Callable[[Sentence], Any]] = {
    **{f"graph by {name}": lambda own, name=name: golden(name).graph(own) for name in PARSERS},
    **{
        f"probabilities by {name}": lambda own, name=name: golden(name).probabilities(own, given_heads=True)
        for name in PARSERS
    },
    "with constraints": lambda own: golden("dependency-parser").probabilities(own, constraints=True),
    "probabilities of tags": lambda own: golden("tagger").probabilities([own], keep_tags=True),
    "graph of tags": lambda own: golden("tagger").graph(own, keep_tags=True),
    "kbest tags": lambda own: golden("tagger").kbest([own], 2),
    "log_probabilities": lambda own: golden("generative-parser-of-trees").log_probabilities([own]),
    "sample": lambda own: list(golden("generative-parser-of-trees").sample([own])),
    "evaluate": lambda own: evaluate([own], [own]),
    "evaluated": lambda own: evaluate([sound()], [own]),
    "to_conllu": lambda own: own.to_conllu(),
    "write": lambda own: write(os.devnull, [own], "conllu"),
    "write as words": lambda own: write(os.devnull, [own], "horizontal"),
    "to_text": lambda own: own.to_text(),
    "to_svg": lambda own: own.to_svg(),
    "is_projective": lambda own: own.is_projective(),
}
"""What may not see what is wrong."""


def broken(how: str) -> Sentence:
    sentence = sound()
    BREAKS[how][0](sentence)
    return sentence


@pytest.mark.parametrize("use", TAKES_ALL)
@pytest.mark.parametrize("how", BREAKS)
def test_what_broke_is_named(how, use):
    with pytest.raises(ColumnError, match=rf"^the sentence '[^\n]*': {BREAKS[how][1]}[^\n]*$"):
        TAKES_ALL[use](broken(how))


@pytest.mark.parametrize("use", TAKES_SOME)
@pytest.mark.parametrize("how", BREAKS)
def test_what_broke_is_named_or_does_not_matter(how, use):
    sentence, message = broken(how), ""
    try:
        TAKES_SOME[use](sentence)
    except ArboraError as error:
        message = str(error)
    assert "\n" not in message


def test_heads_out_of_range_are_named_where_they_bind():
    sentence = sound()
    sentence.heads[0] = 99
    parse = golden("dependency-parser").parse
    assert len(next(parse([sentence])).heads) == 3
    with pytest.raises(ColumnError, match="the sentence 'The man ran': heads: word 1 has the head 99"):
        list(parse([sentence], ParseOptions(constraints=True)))


def test_what_broke_is_the_error_of_its_judgement():
    wrong = broken("a number as tag")
    found = list(judge([sound(), wrong, sound()], golden("dependency-parser")))
    assert [own.error is None for own in found] == [True, False, True]
    assert "upos: word 2 needs a text, not 3" in str(found[1].error)
    for name in PARSERS:
        assert next(judge([broken("a text as head")], golden(name))).error


@pytest.mark.parametrize("one", ["abc", None, 3, sound(), sound()[1], b"x"])
@pytest.mark.parametrize(
    "use",
    [
        *(lambda own, name=name: list(golden(name).parse(own)) for name in PARSERS),
        *(lambda own, name=name: list(golden(name).kbest(own, 2)) for name in PARSERS),
        lambda own: list(golden("tagger").tag(own)),
        lambda own: golden("tagger").probabilities(own),
        lambda own: golden("generative-parser-of-trees").log_probabilities(own),
        lambda own: list(golden("generative-parser-of-trees").sample(own)),
        lambda own: list(judge(own, golden("dependency-parser"))),
        lambda own: evaluate(own, [sound()]),
        lambda own: evaluate([sound()], own),
    ],
)
def test_what_is_no_list_of_sentences(use, one):
    for given, what in ((one, "many sentences are needed"), ([one], "Sentence is needed")):
        if given == [sound()]:
            continue
        with pytest.raises(WrongTypeError, match=rf"{what}[^\n]+$"):
            use(given)


@pytest.mark.parametrize("one", ["abc", None, 3, [], [sound()]])
@pytest.mark.parametrize("name", PARSERS)
def test_what_is_no_sentence(name, one):
    for use in (golden(name).graph, golden(name).probabilities):
        with pytest.raises(WrongTypeError, match=r"Sentence is needed[^\n]+$"):
            use(one)
