"""A bulk run: from files to a folder of parsed shards, which can be ended at any time and gone on with."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from glob import glob
from typing import Any

import arbora
from arbora.bulk.events import Event, Watcher
from arbora.bulk.inputs import Input, find_inputs
from arbora.bulk.manifest import NAME, Manifest, alone, begin, glob_escape
from arbora.bulk.outputs import output_ending
from arbora.bulk.parquet import pyarrow
from arbora.bulk.shards import BYTES, Shard, cut
from arbora.bulk.work import Answer, Done, Job, digest_of, work
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError, FileError
from arbora.executors import Crashed, Executor, Refused, make_executor
from arbora.models import read_model
from arbora.models.options import check_types, options_of
from arbora.pipeline.shipped import DEFAULT, existing_model, open_pipeline
from arbora.treebank.files import open_output

FAILED = "failed.jsonl"
"""The file of a run's folder that lists the documents that could not be parsed, if any."""
SLOWEST = 3
"""So many of the slowest shards are named in the end."""
_SAME_OUTPUT = ("threads",)
"""Options on which no result depends."""


@dataclass(frozen=True, slots=True)
class BulkOptions:
    """What a run's output depends on, besides its inputs and model.

    ``parsing`` as for any parsing. ``format`` is conllu, jsonl or parquet, the first two also compressed
    (``conllu.gz``). ``input_format``: text, conllu, jsonl or parquet; told by the names if it is None. Of
    jsonl and parquet, ``field`` has the text, and ``id_field`` the name of the document. ``keep_tags``: as in
    `Pipeline.annotate`. ``shard_bytes``: how large shards are, or a little more. ``strict``: the first
    document that cannot be parsed ends the run.

    >>> BulkOptions(format="jsonl.gz").check().shard_bytes
    33554432
    """

    parsing: ParseOptions = field(default_factory=ParseOptions)
    format: str = "conllu"
    input_format: str | None = None
    field: str = "text"
    id_field: str | None = None
    keep_tags: bool = False
    shard_bytes: int = BYTES
    strict: bool = False

    def check(self) -> BulkOptions:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        self.parsing.check()
        output_ending(self.format)
        if self.shard_bytes < 1:
            raise ArboraError("shards have at least 1 byte")
        return self

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the manifest: what two runs must have in common to be one."""
        found = {**asdict(self), **asdict(self.parsing)}
        return {key: value for key, value in found.items() if key not in ("parsing", "strict", *_SAME_OUTPUT)}


class StoppedError(ArboraError):
    """A run was stopped by the user; the same command goes on with it."""

    exit_code = 130
    """What a shell expects of a program that Ctrl-C has ended."""


@dataclass(slots=True)
class BulkReport:
    """What a run did, and what its folder has now.

    ``shards`` counts all that are known, ``done`` those with an output, ``worked`` those of this run;
    ``failed`` documents are not in the output. ``seconds`` is this run's; ``slowest`` has lines of its
    manifest.
    """

    folder: str
    shards: int = 0
    done: int = 0
    worked: int = 0
    sentences: int = 0
    words: int = 0
    failed: int = 0
    crashed: int = 0
    seconds: float = 0.0
    slowest: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether all shards have an output, with all documents."""
        return self.done == self.shards and not self.failed and not self.crashed


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
    kind, found = find_inputs(inputs, options.input_format)
    job = _make_job(os.fspath(model), place, kind, options)
    name = None if part is None else f"{part[0]}-of-{part[1]}"
    _check_folder(place)
    with alone(place, part=name):
        begin(place, _settings(job, kind, found, options))
        with Manifest(place, NAME if name is None else f"manifest.{name}.jsonl") as manifest:
            _check_same(place, manifest.state.settings, _settings(job, kind, found, options))
            if name is None:
                _remove_leftovers(place)
            if verify:
                _forget_damaged(manifest, watcher)
            report = BulkReport(place)
            shards = _to_do(manifest, kind, found, options.shard_bytes, part, watcher)
            if plan:
                for _ in shards:
                    pass
            else:
                work_on = chosen.run(partial(work, job), shards, watcher.on_start, [job.model])
                with closing(work_on) as answers:
                    try:
                        for answer in answers:
                            _take(manifest, answer, report, watcher)
                    except KeyboardInterrupt:
                        raise StoppedError(
                            f"stopped; {report.worked} shards more are done, and the same command goes on"
                        ) from None
            _finish(manifest, job, report)
            if name is None:
                _remove_leftovers(place)
    report.seconds = time.perf_counter() - started
    watcher.on_event(Event("finished", asdict(report)))
    return report


def _remove_leftovers(folder: str) -> None:
    """What workers that were killed have begun; of others that may be at work nothing is lost but time."""
    for left in glob(os.path.join(glob_escape(folder), "*", ".*.part")):
        with suppress(FileNotFoundError):
            os.unlink(left)


def _make_job(model: str, folder: str, kind: str, options: BulkOptions) -> Job:
    path = existing_model(model)
    pipeline = open_pipeline(path)
    if not {"heads", "constituents"} & set(pipeline.adds):
        raise FileError(
            f"this model adds {', '.join(pipeline.adds)}, and no trees: give one that parses", file=path
        )
    if kind != "conllu" and "words" not in pipeline.adds:
        raise FileError(
            "this model has no tokenizer, so it reads no raw text: give conllu, or a model of `arbora train "
            "pipeline`, such as en",
            file=path,
        )
    if "parquet" in (kind, options.format):
        pyarrow()
    return Job(
        folder,
        os.path.abspath(path),
        read_model(path).digest,
        kind,
        options.format,
        replace(options.parsing, threads=1),
        options.field,
        options.id_field,
        options.keep_tags,
        options.strict,
    )


def _settings(job: Job, kind: str, inputs: Sequence[Input], options: BulkOptions) -> dict[str, Any]:
    return {
        "arbora": arbora.__version__,
        "model": job.model,
        "model_digest": job.model_digest,
        "kind_of_input": kind,
        "inputs": [asdict(one) for one in inputs],
        "options": options.as_dict(),
    }


def _check_folder(folder: str) -> None:
    """FileError if a run would get among other things."""
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise FileError("the output of a bulk run is a folder, and this is a file", file=folder)
    if os.path.isdir(folder) and not os.path.exists(os.path.join(folder, NAME)):
        others = [
            name for name in os.listdir(folder) if not name.startswith(".lock") and not name.endswith(".part")
        ]
        if others:
            raise FileError(
                f"this folder is not empty ({sorted(others)[0]}) and has no manifest.jsonl: give another one",
                file=folder,
            )


def _check_same(folder: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    """ArboraError if a run was begun with something else than what it is gone on with."""
    if old["model_digest"] != new["model_digest"]:
        raise ArboraError(
            f"{folder} was begun with another model ({old['model']}, SHA-256 {old['model_digest'][:12]}): "
            f"give that "
            "one, or another folder"
        )
    for name, value in new["options"].items():
        before = old["options"].get(name)
        if before != value:
            raise ArboraError(
                f"{folder} was begun with other options ({name.replace('_', ' ')} was {before}, not "
                f"{value}): give "
                "the same ones, or another folder"
            )
    changed = [one for one in new["inputs"] if one not in old["inputs"]]
    missing = [one for one in old["inputs"] if one not in new["inputs"]]
    if changed or missing or old["inputs"] != new["inputs"]:
        example = (changed or missing or new["inputs"])[0]["path"]
        raise ArboraError(
            f"{folder} was begun with other inputs (now new, gone, changed or elsewhere in their order: "
            f"{example}): "
            "give the same ones, or another folder"
        )


def _forget_damaged(manifest: Manifest, watcher: Watcher) -> None:
    """Outputs that are not there, or not what they were, are not done."""
    for number, line in sorted(manifest.state.done.items()):
        path = os.path.join(manifest.folder, line["output"])
        if not os.path.exists(path) or digest_of(path) != line["digest"]:
            del manifest.state.done[number]
            watcher.on_event(Event("damaged", {"number": number, "output": line["output"]}))


def _to_do(
    manifest: Manifest,
    kind: str,
    inputs: Sequence[Input],
    size: int,
    part: tuple[int, int] | None,
    watcher: Watcher,
) -> Iterator[Shard]:
    """The shards that have no output yet; those that are not known are cut while others are parsed."""

    def is_ours(shard: Shard) -> bool:
        return part is None or shard.number % part[1] == part[0] - 1

    state = manifest.state
    watcher.on_event(
        Event("begun", {"bytes": sum(one.bytes for one in inputs), "done": len(state.done), "kind": kind})
    )
    yield from (shard for shard in state.missing() if is_ours(shard))
    if state.planned:
        return
    last = state.plan[max(state.plan)] if state.plan else None
    for shard in cut(inputs, kind, size, last):
        manifest.add("shard", **shard.as_dict())
        watcher.on_event(Event("planned", {"number": shard.number, "size": shard.size}))
        if is_ours(shard):
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
    line = {**answer.as_dict(), "input": manifest.state.plan[answer.number].path}
    manifest.add("done", **line)
    report.worked += 1
    watcher.on_event(Event("done", line))


def _finish(manifest: Manifest, job: Job, report: BulkReport) -> None:
    """Sum up, and put the failures of all shards into one file."""
    state = manifest.state
    lines = [state.done[number] for number in sorted(state.done)]
    report.shards, report.done = len(state.shards), len(lines)
    report.sentences, report.words = (sum(line[key] for line in lines) for key in ("sentences", "words"))
    report.failed = sum(line["failed"] for line in lines)
    report.crashed = len(state.crashed)
    report.slowest = sorted(lines, key=lambda line: -line["seconds"])[:SLOWEST]
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(manifest.folder, FAILED))
    if report.failed or report.crashed:
        write_failures(manifest, job)


def write_failures(manifest: Manifest, job: Job) -> None:
    """List all documents that are not in the output, in the order of the input."""
    state = manifest.state
    with open_output(os.path.join(manifest.folder, FAILED)) as stream:
        for shard in state.shards:
            if state.done.get(shard.number, {}).get("failed"):
                with open(os.path.join(manifest.folder, job.failures_of(shard)), "rb") as own:
                    stream.write(own.read())
            elif shard.number in state.crashed:
                reason = state.crashed[shard.number]["reason"]
                row = {"input": shard.path, "line": shard.first_line, "shard": shard.number, "reason": reason}
                stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
