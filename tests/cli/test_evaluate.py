"""``arbora evaluate``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from command import run_here

from arbora.evaluation.conll18 import METRICS
from arbora.treebank import Multiword, Sentence, read, write

GOLD = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "de.conllu"


def run(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return run_here("evaluate", *arguments, stdin=stdin)


def damaged(tmp_path: Path) -> Path:
    """The gold file with every ``nsubj`` called ``obj``, and a probability for every head."""
    lines = []
    for line in GOLD.read_text("utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) == 10 and cells[0].isdigit():
            cells[7] = "obj" if cells[7] == "nsubj" else cells[7]
            cells[9] = "HeadProbability=0.9"
            line = "\t".join(cells)
        lines.append(line)
    path = tmp_path / "system.conllu"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_table(tmp_path):
    done = run(GOLD, damaged(tmp_path), "--details", "--compare", GOLD)
    assert done.returncode == 0, done.stderr
    assert "UAS" in done.stdout
    assert "100.00" in done.stdout
    assert "Probabilities of heads: expected calibration error 0.1000" in done.stdout
    assert "nsubj" in done.stdout
    assert "paired permutation" in done.stdout


def test_json(tmp_path):
    done = run(GOLD, damaged(tmp_path), "--json", "--compare", GOLD)
    report = json.loads(done.stdout)
    assert report["scores"]["UAS"]["f1"] == 1
    assert report["labels"]["nsubj"]["correct"] == 0
    assert report["scores"]["LAS"]["f1"] < 1
    assert report["comparison"]["UAS"] == {"difference": 0.0, "p_value": 1.0, "permutations": 10_000}
    assert abs(report["calibration"]["heads"]["error"] - 0.1) < 1e-9
    assert list(report["calibration"]) == ["heads"]  # labels have no probabilities there


def test_probabilities_from_raw_text_are_calibrated_where_words_differ(tmp_path):
    """The second word is none of gold's, and its head is none of a word that is."""
    gold, system = tmp_path / "g.conllu", tmp_path / "s.conllu"
    write(gold, [Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["x", "root", "x"])])
    misc = ["HeadProbability=0.9", "HeadProbability=0.6"]
    write(system, [Sentence(["a", "bc"], heads=[0, 1], deprels=["root", "x"], misc=misc)])
    report = json.loads(run(gold, system, "--json").stdout)
    assert report["calibration"]["heads"]["bins"] == [[0.6, 0.0, 1], [0.9, 0.0, 1]]
    assert "Probabilities of heads: expected calibration error 0.7500" in run(gold, system).stdout
    more = json.loads(run(gold, system, "--json", "--annotated-only").stdout)
    assert "calibration" not in more


def test_labels_are_calibrated_too(tmp_path):
    def rows(*words: tuple[int, str, str]) -> str:
        lines = [
            f"{id}\tw{id}\t_\tX\t_\t_\t{head}\t{label}\t_\t{misc}"
            for id, (head, label, misc) in enumerate(words, 1)
        ]
        return "\n".join(lines) + "\n\n"

    gold, system = tmp_path / "g.conllu", tmp_path / "s.conllu"
    gold.write_text(rows((0, "root", "_"), (1, "obj", "_"), (1, "obl", "_")), "utf-8")
    sure = "HeadProbability={}|LabelProbability={}".format
    system.write_text(
        rows((0, "root", sure(1, 1)), (1, "obl", sure(0.5, 0.6)), (2, "obl", sure(0.5, 0.2))), "utf-8"
    )
    found = json.loads(run(gold, system, "--json").stdout)["calibration"]
    assert {name: each["bins"] for name, each in found.items()} == {
        "heads": [[0.5, 0.5, 2], [1.0, 1.0, 1]],
        "labels": [[0.6, 0.0, 1], [1.0, 1.0, 1]],  # the third word's head is wrong
        "labelled arcs": [[0.1, 0.0, 1], [0.3, 0.0, 1], [1.0, 1.0, 1]],
    }
    assert json.loads(run(gold, system, "--json", "--raw-text").stdout)["calibration"] == found
    shown = run(gold, system).stdout
    assert "Probabilities of labels: expected calibration error 0.3000" in shown
    assert "Probabilities of labelled arcs: expected calibration error 0.1333" in shown


def test_details_are_in_the_order_of_lengths(tmp_path):
    gold = tmp_path / "g.conllu"
    lengths = (25, 3, 55, 12, 12, 31, 45)
    sentences = [Sentence(["w"] * n, heads=[*range(2, n + 1), 0], deprels=["x"] * n) for n in lengths]
    far = Sentence(["w"] * 9, heads=[9, 9, 9, 9, 9, 9, 9, 9, 0], deprels=["x"] * 9)
    write(gold, [*sentences, far])
    wanted = {
        "lengths": ["1-10", "11-20", "21-30", "31-40", "41-50", "51+"],
        "distances": ["root", "1", "2", "3-6", "7+"],
    }
    report = json.loads(run(gold, gold, "--json").stdout)
    assert {name: list(report[name]) for name in wanted} == wanted
    lines = run(gold, gold, "--details").stdout.splitlines()
    firsts = [line.split("│")[1].strip() for line in lines if line.startswith("│")]
    for bins in wanted.values():
        assert [first for first in firsts if first in bins] == bins


def test_other_text(tmp_path):
    other = tmp_path / "other.conllu"
    other.write_text("1\tNein\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    done = run(GOLD, other)
    assert (done.returncode, done.stdout) == (2, "")
    assert "sentence arbora-de-001: gold goes on with 'Danke" in done.stderr
    assert "and system with 'Nein'" in done.stderr
    assert done.stderr.count("\n") == 1


def in_one(tmp_path: Path) -> Path:
    """The gold file with its first sentence, of one word, in front of the second, and that word in two."""
    first, second, *rest = read(GOLD)
    joined = Sentence(
        [first.forms[0][:1], first.forms[0][1:], *second.forms],
        multiwords=[Multiword(row.first + 2, row.last + 2, row.form) for row in second.multiwords],
    )
    path = tmp_path / "one.conllu"
    write(path, [joined, *rest])
    return path


def test_another_tokenization(tmp_path):
    system = in_one(tmp_path)
    done = run(GOLD, system, "--json")
    scores = json.loads(done.stdout)["scores"]
    gold = list(read(GOLD))
    assert list(scores) == list(METRICS)
    assert scores["Sentences"]["correct"] == len(gold) - 2
    assert scores["Words"]["correct"] == sum(map(len, gold)) - 1
    assert scores["Words"]["system"] == sum(map(len, gold)) + 1
    table = run(GOLD, system)
    assert "Sentences" in table.stdout
    assert "BLEX" in table.stdout
    refused = run(GOLD, system, "--compare", GOLD)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


def test_the_same_words_as_raw_text(tmp_path):
    path = damaged(tmp_path)
    plain, raw = (json.loads(run(GOLD, path, "--json", *extra).stdout) for extra in ((), ("--raw-text",)))
    for name in ("UAS", "LAS", "CLAS"):
        assert raw["scores"][name] == plain["scores"][name]
    refused = run(GOLD, path, "--raw-text", "--compare", GOLD)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--compare" in refused.stderr


def test_gold_without_heads_is_refused(tmp_path):
    """Not scored as if unknown heads were right; the line is that of the first word without one."""
    row = "{}\t{}\t_\t_\t_\t_\t{}\tdep\t_\t_\n"
    first = "# sent_id = one\n" + row.format(1, "a", 0) + "\n"
    second = row.format("1-2", "bc", "_").replace("dep", "_") + row.format(1, "b", 0)
    (tmp_path / "gold.conllu").write_text(first + second + row.format(2, "c", "_") + "\n")
    (tmp_path / "system.conllu").write_text(first + second + row.format(2, "c", 1) + "\n")
    for more in ([], ["--raw-text"]):
        done = run(tmp_path / "gold.conllu", tmp_path / "system.conllu", *more)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"arbora: {tmp_path / 'gold.conllu'}:6: sentence #2: gold word 2 has no head; "
            "--annotated-only scores those that have one\n"
        )
    assert run(tmp_path / "system.conllu", tmp_path / "gold.conllu").returncode == 0


def test_standard_input_is_conllu_unless_it_is_said(tmp_path):
    system = damaged(tmp_path)
    expected = json.loads(run(GOLD, system, "--compare", GOLD, "--json").stdout)
    text = system.read_text("utf-8")
    assert json.loads(run(GOLD, "-", "--compare", GOLD, "--json", stdin=text).stdout) == expected
    gold = GOLD.read_text("utf-8")
    assert json.loads(run("-", system, "--compare", GOLD, "--json", stdin=gold).stdout) == expected
    assert json.loads(run(GOLD, system, "--compare", "-", "--json", stdin=gold).stdout) == expected
    other = tmp_path / "system.txt"
    other.write_text(text, "utf-8")
    said = run(GOLD, other, "--compare", GOLD, "--json", "--input-format", "conllu")
    assert json.loads(said.stdout) == expected


def test_standard_input_may_have_another_format(tmp_path):
    brackets = GOLD.parent / "brackets.mrg"
    expected = run(brackets, brackets, "--compare", brackets, "--json").stdout
    for files in (("-", brackets, brackets), (brackets, "-", brackets), (brackets, brackets, "-")):
        gold, system, other = files
        options = ("--compare", other, "--json", "--input-format", "brackets")
        assert run(gold, system, *options, stdin=brackets.read_text("utf-8")).stdout == expected
    x = tmp_path / "system.conllx"
    assert run_here("convert", GOLD, x).returncode == 0
    done = run(x, "-", "--json", "--input-format", "conllx", stdin=x.read_text("utf-8"))
    assert json.loads(done.stdout)["scores"]["LAS"]["f1"] == 1


def test_formats_and_files_that_make_no_sense_are_one_line(tmp_path):
    untold = tmp_path / "system.txt"
    untold.write_text("", "utf-8")
    for arguments, reason in (
        (("-", "-"), "standard input can be read once"),
        ((GOLD, untold), "the name does not tell the format: say which by --input-format"),
        ((GOLD, GOLD, "--input-format", "pdf"), "there is no format pdf"),
    ):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert reason in done.stderr
        assert done.stderr.count("\n") == 1
