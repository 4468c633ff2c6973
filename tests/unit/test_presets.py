"""Presets: what they join, and the options that go with them."""

from __future__ import annotations

from dataclasses import fields

import pytest

from arbora.dependency import PRESETS, TrainingOptions, preset_templates
from arbora.dependency.presets import find_preset, preset_options
from arbora.errors import ArboraError
from arbora.features import PARTS


def test_options_of_presets():
    assert preset_options("first-order") == TrainingOptions()
    second = preset_options("second-order")
    assert (second.preset, second.labels, second.solver) == ("second-order", "both", "hill-climbing")
    changed = preset_options("second-order", solver="ad3", epochs=None, bits=12)
    assert (changed.solver, changed.epochs, changed.bits) == ("ad3", TrainingOptions().epochs, 12)
    assert (changed.pruning, changed.labels) == (second.pruning, second.labels)


@pytest.mark.parametrize("name", PRESETS)
def test_options_of_a_preset_are_options(name):
    assert set(PRESETS[name].options) <= {field.name for field in fields(TrainingOptions)}
    assert preset_options(name).check().preset == name


def test_presets_build_on_each_other():
    first, second, third = (preset_templates(f"{number}-order") for number in ("first", "second", "third"))
    assert not first.parts
    assert list(second.parts) == ["consecutive-siblings", "grandparents"]
    assert set(third.parts) == set(PARTS) - {"crossings"}
    assert first.arcs == second.arcs == third.arcs
    assert first.pruner == second.pruner[: len(first.pruner)] != second.pruner == third.pruner
    assert all(third.of(section) == second.of(section) for section in second.parts)


def test_every_part_has_a_preset():
    assert {section for name in PRESETS for section in preset_templates(name).parts} == set(PARTS)


@pytest.mark.parametrize("ask", [find_preset, preset_templates, preset_options])
def test_unknown_presets(ask):
    with pytest.raises(
        ArboraError, match="no preset 'fourth-order'; there are first-order, second-order, third"
    ):
        ask("fourth-order")
