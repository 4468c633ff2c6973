"""``arbora bulk`` as a command."""

from __future__ import annotations

import json

import pytest
from bulk_cases import text_of
from command import run_here


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(text_of(12), "utf-8")
    return path


def test_from_files_to_one_output(source, tmp_path):
    folder = tmp_path / "out"
    done = run_here("bulk", source, "-o", folder, "--shard-size", "300", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "24 sentences" in done.stderr
    assert "shards/000000.conllu" in done.stderr
    said = run_here("bulk", "status", folder)
    assert said.returncode == 0
    assert "sentences  24" in said.stdout
    plain = json.loads(run_here("bulk", "status", folder, "--json", "--verify").stdout)
    assert plain["done"] == plain["shards"] > 1
    whole = run_here("parse", "-i", source, "--format", "conllu")
    assert run_here("bulk", "cat", folder).stdout == whole.stdout
    assert run_here("bulk", "cat", folder, "-o", tmp_path / "all.conllu").returncode == 0
    assert (tmp_path / "all.conllu").read_text("utf-8") == whole.stdout


def test_status_says_by_its_code_whether_there_is_more_to_do(source, tmp_path):
    folder = tmp_path / "out"
    run = ("bulk", source, "-o", folder, "--shard-size", "300", "--workers", "1")
    run_here(*run, "--plan")
    assert run_here("bulk", "status", folder).returncode == 1
    run_here(*run)
    assert run_here("bulk", "status", folder).returncode == 0
    (folder / "shards" / "000000.conllu").unlink()
    said = run_here("bulk", "status", folder)
    assert said.returncode == 2
    assert "damaged    shards/000000.conllu" in said.stdout
    assert said.stderr.count("\n") == 1
    assert "shard 0 is not" not in run_here("bulk", "cat", folder).stderr  # it is not there at all
    done = run_here(*run)
    assert "shards/000000.conllu is not what the manifest says: it is made anew" in done.stderr
    assert run_here("bulk", "status", folder).returncode == 0
    (folder / "shards" / "000001.conllu").write_bytes(
        (folder / "shards" / "000001.conllu").read_bytes().replace(b"dog", b"cat")
    )
    done = run_here("bulk", "cat", folder)
    assert done.returncode == 2
    assert "the output of shard 1 is not what the manifest says" in done.stderr


def test_certificates_and_crossing_arcs_as_of_parse(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("".join(f"{n}\tw{n}\t_\tX\t_\t_\t_\t_\t_\t_\n" for n in range(1, 6)) + "\n", "utf-8")
    model = ("--model", "tests/golden/dependency-parser.v2.arbora", "--certificates", "--non-projective")
    expected = run_here("parse", "-i", path, *model)
    assert "# certificate = proved" in expected.stdout
    done = run_here("bulk", path, "-o", tmp_path / "out", "--workers", "1", *model)
    assert done.returncode == 0, done.stderr
    assert run_here("bulk", "cat", tmp_path / "out").stdout == expected.stdout


def test_neural_models_give_what_they_do_at_once(source, tmp_path):
    folder = tmp_path / "out"
    done = run_here("bulk", source, "-o", folder, "-m", "en-neural", "--shard-size", "300", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert json.loads(run_here("bulk", "status", folder, "--json").stdout)["shards"] > 1
    whole = run_here("parse", "-m", "en-neural", "-i", source, "--format", "conllu")
    assert run_here("bulk", "cat", folder).stdout == whole.stdout
    assert "PUNCT" in whole.stdout


def test_events_for_other_programs(source, tmp_path):
    done = run_here("bulk", "run", source, "-o", tmp_path / "out", "--workers", "1", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["begun", "planned", "done", "finished"]
    assert events[2]["words"] == events[3]["words"] > 0


def test_a_plan_tells_how_far_it_is(source, tmp_path, monkeypatch):
    monkeypatch.setattr("arbora.cli.bulk_progress.PLANNED", 2)
    done = run_here("bulk", source, "-o", tmp_path / "out", "--shard-size", "100", "--plan")
    lines = done.stderr.splitlines()
    assert lines[:2] == ["2 shards cut, 0.0 MB", "4 shards cut, 0.0 MB"]
    assert lines[-1].startswith("0 of ")
    assert done.returncode == 0


def test_failures_end_with_three(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "A dog barks."}\n{"body": "no text"}\n', "utf-8")
    done = run_here("bulk", path, "-o", tmp_path / "out", "--workers", "1", "--format", "jsonl")
    assert done.returncode == 3
    assert "1 documents could not be parsed" in done.stderr
    assert run_here("bulk", "status", tmp_path / "out").returncode == 3
    done = run_here("bulk", path, "-o", tmp_path / "strict", "--workers", "1", "--strict")
    assert (done.returncode, done.stderr) == (2, f"arbora: {path}:2: there is no field 'text': it has body\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--shard-size", "many"], "no number of bytes"),
        (["--workers", "0"], "workers must be at least 1"),
        (["--keep-tags"], "--keep-tags is for conllu"),
        (["--only", "9"], "no part"),
        (["--only", "9/8"], "the part 9/8 is none"),
        (["--executor", "abacus"], "there are local, dask, ray"),
        (["--format", "xml"], "no output format xml in bulk"),
        (["--format", "parquet.gz"], "no output format"),
        (["--constraints", "none"], "there is from-input"),
        (["--model", "tests/golden/tokenizer.v2.arbora"], "adds words, and no trees"),
        (["--model", "tests/golden/dependency-parser.v2.arbora"], "has no tokenizer"),
    ],
)
def test_what_is_refused(source, tmp_path, arguments, reason):
    done = run_here("bulk", source, "-o", tmp_path / "out", *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_help_teaches():
    said = run_here("bulk", "--help")
    assert said.returncode == 0
    for word in ("status", "cat", "arbora bulk books/"):
        assert word in said.stdout
    assert "failed.jsonl" in run_here("bulk", "run", "--help").stdout
