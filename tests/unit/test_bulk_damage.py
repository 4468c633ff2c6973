"""Bulk runs on damaged files: what can be read of them is parsed, the rest is told, and all else goes on."""

from __future__ import annotations

import gzip
import json
import lzma
from importlib import import_module

import pytest
from bulk_cases import InProcess, failures, output, text_of

from arbora.bulk import BulkOptions, bulk_output, run_bulk
from arbora.bulk.inputs import Input
from arbora.bulk.shards import cut, read_shard
from arbora.errors import ArboraError

HERE = {"executor": InProcess()}


def cut_off(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def with_garbage(data: bytes) -> bytes:
    return data + b"this was never compressed"


def records(count: int, start: int = 0) -> bytes:
    rows = ({"text": f"Dog {number} barks {number * 7919 % 1000} times."} for number in range(start, count))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.mark.parametrize(
    ("ending", "pack", "damage"),
    [
        (".gz", gzip.compress, cut_off),
        (".gz", gzip.compress, with_garbage),
        (".xz", lzma.compress, cut_off),
    ],
)
def test_a_damaged_file_costs_itself_alone(tmp_path, ending, pack, damage):
    whole = records(400)
    (tmp_path / f"a.jsonl{ending}").write_bytes(damage(pack(whole)))
    (tmp_path / f"b.jsonl{ending}").write_bytes(pack(records(12, 10)))
    options = BulkOptions(shard_bytes=4000)
    names = [str(tmp_path / f"*.jsonl{ending}")]
    report = run_bulk(names, tmp_path / "out", options=options, **HERE)
    assert (report.failed, report.is_whole, report.done) == (1, False, report.shards)
    (row,) = failures(tmp_path / "out")
    assert row["input"] == str(tmp_path / f"a.jsonl{ending}")
    assert "compressed data" in row["reason"]
    text = b"".join(bulk_output(tmp_path / "out")).decode()
    texts = [line[9:] for line in text.splitlines() if line.startswith("# text = ")]
    known = [json.loads(line)["text"] for line in whole.splitlines()]
    read = row["line"] - 1
    assert texts == [*known[:read], *known[10:12]]  # those of whole lines, and the other file
    assert run_bulk(names, tmp_path / "out", options=options, **HERE).worked == 0
    with pytest.raises(ArboraError, match=rf"a\.jsonl{ending}:{row['line']}: the compressed data"):
        run_bulk(names, tmp_path / "strict", options=BulkOptions(shard_bytes=4000, strict=True), **HERE)


def test_cutting_goes_on_behind_damage(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(cut_off(gzip.compress(text_of(200).encode())))
    (tmp_path / "b.txt").write_text(text_of(3), "utf-8")
    (tmp_path / "c.txt.gz").write_bytes(b"this was never compressed")
    (tmp_path / "d.txt").write_text(text_of(2), "utf-8")
    inputs = [Input(str(path), 0) for path in sorted(tmp_path.iterdir())]
    shards = list(cut(inputs, "text", 500))
    assert [bool(shard.error) for shard in shards].count(True) == 2
    last = max(shard.number for shard in shards if shard.path.endswith("a.txt.gz") and not shard.error)
    assert read_shard(shards[last]).endswith(b"\n\n")  # no half paragraph
    for known in range(len(shards)):
        assert list(cut(inputs, "text", 500, shards[:known])) == shards[known:]


def test_shards_of_a_compressed_file_grow(tmp_path):
    text = text_of(8000)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(text.encode(), 1))
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(text_of(40).encode(), 1))
    inputs = [Input(str(tmp_path / name), 0) for name in ("a.txt.gz", "b.txt.gz")]
    shards = list(cut(inputs, "text", 500))
    assert len(shards) < 200
    assert [round(shards[number].size / 500) for number in (31, 32, 63, 64)] == [1, 2, 2, 4]
    assert next(shard.size // 500 for shard in shards if shard.path.endswith("b.txt.gz")) == 1
    assert b"".join(map(read_shard, shards[:3])) == text.encode()[: shards[2].end]
    for known in (1, 33, 70, len(shards) - 1):
        assert list(cut(inputs, "text", 500, shards[:known])) == shards[known:]


@pytest.fixture
def parquet(tmp_path):
    arrow = import_module("pyarrow")
    import_module("pyarrow.parquet")

    def write(name: str, first: int = 0, **more) -> None:
        rows = [f"Dog {number} barks." for number in range(first, first + 9)]
        table = arrow.table({"text": rows, "other": list(range(9))})
        arrow.parquet.write_table(table, tmp_path / name, row_group_size=3, **more)

    return write


def test_rows_count_within_their_file(tmp_path, parquet):
    parquet("a.parquet")
    parquet("b.parquet", 9)
    names = [str(tmp_path / "*.parquet")]
    text = output(names, tmp_path / "out", shard_bytes=1, **HERE).decode()
    found = [line.rpartition(" ")[2] for line in text.splitlines() if "newdoc id" in line]
    assert found == [f"{name}.parquet:{row}" for name in "ab" for row in range(1, 10)]
    inputs = [Input(str(tmp_path / name), 0) for name in ("a.parquet", "b.parquet")]
    shards = list(cut(inputs, "parquet", 1, columns=["text"]))
    for known in range(len(shards)):
        assert list(cut(inputs, "parquet", 1, shards[:known], ["text"])) == shards[known:]


def test_damaged_files_of_parquet(tmp_path, parquet):
    for name in "abcd":
        parquet(f"{name}.parquet", compression="snappy", use_dictionary=False)
    (tmp_path / "a.parquet").write_bytes(cut_off((tmp_path / "a.parquet").read_bytes()))
    data = bytearray((tmp_path / "c.parquet").read_bytes())
    place = data.index(b"Dog 3")
    data[place - 8 : place + 8] = b"\xff" * 16
    (tmp_path / "c.parquet").write_bytes(data)
    names = [str(tmp_path / "*.parquet")]
    report = run_bulk(names, tmp_path / "out", options=BulkOptions(shard_bytes=1), **HERE)
    assert (report.sentences, report.failed) == (9 + 6 + 9, 2)
    found = failures(tmp_path / "out")
    assert [(row["input"][-9:], row["line"]) for row in found] == [("a.parquet", 1), ("c.parquet", 4)]
    assert found[0]["reason"].startswith("this is no Parquet file")
    assert found[1]["reason"].startswith("no more can be read of this file")


def test_parquet_that_changes_is_noticed(tmp_path, parquet):
    """Also if rows and sizes are the same."""
    parquet("a.parquet", compression="none", use_dictionary=False)
    names = [str(tmp_path / "a.parquet")]
    run_bulk(names, tmp_path / "out", options=BulkOptions(), plan=True, **HERE)
    data = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(data.replace(b"Dog 4", b"Cat 4"))
    with pytest.raises(ArboraError, match=r"a\.parquet: this input has changed since the run began"):
        run_bulk(names, tmp_path / "out", options=BulkOptions(), **HERE)


def test_a_text_of_parquet_that_is_no_utf8_costs_its_row(tmp_path):
    arrow = import_module("pyarrow")
    import_module("pyarrow.parquet")

    rows = arrow.array([b"A dog.", b"A \xff cat.", b"A cow."], arrow.binary())
    wrong = arrow.Array.from_buffers(arrow.string(), 3, rows.buffers())
    arrow.parquet.write_table(arrow.table({"text": wrong}), tmp_path / "a.parquet")
    report = run_bulk([str(tmp_path / "a.parquet")], tmp_path / "out", options=BulkOptions(), **HERE)
    (row,) = failures(tmp_path / "out")
    assert (report.sentences, row["line"], row["data"]) == (2, 2, "A \ufffd cat.")
