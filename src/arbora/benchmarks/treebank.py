"""How fast CoNLL-U is read and written, beside `pyconll` and `conllu`: same file, one process, in turns."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rich.table import Table

from arbora import treebank
from arbora.errors import ArboraError

OURS = "arbora"


def measure(path: str | os.PathLike[str] | None = None, repeats: int = 3) -> dict[str, Any]:
    """Read the file with each reader in turn, ``repeats`` times, and write it too; the best time counts.

    Every reader hands out each sentence in turn with all fields of its tokens as Python values, and drops it.
    A token is a line of the file that is no comment: a word, a multiword token or an empty node. Without a
    path the file is a made-up one, which flatters us: its fields repeat more than those of a real treebank.

    The result is plain data: ``{"file", "repeats", "readers", "writer"}``; each reader is ``{"name",
    "installed", "tokens", "seconds", "tokens_per_second", "ratio"}``; the ratio is our speed to theirs.
    """
    if path is None:
        with tempfile.TemporaryDirectory() as folder:
            made_up = os.path.join(folder, "made-up.conllu")
            treebank.write(made_up, _made_up_sentences())
            return {
                **measure(made_up, repeats),
                "file": "a made-up file (kinder to us than a real treebank: give one)",
            }
    path = os.fspath(path)
    if not path.endswith(".conllu"):
        raise ArboraError(f"{path}: the peers read plain .conllu files only")
    readers = {OURS: _read_ours, **_installed_peers()}
    best = dict.fromkeys(readers, float("inf"))
    tokens = dict.fromkeys(readers, 0)
    for _ in range(repeats):
        for name, reader in readers.items():
            start = time.perf_counter()
            tokens[name] = sum(reader(path))
            best[name] = min(best[name], time.perf_counter() - start)
    write_seconds = _seconds_to_write(path, repeats)
    rows = [
        _row(name, tokens.get(name, 0), best.get(name), best[OURS], tokens[OURS]) for name in (OURS, *_PEERS)
    ]
    written = {
        "tokens": tokens[OURS],
        "seconds": write_seconds,
        "tokens_per_second": tokens[OURS] / write_seconds,
    }
    return {"file": path, "repeats": repeats, "readers": rows, "writer": written}


def _made_up_sentences(count: int = 4000, seed: int = 1) -> Iterator[treebank.Sentence]:
    """Sentences of 5 to 35 words; as in language, few words are frequent and most are rare."""
    chance = random.Random(seed)
    tags = ["NOUN", "VERB", "ADJ", "ADP", "DET", "PRON", "PUNCT"]
    for number in range(count):
        size = chance.randint(5, 35)
        words = [f"word{int(chance.paretovariate(0.7))}" for _ in range(size)]
        heads: list[int | None] = [chance.randint(0, i - 1) if i > 1 else 0 for i in range(1, size + 1)]
        heads[1:] = [head or 1 for head in heads[1:]]
        yield treebank.Sentence(
            words,
            lemmas=words,
            upos=[chance.choice(tags) for _ in words],
            xpos=[chance.choice(tags)[:2] for _ in words],
            feats=[chance.choice(["_", "Number=Sing", "Case=Nom|Number=Plur"]) for _ in words],
            heads=heads,
            deprels=["root", *(chance.choice(["nsubj", "obj", "amod"]) for _ in words[1:])],
            deps=[f"{head}:dep" for head in heads],
            comments=[f"# sent_id = {number}", f"# text = {' '.join(words)}"],
        )


def _seconds_to_write(path: str, repeats: int) -> float:
    # After the readers: sentences held in memory would slow each of them down through the garbage collector.
    sentences = list(treebank.read(path, "conllu"))
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        treebank.write(os.devnull, sentences, "conllu")
        best = min(best, time.perf_counter() - start)
    return best


def _row(
    name: str, tokens: int, seconds: float | None, our_seconds: float, our_tokens: int
) -> dict[str, Any]:
    if seconds is None:
        return {"name": name, "installed": False}
    speed = tokens / seconds
    return {
        "name": name,
        "installed": True,
        "tokens": tokens,
        "seconds": seconds,
        "tokens_per_second": speed,
        "ratio": our_tokens / our_seconds / speed,
    }


def _read_ours(path: str) -> Iterator[int]:
    for sentence in treebank.read(path, "conllu"):
        yield len(sentence.forms) + len(sentence.multiwords) + len(sentence.empty_nodes)


def _read_pyconll(path: str) -> Iterator[int]:
    peer = import_module(
        "pyconll"
    )  # not an import statement: types are checked where the peers are not installed
    for sentence in peer.iter_from_file(path):
        yield len(sentence)


def _read_conllu(path: str) -> Iterator[int]:
    peer = import_module("conllu")
    with open(path, encoding="utf-8") as file:
        for sentence in peer.parse_incr(file):
            yield len(sentence)


_PEERS: dict[str, Callable[[str], Iterator[int]]] = {"pyconll": _read_pyconll, "conllu": _read_conllu}


def _installed_peers() -> dict[str, Callable[[str], Iterator[int]]]:
    return {name: reader for name, reader in _PEERS.items() if find_spec(name)}


def table(result: dict[str, Any]) -> Table:
    """The result of `measure` as a table for a terminal."""
    shown = Table(title=f"Reading {result['file']}, best of {result['repeats']}")
    shown.add_column("")
    for column in ("tokens", "seconds", "tokens/s", "arbora is faster by"):
        shown.add_column(column, justify="right")
    for row in result["readers"]:
        if row["installed"]:
            ratio = "" if row["name"] == OURS else f"{row['ratio']:.1f} x"
            shown.add_row(f"{row['name']} reads", *_numbers(row), ratio)
        else:
            shown.add_row(row["name"], "not installed", "", "", r"pip install 'arbora\[bench]'")
    shown.add_row(f"{OURS} writes", *_numbers(result["writer"]), "")
    return shown


def _numbers(row: dict[str, Any]) -> tuple[str, str, str]:
    return f"{row['tokens']:,}", f"{row['seconds']:.3f}", f"{row['tokens_per_second']:,.0f}"
