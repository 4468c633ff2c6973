"""Bulk runs: the same output as parsing all at once, whatever the shards, and however often it is ended."""

from __future__ import annotations

import gzip
import json
import lzma
import random
import shutil
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from bulk_cases import TREEBANK, InProcess, output, text_of

from arbora.bulk import BulkOptions, Event, Watcher, bulk_output, bulk_status, run_bulk
from arbora.bulk.inputs import Input, find_inputs
from arbora.bulk.manifest import NAME, read_lines, read_state
from arbora.bulk.shards import cut, read_shard
from arbora.bulk.work import Done, Job, work
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError, FileError
from arbora.executors import Refused
from arbora.pipeline.files import parse_file
from arbora.pipeline.shipped import find_model
from arbora.text.tokenizing.paragraphs import paragraphs_of_text

ODD = (
    "First one.\n\n  \n Second, with spaces before.\n\t\nThird.\r\n\r\nFourth\n\n\n\nΠέμπτη. "
    "Ελλάδα!\n\n«Sixth»\n\n"
    "\u00a0Seventh after a space that is none.\n\n\u2028Eighth.\n\n第九。第十。\n\nTenth\nwith two lines"
)


@pytest.fixture(autouse=True)
def _in_process(monkeypatch, request):
    if "processes" not in request.keywords:
        monkeypatch.setattr("arbora.bulk.run.make_executor", lambda *_: InProcess())


def parsed(path, target, **options) -> bytes:
    parse_file(find_model("en"), str(path), str(target), ParseOptions(**options))
    return Path(target).read_bytes()


@pytest.mark.parametrize("size", [1, 30, 200, 10**6])
@pytest.mark.parametrize("text", [ODD, text_of(12), "", "   \n\n ", "one", "\n\n \n\nLate.\n\nLater."])
def test_shards_of_texts_are_all_of_it_and_change_nothing(tmp_path, text, size):
    path = tmp_path / "a.txt"
    path.write_text(text, "utf-8", newline="")
    shards = list(cut([Input(str(path), 0)], "text", size))
    assert b"".join(map(read_shard, shards)) == text.encode()
    assert [shard.number for shard in shards] == list(range(len(shards)))
    for shard in shards:
        before = text.encode()[: shard.start].decode()
        assert shard.first_character == len(before)
        assert shard.first_line == before.count("\n") + 1
    assert output([path], tmp_path / "out", shard_bytes=size) == parsed(path, tmp_path / "whole.conllu")


@pytest.mark.parametrize("ending", ["", ".gz", ".xz", ".zst"])
def test_several_texts_are_one_with_empty_lines_between(tmp_path, ending):
    if ending == ".zst":
        zstd = import_module("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
    pack = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".zst": lambda data: zstd.compress(data)}[
        ending
    ]
    texts = [text_of(5), "No end", "One line\n", text_of(3, 40), ODD]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt{ending}").write_bytes(pack(text.encode()))
    joined = text_of(5) + "No end\n\n" + "One line\n\n" + text_of(3, 40) + ODD
    (tmp_path / "all").write_text(joined, "utf-8", newline="")
    for format in ("conllu", "jsonl"):
        options = BulkOptions(format=format, shard_bytes=150)
        found = output([tmp_path / f"*.txt{ending}"], tmp_path / f"out-{format}", options=options)
        parse_file(
            find_model("en"),
            str(tmp_path / "all"),
            str(tmp_path / "o"),
            source_format="text",
            target_format={"jsonl": "json"}.get(format, format),
        )
        assert found == (tmp_path / "o").read_bytes()


@pytest.mark.parametrize("probabilities", [False, True])
def test_treebanks(tmp_path, probabilities):
    options = BulkOptions(ParseOptions(probabilities=probabilities), format="conllu.gz", shard_bytes=2000)
    (tmp_path / "cut.conllu").write_text((TREEBANK / "en.conllu").read_text("utf-8").rstrip("\n"), "utf-8")
    found = output([tmp_path / "cut.conllu", TREEBANK / "de.conllu"], tmp_path / "out", options=options)
    (tmp_path / "all.conllu").write_bytes(
        (TREEBANK / "en.conllu").read_bytes() + (TREEBANK / "de.conllu").read_bytes()
    )
    assert found == parsed(tmp_path / "all.conllu", tmp_path / "o.conllu", probabilities=probabilities)
    assert bulk_status(tmp_path / "out").shards > 5


def test_random_texts_at_random_sizes(tmp_path):
    draw = random.Random(3)
    pieces = [
        "a",
        "dog. ",
        "\n",
        "\n\n",
        " ",
        "\t",
        "\r\n",
        "é",
        "\u2029",
        "\u3000",
        "Ω. ",
        "!",
        "\ufeff",
        "x\u0301 ",
    ]
    for number in range(40):
        text = "".join(draw.choice(pieces) for _ in range(draw.randint(0, 60)))
        path = tmp_path / f"{number}.txt"
        path.write_text("w" + text, "utf-8", newline="")
        found = output([path], tmp_path / f"out{number}", shard_bytes=draw.randint(1, 40))
        assert found == parsed(path, tmp_path / "o.conllu")


def test_paragraphs_are_the_text():
    assert b"".join(paragraphs_of_text(ODD.encode())) == ODD.encode()


def test_records(tmp_path):
    rows = [{"body": f"Dog {n} barks.\n\nIt is loud.", "url": f"u/{n}\n"} for n in range(9)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    options = BulkOptions(field="body", id_field="url", shard_bytes=120, format="jsonl")
    found = [json.loads(line) for line in output([path], tmp_path / "out", options=options).splitlines()]
    assert [row["text"] for row in found] == [t for n in range(9) for t in (f"Dog {n} barks.", "It is loud.")]
    assert [row["comments"][0] for row in found[::2]] == [f"# newdoc id = u/{n}" for n in range(9)]
    assert [c for row in found for c in row["comments"] if "sent_id" in c] == [
        f"# sent_id = {n + 1}" for n in range(18)
    ]
    assert [row["words"][0]["start"] for row in found] == [0, 14] * 9  # in each record
    unnamed = output(
        [path], tmp_path / "unnamed", options=replace(options, id_field=None, format="conllu")
    ).decode()
    assert unnamed.count("# newdoc id = a.jsonl:") == 9
    assert "# newdoc id = a.jsonl:9\n" in unnamed


def test_parquet_in_and_out(tmp_path):
    arrow = import_module("pyarrow")
    import_module("pyarrow.parquet")

    table = arrow.table(
        {"text": [f"Dog {n} barks. Loudly." for n in range(10)] + [None], "id": list(range(11))}
    )
    arrow.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=3)
    options = BulkOptions(ParseOptions(probabilities=True), "parquet", id_field="id", shard_bytes=1)
    report = run_bulk([str(tmp_path / "a.parquet")], tmp_path / "out", options=options)
    assert (report.shards, report.sentences, report.failed) == (4, 20, 1)
    failed = json.loads((tmp_path / "out" / "failed.jsonl").read_text())
    assert (failed["document"], failed["reason"]) == ("10", "text is no text but nothing")
    rows = arrow.parquet.read_table(tmp_path / "out" / "shards").to_pylist()
    assert [row["document"] for row in rows[::2]] == [str(n) for n in range(10)]
    first = rows[0]
    assert first["form"] == ["Dog", "0", "barks", "."]
    assert len(first["head"]) == len(first["head_probability"]) == 4
    assert first["start"] == [0, 4, 6, 11]
    assert all(0 < p <= 1 for p in first["head_probability"])
    types = arrow.parquet.read_schema(tmp_path / "out" / "shards" / "000000.parquet")
    for name, kind in (("head", "int32"), ("head_probability", "float"), ("deps", "string")):
        assert str(types.field(name).type.value_type) == kind
    with pytest.raises(ArboraError, match="dataset"):
        list(bulk_output(tmp_path / "out"))
    with pytest.raises(ArboraError, match="no column 'body'"):
        run_bulk([str(tmp_path / "a.parquet")], tmp_path / "other", options=BulkOptions(field="body"))


def test_enhanced_dependencies_in_parquet(tmp_path):
    arrow = import_module("pyarrow")
    import_module("pyarrow.parquet")

    node = "1.1\tgo\tgo\tVERB\t_\t_\t_\t_\t0:root\t_"
    rows = ["1\tDogs\t_\t_\t_\t_\t0\troot\t1.1:nsubj\t_", node, "2\ttoo\t_\t_\t_\t_\t1\tadvmod\t1:advmod\t_"]
    (tmp_path / "a.conllu").write_text("\n".join(rows) + "\n\n", "utf-8")
    options = BulkOptions(ParseOptions(constraints=True), "parquet")
    run_bulk([str(tmp_path / "a.conllu")], tmp_path / "out", options=options)
    (row,) = arrow.parquet.read_table(tmp_path / "out" / "shards").to_pylist()
    assert row["deps"] == ["1.1:nsubj", "1:advmod"]
    assert row["empty_nodes"] == [node]


@pytest.mark.parametrize("format", ["conllu.xz", "conllu.zst", "jsonl.gz"])
def test_compressed_outputs(tmp_path, format):
    (tmp_path / "a.txt").write_text(text_of(6), "utf-8")
    plain = BulkOptions(format=format.partition(".")[0], shard_bytes=100)
    expected = output([tmp_path / "a.txt"], tmp_path / "plain", options=plain)
    found = output([tmp_path / "a.txt"], tmp_path / "out", options=replace(plain, format=format))
    assert found == expected
    starts = {"xz": b"\xfd7zXZ", "zst": b"\x28\xb5\x2f\xfd", "gz": b"\x1f\x8b"}
    first = (tmp_path / "out" / "shards" / f"000000.{format}").read_bytes()
    assert first.startswith(starts[format.partition(".")[2]])


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"keep_tags": True}, "--keep-tags is for conllu"),
        ({"parsing": ParseOptions(constraints=True)}, "--constraints is for conllu"),
        ({"field": "body"}, "--field is for jsonl and parquet"),
        ({"id_field": "id"}, "--id-field is for jsonl and parquet"),
    ],
)
def test_options_that_would_be_ignored(tmp_path, more, reason):
    (tmp_path / "a.txt").touch()
    with pytest.raises(ArboraError, match=reason):
        run_bulk([str(tmp_path / "a.txt")], tmp_path / "out", options=BulkOptions(**more))
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_parsed_costs_itself_alone(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"Good dog.\n\nBad \xff byte.\n\nGood cat.\n\n")
    report = run_bulk([str(path)], tmp_path / "out", options=BulkOptions())
    assert (report.sentences, report.failed, report.is_whole) == (2, 1, False)
    row = json.loads((tmp_path / "out" / "failed.jsonl").read_text())
    assert (row["line"], row["data"]) == (3, "Bad \ufffd byte.\n\n")
    assert "no UTF-8" in row["reason"]
    text = b"".join(bulk_output(tmp_path / "out")).decode()
    assert "# text = Good dog." in text
    assert "# sent_id = 2\n" in text
    with pytest.raises(ArboraError, match="no UTF-8"):
        run_bulk([str(path)], tmp_path / "strict", options=BulkOptions(strict=True))

    records = tmp_path / "a.jsonl"
    broken = ["no json", '{"other": 1}', '{"text": 7}', "[]", '{"text": "\\ud800"}', ""]
    records.write_text("\n".join(['{"text": "A dog."}', *broken, '{"text": "End."}']))
    report = run_bulk([str(records)], tmp_path / "records", options=BulkOptions())
    rows = [json.loads(line) for line in (tmp_path / "records" / "failed.jsonl").read_text().splitlines()]
    assert report.sentences == 2
    assert [row["line"] for row in rows] == [2, 3, 4, 5, 6]
    reasons = ["no JSON", "no field 'text'", "of the type int", "no JSON object", "lone surrogate"]
    assert all(own in row["reason"] for own, row in zip(reasons, rows, strict=True))

    treebank = tmp_path / "a.conllu"
    good = "1\tDogs\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    treebank.write_text(good + "1\tbroken\n\n" + good)
    report = run_bulk([str(treebank)], tmp_path / "treebank", options=BulkOptions(shard_bytes=1))
    row = json.loads((tmp_path / "treebank" / "failed.jsonl").read_text())
    assert (report.sentences, row["line"], row["shard"]) == (2, 3, 1)


def test_a_second_run_does_only_what_is_missing(tmp_path):
    path, folder = tmp_path / "a.txt", tmp_path / "out"
    path.write_text(text_of(20), "utf-8")
    first = output([path], folder)
    done = bulk_status(folder).done
    seen: list[Event] = []
    report = run_bulk([str(path)], folder, options=BulkOptions(shard_bytes=300), watcher=Watcher(seen.append))
    assert (report.worked, report.done) == (0, done)
    victim = folder / "shards" / "000001.conllu"
    victim.write_bytes(victim.read_bytes().replace(b"dog", b"cat"))
    assert bulk_status(folder).damaged == ()
    assert bulk_status(folder, verify=True).damaged == ("shards/000001.conllu",)
    report = run_bulk([str(path)], folder, options=BulkOptions(shard_bytes=300), verify=True)
    assert report.worked == 1
    assert b"".join(bulk_output(folder)) == first


def test_a_kill_at_any_byte_of_the_manifest(tmp_path):
    """The manifest as it is when the machine dies: cut off somewhere, outputs there or not."""
    path, whole = tmp_path / "a.txt", tmp_path / "whole"
    path.write_text(text_of(6), "utf-8")
    expected = output([path], whole, shard_bytes=100)
    data = (whole / NAME).read_bytes()
    begun = data.index(b"\n") + 1
    for cut_at in range(begun, len(data), 37):
        folder = tmp_path / f"cut{cut_at}"
        shutil.copytree(whole, folder)
        (folder / NAME).write_bytes(data[:cut_at])
        if cut_at % 2:
            shutil.rmtree(folder / "shards")
            (folder / NAME).write_bytes(
                b"".join(x + b"\n" for x in data[:cut_at].split(b"\n")[:-1] if b'"done"' not in x)
            )
        assert output([path], folder, shard_bytes=100) == expected
        kinds = [line["kind"] for line in read_lines(str(folder / NAME))]
        assert kinds[0] == "run"
        assert kinds.count("planned") == 1
        assert kinds.count("shard") == len(read_state(folder).shards)
        shutil.rmtree(folder)


def test_a_run_is_of_one_model_one_input_and_the_same_options(tmp_path):
    path, folder = tmp_path / "a.txt", tmp_path / "out"
    path.write_text(text_of(3), "utf-8")
    output([path], folder)
    for more, reason in (
        ({"options": BulkOptions(ParseOptions(decoder="mbr"), shard_bytes=300)}, "decoder was best, not mbr"),
        ({"options": BulkOptions(format="jsonl", shard_bytes=300)}, "format was conllu, not jsonl"),
        ({"model": "tests/golden/pipeline.v2.arbora"}, "another model"),
    ):
        with pytest.raises(ArboraError, match=reason):
            output([path], folder, **more)
    (tmp_path / "b.txt").write_text("More.", "utf-8")
    with pytest.raises(ArboraError, match=r"other inputs.*b\.txt"):
        output([path, tmp_path / "b.txt"], folder)
    state = read_state(folder)
    changed = text_of(3).replace("dog", "cat")
    path.write_text(changed, "utf-8")
    job = Job(str(folder), find_model("en"), state.settings["model_digest"], "text", "conllu", ParseOptions())
    answer = work(job, state.shards[0])
    assert isinstance(answer, Refused)
    assert "has changed since the run began" in answer.reason


def test_parts_share_a_folder(tmp_path):
    path, folder = tmp_path / "a.txt", tmp_path / "out"
    path.write_text(text_of(9), "utf-8")
    expected = output([path], tmp_path / "whole", shard_bytes=100)
    options = BulkOptions(shard_bytes=100)
    for part in ((3, 3), (1, 3)):
        run_bulk([str(path)], folder, options=options, part=part)
        with pytest.raises(FileError, match="not whole"):
            list(bulk_output(folder))
    run_bulk([str(path)], folder, options=options, part=(2, 3))
    assert b"".join(bulk_output(folder)) == expected
    planned = tmp_path / "planned"
    report = run_bulk([str(path)], planned, options=options, plan=True)
    assert (report.done, bulk_status(planned).planned) == (0, True)
    assert output([path], planned, options=options) == expected


def test_nobody_else_works_on_the_folder(tmp_path):
    path, folder = tmp_path / "a.txt", tmp_path / "out"
    path.write_text(text_of(9), "utf-8")
    options = BulkOptions(shard_bytes=100)

    def disturb(event: Event) -> None:
        if event.name == "done":
            with pytest.raises(ArboraError, match="another process"):
                run_bulk([str(path)], folder, options=options)
            with pytest.raises(ArboraError, match="another process"):
                run_bulk([str(path)], folder, options=options, part=(1, 2))

    assert run_bulk([str(path)], folder, options=options, watcher=Watcher(disturb)).is_whole


@pytest.mark.parametrize(
    ("names", "kind", "reason"),
    [
        (["nothing*.txt"], None, "no file matches"),
        (["-"], None, "standard input"),
        (["a.txt", "./a.txt"], None, "named twice"),
        (["a.txt", "b.conllu"], None, "several kinds"),
        (["c.pdf"], None, "does not tell"),
        (["empty"], None, "no file here that ends in"),
        (["a.txt"], "pdf", "no input format pdf"),
    ],
)
def test_inputs_that_are_refused(tmp_path, monkeypatch, names, kind, reason):
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.conllu", "c.pdf"):
        (tmp_path / name).touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises(ArboraError, match=reason):
        find_inputs(names, kind)


def test_folders_and_patterns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("x/b.txt", "x/y/a.txt.gz", "x/.hidden.txt", "x/readme.md", "z.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    whole = [str(tmp_path / name) for name in ("x/b.txt", "x/y/a.txt.gz", "z.txt")]
    assert [one.path for one in find_inputs(["x", "./z.txt"])[1]] == whole
    assert [one.path for one in find_inputs(["x/**/*.txt*"])[1]] == whole[:2]


def test_folders_that_are_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("A dog.", "utf-8")
    with pytest.raises(FileError, match="a folder, and this is a file"):
        output([path], path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    with pytest.raises(FileError, match="not empty"):
        output([path], tmp_path / "full")
    with pytest.raises(FileError, match=r"no manifest\.jsonl"):
        list(bulk_output(tmp_path / "full"))
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / NAME).write_text('{"kind": "run"}\nnonsense\n{"kind": "planned"}\n')
    with pytest.raises(FileError, match=r"manifest\.jsonl:2: this is no line of a manifest"):
        bulk_status(tmp_path / "odd")


def test_sums_of_the_report(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(text_of(9), "utf-8")
    events: list[Event] = []
    report = run_bulk(
        [str(path)], tmp_path / "out", options=BulkOptions(shard_bytes=100), watcher=Watcher(events.append)
    )
    assert report.sentences == 18
    assert report.words == sum(e.data["words"] for e in events if e.name == "done")
    assert (events[0].name, events[-1].name) == ("begun", "finished")
    done = next(e.data for e in events if e.name == "done")
    assert done.keys() >= set(Done.__slots__)
