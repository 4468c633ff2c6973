"""A bulk run: from files to a folder of parsed shards, which can be ended at any time and gone on with."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from functools import partial
from glob import glob

from arbora.bulk.events import Event, Watcher
from arbora.bulk.inputs import Input, find_inputs
from arbora.bulk.jobs import Answer, Done, Job
from arbora.bulk.lines import NAME
from arbora.bulk.manifest import Manifest, alone, begin, glob_escape, is_sound
from arbora.bulk.options import BulkOptions
from arbora.bulk.preparing import check_folder, check_same, make_job, settings_of
from arbora.bulk.report import BulkReport, sum_up
from arbora.bulk.shards import Shard, cut
from arbora.bulk.work import work
from arbora.errors import ArboraError
from arbora.executors import Crashed, Executor, Refused, make_executor
from arbora.models.options import options_of
from arbora.pipeline.shipped import DEFAULT
from arbora.treebank.files import COMPRESSED


class StoppedError(ArboraError):
    """A run was stopped by the user; the same command goes on with it."""

    exit_code = 130
    """What a shell expects of a program that Ctrl-C has ended."""


def run_bulk(
    inputs: Sequence[str],
    folder: str | os.PathLike[str],
    *,
    model: str | os.PathLike[str] = DEFAULT,
    options: BulkOptions | None = None,
    workers: int = 1,
    executor: str | Executor = "local",
    address: str | None = None,
    part: tuple[int, int] | None = None,
    plan: bool = False,
    verify: bool = False,
    watcher: Watcher | None = None,
) -> BulkReport:
    """Parse files into a folder, or go on with it; whatever is there already is not done again.

    ``inputs`` are files, folders and patterns. ``executor`` is local, dask or ray, with so many ``workers``
    or the cluster at an ``address``; or an executor that is handed in, whose workers stay if it is open.
    ``part`` (i, n) does every n-th shard, from the i-th on (1 to n): n processes can share a folder so.
    ``plan`` cuts the input into shards and does nothing else. ``verify`` looks at every output that is there,
    and does those again that are not what the manifest says. The same inputs, model and options give the
    same bytes, whatever the executor, and however often a run is ended.

    >>> import tempfile
    >>> report = run_bulk(["examples/treebank/en.conllu"], tempfile.mkdtemp() + "/parsed")
    >>> report.done, report.is_whole
    (1, True)
    """
    started, watcher = time.perf_counter(), watcher or Watcher()
    options = options_of(BulkOptions, options)
    place = os.path.abspath(folder)
    chosen = make_executor(executor, workers, address) if isinstance(executor, str) else executor
    if part is not None and not 1 <= part[0] <= part[1]:
        raise ArboraError(f"the part {part[0]}/{part[1]} is none: say 1/8 to 8/8")
    kind, found = find_inputs(inputs, options.input_format, place)
    job = make_job(os.fspath(model), place, kind, options)
    settings = settings_of(job, found, options)
    name = None if part is None else f"{part[0]}-of-{part[1]}"
    check_folder(place)
    report = BulkReport(place)
    with alone(place, part=name):
        begin(place, settings)
        with Manifest(place, NAME if name is None else f"manifest.{name}.jsonl") as manifest:
            check_same(place, manifest.state.settings, settings)
            if name is None:
                _remove_leftovers(place)
            _forget_damaged(manifest, part, verify, watcher)
            shards = _to_do(manifest, job, found, options.shard_bytes, part, watcher)
            try:
                if plan:
                    for _ in shards:
                        pass
                else:
                    work_on = chosen.run(partial(work, job), shards, watcher.on_start, [job.model])
                    with closing(work_on) as answers:
                        for answer in answers:
                            _take(manifest, answer, report, watcher)
            except KeyboardInterrupt:
                cut_now, worked = len(manifest.state.plan), report.worked
                known = f"{cut_now} shards are cut" if plan else f"{worked} shards more are done"
                raise StoppedError(f"stopped; {known}, and the same command goes on") from None
        sum_up(report)
        if name is None:
            _remove_leftovers(place)
    report.seconds = time.perf_counter() - started
    watcher.on_event(Event("finished", asdict(report)))
    return report


def _is_ours(part: tuple[int, int] | None, number: int) -> bool:
    return part is None or number % part[1] == part[0] - 1


def _remove_leftovers(folder: str) -> None:
    """What workers that were killed have begun; of others that may be at work nothing is lost but time."""
    for left in glob(os.path.join(glob_escape(folder), "*", ".*.part")):
        with suppress(FileNotFoundError):
            os.unlink(left)


def _forget_damaged(manifest: Manifest, part: tuple[int, int] | None, verify: bool, watcher: Watcher) -> None:
    """Outputs that are not there or, with ``verify``, not what they were are not done."""
    state = manifest.state
    for number, line in sorted(state.done.items()):
        if verify and _is_ours(part, number) and not is_sound(manifest.folder, line):
            # It loses its name at once: whoever reads the manifests finds that it is not there.
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(manifest.folder, line["output"]))
            state.lost[number] = state.done.pop(number)
    for number, line in sorted(state.lost.items()):
        if _is_ours(part, number):
            watcher.on_event(Event("damaged", {"number": number, "output": line["output"]}))


def _to_do(
    manifest: Manifest,
    job: Job,
    inputs: Sequence[Input],
    size: int,
    part: tuple[int, int] | None,
    watcher: Watcher,
) -> Iterator[Shard]:
    """The shards that have no output yet; those that are not known are cut while others are parsed."""
    state = manifest.state
    ours = [shard for shard in state.shards if _is_ours(part, shard.number)]
    done = [state.done[shard.number] for shard in ours if shard.number in state.done]
    if state.planned:
        total = sum(shard.size for shard in ours)
    elif job.kind == "parquet" or any(one.path.endswith(COMPRESSED) for one in inputs):
        total = 0  # nobody knows how much that is
    else:
        total = sum(one.bytes for one in inputs) // (1 if part is None else part[1])
    begun = {
        "kind": job.kind,
        "bytes": total,
        "cut": len(state.plan),
        "cut_bytes": sum(shard.size for shard in state.shards),
        "done": len(done),
        "done_bytes": sum(state.plan[line["number"]].size for line in done),
        **{key: sum(line[key] for line in done) for key in ("words", "failed")},
    }
    watcher.on_event(Event("begun", begun))
    yield from (shard for shard in ours if shard.number not in state.done)
    if state.planned:
        return
    for shard in cut(inputs, job.kind, size, state.shards, job.fields):
        manifest.add("shard", **shard.as_dict())
        watcher.on_event(Event("planned", {"number": shard.number, "size": shard.size}))
        if _is_ours(part, shard.number):
            yield shard
    manifest.add("planned", shards=len(state.plan))


def _take(manifest: Manifest, answer: Answer, report: BulkReport, watcher: Watcher) -> None:
    if isinstance(answer, Refused):
        raise ArboraError(answer.reason)
    if isinstance(answer, Crashed):
        manifest.add("crashed", **asdict(answer))
        watcher.on_event(Event("crashed", asdict(answer)))
        return
    assert isinstance(answer, Done)
    shard = manifest.state.plan[answer.number]
    line = {**answer.as_dict(), "input": shard.path}
    manifest.add("done", **line)
    report.worked += 1
    watcher.on_event(Event("done", {**line, "size": shard.size}))
