"""Parsers of higher order on the command line: presets, parts, solvers, certificates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run_here

from arbora.dependency import DependencyParser
from arbora.dependency.options import GRAPH_SOLVERS, SOLVERS
from arbora.treebank import read

ENGLISH = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "en.conllu"
SMALL = ("--bits", 16, "--epochs", 2)


def trained(path: Path, *arguments: object) -> Path:
    done = run_here(
        "train", "parser", ENGLISH, "--output", path, "--preset", "second-order", *SMALL, *arguments
    )
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return trained(tmp_path_factory.mktemp("model") / "en.model")


@pytest.fixture(scope="module")
def projective(tmp_path_factory) -> Path:
    return trained(tmp_path_factory.mktemp("model") / "projective.model", "--projective")


def shortest(path: Path, count: int) -> Path:
    found = sorted(read(ENGLISH), key=len)[:count]
    path.write_text("".join(sentence.to_conllu() for sentence in found), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def short(tmp_path_factory) -> Path:
    return shortest(tmp_path_factory.mktemp("short") / "short.conllu", 6)


def parsed(model: Path, source: Path, *arguments: object) -> str:
    done = run_here("parse", "--model", model, "--input", source, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("solver", [*SOLVERS, *GRAPH_SOLVERS])
def test_every_solver_parses(request, short, solver, tmp_path):
    model = request.getfixturevalue("projective" if solver == "projective-chart" else "model")
    if solver == "enumerate":  # every set of arcs in turn
        short = tmp_path / "three.conllu"
        words = enumerate(("The", "dog", "sleeps"), 1)
        short.write_text("".join(f"{i}\t{word}" + "\t_" * 8 + "\n" for i, word in words) + "\n")
    found = parsed(model, short, "--solver", solver)
    (tmp_path / "found.conllu").write_text(found, encoding="utf-8")
    sentences = list(read(tmp_path / "found.conllu"))  # a tree with one root each, or reading refuses
    assert [s.forms for s in sentences] == [s.forms for s in read(short, single_root=False)]


def test_certificates_are_comments(model, short):
    for solver in ("hill-climbing", "dual-decomposition", "ilp"):
        lines = parsed(model, short, "--solver", solver, "--certificates").splitlines()
        told = [line for line in lines if line.startswith("# certificate = ")]
        assert len(told) == 6
        assert all(line in ("# certificate = proved",) or " gap " in line for line in told)
    assert "# certificate = none" in parsed(model, short, "--solver", "max-product", "--certificates")


def test_fractions_are_rounded_to_trees(tmp_path):
    """With all kinds of part, two of these sentences have no whole solution of the linear program."""
    golden = Path(__file__).resolve().parents[1] / "golden" / "dependency-parser-with-all-parts.v2.arbora"
    source = shortest(tmp_path / "short.conllu", 10)
    (tmp_path / "found.conllu").write_text(parsed(golden, source, "--solver", "lp", "--certificates"))
    found = list(read(tmp_path / "found.conllu"))  # trees, or reading refuses
    assert [s.forms for s in found] == [s.forms for s in read(source)]
    parser, rounded = DependencyParser.load(golden), 0
    for sentence in found:
        said = sentence.comments[-1].removeprefix("# certificate = ")
        view = parser.graph(sentence)
        less = view.graph.solve("ilp").value - view.value_of(sentence.heads)
        if said.startswith("rounded, gap "):
            rounded += 1
            assert -1e-6 <= less <= float(said.removeprefix("rounded, gap ")) + 1e-6
        else:
            assert said == "proved"
            assert less == pytest.approx(0, abs=1e-6)
    assert rounded >= 1


def test_branch_and_bound_proves_what_is_open(model, short):
    """Whatever a solver had to say after one iteration, and with the same trees as an integer program."""
    arguments = (model, short, "--certificates", "--iterations", 1)
    best = parsed(model, short, "--certificates", "--solver", "ilp")
    for solver in ("hill-climbing", "dual-decomposition", "ad3"):
        alone = parsed(*arguments, "--solver", solver, "--nodes", 0)
        assert alone.count("# certificate = proved") < 6
        assert parsed(*arguments, "--solver", solver, "--nodes", 1000) == best
    done = run_here("parse", "--model", model, "--input", short, "--nodes", 3)
    assert (done.returncode, done.stderr) == (2, "arbora: nodes are a count, and go with certificates\n")


def test_inspect_tells_what_it_is(model):
    facts = json.loads(run_here("inspect", model, "--json").stdout)
    assert facts["header"]["preset"] == "second-order"
    counts = facts["header"]["features"]
    assert 0 < counts["supported"] < counts["complete"]
    assert "times the" in " ".join(run_here("inspect", model).stdout.split())


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--preset", "fourth-order"), "there is no preset 'fourth-order'"),
        (("--preset", "second-order", "--parts", "cousins"), "there are no parts 'cousins'"),
        (("--preset", "second-order", "--solver", "magic"), "there is no solver 'magic'"),
        (("--preset", "second-order", "--constraint", "forest"), "there is no constraint 'forest'"),
    ],
)
def test_bad_training_options_are_one_line(tmp_path, arguments, reason):
    done = run_here("train", "parser", ENGLISH, "--output", tmp_path / "x.model", *SMALL, *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--solver", "magic"), "there is no solver 'magic'"),
        (("--solver", "ilp", "--probabilities"), "finds best trees"),
        (("--decoder", "mbr", "--certificates"), "go with the decoder best"),
        (("--iterations", 0), "iterations must be at least 1"),
    ],
)
def test_bad_parsing_options_are_one_line(model, short, arguments, reason):
    done = run_here("parse", "--model", model, "--input", short, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


def test_parts_by_name(tmp_path):
    path = tmp_path / "en.model"
    chosen = ("--preset", "belief", "--parts", "grandparents, crossings", "--epochs", 1, "--bits", 16)
    assert run_here("train", "parser", ENGLISH, "--output", path, *chosen).returncode == 0
    header = json.loads(run_here("inspect", path, "--json").stdout)["header"]
    assert "[grandparents]" in header["templates"]
    assert "[crossings]" in header["templates"]
    assert "[consecutive-siblings]" not in header["templates"]
