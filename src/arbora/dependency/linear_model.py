"""What a model's header and weights are to the core."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.options import MOST_NAMED_TAGS, MOST_ROLES, MOST_TAGS
from arbora.errors import ArboraError
from arbora.features import Templates
from arbora.treebank import Sentence


def encode(sentences: Iterable[Sentence], tags: list[str] | None = None) -> _core.Encoded:
    """The columns that templates see, as hashes.

    ``tags`` are the names of those that a parser chooses among: words get what MISC lists for them.
    """
    try:
        if not tags:
            return _core.encode([(s.forms, s.lemmas, s.upos, s.xpos, s.feats) for s in sentences])
        sentences = list(sentences)
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
    except UnicodeEncodeError as error:
        raise ArboraError(f"{error.object!r} is no Unicode text that a file could hold") from None


def make_linear_model(header: dict[str, Any]) -> _core.LinearModel:
    """The core's parser without weights, from a model's header."""
    options = header["options"]
    return _core.LinearModel(
        Templates.parse(header["templates"]).compile(),
        header["threshold"],
        options["most_heads"],
        header["at_root"],
        header["below_words"],
        header.get("tree_scale", 1.0),
        header.get("label_scale", 1.0),
        header.get("joint_scale", 0.0),
        options.get("latent_roles", 0),
        options.get("latent_tags", 0) or len(header.get("tags", [])),
        tuple(header.get("confidence", (1.0, 1.0, 0.0))),
    )


def checked_weights(values: npt.NDArray[Any], step: float) -> _core.ShortWeights:
    """Weights of a file, copied to where look-ups are fast."""
    if values.dtype != np.int16 or values.ndim != 1:
        raise ValueError("the weights are no row of int16")
    if not 0 < step < float("inf"):
        raise ValueError("the step of the weights is no positive number")
    return _core.ShortWeights(values, step)


def check_header(header: dict[str, Any]) -> None:
    """What the core relies on; KeyError, TypeError or ValueError if it is not so."""
    labels, options = header["labels"], header["options"]
    if not labels or not all(isinstance(label, str) for label in labels):
        raise ValueError("its labels are no list of names")
    for name in ("at_root", "below_words"):
        if len(header[name]) != len(labels) or not any(header[name]):
            raise ValueError(f"{name} does not fit the labels")
    if not 4 <= options["bits"] <= 28:
        raise ValueError(f"it has 2^{options['bits']} weights")
    for name in ("single_root", "projective"):
        if not isinstance(options[name], bool):
            raise ValueError(f"{name} is neither true nor false")
    for name in ("tree_scale", "label_scale", "joint_scale"):
        if not 0 < header.get(name, 1.0) < float("inf"):
            raise ValueError(f"{name} is no positive number")
    confidence = header.get("confidence", [1.0, 1.0, 0.0])
    if len(confidence) != 3 or not all(isfinite(value) for value in confidence) or min(confidence[:2]) < 0:
        raise ValueError("its confidence is no row of three numbers, of which two are not negative")
    roles, tags = options.get("latent_roles", 0), options.get("latent_tags", 0)
    for name, count, most in (("latent_roles", roles, MOST_ROLES), ("latent_tags", tags, MOST_TAGS)):
        if not isinstance(count, int) or not 0 <= count <= most:
            raise ValueError(f"{name} is no number from 0 to {most}")
    if not isinstance(header["templates"], str):
        raise ValueError("its templates are no text")
    templates = Templates.parse(header["templates"])
    if not templates.arcs or not (templates.labels or templates.labeler):
        raise ValueError("it has no templates for arcs and labels")
    fits = templates.labeler and not templates.labels if roles else True
    if bool(roles) != bool(templates.roles) or not fits:
        raise ValueError("its templates are not those of a parser with latent_roles")
    names = header.get("tags", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("its tags are no list of names")
    if (tags and names) or len(names) > MOST_NAMED_TAGS:
        raise ValueError("it has too many tags")
    if not bool(tags or names) == bool(templates.tags) == bool(templates.tag_links):
        raise ValueError("its templates are not those of a parser with tags")
