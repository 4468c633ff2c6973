"""Training and parsing give the same bytes every time: on any threads, resumed, saved and loaded."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_training import SMALL, changed, las, treebank

from arbora.dependency import DependencyParser, ParseOptions, preset_templates, train
from arbora.errors import ArboraError, FileError
from arbora.treebank import Sentence


def file_bytes(parser: DependencyParser, path: Path) -> bytes:
    parser.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_threads_change_nothing(labels, tmp_path):
    data, options = treebank(), changed(labels=labels)
    parsers = [train(data, data[:5], options, threads=threads) for threads in (1, 2, 3)]
    first, *others = [file_bytes(parser, tmp_path / "model") for parser in parsers]
    assert others == [first, first]
    other = train(data, data[:5], changed(labels=labels, seed=2))
    assert file_bytes(other, tmp_path / "other") != first


def test_batches_and_threads_of_parsing_change_nothing(parser):
    data = treebank() + treebank("de") + [Sentence(comments=["# nothing"])]
    texts = set()
    for threads, batch in [(1, 8192), (1, 1), (2, 1), (3, 40), (2, 8192)]:
        for _ in range(2):  # and the second time as the first
            options = ParseOptions(decoder="mbr", probabilities=True, threads=threads, batch=batch)
            parsed = parser.parse([sentence.copy() for sentence in data], options)
            texts.add("".join(sentence.to_conllu() for sentence in parsed))
    assert len(texts) == 1


class KilledError(Exception):
    pass


@pytest.mark.parametrize("learner", ["aggressive", "adagrad"])
@pytest.mark.parametrize("when", [0, 1, 2])
@pytest.mark.parametrize("features", ["complete", "supported"])
def test_resume_gives_the_same_bytes(learner, when, features, tmp_path):
    data, checkpoint = treebank(), tmp_path / "checkpoint"
    options = changed(learner=learner, features=features)

    def kill(report):
        if report.epoch > when:
            raise KilledError

    whole = train(data, data[:4], options)
    with pytest.raises(KilledError) if when < 2 else pytest.MonkeyPatch.context():
        train(data, data[:4], options, checkpoint=checkpoint, keep_checkpoint=True, progress=kill)
    reports = []
    resumed = train(
        data, data[:4], options, checkpoint=checkpoint, resume=True, progress=reports.append, threads=2
    )
    assert [report.epoch for report in reports] == [[2, 0], [0], []][when]  # the last is calibration
    assert file_bytes(resumed, tmp_path / "a") == file_bytes(whole, tmp_path / "b")
    assert not checkpoint.exists()


KILLED_WHILE_WRITING = """
import os, signal, sys
import numpy as np
from arbora.models import file, write_model
file._bytes = lambda array: os.kill(os.getpid(), signal.SIGKILL)  # its second call of write
file._checksum = lambda array: 0
write_model(sys.argv[1], {"architecture": "x"}, {"weights": np.zeros(9, np.float32)})
"""


@pytest.mark.parametrize("resume", [False, True])
def test_what_a_kill_left_half_written_is_removed(resume, tmp_path):
    data, checkpoint = treebank(), tmp_path / "m.checkpoint"
    train(data, None, SMALL, checkpoint=checkpoint, keep_checkpoint=True)
    for name in (checkpoint.name, "n.checkpoint"):
        done = subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, tmp_path / name], check=False)
        assert done.returncode == -signal.SIGKILL
    (tmp_path / ".m.checkpoint.part").touch()  # no name that we give
    assert len(list(tmp_path.glob(".*.part"))) == 3
    train(data, None, SMALL, checkpoint=checkpoint, resume=resume)
    left, other = sorted(tmp_path.iterdir())
    assert left.name == ".m.checkpoint.part"
    assert other.name.startswith(".n.checkpoint.")


def test_resume_refuses_what_does_not_fit(tmp_path):
    data, checkpoint = treebank(), tmp_path / "checkpoint"
    train(data, None, SMALL, checkpoint=checkpoint, keep_checkpoint=True)
    with pytest.raises(FileError, match="another rate"):
        train(data, None, changed(rate=0.5), checkpoint=checkpoint, resume=True)
    with pytest.raises(FileError, match="another bits"):
        train(data, None, changed(bits=15), checkpoint=checkpoint, resume=True)
    with pytest.raises(FileError, match="other data"):
        train(data[1:], None, SMALL, checkpoint=checkpoint, resume=True)
    with pytest.raises(FileError, match="other data"):
        train(data, data, SMALL, checkpoint=checkpoint, resume=True)
    own = preset_templates("first-order")
    own.arcs = own.arcs[1:]
    with pytest.raises(FileError, match="another preset"):
        train(data, None, SMALL, templates=own, checkpoint=checkpoint, resume=True)
    train(data, None, SMALL, templates=own, checkpoint=tmp_path / "own", keep_checkpoint=True)
    own.arcs = own.arcs[1:]
    with pytest.raises(FileError, match="templates"):
        train(data, None, SMALL, templates=own, checkpoint=tmp_path / "own", resume=True)
    train(data, None, SMALL).save(tmp_path / "model")
    with pytest.raises(FileError):
        train(data, None, SMALL, checkpoint=tmp_path / "model", resume=True)
    with pytest.raises(FileError):
        train(data, None, SMALL, checkpoint=tmp_path / "nowhere", resume=True)
    with pytest.raises(ArboraError, match="nothing to resume"):
        train(data, None, SMALL, resume=True)


def test_save_and_load(parser, tmp_path):
    data = treebank()
    parser.save(tmp_path / "model")
    loaded = DependencyParser.load(tmp_path / "model")
    parser.save(tmp_path / "small", compact_weights=True)
    small = DependencyParser.load(tmp_path / "small")
    options = ParseOptions(probabilities=True)

    def text(parser: DependencyParser) -> str:
        return "".join(sentence.to_conllu() for sentence in parser.parse([s.copy() for s in data], options))

    assert text(loaded) == text(parser)
    assert las(small, data) > las(parser, data) - 0.05
