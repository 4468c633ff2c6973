"""Bulk parsing: much text, from disk to disk, in shards that are done exactly once, here or on a cluster."""

from arbora.bulk.events import Event, Watcher
from arbora.bulk.options import BulkOptions
from arbora.bulk.reading import BulkStatus, bulk_output, bulk_status
from arbora.bulk.report import BulkReport
from arbora.bulk.run import run_bulk

__all__ = [
    "BulkOptions",
    "BulkReport",
    "BulkStatus",
    "Event",
    "Watcher",
    "bulk_output",
    "bulk_status",
    "run_bulk",
]
