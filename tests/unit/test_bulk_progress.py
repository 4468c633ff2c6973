"""What is shown of a bulk run while it goes on."""

from __future__ import annotations

import gzip
import io

import pytest
from bulk_cases import InProcess, text_of
from rich.console import Console

from arbora.bulk import BulkOptions, Event, Watcher, run_bulk
from arbora.bulk.run import StoppedError
from arbora.cli.bulk_progress import BulkProgress

OPTIONS = BulkOptions(shard_bytes=100)


class Stopping(InProcess):
    """Ctrl-C after so many shards."""

    def __init__(self, count: int) -> None:
        self._count = count

    def run(self, function, tasks, on_start, files):
        for number, answer in enumerate(super().run(function, tasks, on_start, files), 1):
            yield answer
            if number == self._count:
                raise KeyboardInterrupt


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(text_of(20), "utf-8")
    return path


def watched(console: Console, **more) -> tuple[BulkProgress, Watcher, list[tuple[float, float | None]]]:
    """A progress, and how far its bar was after each event."""
    progress, seen = BulkProgress(console, **more), []

    def on_event(event: Event) -> None:
        progress.on_event(event)
        if progress._bar is not None:
            task = progress._bar.tasks[0]
            seen.append((task.completed, task.total))

    return progress, Watcher(on_event, progress.on_start), seen


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)


def test_a_run_that_goes_on_counts_what_is_done(source, tmp_path):
    size = source.stat().st_size
    progress, watcher, seen = watched(terminal())
    with progress, pytest.raises(StoppedError, match="3 shards more are done, and the same command goes on"):
        run_bulk([str(source)], tmp_path / "out", options=OPTIONS, watcher=watcher, executor=Stopping(3))
    assert seen[-1][1] == size
    assert 0 < seen[-1][0] < size
    console = terminal()
    progress, watcher, more = watched(console)
    with progress:
        run_bulk([str(source)], tmp_path / "out", options=OPTIONS, watcher=watcher, executor=InProcess())
        bar = progress._bar.tasks[0].description
    assert "going on: 3 shards are done" in console.file.getvalue()
    assert more[0] == seen[-1]  # where it was
    assert more[-1] == (size, size)
    shards = 3 + len({completed for completed, _ in more[1:]} - {more[0][0]})
    assert bar.startswith(f"{shards} shards, ")


def test_nobody_knows_how_much_is_in_a_compressed_file(source, tmp_path):
    packed = tmp_path / "a.txt.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    progress, watcher, seen = watched(terminal())
    with progress, pytest.raises(StoppedError):
        run_bulk([str(packed)], tmp_path / "out", options=OPTIONS, watcher=watcher, executor=Stopping(2))
    assert {total for _, total in seen} == {None}
    run_bulk([str(packed)], tmp_path / "out", options=OPTIONS, plan=True, executor=InProcess())
    progress, watcher, seen = watched(terminal())  # now it is cut
    with progress:
        run_bulk([str(packed)], tmp_path / "out", options=OPTIONS, watcher=watcher, executor=InProcess())
    assert seen[-1] == (source.stat().st_size, source.stat().st_size)


def test_a_part_has_its_own_share(source, tmp_path):
    run_bulk([str(source)], tmp_path / "out", options=OPTIONS, plan=True, executor=InProcess())
    shares = []
    for part in ((1, 2), (2, 2)):
        progress, watcher, seen = watched(terminal())
        with progress:
            run_bulk(
                [str(source)],
                tmp_path / "out",
                options=OPTIONS,
                part=part,
                watcher=watcher,
                executor=InProcess(),
            )
        assert seen[-1][0] == seen[-1][1]
        shares.append(seen[-1][0])
    assert sum(shares) == source.stat().st_size


def test_lines_where_there_is_no_terminal(source, tmp_path):
    console = Console(file=io.StringIO(), width=200)
    progress, watcher, _ = watched(console)
    with progress:
        run_bulk([str(source)], tmp_path / "out", options=OPTIONS, watcher=watcher, executor=InProcess())
    lines = console.file.getvalue().splitlines()
    assert lines[0].startswith("shards/000000.conllu  ")
    assert "; 1 shards, " in lines[0]
    assert all(f"; {number} shards, " in line for number, line in enumerate(lines, 1))


def test_a_plan_that_is_stopped_says_so_and_goes_on(source, tmp_path):
    folder = tmp_path / "out"

    def stop(event: Event) -> None:
        if event.name == "planned" and event.data["number"] == 4:
            raise KeyboardInterrupt

    with pytest.raises(StoppedError, match="stopped; 5 shards are cut, and the same command goes on"):
        run_bulk([str(source)], folder, options=OPTIONS, plan=True, watcher=Watcher(stop))
    progress, watcher, seen = watched(terminal(), plan=True)
    with progress:
        report = run_bulk([str(source)], folder, options=OPTIONS, plan=True, watcher=watcher)
        bar = progress._bar.tasks[0].description
    assert bar.startswith(f"{report.shards} shards cut, ")
    assert seen[-1] == (source.stat().st_size, source.stat().st_size)
