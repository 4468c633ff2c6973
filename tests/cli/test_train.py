"""``arbora train parser``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command import run_here

from arbora.learning import LEARNERS, LOSSES
from arbora.models import read_model

ARBORA = Path(sys.executable).with_name("arbora")
ENGLISH = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "en.conllu"
SMALL = ("--bits", 16, "--epochs", 3)
ROW = "{}\t{}\t_\tNOUN\t_\t_\t{}\t{}\t_\t_\n"
TEMPLATES = (
    "[arcs]\nhead.upos & modifier.upos\nhead.form & modifier.form\n[labels]\nmodifier.upos & head.upos\n"
)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return run_here("train", "parser", *arguments)


def run_installed(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [ARBORA, "train", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def trained(output: Path, *options: object, source: Path = ENGLISH) -> bytes:
    """The bytes of the model that these options give."""
    done = run(source, "--output", output, *SMALL, *options)
    assert done.returncode == 0, done.stderr
    return output.read_bytes()


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that says why nothing was done."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def treebank(folder: Path, *trees: list[tuple[int | str, str]]) -> Path:
    """A treebank file: head and label of each word."""
    path = folder / "gold.conllu"
    rows = ["".join(ROW.format(i, f"w{i}", *word) for i, word in enumerate(tree, 1)) for tree in trees]
    path.write_text("\n".join([*rows, ""]))
    return path


def test_help_teaches():
    assert "parser" in run_here("train", "--help").stdout
    done = run("--help")
    assert done.returncode == 0
    for words in (*LOSSES, *LEARNERS, "first-order", "second-stage", "--resume", "checkpoint", "--threads"):
        assert words in done.stdout


def test_hidden_roles(tmp_path):
    """Which leave no choice of labels, and little of losses."""
    trained(tmp_path / "m", "--latent-roles", 3)
    options = read_model(tmp_path / "m").header["options"]
    assert (options["latent_roles"], options["labels"], options["loss"]) == (3, "second-stage", "crf")
    wrong = ENGLISH, "--output", tmp_path / "n", "--latent-roles"
    assert "latent_roles need second-stage labels" in refused(run(*wrong, 3, "--labels", "both"))
    assert "finite beta, as crf has, not svm" in refused(run(*wrong, 3, "--loss", "svm"))
    assert "latent_roles must be between 0 and 64" in refused(run(*wrong, 65))


def test_hidden_tags(tmp_path):
    trained(tmp_path / "m", "--latent-tags", 2)
    options = read_model(tmp_path / "m").header["options"]
    assert (options["latent_tags"], options["solver"], options["loss"]) == (2, "bp", "crf")
    wrong = ENGLISH, "--output", tmp_path / "n", "--latent-tags"
    assert "need the solver bp" in refused(run(*wrong, 3, "--solver", "ad3"))
    assert "finite beta, as crf has, not svm" in refused(run(*wrong, 3, "--loss", "svm"))
    done = run_here("parse", "--model", tmp_path / "m", "--input", ENGLISH, "--certificates")
    assert "hidden tags, which bp sums out" in refused(done)


def test_a_parser_that_chooses_tags_needs_a_tagger(tmp_path):
    line = refused(run(ENGLISH, "--output", tmp_path / "n", "--preset", "joint"))
    assert "`arbora train pipeline --preset joint` sees to both" in line


def test_without_dev(tmp_path):
    done = run_installed("parser", ENGLISH, "--output", tmp_path / "m", *SMALL, "--dev-fraction", 0)
    assert done.returncode == 0
    note, trees, *lines = done.stderr.splitlines()
    assert note.startswith("Warning: there is no dev data")
    assert trees.startswith("Trees are non-projective: 8 of 329 arcs of the training data cross")
    assert len(lines) == 4
    assert lines[0].startswith("pruner  loss ")
    assert "candidate heads per word" in lines[0]
    assert "of gold arcs lost" in lines[0]
    assert lines[3].startswith("epoch 3/3  loss ")
    assert "dev" not in "".join(lines)
    size = (tmp_path / "m").stat().st_size
    assert done.stdout == f"{tmp_path}/m: epoch 3 of 3 kept, {size:,} bytes\n"
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_with_dev_the_best_epoch_is_kept(tmp_path):
    done = run(ENGLISH, "--dev", ENGLISH, "--output", tmp_path / "m", *SMALL, "--licence", "CC0 1.0")
    assert done.returncode == 0
    header = read_model(tmp_path / "m").header
    report = header["report"]
    kept = report["epochs"][report["kept"]]
    assert kept["las"] == max(row["las"] for row in report["epochs"][1:])
    scores = f"dev UAS {100 * kept['uas']:.2f}, LAS {100 * kept['las']:.2f}"
    assert f"epoch {report['kept']} of 3 kept, {scores}, " in done.stdout
    assert f"  {scores.replace(',', ' ')}  " in done.stderr
    assert header["licence"] == "CC0 1.0"
    assert header["options"]["bits"] == 16


def test_the_model_does_not_depend_on_threads(tmp_path):
    one = trained(tmp_path / "1", "--dev", ENGLISH, "--threads", 1)
    assert one == trained(tmp_path / "3", "--dev", ENGLISH, "--threads", 3)
    assert one != trained(tmp_path / "s", "--dev", ENGLISH, "--seed", 2)


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_learns(tmp_path, loss):
    trained(tmp_path / "m", "--dev", ENGLISH, "--loss", loss, "--bits", 18)
    assert read_model(tmp_path / "m").header["report"]["epochs"][3]["las"] > 0.9


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_learns(tmp_path, learner):
    trained(tmp_path / "m", "--dev", ENGLISH, "--learner", learner)
    header = read_model(tmp_path / "m").header
    assert header["report"]["epochs"][3]["las"] > 0.9
    assert header["options"]["loss"] == ("perceptron" if learner == "perceptron" else "svm")


@pytest.mark.parametrize(
    "options",
    [
        ("--labels", "second-stage"),
        ("--labels", "both"),
        ("--features", "supported"),
        ("--pruning", 0),
        ("--projective",),
        ("--multi-root",),
        ("--beta", "inf", "--gamma", 2),
        ("--outer", "automata", "--loss", "perceptron", "--parts", "consecutive-siblings"),
        ("--loss", "crf", "--beta", 0.5, "--rate", 0.1, "--batch", 3),
    ],
)
def test_other_options_learn_too(tmp_path, options):
    trained(tmp_path / "m", "--dev", ENGLISH, *options)
    assert read_model(tmp_path / "m").header["report"]["epochs"][-1]["las"] > 0.85


def test_an_infinite_beta_is_kept_as_a_word(tmp_path):
    trained(tmp_path / "m", "--beta", "inf")
    assert read_model(tmp_path / "m").header["options"]["beta"] == "inf"


def test_compact_is_smaller(tmp_path):
    whole = trained(tmp_path / "whole", "--features", "supported")
    assert len(trained(tmp_path / "compact", "--features", "supported", "--compact")) < 0.95 * len(whole)


def test_several_roots(tmp_path):
    path = treebank(tmp_path, [(0, "root"), (0, "root")], [(0, "root"), (1, "dep")])
    assert f"{path}:2: sentence #1: two roots" in refused(run(path, "-o", tmp_path / "m", *SMALL))
    assert "--multi-root" in refused(run(path, "-o", tmp_path / "m", *SMALL))
    trained(tmp_path / "m", "--multi-root", source=path)
    assert read_model(tmp_path / "m").header["options"]["single_root"] is False


def test_own_templates(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text(TEMPLATES)
    trained(tmp_path / "m", "--templates", path)
    header = read_model(tmp_path / "m").header
    assert "head.form & modifier.form" in header["templates"]
    assert "suffix" not in header["templates"]
    assert header["preset"] == header["options"]["preset"] == "custom"
    assert "custom" in run_here("inspect", tmp_path / "m").stdout
    path.write_text(TEMPLATES + "head.nose\n")
    line = refused(run(ENGLISH, "-o", tmp_path / "n", "--templates", path))
    assert line.startswith(f"arbora: {path}:6: 'head.nose' is no atom")
    path.write_text("[arcs]\nhead.upos\n")
    assert "no section [labels]" in refused(run(ENGLISH, "-o", tmp_path / "n", "--templates", path))


# ---- stopped and gone on with; tests/contract/test_training.py has the kills ----


def test_ctrl_c_leaves_a_checkpoint_and_says_how_to_go_on(tmp_path):
    arguments = [ENGLISH, "--output", tmp_path / "m", "--bits", 14, "--epochs", 60, "--dev", ENGLISH]
    command = [ARBORA, "train", "parser", *arguments]
    running = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert running.stderr.readline().startswith("Warning: 28 of 28 dev sentences")
    assert running.stderr.readline().startswith("Trees are non-projective: ")
    seen = [running.stderr.readline() for _ in range(3)]
    running.send_signal(signal.SIGINT)
    rest = running.stderr.read().splitlines()
    assert running.wait() == 130
    again = f"arbora train parser {' '.join(map(str, arguments))} --resume"
    assert rest[-1] == (
        f"arbora: stopped; what is done is kept in {tmp_path}/m.checkpoint, and this goes on: {again}"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["m.checkpoint"]
    done = len(seen) + len(rest) - 2  # of epochs: one line is the pruner's, and one the last
    resumed = run(*arguments, "--resume")
    assert resumed.returncode == 0
    lines = resumed.stderr.splitlines()[2:]
    assert lines[0] in [f"resuming with epoch {epoch}/60" for epoch in (done + 1, done + 2)]
    assert lines[-2].startswith("epoch 60/60  ")
    assert lines[-1].startswith("calibration  ")


@pytest.mark.parametrize(
    ("options", "projective", "note"),
    [
        ((), True, "Trees are projective: none of 8 arcs of the training data crosses (--non-projective "),
        (("--non-projective",), False, None),
        (("--projective",), True, None),
        (("--preset", "belief", "--bits", 14), False, None),  # it has scores for arcs that cross
    ],
)
def test_the_treebank_decides_whether_trees_are_projective(tmp_path, options, projective, note):
    rows = [f"{i}\tw{i}\t_\tX\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_" for i in (1, 2, 3, 4)]
    (tmp_path / "train.conllu").write_text(("\n".join(rows) + "\n\n") * 2)
    done = run(tmp_path / "train.conllu", "-o", tmp_path / "m", *SMALL, "--dev-fraction", 0, *options)
    assert done.returncode == 0
    said = [line for line in done.stderr.splitlines() if line.startswith("Trees are")]
    assert [line[: len(note)] for line in said] == [note] if note else not said
    assert read_model(tmp_path / "m").header["options"]["projective"] is projective


def test_without_resume_an_old_checkpoint_is_no_matter(tmp_path):
    (tmp_path / "m.checkpoint").write_text("rubbish")
    trained(tmp_path / "m")
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    assert "there is no checkpoint" in refused(run(ENGLISH, "-o", tmp_path / "m", *SMALL, "--resume"))


# ---- what is refused ----


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--loss", "x"), "there is no loss 'x'; there are crf, svm"),
        (("--learner", "x"), "there is no learner 'x'; there are aggressive, sgd"),
        (("--preset", "x"), "there is no preset 'x'; there are first-order, second-order"),
        (("--labels", "x"), "labels must be one of joint"),
        (("--features", "x"), "features must be complete or supported"),
        (("--epochs", 0), "epochs must be at least 1"),
        (("--bits", 50), "bits must be between"),
        (("--threads", 0), "threads must be at least 1"),
        (("--batch", 0), "batch must be at least 1"),
        (("--pruning", 1), "pruning must be"),
        (("--rate", "nan"), "rate must be"),
        (("--beta", 0), "beta must be greater than 0"),
        (("--gamma", "-1"), "gamma must be"),
        (("--outer", "Z"), "outer must be one of none, relaxation, automata"),
        (("--outer", "automata"), "outer automata takes parts that automata see: consecutive-siblings"),
        (("--outer", "automata", "--loss", "crf"), "automata alone choose one answer"),
        (("--loss", "perceptron", "--learner", "aggressive"), "the aggressive learner never leaves zero"),
        (("--templates", "nowhere"), "nowhere: there is no such file"),
        (("--dev", "nowhere.conllu"), "nowhere.conllu: there is no such file"),
        (("--output", "-"), "a model is mapped into memory"),
        (("--output", "m.gz"), "m.gz: a model is mapped into memory"),
        (("--output", "m.xz"), "m.xz: a model is mapped into memory"),
        (("--output", "nowhere/m"), "nowhere/m: its directory does not exist"),
        (("--output", "."), ".: this is a directory"),
    ],
)
def test_options_that_make_no_sense(tmp_path, monkeypatch, options, reason):
    monkeypatch.chdir(tmp_path)
    assert refused(run(ENGLISH, "--output", "m", *options)).startswith(f"arbora: {reason}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1\ta\n\n", "{}:1: sentence #1: ten columns are needed"),
        ("", "{}: there are no words"),
        ("# only a comment\n\n", "{}: there are no words"),
        (ROW.format(1, "a", "_", "_") + "\n", "no word of the training data has a head"),
        (ROW.format(1, "a", "0", "_") + "\n", "no word of the training data has a relation"),
        (ROW.format(1, "a", 2, "x") + ROW.format(2, "b", 1, "y") + "\n", "{}:1: sentence #1: the heads form"),
    ],
)
def test_bad_treebanks(tmp_path, text, reason):
    path = tmp_path / "bad.conllu"
    path.write_text(text)
    line = refused(run(path, "--output", tmp_path / "m", *SMALL))
    assert line.startswith("arbora: " + reason.format(path))
    assert [path.name for path in tmp_path.iterdir()] == ["bad.conllu"]


def test_the_treebank_is_not_overwritten(tmp_path):
    path = treebank(tmp_path, [(0, "root")])
    assert "would overwrite" in refused(run(path, "--output", path))
    assert "the format brackets has no heads" in refused(
        run(ENGLISH.with_name("brackets.mrg"), "-o", tmp_path / "m")
    )
    assert "there is no such file" in refused(run(tmp_path / "no.conllu", "-o", tmp_path / "m"))


def test_inspect_shows_the_training(tmp_path):
    trained(tmp_path / "m", "--dev", ENGLISH)
    header = json.loads(run_here("inspect", tmp_path / "m", "--json").stdout)["header"]
    assert [row["epoch"] for row in header["report"]["epochs"]] == [0, 1, 2, 3]
    assert "root" in header["labels"]
