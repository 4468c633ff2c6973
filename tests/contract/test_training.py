"""Training, for every architecture: killed at any moment and gone on with, it gives the same bytes."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest
import small_runs
from small_runs import ENGLISH, OPTIONS, VARIANTS, train_small, treebank_of

from arbora.errors import FileError
from arbora.models import architectures, find_architecture, read_model, write_model
from arbora.training import EpochReport, StoppedError, Watcher, checkpoint_name

NAMES = [architecture.name for architecture in architectures() if architecture.task]
KILLS, ENDS = 3, 5


def test_every_architecture_has_a_small_run():
    assert set(NAMES) == set(OPTIONS) - set(VARIANTS), "tests/small_runs.py needs a line for each"


class KilledError(Exception):
    pass


class Counter:
    """Counts the reports of a run, and ends it after so many."""

    def __init__(self, most: int | None = None) -> None:
        self.reports: list[EpochReport] = []
        self.most = most
        self.watcher = Watcher(on_report=self._count)

    def _count(self, report: EpochReport) -> None:
        self.reports.append(report)
        if len(self.reports) == self.most:
            raise KilledError


@pytest.fixture(scope="module", params=NAMES)
def whole(request, tmp_path_factory) -> tuple[str, bytes, list[EpochReport], float]:
    """Of each architecture: the bytes of a run that nobody disturbed, its reports, and its seconds."""
    output, counter = tmp_path_factory.mktemp("whole") / "m", Counter()
    resolve_name(find_architecture(request.param).task)  # torch takes longer than what is timed
    started = time.monotonic()
    trained = train_small(request.param, output, watcher=counter.watcher)
    assert trained.bytes == output.stat().st_size
    assert [path.name for path in output.parent.iterdir()] == ["m"]
    return request.param, output.read_bytes(), counter.reports, time.monotonic() - started


def test_ended_after_any_report_it_goes_on_to_the_same_bytes(whole, tmp_path):
    """With a checkpoint after each step, no step is done twice. Of many reports, some are drawn."""
    name, expected, reports, _ = whole
    for most in sorted(random.Random(name).sample(range(1, len(reports) + 1), min(ENDS, len(reports)))):
        output, counter = tmp_path / f"{most}", Counter(most)
        with pytest.raises(KilledError):
            train_small(name, output, watcher=counter.watcher)
        assert not output.exists()
        assert Path(checkpoint_name(str(output))).exists()
        resumed = Counter()
        train_small(name, output, resume=True, watcher=resumed.watcher)
        assert output.read_bytes() == expected
        assert counter.reports + resumed.reports == reports
        assert [path.name for path in tmp_path.iterdir()] == [output.name]
        output.unlink()


def test_killed_at_random_moments_it_goes_on_to_the_same_bytes(whole, tmp_path):
    name, expected, _, seconds = whole
    go_on_after_kills(name, expected, seconds, tmp_path, KILLS)


def test_a_neural_pipeline_goes_on_to_the_same_bytes(tmp_path):
    resolve_name(find_architecture("neural-parser").task)
    name, output, started = "neural-pipeline", tmp_path / "whole", time.monotonic()
    train_small(name, output)
    expected = output.read_bytes()
    output.unlink()
    go_on_after_kills(name, expected, time.monotonic() - started, tmp_path, 2)


def go_on_after_kills(name: str, expected: bytes, seconds: float, tmp_path: Path, most: int) -> None:
    """A run in a process of its own, killed so often at random moments, gives these bytes."""
    draw, output = random.Random(name), tmp_path / "m"
    checkpoint, kills, killed = Path(checkpoint_name(str(output))), 0, 0
    while not output.exists():
        command = [sys.executable, small_runs.__file__, name, output, "--resume"]
        running = subprocess.Popen(command if checkpoint.exists() else command[:-1], stderr=subprocess.PIPE)
        if kills < most:
            _wait_for_checkpoint(running, checkpoint)
            time.sleep(draw.uniform(0, seconds / most))
            running.send_signal(signal.SIGKILL)
            kills += 1
        _, errors = running.communicate(timeout=120)
        assert running.returncode in (0, -signal.SIGKILL), errors.decode()
        killed += running.returncode != 0
        # The model gets its name when all of it is there.
        assert output.exists() == (running.returncode == 0) or output.read_bytes() == expected
    assert killed
    assert output.read_bytes() == expected
    if running.returncode == 0:  # else the last kill came between the model and the end
        assert [path.name for path in tmp_path.iterdir()] == ["m"]


def _wait_for_checkpoint(running: subprocess.Popen, checkpoint: Path) -> None:
    """Until Python has begun to train: before, there is little to kill."""
    before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else None
    until = time.monotonic() + 60
    while running.poll() is None and time.monotonic() < until:
        if checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
            return
        time.sleep(0.005)


def test_an_interrupt_leaves_a_checkpoint_and_says_how_to_go_on(whole, tmp_path):
    name, expected, _, _ = whole

    def interrupt(report: EpochReport) -> None:
        raise KeyboardInterrupt

    output = tmp_path / "m"
    with pytest.raises(
        StoppedError, match=r"kept in .*m\.checkpoint, and this goes on: the same command with --resume"
    ):
        train_small(name, output, watcher=Watcher(on_report=interrupt))
    assert not output.exists()
    train_small(name, output, resume=True)
    assert output.read_bytes() == expected


@pytest.fixture(scope="module")
def stopped(whole, tmp_path_factory) -> tuple[str, Path]:
    """Of each architecture: its name, and the checkpoint of a run that was ended after two reports."""
    output = tmp_path_factory.mktemp("stopped") / "m"
    with pytest.raises(KilledError):
        train_small(whole[0], output, watcher=Counter(2).watcher)
    return whole[0], Path(checkpoint_name(str(output)))


def refused(name: str, output: Path, **changes) -> str:
    """The one line of why a run does not go on; the checkpoint stays as it is."""
    checkpoint = Path(checkpoint_name(str(output)))
    before = checkpoint.read_bytes() if checkpoint.exists() else None
    with pytest.raises(FileError) as caught:
        train_small(name, output, resume=True, **changes)
    assert caught.value.file == str(checkpoint)
    assert "\n" not in str(caught.value)
    assert (checkpoint.read_bytes() if checkpoint.exists() else None) == before
    assert not output.exists()
    return caught.value.reason


def test_a_checkpoint_of_another_run_is_refused(stopped, tmp_path):
    name, checkpoint = stopped
    for path in checkpoint.parent.iterdir():  # with those of runs within it
        shutil.copy(path, tmp_path)
    output = tmp_path / "m"
    reason = refused(name, output, seed=2)
    assert "seed (1, now 2); use the same options, or start anew without --resume" in reason
    treebank = treebank_of(name)
    other = tmp_path / treebank.name
    first_end = "\n\n" if treebank == ENGLISH else "\n"
    other.write_text(treebank.read_text("utf-8").partition(first_end)[2], "utf-8")
    assert "other data" in refused(name, output, source=other)
    assert "other data" in refused(name, output, dev=str(other))
    kind = next(other for other in NAMES if other != name)
    assert f"a checkpoint of a {name}, not of a {kind}" in refused(kind, output)


def test_no_checkpoint_is_refused(whole, tmp_path):
    assert "there is no checkpoint to go on from" in refused(whole[0], tmp_path / "m")


def test_a_damaged_checkpoint_is_refused(stopped, tmp_path):
    name, checkpoint = stopped
    data = checkpoint.read_bytes()
    middle, output = len(data) // 2, tmp_path / "m"
    own = tmp_path / "m.checkpoint"
    for damaged in (
        data[:middle],
        data.replace(b"fingerprint", b"FINGERPRINT"),
        data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
        b"",
        b"nonsense",
    ):
        own.write_bytes(damaged)
        refused(name, output)
    model = read_model(checkpoint)
    header = {key: value for key, value in model.header.items() if key != "version"}
    for key in ("reports", "parts", "stage", "kept", "best_epoch"):
        write_model(own, {one: value for one, value in header.items() if one != key}, model.tensors)
        assert refused(name, output).startswith(
            f"this is no checkpoint that Arbora can use: it lacks '{key}'"
        )
    if any(tensor.startswith("state/") for tensor in model.tensors):
        kept = {one: tensor for one, tensor in model.tensors.items() if not one.startswith("state/")}
        write_model(own, header, kept)
        assert "this is no checkpoint that Arbora can use" in refused(name, output)
    write_model(own, {"architecture": "tagger"}, {"weights": np.zeros(3, np.float32)})
    assert refused(name, output).startswith("this model is a tagger, not a checkpoint")


def test_anew_an_old_checkpoint_is_no_matter(stopped, whole, tmp_path):
    name, checkpoint = stopped
    output = tmp_path / "m"
    for path in checkpoint.parent.iterdir():
        (tmp_path / path.name).write_bytes(b"rubbish")
    leftover = tmp_path / ".m.checkpoint.0123abcd.part"
    leftover.touch()
    train_small(name, output)
    assert output.read_bytes() == whole[1]
    assert os.listdir(tmp_path) == ["m"]
