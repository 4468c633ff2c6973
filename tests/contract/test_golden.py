"""Golden models: what was trained once is loaded and run for ever, and says what it said then."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import arbora
from arbora.models import architectures

FOLDER = Path(__file__).resolve().parents[1] / "golden"
FILES = sorted(FOLDER.glob("*.arbora"))


def _make_golden() -> Any:
    spec = importlib.util.spec_from_file_location("make_golden", FOLDER / "make_golden.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GOLDEN = _make_golden()


def assert_same(found: Any, expected: Any, at: str = "") -> None:
    """Texts and whole numbers to the letter, others to seven digits: machines round differently."""
    if isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-9), at
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys(), at
        for key, value in expected.items():
            assert_same(found[key], value, f"{at}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), at
        for place, (own, other) in enumerate(zip(found, expected, strict=True)):
            assert_same(own, other, f"{at}[{place}]")
    else:
        assert found == expected, at


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_model_says_what_it_said(path):
    name = path.name.partition(".")[0]
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    found = GOLDEN.MODELS[name][1](arbora.load(path))
    assert_same(json.loads(json.dumps(found)), expected)


def test_every_architecture_has_one():
    names = [path.name.partition(".")[0] for path in FILES]
    for architecture in architectures():
        assert any(name.startswith(architecture.name) for name in names), architecture.name


def test_they_are_small():
    assert sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) < 1_000_000
