"""Presets: named parsers, each a few files of templates and the options that go with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

from arbora.dependency.options import TrainingOptions
from arbora.errors import ArboraError
from arbora.features import PARTS, Template, Templates


@dataclass(frozen=True, slots=True)
class Preset:
    """Template files (their sections are joined), and what differs from the defaults of TrainingOptions.

    ``projective``: what else differs where trees must be projective.
    """

    files: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    projective: Mapping[str, Any] = field(default_factory=dict)


# Candidates are dearer where every two of them make a part, and more weights are needed.
_HIGHER = {
    "pruning": 0.003,
    "most_heads": 40,
    "pruner_bits": 20,
    "bits": 23,
    "labels": "both",
    "solver": "hill-climbing",
}
# The second stage decides labels; trees ask for fewer templates of them where speed counts.
_BASE = ("arcs", "labels-few", "pruner")
_SECOND = ("consecutive-siblings", "grandparents")
_THIRD = (*_SECOND, "grand-siblings", "tri-siblings", "all-siblings", "head-bigrams")
# Koo et al. 2010: dual decomposition. They learn by an averaged perceptron from head automata alone, which is
# `--outer automata --loss perceptron`; a margin over the relaxation, as in Martins et al. 2010, makes better
# trees: after three epochs on EWT, 99.2 % of those of grand-siblings are proved instead of the 96.5 % without
# an outer set, and more are right.
_AUTOMATA = {**_HIGHER, "solver": "dual-decomposition", "outer": "relaxation"}
_BELIEF = {**_HIGHER, "loss": "crf", "learner": "sgd", "propagations": 5}
PRESETS: dict[str, Preset] = {
    "first-order": Preset(("arcs", "labels")),
    # Projective trees have an exact chart of all but the pairs, for the k best and probabilities too.
    "second-order": Preset((*_BASE, *_SECOND, "all-siblings"), _HIGHER, {"parts": _SECOND}),
    "third-order": Preset(("arcs", "labels", "pruner", *_THIRD), _HIGHER),
    # Smith & Eisner 2008: probabilities by five propagations.
    "belief": Preset((*_BASE, *_SECOND, "crossings"), _BELIEF),
    # And their tags: TAG, TAGLINK and TRIGRAM with the tree, among those that a tagger lists.
    "joint": Preset((*_BASE, *_SECOND, "joint-tags"), {**_BELIEF, "solver": "bp", "joint_tags": 4}),
    # Martins et al. 2010: the linear relaxation, by its dual.
    "turbo": Preset((*_BASE, "all-siblings", "grandparents"), {**_HIGHER, "solver": "ad3"}),
    "automata-sibling": Preset((*_BASE, "consecutive-siblings"), _AUTOMATA),
    "automata-grandsibling": Preset((*_BASE, *_SECOND, "grand-siblings"), _AUTOMATA),
}


def preset_templates(name: str) -> Templates:
    """The templates of a preset.

    >>> len(preset_templates("first-order").arcs) > 50
    True
    """
    names = find_preset(name).files
    if "joint-tags" not in names:
        names = (*names, "tags")  # of hidden tags, which count if they are asked for
    return _templates_of(names, f"preset {name}")


def part_templates(kind: str) -> list[Template]:
    """The templates that a kind of part has where a preset has it; ArboraError names the kinds.

    >>> [str(template) for template in part_templates("valencies")][0]
    'head.upos : direction'
    """
    if kind not in PARTS:
        raise ArboraError(f"there are no parts {kind!r}; there are {', '.join(PARTS)}")
    return _templates_of((kind,), kind).of(kind)


def _templates_of(names: Iterable[str], title: str) -> Templates:
    folder = files(__name__)
    texts = [folder.joinpath(f"{name}.txt").read_text(encoding="utf-8") for name in names]
    return Templates.parse("\n".join(texts), name=title)


def preset_options(name: str, **changes: Any) -> TrainingOptions:
    """The training options of a preset, with changes; None leaves an option as the preset has it.

    >>> preset_options("first-order", epochs=3).epochs
    3
    """
    given = {key: value for key, value in changes.items() if value is not None}
    preset = find_preset(name)
    projective = preset.projective if given.get("projective") else {}
    return TrainingOptions(**{"preset": name, **preset.options, **projective, **given})


def as_projective(options: TrainingOptions) -> TrainingOptions:
    """The options for projective trees, with what the preset changes then, unless that was asked for.

    >>> as_projective(preset_options("second-order")) == preset_options("second-order", projective=True)
    True
    """
    preset, plain = find_preset(options.preset), preset_options(options.preset)
    own = {
        name: value
        for name, value in preset.projective.items()
        if getattr(options, name) == getattr(plain, name)
    }
    return replace(options, projective=True, **own)


def find_preset(name: str) -> Preset:
    """The preset of this name; ArboraError names those that there are."""
    if name not in PRESETS:
        raise ArboraError(f"there is no preset {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]
