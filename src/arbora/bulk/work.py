"""What a worker does: one shard from disk to disk, by a model that it opens once."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from arbora.bulk.jobs import Answer, Done, Job, failures_of
from arbora.bulk.lines import json_line
from arbora.bulk.manifest import digest_of
from arbora.bulk.parsing import ShardParser
from arbora.bulk.shards import Shard
from arbora.errors import FileError
from arbora.executors import answered
from arbora.models import restored
from arbora.pipeline.pipeline import Pipeline
from arbora.pipeline.shipped import as_pipeline, open_pipeline
from arbora.treebank.files import open_output


def work(job: Job, shard: Shard, model: bytes | None = None) -> Answer:
    """Parse a shard: its output has its name only when it is whole and on the disk."""
    answer: Answer = answered(_work, job, shard, model, place=job.folder)
    return answer


def _work(job: Job, shard: Shard, model: bytes | None) -> Done:
    started = time.perf_counter()
    pipeline = opened(job.model, job.model_digest, model)
    done = Done(shard.number, job.output_of(shard))
    target, failed = (os.path.join(job.folder, own) for own in (done.output, failures_of(shard.number)))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with suppress(FileNotFoundError):
        os.unlink(failed)
    parser = ShardParser(job, shard, pipeline)
    done.sentences, done.words = parser.write(target)
    if parser.failures:
        done.failed = len(parser.failures)
        os.makedirs(os.path.dirname(failed), exist_ok=True)
        with open_output(failed, on_disk=True) as stream:
            for row in parser.failures:
                stream.write(json_line(row))
    done.digest, done.bytes = digest_of(target), os.path.getsize(target)
    done.seconds = round(time.perf_counter() - started, 6)
    done.worker = f"{os.uname().nodename}:{os.getpid()}"
    return done


def opened(path: str, digest: str, data: bytes | None) -> Pipeline:
    """The model, which is opened once in each process: from its file, or from the bytes of it."""
    if data is not None:
        if digest not in _OPENED:
            _OPENED.clear()  # memory is for one
            _OPENED[digest] = as_pipeline(restored(data))
        return _OPENED[digest]
    found = open_pipeline(path)
    origin = next(own.origin for own in (found, *found.components.values()) if own.origin is not None)
    if origin.digest != digest:
        raise FileError("this model is another one than when the run began, its hash differs", file=path)
    return found


_OPENED: dict[str, Pipeline] = {}
"""Models that came as bytes, by their digests."""
