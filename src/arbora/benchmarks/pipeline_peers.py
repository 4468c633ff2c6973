"""Other programs that go from raw text to trees, trained here on the same treebank: UDPipe 1 and spaCy.

Both write CoNLL-U, so that one evaluation judges all. Training takes them most of an hour on one core.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from arbora.errors import ArboraError

Annotate = Callable[[str], str]

# Those of the UDPipe 1.2 models of English EWT, but for the passes (100, 20 and 30 there) and for structured
# prediction (an interval of 8 there), which take hours.
_UDPIPE = {
    "tokenizer": "epochs=20;batch_size=50;dimension=24;segment_size=50;learning_rate=0.005;"
    "learning_rate_final=0.001;dropout=0.1;early_stopping=1;tokenize_url=1;allow_spaces=0",
    "tagger": "models=2;templates_1=tagger;guesser_suffix_rules_1=10;guesser_enrich_dictionary_1=4;"
    "guesser_prefixes_max_1=4;use_lemma_1=0;use_xpostag_1=1;use_feats_1=1;provide_lemma_1=0;"
    "provide_xpostag_1=1;provide_feats_1=1;prune_features_1=0;iterations_1=3;templates_2=lemmatizer;"
    "guesser_suffix_rules_2=6;guesser_enrich_dictionary_2=4;guesser_prefixes_max_2=4;use_lemma_2=1;"
    "use_xpostag_2=0;use_feats_2=0;provide_lemma_2=1;provide_xpostag_2=0;provide_feats_2=0;"
    "prune_features_2=0;iterations_2=3",
    "parser": "iterations=8;embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;"
    "embedding_lemma=0;embedding_deprel=20;learning_rate=0.02;learning_rate_final=0.001;l2=0.5;"
    "hidden_layer=200;batch_size=10;transition_system=projective;transition_oracle=dynamic;"
    "structured_interval=0",
}
_SPACY_PIPES = ["tagger", "morphologizer", "trainable_lemmatizer", "parser"]
_SPACY_STEPS = 4000
_SENTENCES_A_DOC = 10  # so that spaCy's parser learns where sentences end


def available() -> list[str]:
    """The peers that are installed."""
    modules = {"UDPipe": "ufal.udpipe", "spaCy": "spacy"}
    return [name for name, module in modules.items() if _is_there(module)]


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the parent package is missing
        return False


def load(name: str, folder: Path, train: Path, dev: Path) -> tuple[Annotate, str]:
    """A function from raw text to CoNLL-U, and how its model was trained, now if it is not in the folder."""
    return _PEERS[name](folder, train, dev)


def _udpipe(folder: Path, train: Path, dev: Path) -> tuple[Annotate, str]:
    udpipe = importlib.import_module("ufal.udpipe")
    path = folder / "peer.udpipe"
    if not path.exists():
        error = udpipe.ProcessingError()
        model = udpipe.Trainer.train(
            "morphodita_parsito",
            _udpipe_sentences(udpipe, train),
            _udpipe_sentences(udpipe, dev),
            _UDPIPE["tokenizer"],
            _UDPIPE["tagger"],
            _UDPIPE["parser"],
            error,
        )
        if error.occurred():
            raise ArboraError(f"UDPipe does not train on {train}: {error.message}")
        _keep(path, model)
    loaded = udpipe.Model.load(str(path))
    pipeline = udpipe.Pipeline(loaded, "tokenize", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")

    def annotate(text: str, _model: Any = loaded) -> str:  # the pipeline does not keep its model alive
        return str(pipeline.process(text))

    passes = [re.search(r"(?:epochs|iterations(?:_1)?)=(\d+)", _UDPIPE[part]) for part in _UDPIPE]
    told = ", ".join(
        f"{part} {found[1]} passes" for part, found in zip(_UDPIPE, passes, strict=True) if found
    )
    return annotate, f"{told}, not structured"


def _udpipe_sentences(udpipe: Any, path: Path) -> Any:
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(path.read_text(encoding="utf-8"))
    sentences, sentence = udpipe.Sentences(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise ArboraError(f"UDPipe does not read {path}: {error.message}")
    return sentences


def _keep(path: Path, data: bytes) -> None:
    temporary = path.with_suffix(".part")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def _spacy(folder: Path, train: Path, dev: Path) -> tuple[Annotate, str]:
    spacy = importlib.import_module("spacy")
    path = folder / "spacy"
    if not path.exists():
        _train_spacy(path, train, dev)
    nlp = spacy.load(path)

    def annotate(text: str) -> str:
        return "".join(_conllu(doc) for doc in nlp.pipe(text.split("\n\n")))

    return annotate, f"at most {_SPACY_STEPS} steps"


def _train_spacy(path: Path, train: Path, dev: Path) -> None:
    configuring = importlib.import_module("spacy.cli.init_config")
    training = importlib.import_module("spacy.cli.train")
    tokens = importlib.import_module("spacy.tokens")
    convert = importlib.import_module("spacy.training.converters").conllu_to_docs
    with tempfile.TemporaryDirectory(dir=path.parent) as work:
        files = {}
        for role, source in (("train", train), ("dev", dev)):
            docs = convert(source.read_text(encoding="utf-8"), n_sents=_SENTENCES_A_DOC)
            files[f"paths.{role}"] = os.path.join(work, f"{role}.spacy")
            tokens.DocBin(docs=docs, store_user_data=False).to_disk(files[f"paths.{role}"])
        config = os.path.join(work, "config.cfg")
        configuring.init_config(lang="en", pipeline=_SPACY_PIPES, optimize="efficiency").to_disk(config)
        overrides = {**files, "training.max_steps": _SPACY_STEPS, "training.eval_frequency": 400}
        training.train(config, work, overrides=overrides)
        os.replace(os.path.join(work, "model-best"), path)


def _conllu(doc: Any) -> str:
    return "".join(line for sentence in doc.sents for line in _lines(sentence))


def _lines(sentence: Any) -> Iterator[str]:
    """A sentence of spaCy's as lines; tokens of nothing but space are no words, and nobody's head."""
    words = [token for token in sentence if not token.is_space]
    if not words:
        return
    place = {token.i: number for number, token in enumerate(words, start=1)}
    for token in words:
        head = _first(place, token.ancestors)
        label = "root" if head == 0 else token.dep_
        space = "_" if token.whitespace_ or _before_space(token) else "SpaceAfter=No"
        yield (
            f"{place[token.i]}\t{token.text}\t{token.lemma_ or '_'}\t{token.pos_ or '_'}\t"
            f"{token.tag_ or '_'}\t{token.morph or '_'}\t{head}\t{label or 'dep'}\t_\t{space}\n"
        )
    yield "\n"


def _first(place: dict[int, int], ancestors: Iterable[Any]) -> int:
    return next((place[token.i] for token in ancestors if token.i in place), 0)


def _before_space(token: Any) -> bool:
    return token.i + 1 < len(token.doc) and bool(token.nbor().is_space)


_PEERS = {"UDPipe": _udpipe, "spaCy": _spacy}
