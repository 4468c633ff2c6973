"""The architecture that CONTRIBUTING.md makes as an example: with what is written there, all of it works."""

from __future__ import annotations

import importlib.metadata
import sys
import types
from pathlib import Path

import pytest
from command import run_here

import arbora
from arbora.models.registry import GROUP
from arbora.training import Watcher, train_file

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = str(ROOT / "examples" / "treebank" / "en.conllu")


@pytest.fixture
def example(monkeypatch) -> types.ModuleType:
    """The page's code as a module, registered as other packages do it."""
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    code = page.split("## Worked example: an architecture")[1].split("```python\n")[1].split("```")[0]
    module = types.ModuleType("majority")
    monkeypatch.setitem(sys.modules, "majority", module)
    exec(code, module.__dict__)
    point = importlib.metadata.EntryPoint("majority-tagger", "majority:ARCHITECTURE", GROUP)
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda **by: [point] if by["name"] == point.name else []
    )
    return module


def test_it_is_trained_and_loaded(example, tmp_path):
    model = tmp_path / "m"
    train_file("majority-tagger", ENGLISH, str(model))
    loaded = arbora.load(model)
    assert isinstance(loaded, example.MajorityTagger)
    assert loaded.tags["the"] == "DET"
    assert loaded.adds == ("upos",)
    assert "majority-tagger" in run_here("inspect", model).stdout


def test_a_stopped_run_goes_on_to_the_same_bytes(example, tmp_path):
    options = example.MajorityOptions(epochs=3)

    def stop(report):
        if report.epoch == 2:
            raise InterruptedError

    train_file("majority-tagger", ENGLISH, str(tmp_path / "whole"), options=options)
    other = str(tmp_path / "resumed")
    with pytest.raises(InterruptedError):
        train_file("majority-tagger", ENGLISH, other, options=options, watcher=Watcher(on_report=stop))
    titles = []
    train_file(
        "majority-tagger",
        ENGLISH,
        other,
        options=options,
        resume=True,
        watcher=Watcher(on_step=titles.append),
    )
    assert titles == ["epoch 3/3", "finishing"]
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
