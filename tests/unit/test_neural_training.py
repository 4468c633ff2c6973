"""Training neural parsers: what torch may lack, what its checkpoints keep, and where it stops."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import small_runs
import torch
from small_neural import OPTIONS, encoder_folder, write_folder
from small_runs import ENGLISH

from arbora.errors import ArboraError, FileError
from arbora.neural.learning import generator_states, restore_generators
from arbora.neural.network import has_bfloat16
from arbora.neural.training import check_torch
from arbora.pipeline import PipelineOptions
from arbora.training import EpochReport, Watcher, train_file

PIPELINE = PipelineOptions(replace(small_runs.TOKENIZER, epochs=2), small_runs.TAGGER, neural=OPTIONS)


class StoppedHereError(Exception):
    pass


def stop(report: EpochReport) -> None:
    raise StoppedHereError


def test_a_torch_that_is_too_old_is_refused(monkeypatch):
    monkeypatch.delattr(torch, "accelerator")
    with pytest.raises(ArboraError, match=r"needs torch 2\.6 or later, not "):
        check_torch()


def test_a_torch_that_does_not_tell_of_bfloat16_computes_in_float32(monkeypatch):
    monkeypatch.setattr(torch, "ops", SimpleNamespace(mkldnn=SimpleNamespace()))
    assert not has_bfloat16(torch.device("cpu"))


def test_checkpoints_keep_the_generator_of_the_accelerator(monkeypatch):
    own = torch.Generator().manual_seed(5)
    module = SimpleNamespace(get_rng_state=own.get_state, set_rng_state=own.set_state)
    monkeypatch.setattr(torch, "get_device_module", lambda device: module)
    before = torch.get_rng_state()
    device = torch.device("cuda")
    states = generator_states(device)
    expected = torch.rand(3, generator=own), torch.rand(3)
    restore_generators(device, states)
    assert all(map(torch.equal, expected, (torch.rand(3, generator=own), torch.rand(3))))
    torch.set_rng_state(before)
    assert list(generator_states(torch.device("cpu"))) == ["generator"]


def test_a_pipeline_does_not_go_on_with_another_encoder(tmp_path):
    """Whatever is done already: the parser's own checkpoint is not always there to tell."""
    own = {"dev": str(ENGLISH), "options": PIPELINE}

    def train(encoder: str, **more) -> None:
        train_file("pipeline", str(ENGLISH), str(tmp_path / "m"), encoder=encoder, **own, **more)

    with pytest.raises(StoppedHereError):
        train(encoder_folder(), watcher=Watcher(on_report=stop))
    other = tmp_path / "other"
    other.mkdir()
    write_folder(other, layer_norm_eps=1e-9)
    with pytest.raises(FileError, match=r"made with other data, .* or another encoder; start anew"):
        train(str(other), resume=True)


RESTING = replace(OPTIONS, epochs=9, patience=2, rate=1e-30, head_rate=1e-30, precision="float32")
"""Nothing changes, so the first epoch is as good as any."""


def train_resting(output, **more) -> dict:
    options = {"dev": str(ENGLISH), "options": RESTING, "encoder": encoder_folder()}
    return train_file("neural-parser", str(ENGLISH), str(output), **options, **more).report


def test_a_run_that_has_come_to_rest_ends_early(tmp_path):
    report = train_resting(tmp_path / "whole")
    assert [row["epoch"] for row in report["epochs"]] == [1, 2, 3]
    assert report["kept"] == 1
    reports: list[EpochReport] = []

    def stop_at_rest(report: EpochReport) -> None:
        reports.append(report)
        if len(reports) == 3:
            raise StoppedHereError

    with pytest.raises(StoppedHereError):
        train_resting(tmp_path / "m", watcher=Watcher(on_report=stop_at_rest))
    train_resting(tmp_path / "m", resume=True)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def test_training_that_diverges_says_so(tmp_path):
    options = replace(OPTIONS, rate=1000.0)
    with pytest.raises(ArboraError, match=r"^training has diverged: .* lower --rate \(1000\) or --head-rate"):
        train_file(
            "neural-parser", str(ENGLISH), str(tmp_path / "m"), options=options, encoder=encoder_folder()
        )
