"""Rules on the command line: ``arbora parse --rules`` and ``arbora validate --rules``."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run_here

from arbora.dependency import Rules
from arbora.treebank import read

ENGLISH = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "en.conllu"
GOODBYE = "1\tGoodbye\t_\tINTJ\t_\t_\t_\t_\t_\t_\n\n"
RULES = (
    "# guidelines\nroot is upos=VERB,NOUN,INTJ,ADV\nno children under upos=PUNCT,ADP\nno nsubj under any\n"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("model") / "en.model"
    done = run_here("train", "parser", ENGLISH, "--output", path, "--bits", 14, "--epochs", 2)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def rules(tmp_path) -> Path:
    (tmp_path / "rules.txt").write_text(RULES, "utf-8")
    return tmp_path / "rules.txt"


def test_every_tree_satisfies_them(model, rules, tmp_path):
    out = tmp_path / "out.conllu"
    done = run_here("parse", "-m", model, "-i", ENGLISH, "-o", out, "--rules", rules, "--certificates")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    own, found = Rules.read(rules), list(read(out))
    assert len(found) == len(list(read(ENGLISH)))
    assert not any(own.violations(sentence) for sentence in found)
    assert {sentence.metadata("certificate") for sentence in found} == {"proved"}
    assert run_here("validate", "--no-warnings", "--rules", rules, out).returncode == 0


def test_rules_beside_given_heads(model, rules):
    given = "1\ta\t_\tNOUN\t_\t_\t2\t_\t_\t_\n2\tb\t_\tPUNCT\t_\t_\t_\t_\t_\t_\n\n"
    done = run_here("parse", "-m", model, "--rules", rules, "--constraints", "from-input", stdin=given)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"the rule {rules}:3: no children under upos=PUNCT,ADP, at token 2 ('b')" in done.stderr
    done = run_here("parse", "-m", model, "--rules", rules, stdin=given)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split("\t")[6] for line in done.stdout.splitlines()[:2]] == ["0", "1"]


def test_what_cannot_be_leaves_no_file(model, tmp_path):
    (tmp_path / "rules.txt").write_text("\nroot is upos=VERB\n")
    source, out = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(ENGLISH.read_text("utf-8") + GOODBYE, "utf-8")
    done = run_here(
        "parse", "-m", model, "-i", source, "-o", out, "--rules", tmp_path / "rules.txt", "--batch", 1
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"arbora: {source}:1: sentence arbora-en-001: no tree fits what is given: ")
    assert f"{tmp_path / 'rules.txt'}:2: root is upos=VERB, at the root" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.conllu", "rules.txt"]


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("root is VERB\n", (), "rules.txt:1: 'VERB' is no condition such as upos=VERB"),
        (RULES, ("--kbest", 2), "not with the k best"),
        (RULES, ("--probabilities",), "rules go with the best tree"),
        (RULES, ("--decoder", "mbr"), "rules go with the best tree"),
        (None, (), "rules.txt"),
    ],
)
def test_what_is_refused(model, tmp_path, text, options, reason):
    if text is not None:
        (tmp_path / "rules.txt").write_text(text)
    done = run_here("parse", "-m", model, "--rules", tmp_path / "rules.txt", *options, stdin=GOODBYE)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert "needs a file" in run_here("parse", "-m", model, "--rules", "-", stdin=RULES).stderr


def test_validating(rules, tmp_path):
    done = run_here("validate", "--no-warnings", "--rules", rules, ENGLISH)
    assert done.returncode == 2
    first, *_, last = done.stdout.splitlines()
    reason = f"this breaks the rule {rules}:4: no nsubj under any"
    assert first == f"{ENGLISH}:14: sentence arbora-en-002: 6: {reason}"
    assert ENGLISH.read_text("utf-8").splitlines()[13].startswith("6\ttrusted\t")
    count = sum(len(Rules.read(rules).violations(sentence)) for sentence in read(ENGLISH))
    assert last.endswith(f", 0 broken, {count} errors, 0 warnings")
    (tmp_path / "t.conllx").write_text("1\ta\t_\tX\tX\t_\t2\tnsubj\t_\t_\n2\tb\t_\tX\tX\t_\t0\tx\t_\t_\n\n")
    done = run_here("validate", "--rules", rules, tmp_path / "t.conllx")
    assert f"{tmp_path / 't.conllx'}:2: 2: {reason}" in done.stdout
    (tmp_path / "t.mrg").write_text("(A b)\n")
    done = run_here("validate", "--rules", rules, tmp_path / "t.mrg")
    assert done.returncode == 2
    assert "brackets have none" in done.stdout
