"""Bulk runs on what cannot be parsed: it costs itself alone, and is told with the place and the reason."""

from __future__ import annotations

import json

import pytest
from bulk_cases import InProcess, failures, output

from arbora.bulk import BulkOptions, bulk_output, run_bulk
from arbora.dependency import ParseOptions
from arbora.errors import ArboraError

HERE = {"executor": InProcess()}


def test_whatever_a_record_makes_happen_happens_to_it_alone(tmp_path):
    path = tmp_path / "a.jsonl"
    deep = "[" * 200_000 + "]" * 200_000
    records = [
        '{"text": "A dog.", "id": "1"}',
        f'{{"text": "A cat.", "a": {deep}}}',
        '{"text": "A cow.", "id": "half \\ud800"}',
        '{"text": ["no", "text"], "id": 4}',
        f'{{"{"long " * 200}": 5}}',
        '{"text": "The end.", "id": "6"}',
    ]
    path.write_text("\n".join(records), "utf-8")
    options = BulkOptions(id_field="id")
    report = run_bulk([str(path)], tmp_path / "out", options=options, **HERE)
    assert (report.done, report.shards, report.failed, report.crashed) == (1, 1, 4, 0)
    found = failures(tmp_path / "out")
    assert [(row["line"], row["data"]) for row in found[:1]] == [(2, records[1])]
    assert found[0]["reason"] == "this JSON is nested too deeply"
    assert (found[1]["document"], "lone surrogate" in found[1]["reason"]) == ("half \ud800", True)
    assert (found[2]["data"], found[2]["document"]) == (records[3], "4")
    assert found[2]["reason"] == "text is no text but of the type list"
    assert len(found[3]["reason"]) <= 500
    text = b"".join(bulk_output(tmp_path / "out")).decode()
    assert [line for line in text.splitlines() if "newdoc" in line] == ["# newdoc id = 1", "# newdoc id = 6"]


def test_a_component_that_breaks_costs_the_sentence_alone(tmp_path, monkeypatch):
    from arbora.bulk.outputs import ConlluOutput

    render = ConlluOutput.render

    def break_on_cats(self, batch, first_character):
        piece = render(self, batch, first_character)
        if b"cat" in piece.content:
            raise ValueError("no cats\nhere")
        return piece

    monkeypatch.setattr(ConlluOutput, "render", break_on_cats)
    path = tmp_path / "a.txt"
    path.write_text("A dog.\n\nA cat.\n\nA cow.", "utf-8")
    found = output([path], tmp_path / "out", **HERE).decode()
    assert "# text = A cow.\n" in found
    (row,) = failures(tmp_path / "out")
    assert (row["line"], row["reason"], row["data"]) == (3, "ValueError: no cats here", "A cat.\n\n")


def test_a_comment_that_is_no_tree_costs_its_sentence_alone(tmp_path):
    """Found out when it is written as JSON."""
    good = "1\tDogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"
    path = tmp_path / "a.conllu"
    path.write_text(f"{good}# constituents = (S\n{good}{good}", "utf-8")
    report = run_bulk([str(path)], tmp_path / "out", options=BulkOptions(format="jsonl"), **HERE)
    (row,) = failures(tmp_path / "out")
    assert (report.sentences, row["line"]) == (2, 3)
    assert "holds no tree" in row["reason"]


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        (
            "a.txt",
            b"Good dog.\n\nBad\nand \xff.\n\n",
            "4: byte 9 of the paragraph is no UTF-8",
        ),
        ("a.jsonl", b'{"text": "A dog."}\n{"body": 1}\n', "2: there is no field 'text': it has body"),
        ("a.conllu", b"1\tDogs" + b"\t_" * 8 + b"\n\n1\tbroken\n", "3: "),
    ],
)
def test_strict_says_where(tmp_path, name, content, place):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ArboraError) as found:
        run_bulk(
            [str(tmp_path / name)], tmp_path / "out", options=BulkOptions(ParseOptions(), strict=True), **HERE
        )
    assert str(found.value).startswith(f"{tmp_path / name}:{place}")
    assert "\n" not in str(found.value)


def test_no_folder_for_failures_that_are_none(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "A dog."}), "utf-8")
    output([path], tmp_path / "out", **HERE)
    assert not (tmp_path / "out" / "failures").exists()


@pytest.mark.parametrize("format", ["conllu", "jsonl"])
def test_a_text_whose_first_paragraph_is_lost_still_begins(tmp_path, format):
    path = tmp_path / "a.txt"
    path.write_bytes(b"Bad \xff.\n\nGood dog.\n\nGood cat.")
    texts = [
        output([path], tmp_path / f"{size}", options=BulkOptions(format=format, shard_bytes=size), **HERE)
        for size in (1, 1000)
    ]
    assert texts[0].count(b"# newdoc") == 1
    if format == "conllu":
        assert texts[0] == texts[1]
    else:
        assert [json.loads(line)["comments"] for line in texts[0].splitlines()] == [
            json.loads(line)["comments"] for line in texts[1].splitlines()
        ]
