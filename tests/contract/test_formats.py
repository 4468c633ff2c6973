"""Every format of the registry keeps the laws of reading and writing: a new one is tested at once."""

from __future__ import annotations

import gzip
import lzma
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arbora import treebank
from arbora.errors import FileError
from arbora.treebank import FORMATS

CONLL = (
    "1\tDogs\tdog\tN\tNNS\tA|B\t2\tsubj\t_\t_\n2\tbärk\t_\tV\t_\t_\t0\troot\t_\t_\n\n"
    "1\tNo\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)
TREES = "((S (NP-SBJ (NNS Dogs)) (VP (VBP bärk))))\n(ROOT (X (-NONE- *T*-1)))\n"
# For each format: sound text of two items, one more item that breaks it, and its error.
SAMPLES = {
    "conllu": ("# sent_id = 1\n" + CONLL, "1\tx\n\n", "ten columns"),
    "conllx": (CONLL, "1\tx\n\n", "ten columns"),
    "brackets": (TREES, "(S (X y)))\n", "closing bracket"),
    "horizontal": ("Dogs bärk , " * 30 + "loudly\n" + "x " * 200 + "y\n", "a\tb\n", "a tab: words alone"),
    "vertical": ("bärk 10 000\n" * 30 + "\n" + "No" * 900 + "\n\n", "a\nb\tc\nd\n\n", "a tab: words alone"),
}
PACK = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}
UNPACK = {"": bytes, ".gz": gzip.decompress, ".xz": lzma.decompress}

each_format = pytest.mark.parametrize("format", FORMATS)
each_packing = pytest.mark.parametrize("packing", PACK)


def file_of(folder: Path, format: str, packing: str = "", text: str | None = None, stem: str = "t") -> str:
    path = folder / (stem + FORMATS[format].suffixes[0] + packing)
    path.write_bytes(PACK[packing]((SAMPLES[format][0] if text is None else text).encode()))
    return str(path)


@each_format
def test_there_is_a_sample(format):
    assert format in SAMPLES


@each_format
@each_packing
def test_round_trip(tmp_path, format, packing):
    path, target = file_of(tmp_path, format, packing), tmp_path / f"out{packing}"
    items = list(treebank.read(path))
    assert len(items) == 2
    assert treebank.write(str(target), items, format) == 2
    assert UNPACK[packing](target.read_bytes()) == SAMPLES[format][0].encode()
    again = tmp_path / f"again{packing}"
    treebank.write(str(again), items, format)
    assert again.read_bytes() == target.read_bytes()


@each_format
def test_every_suffix_tells_the_format(format):
    for suffix in FORMATS[format].suffixes:
        for packing in PACK:
            assert treebank.formats.find_format(f"a/b{suffix}{packing}").name == format


@each_format
@each_packing
def test_an_empty_file_has_nothing(tmp_path, format, packing):
    path = file_of(tmp_path, format, packing, "")
    assert list(treebank.read(path)) == []
    assert treebank.write(str(tmp_path / "out"), [], format) == 0
    assert (tmp_path / "out").read_bytes() == b""


@each_format
@each_packing
def test_a_missing_file_is_named_at_once(tmp_path, format, packing):
    with pytest.raises(FileError, match=r"none\S*: there is no such file"):
        treebank.read(str(tmp_path / "none") + FORMATS[format].suffixes[0] + packing)


@each_format
def test_lenient_counts_and_strict_stops(tmp_path, format):
    sound, bad, reason = SAMPLES[format]
    path = file_of(tmp_path, format, text=sound + bad + sound + bad)
    reader = treebank.read(path, lenient=True)
    assert len(list(reader)) == 4
    assert reader.skipped == 2
    strict = treebank.read(path)
    assert [next(strict), next(strict)] == list(treebank.read(file_of(tmp_path, format, stem="sound")))
    with pytest.raises(FileError, match=reason):
        next(strict)


@each_format
def test_a_named_pipe_in_small_pieces(tmp_path, format):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)

    def feed() -> None:
        with open(pipe, "wb", buffering=0) as stream:
            for byte in SAMPLES[format][0].encode():
                stream.write(bytes([byte]))

    feeder = threading.Thread(target=feed)
    feeder.start()
    items = list(treebank.read(pipe, format))
    feeder.join()
    assert items == list(treebank.read(file_of(tmp_path, format)))


@each_format
def test_standard_input_and_output(format):
    code = f"from arbora import treebank as t; t.write('-', t.read('-', {format!r}), {format!r})"
    data = SAMPLES[format][0].encode()
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout == data


@each_format
def test_pieces_may_be_cut_anywhere(format):
    data = (SAMPLES[format][0] * 2).encode()
    whole = list(FORMATS[format].scan([data], None))
    assert len(whole) == 4
    for cut in range(len(data)):
        assert list(FORMATS[format].scan([data[:cut], data[cut:]], None)) == whole


# The most bytes that a process had in memory. On Linux, ru_maxrss would count the program that began it, too.
PEAK = """
def peak():
    if sys.platform == "linux":
        lines = open("/proc/self/status").read().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    import resource
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
"""


@each_format
def test_a_long_stream_needs_little_memory(format):
    """10 MB through a pipe; a reader that held its input or its sentences would need more than that."""
    code = (
        f"import sys; from arbora import treebank as t\n{PEAK}\n"
        f"before = peak()\ncount = sum(1 for _ in t.read('-', {format!r}))\n"
        "print(count, peak() - before)"
    )
    data = SAMPLES[format][0].encode()
    block = data * (100_000 // len(data))
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    for _ in range(100):
        child.stdin.write(block)
    output, _ = child.communicate()
    count, growth = map(int, output.split())
    assert count == 2 * 100 * (100_000 // len(data))
    assert growth < 7_500_000


@pytest.mark.treebanks
def test_public_treebanks_come_out_byte_for_byte(treebank_folder, tmp_path):
    suffixes = tuple(suffix for format in FORMATS.values() for suffix in format.suffixes)
    paths = [path for path in sorted(treebank_folder.iterdir()) if path.name.endswith(suffixes)]
    assert paths
    for path in paths:
        target = tmp_path / path.name
        treebank.write(str(target), treebank.read(str(path)))
        assert target.read_bytes() == path.read_bytes(), path.name
