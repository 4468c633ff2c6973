"""The options of bulk runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from arbora.bulk.outputs import output_ending
from arbora.bulk.shards import BYTES
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError
from arbora.models.options import check_types

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
