"""The folder of a bulk run: what it says is so, whoever has been at it, and whatever is gone."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from bulk_cases import InProcess, failures, output, text_of

from arbora.bulk import BulkOptions, Event, Watcher, bulk_output, bulk_status, run_bulk
from arbora.bulk.inputs import find_inputs
from arbora.bulk.lines import NAME
from arbora.bulk.manifest import Manifest, alone, begin, read_state
from arbora.errors import ArboraError, FileError
from arbora.executors import Crashed

HERE = {"executor": InProcess()}
OPTIONS = BulkOptions(shard_bytes=40)


class Ending(InProcess):
    """Workers that end at one shard."""

    def __init__(self, number: int) -> None:
        self._number = number

    def run(self, function, tasks, on_start, files):
        for task in tasks:
            lost = task.number == self._number
            yield Crashed(task.number, "it ended") if lost else function(task, *[None for _ in files])


@pytest.fixture
def source(tmp_path) -> Path:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "a.txt"
    path.write_text(text_of(6), "utf-8")
    return path


def test_who_has_done_a_shard_has_done_it_though_others_crashed(source, tmp_path):
    folder = tmp_path / "out"
    run_bulk([str(source)], folder, options=OPTIONS, part=(2, 2), executor=Ending(1))
    assert (bulk_status(folder).crashed, len(failures(folder))) == (1, 1)
    report = run_bulk([str(source)], folder, options=OPTIONS, **HERE)
    assert report.is_whole
    assert (bulk_status(folder).crashed, (folder / "failed.jsonl").exists()) == (0, False)
    # One that is forgotten since it is damaged, and then ends its worker, is not done.
    (folder / "shards" / "000001.conllu").write_bytes(b"")
    report = run_bulk([str(source)], folder, options=OPTIONS, executor=Ending(1))
    assert (report.crashed, report.done) == (1, report.shards - 1)


def test_outputs_that_are_gone_are_not_done(source, tmp_path):
    folder = tmp_path / "out"
    expected = output([source], folder, options=OPTIONS, **HERE)
    os.unlink(folder / "shards" / "000002.conllu")
    (folder / "shards" / "000003.conllu").write_bytes(b"half")
    found = bulk_status(folder)
    assert (found.done, found.is_over) == (found.shards - 2, False)
    assert found.damaged == ("shards/000002.conllu", "shards/000003.conllu")
    with pytest.raises(FileError, match="2 of 6 shards have no output"):
        list(bulk_output(folder))
    seen: list[Event] = []
    report = run_bulk([str(source)], folder, options=OPTIONS, watcher=Watcher(seen.append), **HERE)
    assert [event.data["number"] for event in seen if event.name == "damaged"] == [2, 3]
    assert report.worked == 2
    assert b"".join(bulk_output(folder)) == expected


@pytest.mark.parametrize("format", ["conllu", "conllu.gz", "jsonl"])
def test_damaged_outputs_are_not_handed_out(source, tmp_path, format):
    folder = tmp_path / "out"
    options = BulkOptions(shard_bytes=40, format=format)
    expected = output([source], folder, options=options, **HERE)
    path = folder / "shards" / f"000001.{format}"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(FileError, match=r"000001.*the output of shard 1 is not what .* with --verify"):
        list(bulk_output(folder))
    assert run_bulk([str(source)], folder, options=options, verify=True, **HERE).worked == 1
    assert b"".join(bulk_output(folder)) == expected


def test_lists_of_failures_that_are_gone_are_made_anew(tmp_path):
    path, folder = tmp_path / "a.txt", tmp_path / "out"
    path.write_bytes(b"Good dog.\n\nBad \xff.\n\nGood cat.\n\nBad \xff one.")
    run_bulk([str(path)], folder, options=BulkOptions(), **HERE)
    listed = (folder / "failed.jsonl").read_bytes()
    for damage in (lambda own: own.unlink(), lambda own: own.write_bytes(own.read_bytes()[:40])):
        damage(folder / "failures" / "000000.jsonl")
        run_bulk([str(path)], folder, options=BulkOptions(), verify=True, **HERE)
        assert (folder / "failed.jsonl").read_bytes() == listed
    shutil.rmtree(folder / "failures")
    assert run_bulk([str(path)], folder, options=BulkOptions(), **HERE).worked == 1
    assert (folder / "failed.jsonl").read_bytes() == listed


def test_the_part_that_ends_last_knows_the_failures_of_all(tmp_path):
    """Both begin before the other one has an end: who read the manifests at the start knows too little."""
    path, folder = tmp_path / "a.txt", tmp_path / "out"
    path.write_bytes(b"Good dog.\n\nBad \xff byte.\n\n")
    options = BulkOptions(shard_bytes=1)
    run_bulk([str(path)], folder, options=options, plan=True, **HERE)

    def do_the_other(event: Event) -> None:
        if event.name == "begun":
            assert run_bulk([str(path)], folder, options=options, part=(2, 2), **HERE).failed == 1

    report = run_bulk(
        [str(path)], folder, options=options, part=(1, 2), watcher=Watcher(do_the_other), **HERE
    )
    assert (report.worked, report.done, report.failed) == (1, 2, 1)
    assert [row["line"] for row in failures(folder)] == [3]


def test_a_folder_may_be_in_that_of_the_input(source, tmp_path, monkeypatch):
    inside = tmp_path / "in" / "parsed"
    options = BulkOptions(format="jsonl", shard_bytes=40)
    run_bulk([str(tmp_path / "in")], inside, options=options, **HERE)
    assert run_bulk([str(tmp_path / "in")], inside, options=options, **HERE).worked == 0
    other = tmp_path / "in" / "other"  # another run sees nothing of the first one
    report = run_bulk([str(tmp_path / "in")], other, options=options, **HERE)
    assert report.sentences == 12
    monkeypatch.chdir(tmp_path)
    found = find_inputs(["in/**/*.jsonl"], None, str(inside))[1]
    assert {Path(own.path).parts[-2] for own in found} == {"other", "shards"}
    assert not any(own.path.startswith(str(inside)) for own in found)
    (tmp_path / "in" / "speech").mkdir()
    (tmp_path / "in" / "speech" / NAME).write_text('{"audio": "a.wav"}\n')
    (tmp_path / "in" / "speech" / "b.txt").touch()  # manifests of others are just files
    assert len(find_inputs(["in"], "text")[1]) == 2


def test_inputs_are_the_same_by_all_names(source, tmp_path, monkeypatch):
    folder = tmp_path / "out"
    monkeypatch.chdir(tmp_path)
    run_bulk(["in/a.txt"], folder, options=OPTIONS, **HERE)
    for name in ("./in/a.txt", str(source), "in/../in/a.txt", "in"):
        assert run_bulk([name], folder, options=OPTIONS, **HERE).worked == 0
    (tmp_path / "sub" / "in").mkdir(parents=True)
    shutil.copy(source, tmp_path / "sub" / "in" / "a.txt")
    monkeypatch.chdir(tmp_path / "sub")
    with pytest.raises(ArboraError, match="begun with other inputs"):
        run_bulk(["in/a.txt"], folder, options=OPTIONS, **HERE)


def test_names_that_are_no_utf8(tmp_path):
    name = os.path.join(os.fsencode(tmp_path), b"gr\xf6\xdfe.jsonl")
    try:
        with open(name, "wb") as stream:
            stream.write(b'{"text": "A dog."}\n{}\n')
    except OSError:
        pytest.skip("the disk has no such names")
    folder = tmp_path / "out"
    for _ in range(2):
        report = run_bulk([os.fsdecode(name)], folder, options=BulkOptions(), **HERE)
        assert (report.sentences, report.failed) == (1, 1)
    assert os.fsencode(failures(folder)[0]["input"]) == name
    assert "# newdoc id = gr\ufffd\ufffde.jsonl:1\n".encode() in b"".join(bulk_output(folder))
    assert read_state(folder).shards[0].path == os.fsdecode(name)


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(FileError, match=r"a\.txt: this is a pipe or a device"):
        find_inputs([str(tmp_path / "a.txt")])


def test_what_the_disk_refuses_names_the_file(source, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match=f"{tmp_path}/file/out: .*irectory"):
        run_bulk([str(source)], tmp_path / "file" / "out", options=OPTIONS, **HERE)

    def refuse(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with alone(str(tmp_path / "full")), monkeypatch.context() as patch:
        patch.setattr("os.fsync", refuse)
        with pytest.raises(FileError, match=f"{tmp_path}/full/{NAME}: No space left"):
            begin(str(tmp_path / "full"), {})
        patch.undo()
        begin(str(tmp_path / "full"), {"options": {}})
        with Manifest(str(tmp_path / "full")) as manifest:
            patch.setattr("os.fsync", refuse)
            with pytest.raises(FileError, match=f"{tmp_path}/full/{NAME}: No space left"):
                manifest.add("planned", shards=0)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="names of open files are not to be had here")
def test_all_is_on_the_disk_before_it_has_its_name(source, tmp_path, monkeypatch):
    """Written, put on the disk, renamed, the folder put on the disk; and only then told to the manifest."""
    seen: list[tuple[str, str]] = []
    fsync, replace = os.fsync, os.replace

    def name_of(handle: int) -> str:
        return os.path.basename(os.readlink(f"/proc/self/fd/{handle}"))

    def watch_fsync(handle: int) -> None:
        name, found = name_of(handle), os.fstat(handle)
        assert found.st_size or not stat.S_ISREG(found.st_mode), f"nothing was written to {name}"
        seen.append(("on disk", name))
        fsync(handle)

    def watch_replace(old, new) -> None:
        seen.append(("renamed", os.path.basename(old)))
        replace(old, new)

    monkeypatch.setattr("os.fsync", watch_fsync)
    monkeypatch.setattr("os.replace", watch_replace)
    run_bulk([str(source)], tmp_path / "out", options=BulkOptions(), **HERE)
    steps = [step for step in seen if "failed" not in step[1]]
    part = next(name for what, name in steps if what == "renamed")
    assert part.startswith(".000000.conllu.")
    at = steps.index(("on disk", part))
    assert steps[at : at + 4] == [
        ("on disk", part),
        ("renamed", part),
        ("on disk", "shards"),
        ("on disk", NAME),
    ]
    assert json.loads((tmp_path / "out" / NAME).read_bytes().splitlines()[-1])["kind"] in ("done", "planned")
