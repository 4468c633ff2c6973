"""Which templates carry the weight of a model."""

from __future__ import annotations

from typing import Any

from arbora import _core
from arbora.dependency.treebanks import TrainingData
from arbora.features import PARTS, SECTIONS, Templates

# Sections whose weights belong to no arc alone.
_NOT_OF_ARCS = ("siblings", "pruner", "tag-bigrams", "tag-trigrams", *PARTS)
_MOST = 20


def heaviest_templates(
    model: _core.LinearModel, templates: str, weights: _core.ShortWeights, sample: TrainingData
) -> list[dict[str, Any]]:
    """Templates by the share of the squared weight that their features have in gold trees."""
    parsed = Templates.parse(templates)
    found: list[tuple[str, str, float]] = []
    for section in SECTIONS:
        if section in _NOT_OF_ARCS:
            continue
        masses = model.template_masses(section, weights, sample.encoded, sample.whole, sample.labels)
        found += zip([section] * len(masses), map(str, parsed.of(section)), masses, strict=True)
    total = sum(mass for _, _, mass in found) or 1.0
    found.sort(key=lambda item: -item[2])
    return [
        {"section": section, "template": template, "mass": round(mass / total, 4)}
        for section, template, mass in found[:_MOST]
    ]
