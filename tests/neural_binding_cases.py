"""Sound calls of the bindings of encoders, sub-words and neural parsers: see `binding_cases.py`."""

from __future__ import annotations

import numpy as np
from binding_calls import GOLDEN, add, floats, ints

from arbora import _core
from arbora.models import below
from arbora.neural import EncoderShape, NeuralParser, quantized
from arbora.neural.layers import random_tensors
from arbora.neural.subwords import Subwords, _example


def add_encoders() -> None:
    shape = EncoderShape("bert", layers=1, hidden=6, heads=2, inner=5, positions=4, vocabulary=7)
    tensors = quantized(random_tensors(shape)) | {"mix.weights": np.ones(1, np.float32)}
    sizes = {name: value for name, value in shape.as_dict().items() if name != "kind"}
    add("Encoder.__init__", _core.Encoder, tensors=tensors, **sizes)
    encoder = _core.Encoder(tensors, **sizes)
    ends = ints(3, 4, dtype=np.int64)
    add("Encoder.encode", encoder.encode, ids=ints(1, 2, 3, 6), ends=ends, threads=1)
    own = {name: tensors[f"layers.0.inner.{name}"] for name in ("weights", "bias", "scales")}
    add("Dense.__init__", _core.Dense, **own)
    rows = floats(3, 6).astype(np.float32)
    add("Dense.apply", _core.Dense(**own).apply, rows=rows, free=("rows",))


def add_neural() -> None:
    parser = NeuralParser.load(GOLDEN / "neural-parser.v2.arbora")
    own = {name: parser.tensors[f"heads/{name}"] for name in below(parser.tensors, "heads/")}
    tags, sizes = parser.inventory, {name: parser.header[name] for name in ("arc_size", "label_size")}
    add(
        "NeuralModel.__init__",
        _core.NeuralModel,
        subwords=parser.subwords.core,
        begin=parser.subwords.cls,
        end=parser.subwords.sep,
        encoder=parser.encoder.core,
        tensors=own,
        **sizes,
        labels=len(parser.labels),
        upos=tags.upos,
        xpos=tags.xpos,
        feats=tags.feats,
        rows=tags.rows,
        tree_scale=1.0,
        label_scale=1.0,
        root_label=parser.labels.index("root"),
        root_label_alone=True,
    )


def add_subwords() -> None:
    header, tensors = _example()
    ascii_map = {"ranges": ints(65, 66, 67, 67), "ends": ints(1, 3), "values": ints(97, -1, 98)}
    marks = ints(0x300, 0x315, 230, 0x316, 0x319, 220)
    normalizer = _core.SubwordNormalizer()
    add("SubwordNormalizer.add_map", normalizer.add_map, **ascii_map)
    add("SubwordNormalizer.add_decomposition", normalizer.add_decomposition, **ascii_map, combining=marks)
    pairs = ints(65, 0x300, 0xC0, 66, 0x300, 0xC1)
    add("SubwordNormalizer.add_composition", normalizer.add_composition, pairs=pairs, combining=marks)
    sentencepiece = ints(4, 0, 0, 0, 0, 0, 0, 0, 99, 0, dtype=np.uint8)
    own = {"charsmap": sentencepiece, "clusters": ints(0x300, 0x36F, 2, 0x200D, 0x200D, 8)}
    add("SubwordNormalizer.add_charsmap", normalizer.add_charsmap, **own, free=("charsmap",))
    splitter = _core.SubwordSplitter()
    add("SubwordSplitter.add_words", splitter.add_words, punctuation=ints(33, 47, 1))
    add("SubwordSplitter.add_bytes", splitter.add_bytes, letters=ints(65, 90, 1), prefix=True, runs=True)
    words = {"vocabulary": tensors["vocabulary"], "ends": tensors["ends"]}
    rest = {"unknown": 0, "prefix": "##", "longest": 9}
    add("wordpiece_model", _core.wordpiece_model, **words, **rest)
    flags = {"fuse_unknown": True, "byte_fallback": True, "whole_words_first": True}
    add(
        "byte_pair_model",
        _core.byte_pair_model,
        **words,
        merges=ints(1, 2, 3),
        unknown=0,
        **flags,
        free=("merges",),
    )
    scores = np.array([-1.0, -2, -3, -4])
    add("unigram_model", _core.unigram_model, **words, scores=scores, unknown=0, byte_fallback=True)
    model = _core.wordpiece_model(**words, **rest)
    parts = {"normalizer": _core.SubwordNormalizer(), "splitter": splitter, "model": model}
    added = [("[A]", 1, True, False, False), ("b", 2, False, True, True)]
    add("Subwords.__init__", _core.Subwords, **parts, added=added, size=4, unknown=0)
    subwords = Subwords.from_parts(header, tensors).core
    add("Subwords.cut", subwords.cut, texts=["a cab", ""], threads=1)
    add("Subwords.cut_words", subwords.cut_words, sentences=[["a", "cab"], []], threads=1)
