"""Makes the golden models that are missing, with what they say: see README.md in this folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arbora
from arbora.constituency import TaggedWords, prepared, tagged_words
from arbora.constituency.isbn import IsbnOptions, train_isbn
from arbora.constituency.spans import SpanOptions, train_span_parser
from arbora.dependency import ParseOptions, TrainingOptions, preset_options, train
from arbora.features import PARTS
from arbora.generative import GenerativeOptions, train_generative
from arbora.models import FORMAT_VERSION, Component
from arbora.neural import NeuralParser, train_neural
from arbora.pipeline import Pipeline, PipelineOptions, train_pipeline
from arbora.text import TaggerOptions, TagOptions, TokenizerOptions, train_tagger, train_tokenizer
from arbora.treebank import Constituent, Sentence, read

FOLDER = Path(__file__).resolve().parent
TREEBANK = FOLDER.parents[1] / "examples" / "treebank" / "en.conllu"
TEXT = "The door that you opened is green. Dogs don't bark!\n\nΟΔΟΣ İstanbul, 2024: where is it?"

Answer = Any
"""Plain data, as JSON has it."""


def treebank() -> list[Sentence]:
    return list(read(str(TREEBANK)))


def trees() -> list[Constituent]:
    found = (prepared(tree) for tree in read(str(TREEBANK.parent / "brackets.mrg")))
    return [tree for tree in found if tree is not None]


def words() -> list[Sentence]:
    """What taggers and parsers are given: sentences with tags, one of which no treebank has."""
    odd = Sentence(["ΟΔΟΣ", "İçin", "e\u0301té", "2,5"], upos=["NOUN", "ADP", "NOUN", "NUM"])
    return [*treebank()[:4], odd, Sentence(["Go"], upos=["VERB"])]


def parser_answer(parser: Any) -> Answer:
    return [_plain(s) for s in parser.parse(words(), ParseOptions(probabilities=True))]


def generative_answer(parser: Any) -> Answer:
    return [parser_answer(parser), parser.log_probabilities(words()).tolist()]


def tagger_answer(tagger: Any) -> Answer:
    bare = [Sentence(sentence.forms) for sentence in words()]
    return [_plain(s) for s in tagger.tag(bare, TagOptions(probabilities=True, candidates=3))]


def tokenizer_answer(tokenizer: Any) -> Answer:
    return [_plain(sentence) for sentence in tokenizer.tokenize(TEXT, ranges=True)]


def neural_answer(parser: NeuralParser) -> Answer:
    bare = [Sentence(sentence.forms) for sentence in words()]
    return [
        _plain(s) for s in Pipeline([("parser", parser)]).annotate(bare, ParseOptions(probabilities=True))
    ]


def train_small_neural() -> NeuralParser:
    """On top of an encoder with random weights, which tests make."""
    sys.path.insert(0, str(FOLDER.parent))
    from small_neural import OPTIONS, encoder_folder

    return train_neural(treebank(), treebank(), OPTIONS, encoder=encoder_folder())


def constituents_answer(parser: Any) -> Answer:
    asked = [tagged_words(tree) for tree in trees()[:4]] + [TaggedWords(["Go"], ["VB"])]
    found = parser.parse_kbest(asked, 2, probabilities=True)
    return [[[str(one.tree), one.log_probability, one.span_probabilities] for one in each] for each in found]


def pipeline_answer(pipeline: Pipeline) -> Answer:
    answer = pipeline(TEXT, ParseOptions(probabilities=True)).to_dict(probabilities=True)
    for sentence in answer["sentences"]:  # what says the same once more is of no interest here
        for key in ("comments", "findings"):
            sentence.pop(key, None)
        for word in sentence["words"]:
            word.pop("misc_found", None)
    return answer


def _plain(sentence: Sentence) -> Answer:
    """Columns and findings; of MISC the latter have all digits."""
    columns = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels")
    found = {name: _numbers(value) for name, value in (sentence.findings or {}).items()}
    return {**{name: getattr(sentence, name) for name in columns}, "findings": found}


def _numbers(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


SMALL: dict[str, Any] = {"epochs": 2, "bits": 12, "pruner_bits": 10}
MODELS: dict[str, tuple[Callable[[], Component], Callable[[Any], Answer]]] = {
    "tokenizer": (
        lambda: train_tokenizer(treebank(), options=TokenizerOptions(epochs=3, bits=10)),
        tokenizer_answer,
    ),
    "tagger": (
        lambda: train_tagger(treebank(), options=TaggerOptions(epochs=2, bits=(12, 12, 10))),
        tagger_answer,
    ),
    "dependency-parser": (
        lambda: train(treebank(), treebank(), TrainingOptions(**SMALL)),
        parser_answer,
    ),
    "dependency-parser-with-all-parts": (
        lambda: train(
            treebank(), treebank(), preset_options("third-order", **{**SMALL, "bits": 13}, parts=tuple(PARTS))
        ),
        parser_answer,
    ),
    "dependency-parser-with-roles": (
        lambda: train(
            treebank(),
            treebank(),
            TrainingOptions(**SMALL, latent_roles=3, labels="second-stage", loss="crf", learner="sgd"),
        ),
        parser_answer,
    ),
    "neural-parser": (train_small_neural, neural_answer),
    "generative-parser-by-em": (
        lambda: train_generative(treebank(), options=GenerativeOptions(model="valence", iterations=4)),
        generative_answer,
    ),
    "generative-parser-of-trees": (
        lambda: train_generative(
            treebank(),
            options=GenerativeOptions(
                units="tags-and-words", labels=True, iterations=0, smoothing="interpolated", punctuation=True
            ),
        ),
        generative_answer,
    ),
    "span-parser": (
        lambda: train_span_parser(
            trees(), options=SpanOptions(epochs=2, coarse_epochs=1, folds=2, bits=(10, 12))
        ),
        constituents_answer,
    ),
    "isbn-parser": (
        lambda: train_isbn(
            trees(), options=IsbnOptions(width=8, epochs=6, least_count=2, rate=0.02, signatures=True)
        ),
        constituents_answer,
    ),
    "pipeline": (
        lambda: train_pipeline(
            treebank(),
            treebank(),
            PipelineOptions(
                TokenizerOptions(epochs=3, bits=10),
                TaggerOptions(epochs=2, bits=(12, 12, 10)),
                preset_options("joint", **SMALL, joint_tags=3),
                folds=2,
            ),
        ),
        pipeline_answer,
    ),
}
"""By name, which begins with that of the architecture: how it is made, and what it is asked."""


def model_path(name: str) -> Path:
    """The file of a golden model of the present format."""
    return FOLDER / f"{name}.v{FORMAT_VERSION}.arbora"


def main() -> None:
    """Make what is missing."""
    for name, (make, ask) in MODELS.items():
        path = model_path(name)
        if path.exists():
            continue
        make().save(path, compact_weights=True)
        answer = ask(arbora.load(path))
        text = json.dumps(answer, ensure_ascii=False, indent=1)
        path.with_suffix(".json").write_text(text + "\n", "utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
