"""What a model's header and weights are to the core."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from arbora import _core
from arbora.dependency.options import MOST_NAMED_TAGS, TrainingOptions
from arbora.dependency.recipe import check_recipe
from arbora.dependency.root_label import kept_to_root
from arbora.features import Templates
from arbora.models import Tensors
from arbora.models.checking import (
    a_flag,
    a_list,
    a_mapping,
    a_number,
    a_positive,
    a_row,
    a_text,
    a_whole,
    some_names,
    some_options,
)
from arbora.treebank import Sentence
from arbora.treebank.given import blaming, each_sentence

NO_CONFIDENCE = (1.0, 1.0, 0.0, 1.0)
"""With it, probabilities stay as they are."""
CONFIDENCES = ("heads", "labels")
"""What there is one of each for."""
MOST_CONFIDENCE = 1e6
"""Much more than any treebank speaks for; products with logarithms are numbers still."""


def encode(sentences: Iterable[Sentence], tags: list[str] | None = None) -> _core.Encoded:
    """The columns that templates see, as hashes.

    ``tags`` are the names of those that a parser chooses among: words get what MISC lists for them.
    """
    sentences = list(each_sentence(sentences))
    with blaming(sentences):
        if not tags:
            return _core.encode([(s.forms, s.lemmas, s.upos, s.xpos, s.feats) for s in sentences])
        found = [_core.candidate_tags(tags, s.upos, s.misc) for s in sentences]
        columns = zip(sentences, found, strict=True)
        encoded = _core.encode([(s.forms, s.lemmas, first, s.xpos, s.feats) for s, (first, _) in columns])
        listed = [own for _, words in found for own in words]
        encoded.set_tags(
            np.array([len(own) for own in listed], np.int32),
            np.array([tag for own in listed for tag, _ in own], np.int32),
            np.array([score for own in listed for _, score in own], np.float64),
        )
        return encoded


def make_linear_model(header: dict[str, Any]) -> _core.LinearModel:
    """The core's parser without weights, from a model's header."""
    options = header["options"]
    return _core.LinearModel(
        Templates.parse(header["templates"]).compile(),
        header["threshold"],
        options["most_heads"],
        header["at_root"],
        kept_to_root(header["labels"], header["below_words"]),
        header.get("tree_scale", 1.0),
        header.get("label_scale", 1.0),
        header.get("joint_scale", 0.0),
        options.get("latent_roles", 0),
        options.get("latent_tags", 0) or len(header.get("tags", [])),
        *confidences_of(header),
    )


def checked_weights(tensors: Tensors, name: str, step: Any) -> _core.ShortWeights:
    """Weights of a file, copied to where look-ups are fast; ValueError if there are none."""
    return _core.ShortWeights(a_row(tensors, name, np.int16), a_positive(step, f"the step of the {name}"))


def check_header(header: dict[str, Any]) -> TrainingOptions:
    """What the core relies on; KeyError or ValueError if it is not so. Returns the options."""
    given = a_mapping(header["options"], "options")
    if isinstance(given.get("outer"), bool):  # files that are older than the choice of sets
        given["outer"] = "relaxation" if given["outer"] else "none"
    options = some_options(TrainingOptions, given, ("bits", "most_heads", "single_root", "projective"))
    check_recipe(options)
    a_flag(options.projective, "the option projective")  # training has decided
    labels = some_names(header["labels"], "labels")
    for name in ("at_root", "below_words"):
        flags = [a_flag(flag, f"one of {name}") for flag in a_list(header[name], name, len(labels))]
        if not any(flags):
            raise ValueError(f"{name} is true of no label")
    a_whole(header["padding"], "padding")
    a_number(header["threshold"], "threshold", 0, 1)
    for name in ("tree_scale", "label_scale", "joint_scale"):
        if name in header:
            a_positive(header[name], name)
    for confidence in confidences_of(header):
        check_confidence(confidence)
    names = some_names(header.get("tags", []), "tags")
    if (options.latent_tags and names) or len(names) > MOST_NAMED_TAGS:
        raise ValueError("it has too many tags")
    if bool(names) != bool(options.joint_tags):
        raise ValueError("it has names of tags without joint_tags, or the other way round")
    check_templates(options, Templates.parse(a_text(header["templates"], "templates")))
    return options


def confidences_of(header: dict[str, Any]) -> list[Any]:
    """The confidence in heads, and that in labels."""
    found = header.get("confidence", {})
    if isinstance(found, list):  # files that are older than that in labels
        found = {"heads": [*found, 1.0]}
    own = a_mapping(found, "confidence")
    return [own.get(name, NO_CONFIDENCE) for name in CONFIDENCES]


def check_confidence(value: Any) -> None:
    """Three numbers of a beta calibration, the first two not negative, and its ceiling; or a ValueError."""
    first, second, third, most = a_list(value, "confidence", 4)
    for number in (first, second):
        a_number(number, "one of confidence", 0, MOST_CONFIDENCE)
    a_number(third, "one of confidence", -MOST_CONFIDENCE, MOST_CONFIDENCE)
    a_number(most, "the ceiling of confidence", 0, 1)


def check_templates(options: TrainingOptions, templates: Templates) -> None:
    """That templates are those of a parser with such options; ValueError if they are not."""
    if not templates.arcs or not (templates.labels or templates.labeler):
        raise ValueError("it has no templates for arcs and labels")
    fits = templates.labeler and not templates.labels if options.latent_roles else True
    if bool(options.latent_roles) != bool(templates.roles) or not fits:
        raise ValueError("its templates are not those of a parser with latent_roles")
    has_tags = bool(options.latent_tags or options.joint_tags)
    if not has_tags == bool(templates.tags) == bool(templates.tag_links):
        raise ValueError("its templates are not those of a parser with tags")
