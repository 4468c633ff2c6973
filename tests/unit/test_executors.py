"""Real executors: all give the same bytes, also when workers, schedulers and whole runs are killed."""

from __future__ import annotations

import json
import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from bulk_cases import TREEBANK, text_of
from command import run_here

from arbora.bulk import BulkOptions, Event, Watcher, bulk_output, bulk_status, run_bulk
from arbora.bulk.manifest import NAME, read_lines
from arbora.errors import ArboraError
from arbora.executors import EXECUTORS, Crashed, Executor, LostClusterError, TaskError, make_executor
from arbora.pipeline.shipped import existing_model

OPTIONS = BulkOptions(shard_bytes=15_000)
COMMAND = "from arbora.cli import main; main()"


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("bulk") / "a.txt"
    path.write_text(text_of(3000), "utf-8")
    return path


@pytest.fixture(scope="module")
def expected(source, tmp_path_factory) -> bytes:
    folder = tmp_path_factory.mktemp("expected") / "out"
    run_bulk([str(source)], folder, options=OPTIONS, workers=1)
    assert bulk_status(folder).shards > 8
    return b"".join(bulk_output(folder))


def check(folder: Path, expected: bytes) -> None:
    """All of it, every shard done, and none of them without a name."""
    assert b"".join(bulk_output(folder)) == expected
    assert bulk_status(folder, verify=True).damaged == ()
    assert not list((folder / "shards").glob(".*"))


@pytest.mark.parametrize("name", EXECUTORS)
def test_a_worker_is_killed_while_it_works(name, source, expected, tmp_path):
    killed = []

    def kill(event: Event) -> None:
        if event.name == "done" and not killed:
            process = int(event.data["worker"].rpartition(":")[2])
            assert process != os.getpid()
            killed.append(process)
            os.kill(process, signal.SIGKILL)

    report = run_bulk(
        [str(source)], tmp_path / "out", options=OPTIONS, workers=2, executor=name, watcher=Watcher(kill)
    )
    assert killed
    assert report.is_whole
    check(tmp_path / "out", expected)
    done = [line["number"] for line in read_lines(str(tmp_path / "out" / NAME)) if line["kind"] == "done"]
    assert sorted(done) == list(range(report.shards))  # none is lost, none is done twice


def begin(source: Path, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """A run in a process of its own."""
    command = [sys.executable, "-c", COMMAND, "bulk", str(source), "-o", str(folder), "--workers", "2"]
    return subprocess.Popen(
        [*command, "--shard-size", str(OPTIONS.shard_bytes), *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for(folder: Path, shards: int, process: subprocess.Popen[bytes]) -> None:
    """Until so many are done."""
    for _ in range(1200):
        if (folder / NAME).exists() and (folder / NAME).read_bytes().count(b'"kind": "done"') >= shards:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("nothing is done in a minute")


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_the_run_itself_is_killed(stop, source, expected, tmp_path):
    folder = tmp_path / "out"
    for shards in (1, 4):
        process = begin(source, folder)
        wait_for(folder, shards, process)
        os.kill(process.pid, stop)
        _, said = process.communicate(timeout=60)
        if stop == signal.SIGINT:
            assert process.returncode == 130
            assert b"the same command goes on" in said
    assert bulk_status(folder).done < bulk_status(folder).shards or not bulk_status(folder).planned
    run_bulk([str(source)], folder, options=OPTIONS, workers=2)
    check(folder, expected)


def begin_dask(*words: str) -> subprocess.Popen[bytes]:
    """A part of a cluster."""
    command = [sys.executable, "-m", "dask", *words]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)


@contextmanager
def dask_cluster(folder: Path, workers: int = 2) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A scheduler and some workers in processes of their own, as of other machines, and the address."""
    file = folder / "scheduler.json"
    shared = ["--no-dashboard", "--scheduler-file", str(file)]
    scheduler = begin_dask("scheduler", "--host", "127.0.0.1", "--port", "0", *shared)
    own = ["--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
    parts = [begin_dask("worker", *own, *shared) for _ in range(workers)]
    try:
        for _ in range(600):
            if file.exists() and file.read_text():
                break
            time.sleep(0.05)
        yield scheduler, json.loads(file.read_text())["address"]
    finally:
        for process in (scheduler, *parts):
            process.kill()
            process.wait()


def test_the_scheduler_of_dask_is_killed(source, expected, tmp_path):
    folder = tmp_path / "out"
    with dask_cluster(tmp_path) as (scheduler, address):

        def kill(event: Event) -> None:
            if event.name == "done":
                scheduler.kill()

        with pytest.raises(ArboraError, match="what is done is kept: run the same command again"):
            run_bulk(
                [str(source)],
                folder,
                options=OPTIONS,
                executor="dask",
                address=address,
                watcher=Watcher(kill),
            )
    assert bulk_status(folder).done > 0
    run_bulk([str(source)], folder, options=OPTIONS, workers=2)
    check(folder, expected)


def test_a_scheduler_of_dask_without_workers(tmp_path, monkeypatch):
    monkeypatch.setattr("arbora.executors.dask.LONELY", 0.5)
    monkeypatch.setattr("arbora.executors.dask.COUNTING", 0.1)
    with (
        dask_cluster(tmp_path, workers=0) as (_, address),
        make_executor("dask", 1, address) as executor,
        pytest.raises(LostClusterError, match=f"there are no workers at the Dask scheduler {address}; what"),
    ):
        list(executor.run(operator.attrgetter("number"), tasks(1), files=[__file__]))


def tasks(*numbers: int) -> Iterator[SimpleNamespace]:
    return iter([SimpleNamespace(number=number) for number in numbers])


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_what_tasks_do_to_the_workers_of_a_cluster(name, tmp_path, monkeypatch):
    """End them, each time or once, and what they had is brought to the next ones; open a model; raise."""

    def ends(task, data):
        once = tmp_path / "once"
        if task.number == 1 or (task.number == 3 and not once.exists()):
            if task.number == 3:
                once.touch()
            os._exit(7)
        return task.number, len(data)

    def opens(task, data):
        work = import_module("arbora.bulk.work")
        before = work._OPENED.get("digest")
        return os.getpid(), work.opened("no path", "digest", data) is not before

    def full_disk():
        yield from tasks(1)
        raise OSError("the disk is full")

    model = existing_model("en")
    with make_executor(name, 2) as executor:
        found = list(executor.run(ends, tasks(*range(6)), files=[__file__]))
        crashed = [answer for answer in found if isinstance(answer, Crashed)]
        assert [answer.number for answer in crashed] == [1]
        assert "its worker ended, 3 times" in crashed[0].reason
        others = sorted(answer for answer in found if answer not in crashed)
        assert others == [(number, os.path.getsize(__file__)) for number in (0, 2, 3, 4, 5)]

        opened = list(executor.run(opens, tasks(*range(8)), files=[model]))
        assert sum(is_new for _, is_new in opened) == len({process for process, _ in opened})

        check_exception(executor)
        with pytest.raises(OSError, match="the disk is full"):  # it is no cluster that is gone
            list(executor.run(operator.attrgetter("number"), full_disk()))
        if name == "ray":

            def gone(_):
                raise import_module("ray").exceptions.LocalRayletDiedError

            monkeypatch.setattr("ray.get", gone)
            with pytest.raises(LostClusterError, match=r"the Ray cluster is gone .*LocalRayletDiedError"):
                list(executor.run(operator.attrgetter("number"), tasks(1)))


def check_exception(executor: Executor) -> None:
    """It is told in one line, whoever works, and not tried again; its traceback is not lost."""
    begun = []
    run = executor.run(operator.attrgetter("missing"), tasks(7), lambda _, number: begun.append(number))
    with pytest.raises(TaskError) as caught:
        next(run)
    assert str(caught.value).startswith("task 7: AttributeError: ")
    assert "\n" not in str(caught.value)
    assert "Traceback" in caught.value.__notes__[0]
    assert begun == [7]


def test_an_exception_is_no_end_of_a_worker():
    check_exception(make_executor("local", 1))


def test_what_cannot_be_pickled_is_an_exception_too():
    """Of a worker of this machine: a view of a class is none to send."""
    with pytest.raises(TaskError, match=r"a worker: TypeError: cannot pickle"):
        list(make_executor("local", 1).run(operator.attrgetter("number.__class__.__dict__"), tasks(1)))


def test_ctrl_c_ends_a_run_of_dask_in_one_line(tmp_path):
    """The terminal tells it to all processes: those that Dask has begun say nothing."""
    path = tmp_path / "a.txt"
    path.write_text(text_of(30_000), "utf-8")
    process = begin(path, tmp_path / "out", "--executor", "dask")
    wait_for(tmp_path / "out", 1, process)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert b"Traceback" not in said
    assert b"the same command goes on" in said


def test_workers_end_with_the_run_in_the_middle_of_their_work(tmp_path):
    """Also if it was killed, and could not end them."""
    (tmp_path / "slow.py").write_text(
        "import os, time\ndef sleep(task):\n    print(os.getpid(), flush=True)\n    time.sleep(3600)\n"
    )
    program = (
        "from types import SimpleNamespace\n"
        "from slow import sleep\n"
        "from arbora.executors import make_executor\n"
        "list(make_executor('local', 1).run(sleep, iter([SimpleNamespace(number=1)])))"
    )
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    )
    worker = int(process.stdout.readline())
    process.terminate()
    try:
        process.communicate(timeout=60)  # until the worker, whose output goes there too, has ended
    except subprocess.TimeoutExpired:
        os.kill(worker, signal.SIGKILL)
        raise


def test_parsers_are_trained_and_searched_for_on_a_cluster_that_runs(tmp_path, monkeypatch):
    """With the same bytes as here."""
    treebanks = [str(TREEBANK / "en.conllu"), "--dev", str(TREEBANK / "de.conllu")]
    train = ["train", "parser", *treebanks, "--epochs", "2", "--bits", "12", "--shards", "2", "--output"]
    tune = ["tune", *treebanks, "--epochs", "1", "--seeds", "1,2", "--bits", "12", "--output"]
    (tmp_path / "here").mkdir()
    assert run_here(*train, tmp_path / "here" / "m").returncode == 0
    assert run_here(*tune, tmp_path / "here" / "best.json").returncode == 0
    with dask_cluster(tmp_path) as (_, address):
        at = address.replace("tcp://", "dask://")
        assert run_here(*train, tmp_path / "m", "--workers", at).returncode == 0
        there = run_here(*tune, tmp_path / "best.json", "--executor", "dask", "--address", address)
        assert there.returncode == 0
    with make_executor("ray", 2) as executor:
        monkeypatch.setattr("arbora.cli.train_parser.executor_at", lambda place: executor)
        assert run_here(*train, tmp_path / "ray", "--workers", "2").returncode == 0
        assert run_here(*tune, tmp_path / "ray.json", "--executor", "ray").returncode == 0
    for name, here in (("m", "m"), ("ray", "m"), ("best.json", "best.json"), ("ray.json", "best.json")):
        assert (tmp_path / name).read_bytes() == (tmp_path / "here" / here).read_bytes()


def test_a_cluster_of_ray_is_killed(source, expected, tmp_path):
    folder = tmp_path / "out"
    process = begin(source, folder, "--executor", "ray")
    wait_for(folder, 2, process)
    os.killpg(process.pid, signal.SIGKILL)  # all that it began: the object store and the scheduler, too
    process.communicate(timeout=60)
    run_bulk([str(source)], folder, options=OPTIONS, workers=2)
    check(folder, expected)


def test_a_shard_that_ends_its_workers_is_given_up(tmp_path, monkeypatch):
    """A worker that is asked for this model dies of it; the others go on."""
    monkeypatch.setattr(
        "arbora.executors.local.SERVE",
        "import arbora.bulk.work, os, sys\n"
        "from arbora.executors.local import serve\n"
        "work = arbora.bulk.work.work\n"
        "def die(job, shard, model=None): return os._exit(7) if shard.number == 1 else work(job, shard)\n"
        "arbora.bulk.work.work = die\n"
        "serve(int(sys.argv[1]))",
    )
    path = tmp_path / "a.txt"
    path.write_text(text_of(9), "utf-8")
    report = run_bulk([str(path)], tmp_path / "out", options=BulkOptions(shard_bytes=200), workers=2)
    assert (report.done, report.crashed, report.is_whole) == (report.shards - 1, 1, False)
    assert "ended with exit code 7, 3 times" in (tmp_path / "out" / "failed.jsonl").read_text()
    monkeypatch.undo()
    assert run_bulk([str(path)], tmp_path / "out", options=BulkOptions(shard_bytes=200)).is_whole
    assert not (tmp_path / "out" / "failed.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("abacus", 2), "there are local, dask, ray"),
        (("local", 0), "at least 1"),
        (("local", 1, "tcp://x:1"), "that of a cluster"),
    ],
)
def test_executors_that_are_refused(arguments, reason):
    with pytest.raises(ArboraError, match=reason):
        make_executor(*arguments)


def test_where_nobody_listens(monkeypatch):
    """Ray's own way would be to try for two minutes, and to end the process."""
    import_module("ray")
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        with pytest.raises(ArboraError, match=f"there is no Ray cluster at {address}: .*refused"):
            make_executor("ray", 1, address).__enter__()


def test_where_there_is_no_scheduler_of_dask(monkeypatch):
    """Dask's own client would try for half a minute, and for a minute more to end itself."""
    monkeypatch.setattr("distributed.Client", None)
    for address, reason in (("nonsense", "missing port"), ("tcp://127.0.0.1:1", ".*refused")):
        with pytest.raises(ArboraError, match=f"there is no Dask scheduler at {address}: {reason}"):
            make_executor("dask", 1, address).__enter__()


def test_a_cluster_of_ray_that_is_begun_is_no_other_one(monkeypatch):
    """Without an address Ray would take any that runs on this machine."""

    def init(address, **more):
        raise ConnectionError(f"asked for {address}")

    monkeypatch.setattr("ray.init", init)
    with pytest.raises(ArboraError, match="asked for local"):
        make_executor("ray", 1).__enter__()


def seen_by_worker(task) -> tuple[bool, bool]:
    return "MALLOC_TRIM_THRESHOLD_" in os.environ, import_module("dask.config").get(PROFILE)


PROFILE = "distributed.worker.profile.enabled"


def test_workers_of_a_dask_that_is_begun_are_not_slowed_down(monkeypatch):
    """By memory that is given back all the time, and by looking at them a hundred times a second."""
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    with make_executor("dask", 1) as executor:
        assert list(executor.run(seen_by_worker, tasks(1))) == [(False, False)]


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_extras_that_are_missing(name, monkeypatch):
    def nothing(module: str) -> None:
        raise ImportError(module)

    monkeypatch.setattr("arbora.executors.executor.import_module", nothing)
    with pytest.raises(ArboraError, match=rf'pip install "arbora\[{name}\]"'):
        make_executor(name, 1)
    assert import_module("arbora")
