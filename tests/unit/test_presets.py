"""Presets: what they join, and the options that go with them."""

from __future__ import annotations

from dataclasses import fields

import pytest

from arbora.dependency import PRESETS, TrainingOptions, preset_templates
from arbora.dependency.presets import find_preset, part_templates, preset_options
from arbora.dependency.template_selection import select_templates
from arbora.errors import ArboraError
from arbora.features import PARTS, Templates


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


def test_projective_second_order_has_the_parts_of_its_chart():
    templates = preset_templates("second-order")
    for changes, parts in (
        ({}, set(templates.parts)),
        ({"projective": True}, {"consecutive-siblings", "grandparents"}),
        ({"projective": True, "parts": ("valencies",)}, {"valencies"}),
    ):
        assert set(select_templates(templates, preset_options("second-order", **changes)).parts) == parts


def test_presets_build_on_each_other():
    first, second, third = (preset_templates(f"{number}-order") for number in ("first", "second", "third"))
    assert not first.parts
    assert set(second.parts) == {"consecutive-siblings", "grandparents", "all-siblings"}
    assert set(third.parts) == set(PARTS) - {"crossings", "valencies", "nonprojective-arcs"}
    assert first.arcs == second.arcs == third.arcs
    assert first.pruner == second.pruner[: len(first.pruner)] != second.pruner == third.pruner
    assert all(third.of(section) == second.of(section) for section in second.parts)


@pytest.mark.parametrize("kind", PARTS)
def test_every_part_has_templates(kind):
    """The same wherever it comes from: a preset that has it, or one that lacks it and is asked for it."""
    own = part_templates(kind)
    assert own
    for name in PRESETS:
        templates = preset_templates(name)
        assert templates.of(kind) in ([], own)
        chosen = select_templates(templates, preset_options(name, parts=(kind,)))
        assert chosen.parts == {kind: own}


def test_parts_of_own_templates_come_first():
    templates = Templates.parse("[arcs]\nhead.upos\n[labels]\nhead.upos\n[valencies]\nhead.form : direction")
    options = TrainingOptions(parts=("valencies", "grandparents"))
    chosen = select_templates(templates, options)
    assert list(chosen.parts) == ["grandparents", "valencies"]
    assert [str(template) for template in chosen.of("valencies")] == ["head.form : direction"]
    with pytest.raises(ArboraError, match="no parts 'cousins'; there are consecutive-siblings"):
        select_templates(templates, TrainingOptions(parts=("cousins",)))


@pytest.mark.parametrize("ask", [find_preset, preset_templates, preset_options])
def test_unknown_presets(ask):
    with pytest.raises(
        ArboraError, match="no preset 'fourth-order'; there are first-order, second-order, third"
    ):
        ask("fourth-order")
