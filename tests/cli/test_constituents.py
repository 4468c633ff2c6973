"""Constituents on their way through commands: from every input, to every output."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import small_constituency
from command import run_here

import arbora
from arbora.constituency import TaggedWords
from arbora.pipeline import Document, Pipeline
from arbora.pipeline.plain_data import sentence_from_dict
from arbora.treebank import Constituent, Sentence, read

TREE = "(S (NP (PRP He)) (VP (VBD laughed) (PRN (-LRB- -LRB-) (RB loudly) (-RRB- -RRB-))) (. .))"
BRANCHING = (
    "(S (PRP He) (VP (VBD laughed) (VP (-LRB- -LRB-) (VP (RB loudly) (VP (-RRB- -RRB-) (VP (. .)))))))"
)
WORDS = "1\tHe\t_\tPRON\tPRP\t_\t_\t_\t_\t_\n2\tlaughed\t_\tVERB\tVBD\t_\t_\t_\t_\t_\n\n"


@pytest.fixture
def model(monkeypatch, tmp_path) -> Path:
    small_constituency.register(monkeypatch)
    small_constituency.make_parser().save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def brackets(tmp_path) -> Path:
    path = tmp_path / "in.mrg"
    path.write_text(TREE + "\n", "utf-8")
    return path


def parse(model, *arguments, stdin=""):
    done = run_here("parse", "--model", model, *arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_brackets_with_their_tags(model, brackets):
    assert parse(model, "-i", brackets, "--keep-tags") == BRANCHING + "\n"
    assert parse(model, "-i", brackets, "--keep-tags", "--format", "brackets") == BRANCHING + "\n"


def test_brackets_tagged_anew(model, tmp_path):
    odd = tmp_path / "odd.mrg"
    odd.write_text("(X (XX He) (XX laughed) (-NONE- *) (XX .))\n(X (-NONE- *))\n", "utf-8")
    done = run_here("parse", "-m", model, "-i", odd)
    assert done.stdout == "(S (PRP He) (VP (VBD laughed) (VP (. .))))\n"
    assert done.stderr == "lost: 1 trees of traces only\n"


def test_raw_text(model, tmp_path):
    book = tmp_path / "book.txt"
    book.write_text("He laughed.\n", "utf-8")
    parsed = "(S (PRP He) (VP (VBD laughed) (VP (. .))))\n"
    assert parse(model, "--format", "brackets", "-i", book) == parsed
    assert parse(model, "--format", "brackets", "--input-format", "text", stdin="He laughed.\n") == parsed
    drawn = parse(model, "He laughed.")
    assert drawn.splitlines()[:3] == ["S  1.00", "├─ PRP He", "└─ VP  0.50"]
    (tmp_path / "words.tok").write_text("He laughed .\n", "utf-8")
    assert parse(model, "-i", tmp_path / "words.tok", "--format", "brackets").startswith("(S (PRP He)")


def test_conllu_keeps_everything(model, tmp_path):
    source = "# sent_id = s1\n# constituents = (X (A He) (B laughed))\n# text = He laughed\n" + WORDS
    once = parse(model, "--input-format", "conllu", "--probabilities", stdin=source)
    assert once == (
        "# sent_id = s1\n# text = He laughed\n# constituents_log_probability = -0.693147\n"
        "# constituents = (S (PRP He) (VP (VBD laughed)))\n# constituent_probabilities = 1.0000 0.5000\n"
        + WORDS
    )
    # What another component does later leaves it as it is; another parse without probabilities replaces all.
    assert "# constituents = (S" in run_here("tag", stdin=once).stdout
    assert "probabilit" not in parse(model, "--input-format", "conllu", stdin=once)
    file = tmp_path / "once.conllu"
    file.write_text(once, "utf-8")
    (sentence,) = read(str(file))
    assert str(sentence.constituents) == "(S (PRP He) (VP (VBD laughed)))"
    assert sentence.constituent_probabilities == [1.0, 0.5]
    assert run_here("draw", file).stdout.splitlines()[1] == "S  1.00"


@pytest.mark.parametrize("kind", ["span", "isbn"])
def test_one_word_with_nothing_above_its_tag(kind, tmp_path):
    source = "1\tGoodbye\t_\tINTJ\tUH\t_\t_\t_\t_\t_\n\n"
    golden = f"tests/golden/{kind}-parser.v2.arbora"
    found = parse(golden, "--input-format", "conllu", "--probabilities", stdin=source)
    assert "# constituents = ((UH Goodbye))\n# constituent_probabilities = 1.0000\n" in found
    (tmp_path / "a.conllu").write_text(found, "utf-8")
    (sentence,) = read(str(tmp_path / "a.conllu"))
    assert sentence.constituents.spans() == [("", 0, 1)]
    as_brackets = parse(golden, "--input-format", "conllu", "--format", "brackets", stdin=source)
    assert as_brackets == "((UH Goodbye))\n"
    listed = parse(golden, "--input-format", "conllu", "--kbest", "2", "--format", "brackets", stdin=source)
    assert listed.startswith("((UH Goodbye))\n(")
    line = json.loads(parse(golden, "--input-format", "conllu", "--format", "json", stdin=source))
    assert line["constituents"] == [{"label": "", "start": 0, "end": 1}]
    assert str(sentence_from_dict({**line, "comments": []}).constituents) == "((UH Goodbye))"


def test_kbest(model):
    found = parse(model, "--input-format", "conllu", "--kbest", "5", stdin=WORDS)
    assert "# kbest_rank = 2\n# constituents_log_probability = -1.693147\n" in found
    assert "# constituents = (S (PRP He) (VBD laughed))\n" in found
    listed = parse(model, "--input-format", "conllu", "--kbest", "2", "--format", "brackets", stdin=WORDS * 2)
    assert [line.count("VP") for line in listed.splitlines()] == [1, 0, 0, 1, 0]
    assert listed.splitlines()[2] == ""


def test_json_is_what_documents_say(model):
    text = "He laughed (loudly)."
    line = parse(model, text, "--format", "json", "--probabilities")
    found = json.loads(line)
    assert found["constituents"][:2] == [
        {"label": "S", "start": 0, "end": 6, "probability": 1.0},
        {"label": "VP", "start": 1, "end": 6, "probability": 0.5},
    ]
    assert "constituents_log_probability" in found
    nlp = Pipeline([*arbora.load().components.items(), ("constituents", small_constituency.make_parser())])
    document = nlp(text, arbora.dependency.ParseOptions(probabilities=True))
    assert document.to_dict()["sentences"][0]["constituents"] == found["constituents"]
    twin = Document.from_dict(document.to_dict(probabilities=True))
    assert twin.sentences[0].constituents == document.sentences[0].constituents
    assert twin.sentences[0].constituents.probabilities == document.sentences[0].constituents.probabilities


def test_drawings(model):
    picture = parse(model, "He laughed.", "--format", "svg", "--probabilities")
    ElementTree.fromstring(picture)
    assert "VP 0.50" in picture
    assert 'opacity="0.65"' in picture
    assert "VP 0.50" not in parse(model, "He laughed.", "--format", "svg")
    assert "VP 0.33" in parse(model, "He laughed.", "--format", "html", "--probabilities")


def test_beside_a_dependency_parser(model, tmp_path):
    nlp = Pipeline([*arbora.load().components.items(), ("constituents", small_constituency.make_parser())])
    both = tmp_path / "both"
    nlp.save(both)
    (sentence,) = arbora.load(both)("He laughed.").sentences
    assert sentence.heads == [2, 0, 2]
    assert str(sentence.constituents) == "(S (PRP He) (VP (VBD laughed) (VP (. .))))"
    assert "<svg" in sentence.constituents._repr_svg_()
    assert sentence.constituents.probabilities is None
    assert nlp("He laughed.")._repr_html_().count("<svg") == 2
    drawn = parse(both, "He laughed.")
    assert "nsubj" in drawn
    assert "└─ VP" in drawn
    assert "kbest_rank = 2" in parse(both, "--kbest", "2", stdin="He laughed.")
    assert parse(both, "--kbest", "2", "--format", "brackets", stdin="He laughed.").count("(S ") == 2


@pytest.mark.parametrize(
    ("arguments", "stdin", "expected"),
    [
        (
            ["--input-format", "conllu"],
            "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
            "word 1 has no tag, neither XPOS nor UPOS",
        ),
        (
            ["--input-format", "brackets"],
            "(S (A b)\n(S (A b))\n",
            "standard input:1: sentence #1: the tree that begins",
        ),
        (["--input-format", "brackets"], "(S (A b)))\n", "standard input:1: sentence #1: a closing bracket"),
        (["--input-format", "brackets"], "(S ())\n", "standard input:1: sentence #1: an empty bracket"),
        (["--decoder", "mbr", "a"], "", "decoder: this goes with dependencies"),
        (["--keep-tags", "a"], "", "--keep-tags needs an input that has tags: conllu, conllx or brackets"),
        (["--kbest", "0", "a"], "", "kbest must be at least 1"),
    ],
)
def test_errors(model, arguments, stdin, expected):
    done = run_here("parse", "-m", model, *arguments, stdin=stdin)
    assert done.returncode == 2
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


def test_parsers_see_the_words_and_tags_of_their_treebank(monkeypatch):
    """Tags of newer treebanks are taken for the nearest that the parser has learned, but stay in the tree."""
    small_constituency.register(monkeypatch)
    parser = small_constituency.make_parser(["NN", "JJ", ":"])
    sentence = Sentence(["(", "-", "ab", '"'], xpos=["-LRB-", "HYPH", "GW", "``"])
    (parsed,) = Pipeline([("parser", parser)]).annotate([sentence])
    assert parser.seen == TaggedWords(["-LRB-", "-", "ab", "``"], ["-LRB-", ":", "NN", "``"])
    assert str(parsed.constituents) == '(S (-LRB- -LRB-) (VP (HYPH -) (VP (GW ab) (VP (`` ")))))'
    assert parsed.forms == sentence.forms


def test_a_dependency_parser_makes_no_brackets():
    done = run_here("parse", "--format", "brackets", "He laughed.")
    assert done.returncode == 2
    assert "no constituents, which brackets are made of" in done.stderr


def test_long_and_deep(model, tmp_path):
    """500 words, 500 deep: everything that reads and writes must bear it."""
    long = tmp_path / "long.mrg"
    long.write_text("(S " + " ".join(["(NN a)"] * 500) + ")\n", "utf-8")
    out = tmp_path / "out.conllu"
    parse(model, "-i", long, "--keep-tags", "-o", out, "--probabilities")
    (sentence,) = read(str(out))
    assert len(sentence.constituents.spans()) == 500
    for format in ("json", "text", "svg", "brackets"):
        assert parse(model, "-i", long, "--keep-tags", "--format", format)


def test_evaluation_by_format(model, brackets, tmp_path):
    parsed = tmp_path / "parsed.mrg"
    parse(model, "-i", brackets, "--keep-tags", "-o", parsed)
    done = run_here("evaluate", brackets, parsed, "--compare", brackets, "--details")
    assert "F1: -" in done.stdout
    assert "exact match" in done.stdout
    columns = tmp_path / "parsed.conllu"
    parse(model, "-i", brackets, "--keep-tags", "-o", columns)
    reports = [json.loads(run_here("evaluate", brackets, one, "--json").stdout) for one in (parsed, columns)]
    assert reports[0] == reports[1]
    # S, NP, VP and PRN against S and four VPs; the last VP has only the stop. Right are S and the first VP.
    assert reports[0]["groups"]["all"]["brackets"]["correct"] == 2
    assert reports[0]["groups"]["all"]["brackets"]["gold"] == 4
    assert run_here("evaluate", brackets, parsed, "--raw-text").returncode == 2
    columns.write_text(WORDS, "utf-8")
    done = run_here("evaluate", brackets, columns)
    assert (done.returncode, done.stderr) == (
        2,
        f"arbora: {columns}: sentence #1: it has no constituents, which bracket scores are made of\n",
    )
    parsed.write_text(str(Constituent.from_string("(S (NN other))")) + "\n", "utf-8")
    done = run_here("evaluate", brackets, parsed)
    assert "tree 1: word 1 is 'He' in gold and 'other' in system" in done.stderr
