"""What a tagger's header and tensors are to the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.errors import ArboraError
from arbora.models import below, compact, expand_short
from arbora.text.tagging.lexicon import Integers, Labels
from arbora.text.tagging.options import STAGES
from arbora.text.tagging.templates import TaggerTemplates
from arbora.treebank import Sentence

KEPT = 0.9999
"""The share of the squared weight that a model file keeps: its smallest weights become zero."""


def make_text(sentences: Iterable[Sentence]) -> _core.TagText:
    """The forms of sentences, as hashes."""
    try:
        return _core.TagText([sentence.forms for sentence in sentences])
    except UnicodeEncodeError as error:
        raise ArboraError(f"{error.object!r} is no Unicode text that a file could hold") from None


def set_found(text: _core.TagText, stage: str, labels: Labels, numbers: Integers) -> None:
    """What a stage found, or should find, as atoms of the words for the stages after it; lemmas are none."""
    if stage == "upos":
        text.set_upos(labels.upos, numbers)
    elif stage == "morph":
        text.set_morph(labels.upos, labels.morph, numbers)


def make_dictionary(tensors: Mapping[str, npt.NDArray[Any]], labels: int) -> _core.TagDictionary:
    """A dictionary of the core; ValueError if the tensors make none."""
    for name, dtype in (("keys", np.uint64), ("starts", np.uint32), ("lists", np.uint16)):
        if tensors[name].ndim != 1 or tensors[name].dtype != dtype:
            raise ValueError(f"{name} is no row of {np.dtype(dtype)}")
    return _core.TagDictionary(tensors["keys"], tensors["starts"], tensors["lists"], labels)


def make_stage(
    stage: str,
    labels: Labels,
    templates: TaggerTemplates,
    dictionary: Mapping[str, npt.NDArray[Any]],
    open_labels: list[int],
    most: int,
) -> _core.TagStage:
    """A stage of the core, without weights."""
    pieces, count = labels.pieces(stage)
    return _core.TagStage(
        templates.compile(stage),
        pieces,
        count,
        make_dictionary(dictionary, len(pieces)),
        open_labels,
        most,
        labels.scripts if stage == "lemma" else [],
    )


def pack(weights: _core.ShortWeights) -> dict[str, npt.NDArray[Any]]:
    """Weights as small tensors, for a file."""
    return compact(weights.values * np.float32(weights.step), keep=KEPT)


def unpack(tensors: Mapping[str, npt.NDArray[Any]], size: int) -> _core.ShortWeights:
    """Weights as the core takes them; ValueError if the tensors are not so many weights."""
    return expand_short(tensors, size)


def make_tagger(header: Mapping[str, Any], tensors: Mapping[str, npt.NDArray[Any]]) -> _core.Tagger:
    """The core's tagger; KeyError, TypeError or ValueError if header and tensors make none."""
    labels = labels_of(header)
    templates = TaggerTemplates.parse(header["templates"])
    stages, weights, scales = [], [], []
    for name in STAGES:
        facts, own = header["stages"][name], below(tensors, f"{name}.")
        stage = make_stage(name, labels, templates, own, facts["open"], facts["most"])
        stages.append(stage)
        if not 4 <= facts["bits"] <= 28 or not 0 < facts["scale"] < float("inf"):
            raise ValueError(f"the stage {name} has impossible numbers")
        weights.append(unpack(own, (1 << facts["bits"]) + stage.padding))
        scales.append(facts["scale"])
    classes = make_dictionary(below(tensors, "classes."), 1 << 16)
    return _core.Tagger((classes, *stages), weights, scales, labels.upos, labels.morph)


def labels_of(header: Mapping[str, Any]) -> Labels:
    """The labels of a model; ValueError if there are none, or a column could not hold them."""
    morph = [(label[0], label[1], label[2]) for label in header["morph"]]
    labels = Labels(list(header["upos"]), morph, list(header["scripts"]))
    names = [*labels.upos, *(name for label in morph for name in label[1:])]
    if not labels.upos or not morph or not labels.scripts:
        raise ValueError("it has no labels")
    if not all(isinstance(name, str) and name and not set(name) & set("\t\r\n") for name in names):
        raise ValueError("a label has no place in a column of CoNLL-U")
    if not all(isinstance(label[0], int) and 0 <= label[0] < len(labels.upos) for label in morph):
        raise ValueError("its labels do not fit each other")
    return labels
