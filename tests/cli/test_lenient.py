"""``--lenient`` of parse and tag: sentences that cannot be done are left out, and counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run_here
from small_pipeline import small_pipeline

from arbora.dependency import ParseOptions
from arbora.pipeline.files import parse_file
from arbora.text.tokenizing.paragraphs import sound_paragraphs
from arbora.treebank import Sentence, read

ROW = "{}\t{}\t_\tNOUN\t_\t_\t{}\t{}\t_\t_\n"

LABELS = {0: "root", "_": "_"}


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("model") / "xx.model"
    small_pipeline().save(path)
    return path


def rows(name: str, *heads: int | str) -> str:
    words = "".join(ROW.format(i, f"w{i}", head, LABELS.get(head, "x")) for i, head in enumerate(heads, 1))
    return f"# sent_id = {name}\n{words}\n"


GOOD, LAST = rows("s1", "_", "_"), rows("s6", "_", 1)
BROKEN = "# sent_id = s2\n1\ttwo\n\n"
TWO_ROOTS, CYCLE = rows("s3", 0, 0, "_"), rows("s4", 2, 1)
FILE = GOOD + BROKEN + TWO_ROOTS + CYCLE + BROKEN + LAST
REASONS = (
    "in.conllu:6: sentence s2: ten columns are needed, this line has 2",
    "in.conllu:8: sentence s3: no tree fits what is given: ",
    "in.conllu:14: sentence s4: the heads form a cycle: 1 -> 2 -> 1",
)


def run(command: str, model: Path, source: Path, *arguments: object) -> tuple[str, list[str]]:
    done = run_here(command, "--model", model, "--input", source, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr.splitlines()


def ids(text: str, format: str) -> list[str]:
    lines = text.splitlines()
    if format == "json":
        lines = [comment for line in lines for comment in json.loads(line)["comments"]]
    return [line.removeprefix("# sent_id = ") for line in lines if line.startswith("# sent_id")]


@pytest.mark.parametrize("format", ["conllu", "json"])
def test_what_no_tree_fits_is_skipped_and_counted(model, tmp_path, format):
    source = tmp_path / "in.conllu"
    source.write_text(FILE)
    options = ("--constraints", "from-input", "--format", format)
    strict = run_here("parse", "--model", model, "-i", source, *options)
    assert (strict.returncode, strict.stderr) == (2, f"arbora: {tmp_path}/{REASONS[0]}\n")
    text, lines = run("parse", model, source, *options, "--lenient")
    assert ids(text, format) == ["s1", "s6"]
    assert lines[-1] == "arbora: 4 sentences skipped"
    places = sorted(lines[:-1])
    assert len(places) == 3
    for line in lines[:-1]:
        assert any(line.startswith(f"arbora: skipped: {tmp_path}/{reason}") for reason in REASONS) or (
            line == f"arbora: skipped: {tmp_path}/in.conllu:18: sentence s2: "
            "ten columns are needed, this line has 2"
        )
    for more in (("--threads", 2), ("--batch", 1), ("--batch", 3, "--threads", 3)):
        again, told = run("parse", model, source, *options, "--lenient", *more)
        assert again == text
        assert told[-1] == lines[-1]
    ranked, lines = run("parse", model, source, *options, "--lenient", "--kbest", 2)
    assert {name.split("-")[0] for name in ids(ranked, format)} == {"s1", "s6"}
    assert lines[-1] == "arbora: 4 sentences skipped"


def test_the_report_counts(tmp_path, model):
    source, target = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(FILE)
    constraints = ParseOptions(constraints=True)
    report = parse_file(str(model), str(source), str(target), constraints, lenient=True)
    assert (report.skipped, report.written, len(report.reasons)) == (4, 2, 3)
    assert [sentence.sent_id for sentence in read(target)] == ["s1", "s6"]
    free = parse_file(str(model), str(source), str(target), lenient=True)
    assert (free.skipped, free.written) == (2, 4)  # old trees do not matter


def test_rules_are_looked_at_in_every_sentence(model, tmp_path):
    """Those behind one that is skipped are held to them too."""
    rules, source, out = tmp_path / "rules", tmp_path / "in.conllu", tmp_path / "out.conllu"
    rules.write_text("root is form=w1\n")
    other = rows("s9", "_", "_").replace("w1", "v1")
    source.write_text(GOOD + other + LAST + rows("s8", 2, 0))
    line = run_here("parse", "-m", model, "-i", source, "--rules", rules).stderr
    assert line.startswith(f"arbora: {source}:5: sentence s9: no tree fits what is given: ")
    _, lines = run("parse", model, source, "--rules", rules, "--lenient", "-o", out)
    assert lines[0].startswith(f"arbora: skipped: {source}:5: sentence s9: ")
    assert lines[1] == "arbora: 1 sentence skipped"
    found = list(read(out))
    assert [sentence.sent_id for sentence in found] == ["s1", "s6", "s8"]
    assert all(sentence.root.form == "w1" for sentence in found)


def test_other_formats_and_text(model, tmp_path):
    columns = tmp_path / "in.conll"
    columns.write_text(GOOD + BROKEN + TWO_ROOTS)
    text, lines = run("parse", model, columns, "--constraints", "from-input", "--lenient", "--single-root")
    assert len([line for line in text.splitlines() if line.startswith("1\t")]) == 1
    assert f"arbora: skipped: {columns}:8: sentence s3: no tree fits what is given: " in "\n".join(lines)
    assert lines[-1] == "arbora: 2 sentences skipped"
    rules = tmp_path / "rules"
    rules.write_text("root is form=bark\n")
    for name, content in (
        ("in.txt", "Dogs bark. Cats do not."),
        ("in.tok", "Dogs bark .\n\nCats do not .\n"),
    ):
        source = tmp_path / name
        source.write_text(content)
        done = run_here("parse", "-m", model, "-i", source, "--rules", rules)
        place = "3: sentence #2" if name == "in.tok" else " "
        assert done.returncode == 2
        assert done.stderr.startswith(f"arbora: {source}:{place}")
        text, lines = run("parse", model, source, "--rules", rules, "--lenient")
        assert "bark" in text
        assert "Cats" not in text.replace("# text", "")
        assert lines[-1] == "arbora: 1 sentence skipped"


def test_tagging(model, tmp_path):
    source = tmp_path / "in.conllu"
    source.write_text(FILE)
    text, lines = run("tag", model, source, "--lenient")
    assert ids(text, "conllu") == ["s1", "s3", "s4", "s6"]
    assert lines[-1] == "arbora: 2 sentences skipped"
    other, _ = run("tag", model, source, "--lenient", "--format", "conllx")
    assert len(other.split("\n\n")) == len(text.split("\n\n"))


def test_nothing_skipped_says_nothing(model, tmp_path):
    source = tmp_path / "in.conllu"
    source.write_text(GOOD)
    assert run("parse", model, source, "--lenient")[1] == []
    assert Sentence.from_conllu(run("tag", model, source, "--lenient")[0]).sent_id == "s1"


def test_bad_utf8_costs_a_paragraph(model, tmp_path):
    source, sound = tmp_path / "in.txt", tmp_path / "sound.txt"
    paragraphs = [b"Dogs bark.\n\n", b"Bad \xff word.\n\n", b"\xc3\n\n", b"Cats do not.\n"]
    source.write_bytes(b"".join(paragraphs))
    sound.write_bytes(paragraphs[0] + paragraphs[3])
    for command in ("parse", "tokenize"):
        strict = run_here(command, "-m", model, "-i", source)
        reason = "3: byte 17 of the text is no UTF-8: is this a text?"
        assert (strict.returncode, strict.stderr) == (2, f"arbora: {source}:{reason}\n")
        text, lines = run(command, model, source, "--lenient")
        assert text == run(command, model, sound)[0]
        assert lines == [
            f"arbora: skipped: {source}:{reason}",
            f"arbora: skipped: {source}:5: byte 26 of the text is no UTF-8: is this a text?",
            "arbora: 2 paragraphs skipped",
        ]


def test_paragraphs_come_in_any_pieces():
    text = "Größe.\n\nEins.\nZwei.\n \nDrei.".encode().replace(b"Zwei", b"Zw\xffei")
    for size in range(1, len(text) + 1):
        errors: list[Exception] = []
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert b"".join(sound_paragraphs(pieces, errors.append)) == "Größe.\n\nDrei.".encode()
        assert [str(error) for error in errors] == ["4: byte 19 of the text is no UTF-8: is this a text?"]


def test_a_refused_word_has_its_line(model, tmp_path):
    """Comments and ranges stand before it; where words have no lines, the sentence's is named."""
    rules, source = tmp_path / "rules", tmp_path / "in.conllu"
    first = rows("s1", "_", "_")
    second = (
        "# sent_id = s2\n# text = a\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n"
        + rows("s2", 2, "_", 2).split("\n", 1)[1]
    )
    source.write_text(first + second.replace("\t2\tx", "\t2\troot", 2))
    line = run_here("parse", "-m", model, "-i", source, "--constraints", "from-input").stderr
    assert line.startswith(
        f"arbora: {source}:8: sentence s2: no tree fits what is given: `root` is the label"
    )
    columns = tmp_path / "in.conllx"
    columns.write_text(
        first + second.replace("1-2\tab" + "\t_" * 8 + "\n", "").replace("\t2\tx", "\t2\troot", 2)
    )
    line = run_here("parse", "-m", model, "-i", columns, "--constraints", "from-input").stderr
    assert line.startswith(
        f"arbora: {columns}:7: sentence s2: no tree fits what is given: `root` is the label"
    )
    rules.write_text("no children under form=zz\nroot is form=w9\n")
    words = tmp_path / "in.tok"
    words.write_text("a b c\n\nd e\n")
    line = run_here("parse", "-m", model, "-i", words, "--rules", rules).stderr
    assert line.startswith(f"arbora: {words}:1: sentence #1: ")
