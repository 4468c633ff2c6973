"""What is fitted after learning: the pruner's threshold and the scales of probabilities."""

from __future__ import annotations

import math

import pytest

from arbora.dependency.calibration import THRESHOLDS, fit_scales, fit_threshold, natural_scales
from arbora.learning import LOSSES


@pytest.mark.parametrize("lost_from", range(len(THRESHOLDS) + 1))
def test_the_threshold_is_that_of_a_plain_search(lost_from):
    """Thresholds are tried one after the other by the twin; the first few lose too much."""

    def losses(threshold: float) -> float:
        asked.append(threshold)
        return 0.02 if THRESHOLDS.index(threshold) < lost_from else 0.01

    asked: list[float] = []
    fitting = [threshold for threshold in THRESHOLDS if losses(threshold) <= 0.01]
    asked.clear()
    assert fit_threshold(losses, 0.01) == (fitting or [THRESHOLDS[-1]])[0]
    assert len(asked) <= math.ceil(math.log2(len(THRESHOLDS)))


@pytest.mark.parametrize("best", [0.02, 0.3, 1.0, 7.0, 50.0])
@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_scales_are_near_the_best(best, labels):
    """Costs are least at the best scale, its double and its half."""
    joints = []

    def costs(scales: list[float], joint: float) -> tuple[list[float], list[float], list[float]]:
        joints.append(joint)
        return tuple([abs(math.log(scale / best / by)) for scale in scales] for by in (1, 2, 0.5))

    found = fit_scales(costs, labels)
    wanted = {"tree_scale": best, "label_scale": 2 * best, "joint_scale": best / 2}
    missing = {"joint": "label_scale", "second-stage": "joint_scale", "both": None}[labels]
    assert found.keys() == wanted.keys() - {missing}
    assert all(abs(math.log(found[name] / wanted[name])) < math.log(1.05) for name in found)
    assert joints[-1] == found.get("joint_scale", 1.0)  # trees are judged as the joint model finds them


def test_without_dev_the_loss_has_its_own_scale():
    for loss in LOSSES.values():
        scales = natural_scales(loss)
        assert set(scales.values()) == {loss.beta if math.isfinite(loss.beta) else 1.0}
