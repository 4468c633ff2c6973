"""What workers are told, and what they answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from arbora.bulk.outputs import output_ending
from arbora.bulk.shards import Shard
from arbora.dependency import ParseOptions
from arbora.executors import Crashed, Refused

SHARDS = "shards"
"""The folder of outputs within that of the run."""
FAILURES = "failures"
"""The folder of what could not be parsed, a file for each shard that has such."""


@dataclass(frozen=True, slots=True)
class Job:
    """All that workers must know, besides the shard, and the bytes of a model whose file they cannot open."""

    folder: str
    model: str
    model_digest: str
    kind: str
    format: str
    options: ParseOptions
    field: str = "text"
    id_field: str | None = None
    keep_tags: bool = False
    strict: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """What is read of a record: its text, and its name."""
        return (self.field,) if self.id_field is None else (self.field, self.id_field)

    def output_of(self, shard: Shard) -> str:
        """The name of its output, within the folder."""
        return f"{SHARDS}/{shard.name}{output_ending(self.format)}"


def failures_of(number: int) -> str:
    """The name of the file that lists what could not be parsed of a shard; only there if need be.

    >>> failures_of(17)
    'failures/000017.jsonl'
    """
    return f"{FAILURES}/{number:06d}.jsonl"


@dataclass(slots=True)
class Done:
    """What came of a shard; ``failed`` counts the documents that are not in its output."""

    number: int
    output: str
    digest: str = ""
    bytes: int = 0
    sentences: int = 0
    words: int = 0
    failed: int = 0
    seconds: float = 0.0
    worker: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the manifest."""
        return asdict(self)


Answer: TypeAlias = Done | Refused | Crashed
