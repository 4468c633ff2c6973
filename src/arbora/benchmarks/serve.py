"""The server beside the pipeline in one process: words a second, waiting times, and what overload does."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlencode

import numpy as np
from rich.table import Table

import arbora
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError
from arbora.text.tokenizing.running_text import paragraphs_of, running_text
from arbora.treebank import read

CLIENTS, OVERLOAD = 32, 10
"""How many ask at once; and how many times as many ask for more than can be done."""
WORDS = 200
"""Of a request, about."""
ROUNDS, SECONDS, SHORT_REQUESTS = 3, 6.0, 500
SHORT = "The dog that you saw yesterday barks at the cats."
SHARES = (50, 90, 99)
WAITING = 64
"""Requests in the queue of the server that gets too many."""
Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
COMMAND = "from arbora.cli import main; main()"


def measure(dev: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Ask a server of its own on the loopback interface for the trees of a treebank's text: plain data.

    Words a second are of the fastest of some rounds, in turns in this process and over HTTP, each with one
    thread that parses. Clients wait for an answer before they ask again; those that are refused ask at once.
    """
    if dev is None:
        raise ArboraError("the benchmark serve needs --dev, a CoNLL-U file")
    texts = list(_texts(dev))
    requests = [_request(text) for text in texts]
    nlp = arbora.load()
    speeds: dict[str, list[float]] = {"in process": [], "over HTTP": []}
    with _server() as (port, process):
        for _ in range(ROUNDS):
            speeds["in process"].append(_in_process(nlp, texts))
            before, started = _words(port), time.perf_counter()
            asyncio.run(_load(port, requests, CLIENTS, SECONDS))
            speeds["over HTTP"].append((_words(port) - before) / (time.perf_counter() - started))
        waits = {"in process": _waits_here(nlp), "over HTTP": asyncio.run(_waits(port, _request(SHORT)))}
        memory = {"32 clients": _megabytes(process)}
    with _server("--waiting", str(WAITING)) as (port, process):
        calm = asyncio.run(_load(port, requests, CLIENTS, SECONDS))
        memory["before"] = _megabytes(process)
        codes = asyncio.run(_load(port, requests, CLIENTS * OVERLOAD, SECONDS))
        memory["320 clients"] = _megabytes(process)
    found = {name: max(own) for name, own in speeds.items()}
    return {
        "text": Path(dev).name,
        "words_per_second": found,
        "ratio": found["over HTTP"] / found["in process"],
        "milliseconds": {
            name: {f"p{share}": float(np.percentile(own, share)) for share in SHARES}
            for name, own in waits.items()
        },
        "answers": {"32 clients": dict(calm), "320 clients": dict(codes)},
        "megabytes": memory,
    }


def _texts(dev: str | os.PathLike[str]) -> Iterator[str]:
    """The text of a treebank in paragraphs of some words each."""
    waiting: list[Any] = []
    for paragraph in paragraphs_of(read(dev, single_root=False)):
        for sentence in paragraph:
            waiting.append(sentence)
            if sum(len(own.ends) for own in waiting) >= WORDS:
                yield running_text([waiting]).text
                waiting = []
    if waiting:
        yield running_text([waiting]).text


def _in_process(nlp: Any, texts: Sequence[str]) -> float:
    started = time.perf_counter()
    pieces = nlp.parse_text(["\n\n".join(texts).encode()], ParseOptions())
    return float(sum(piece.words for piece in pieces) / (time.perf_counter() - started))


def _request(text: str) -> bytes:
    body = urlencode({"tokenizer": "", "tagger": "", "parser": "", "data": text}).encode()
    kind = "application/x-www-form-urlencoded"
    headers = {"Host": "localhost", "Content-Type": kind, "Content-Length": len(body)}
    lines = ["POST /process HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode() + body


@contextmanager
def _server(*options: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    command = [sys.executable, "-c", COMMAND, "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise ArboraError("the server did not start")
        try:
            yield int(line.rpartition(":")[2]), process
        finally:
            process.terminate()


async def _ask(streams: Streams, request: bytes) -> tuple[int, bytes]:
    """Status and body of an answer."""
    reader, writer = streams
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    assert length is not None
    return int(head.split(b" ", 2)[1]), await reader.readexactly(int(length[1]))


async def _load(port: int, requests: Sequence[bytes], clients: int, seconds: float) -> Counter[str]:
    """How often each status came, from clients that ask for so long; ``lost`` is no answer."""
    codes: Counter[str] = Counter()
    end = time.perf_counter() + seconds

    async def one(first: int) -> None:
        streams = await asyncio.open_connection("127.0.0.1", port)
        at = first
        while time.perf_counter() < end:
            try:
                status, _ = await _ask(streams, requests[at % len(requests)])
            except (OSError, EOFError):
                codes["lost"] += 1
                streams = await asyncio.open_connection("127.0.0.1", port)
            else:
                codes[str(status)] += 1
            at += clients
        streams[1].close()

    await asyncio.gather(*map(one, range(clients)))
    return codes


def _waits_here(nlp: Any) -> list[float]:
    """Milliseconds of the same work in this process."""
    found = []
    for _ in range(SHORT_REQUESTS):
        started = time.perf_counter()
        b"".join(piece.data for piece in nlp.parse_text([SHORT.encode()]))
        found.append(1000 * (time.perf_counter() - started))
    return found


async def _waits(port: int, request: bytes) -> list[float]:
    """Milliseconds that each of some requests takes, one after the other."""
    streams = await asyncio.open_connection("127.0.0.1", port)
    found = []
    for _ in range(SHORT_REQUESTS):
        started = time.perf_counter()
        await _ask(streams, request)
        found.append(1000 * (time.perf_counter() - started))
    streams[1].close()
    return found


def _words(port: int) -> float:
    """How many words the server has worked on."""

    async def ask() -> bytes:
        streams = await asyncio.open_connection("127.0.0.1", port)
        return (await _ask(streams, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"))[1]

    found = re.search(rb"\narbora_words_total ([0-9.e+]+)", asyncio.run(ask()))
    assert found is not None
    return float(found[1])


def _megabytes(process: subprocess.Popen[str]) -> float | None:
    """The most that a process has held so far, where the system tells."""
    status = Path(f"/proc/{process.pid}/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return None if found is None else int(found[1]) / 1024


def table(data: dict[str, Any]) -> list[Table]:
    """The figures."""
    speed = Table("", "words/s", title=f"{CLIENTS} clients, the text of {data['text']}")
    for name, words in data["words_per_second"].items():
        speed.add_row(name, f"{words:,.0f}")
    speed.add_row("ratio", f"{data['ratio']:.2f}")
    waits = Table("", *(f"p{share}" for share in SHARES), title="One short sentence alone, ms")
    for name, own in data["milliseconds"].items():
        waits.add_row(name, *(f"{value:.1f}" for value in own.values()))
    load = Table("", "answers", "MB at most", title="Load")
    for name, codes in data["answers"].items():
        shown = ", ".join(f"{count:,} x {code}" for code, count in sorted(codes.items()))
        memory = data["megabytes"][name]
        load.add_row(name, shown, "" if memory is None else f"{memory:,.0f}")
    return [speed, waits, load]
