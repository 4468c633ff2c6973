"""``arbora evaluate``, the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ARBORA = Path(sys.executable).with_name("arbora")
GOLD = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "de.conllu"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ARBORA, "evaluate", *map(str, arguments)], capture_output=True, text=True, check=False
    )


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
    assert "calibration error 0.1000" in done.stdout
    assert "nsubj" in done.stdout
    assert "paired permutation" in done.stdout


def test_json(tmp_path):
    done = run(GOLD, damaged(tmp_path), "--json", "--compare", GOLD)
    report = json.loads(done.stdout)
    assert report["scores"]["UAS"]["f1"] == 1
    assert report["labels"]["nsubj"]["correct"] == 0
    assert report["scores"]["LAS"]["f1"] < 1
    assert report["comparison"]["UAS"] == {"difference": 0.0, "p_value": 1.0, "permutations": 10_000}
    assert abs(report["calibration"]["error"] - 0.1) < 1e-9


def test_other_words(tmp_path):
    other = tmp_path / "other.conllu"
    other.write_text("1\tNein\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    done = run(GOLD, other)
    assert (done.returncode, done.stdout) == (2, "")
    assert "word 1 is 'Danke' in gold and 'Nein' in system" in done.stderr
    assert done.stderr.count("\n") == 1
