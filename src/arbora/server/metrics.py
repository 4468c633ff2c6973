"""What a server counts, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

import arbora

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
SENTENCES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Metrics:
    """The metrics of one server, in a registry of their own."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "arbora_requests",
            "Requests that were answered.",
            ["endpoint", "model", "code"],
            registry=self._registry,
        )
        self.seconds = Histogram(
            "arbora_request_duration_seconds",
            "How long requests took, from their first byte to the last of the answer.",
            buckets=SECONDS,
            registry=self._registry,
        )
        self.sentences = Histogram(
            "arbora_batch_sentences",
            "Sentences that were worked on together.",
            buckets=SENTENCES,
            registry=self._registry,
        )
        self.words = Counter("arbora_words", "Words that were worked on.", registry=self._registry)
        self._queue = Gauge("arbora_queue_length", "Requests in the queue.", registry=self._registry)
        build = Gauge("arbora_build_info", "The version.", ["version"], registry=self._registry)
        build.labels(arbora.__version__).set(1)

    def watch_queue(self, length: Callable[[], float]) -> None:
        """Ask this how long the queue is."""
        self._queue.set_function(length)

    def text(self) -> bytes:
        """All of them, in the text format."""
        return generate_latest(self._registry)
