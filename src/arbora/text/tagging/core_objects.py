"""What a tagger's header and tensors are to the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.models import below, compact, expand_short
from arbora.models.checking import (
    a_list,
    a_mapping,
    a_name,
    a_positive,
    a_row,
    a_text,
    a_whole,
    moderate,
    some_names,
    some_options,
)
from arbora.text.tagging.lexicon import Integers, Labels
from arbora.text.tagging.options import STAGES, TaggerOptions
from arbora.text.tagging.templates import TaggerTemplates
from arbora.treebank import Sentence
from arbora.treebank.given import blaming, each_sentence

KEPT = 0.9999
"""The share of the squared weight that a model file keeps: its smallest weights become zero."""


def make_text(sentences: Iterable[Sentence], *, keep_tags: bool = False) -> _core.TagText:
    """The forms of sentences, as hashes; and the tags that they have, if they shall be kept."""
    own = list(each_sentence(sentences))
    with blaming(own):
        text = _core.TagText([sentence.forms for sentence in own])
        if keep_tags:
            text.set_given([tags for s in own for tags in zip(s.upos, s.xpos, s.feats, strict=True)])
        return text


def set_found(text: _core.TagText, stage: str, labels: Labels, numbers: Integers) -> None:
    """What a stage found, or should find, as atoms of the words for the stages after it; lemmas are none."""
    if stage == "upos":
        text.set_upos(labels.upos, numbers)
    elif stage == "morph":
        text.set_morph(labels.upos, labels.morph, numbers)


def make_dictionary(tensors: Mapping[str, npt.NDArray[Any]], labels: int) -> _core.TagDictionary:
    """A dictionary of the core; ValueError if the tensors make none."""
    keys, starts = a_row(tensors, "keys", np.uint64), a_row(tensors, "starts", np.uint32)
    return _core.TagDictionary(keys, starts, a_row(tensors, "lists", np.uint16), labels)


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
    some_options(TaggerOptions, header["options"])
    templates = TaggerTemplates.parse(a_text(header["templates"], "templates"))
    stages, weights, scales = [], [], []
    for name in STAGES:
        facts, own = a_mapping(header["stages"][name], name), below(tensors, f"{name}.")
        open_labels = [a_whole(label, f"an open label of {name}") for label in a_list(facts["open"], "open")]
        most = a_whole(facts["most"], f"most of {name}", 1)
        stage = make_stage(name, labels, templates, own, open_labels, most)
        stages.append(stage)
        size = (1 << a_whole(facts["bits"], f"bits of {name}", 4, 28)) + stage.padding
        scales.append(a_positive(facts["scale"], f"the scale of {name}"))
        weights.append(moderate(unpack(own, size), name, scales[-1]))
    classes = make_dictionary(below(tensors, "classes."), 1 << 16)
    return _core.Tagger((classes, *stages), weights, scales, labels.upos, labels.morph)


def labels_of(header: Mapping[str, Any]) -> Labels:
    """The labels of a model; ValueError if there are none, or a column could not hold them."""
    upos = some_names(header["upos"], "upos")
    morph = []
    for label in a_list(header["morph"], "morph"):
        tag, xpos, feats = a_list(label, "one of morph", 3)
        morph.append(
            (
                a_whole(tag, "the tag of one of morph", 0, len(upos) - 1),
                a_name(xpos, "XPOS"),
                a_name(feats, "FEATS"),
            )
        )
    scripts = some_names(header["scripts"], "scripts")
    if not upos or not morph or not scripts:
        raise ValueError("it has no labels")
    return Labels(upos, morph, scripts)
