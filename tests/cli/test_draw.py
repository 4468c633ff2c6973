"""The command ``arbora draw``."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command import run_here

ROOT = Path(__file__).resolve().parents[2]
TREEBANK = ROOT / "examples" / "treebank"


def run(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return run_here("draw", *arguments, stdin=stdin)


def good(*arguments: object, stdin: str = "") -> str:
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def bad(*arguments: object) -> str:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def test_one_sentence_by_its_id():
    assert good(TREEBANK / "de.conllu", "--sentence", "arbora-de-004") == (
        "[arbora-de-004] Bücher hat sie nur zwei gekauft.\n"
        " ╭─┬───▶ Bücher   NOUN   obj\n"
        " ├─│───▶ hat      AUX    aux\n"
        " ├─│───▶ sie      PRON   nsubj\n"
        " │ │ ╭─▶ nur      ADV    advmod\n"
        " │ ╰─┴─▶ zwei     NUM    nummod\n"
        "─┼─────▶ gekauft  VERB   root\n"
        " ╰─────▶ .        PUNCT  punct\n"
    )


def test_one_sentence_by_its_number():
    by_number = good(TREEBANK / "de.conllu", "--sentence", 4)
    assert by_number == good(TREEBANK / "de.conllu", "--sentence", "arbora-de-004")


def test_an_id_goes_before_a_number(tmp_path):
    file = tmp_path / "two.conllu"
    line = "1\t{}\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    file.write_text(
        "# sent_id = 2\n" + line.format("first") + "# sent_id = 1\n" + line.format("second"), "utf-8"
    )
    assert "second" in good(file, "--sentence", 1)


def test_indented():
    lines = good(TREEBANK / "de.conllu", "--sentence", 4, "--style", "indented").splitlines()
    assert lines[1:3] == ["6 gekauft  VERB  root", "├─ 1 Bücher  NOUN  obj"]


@pytest.mark.parametrize(
    ("name", "count"), [("en.conllu", 28), ("tr.conllu", 18), ("brackets_multiline.mrg", 5)]
)
def test_a_whole_treebank(name, count):
    drawn = good(TREEBANK / name)
    assert len([line for line in drawn.splitlines() if line.startswith("[")]) == count
    assert "\x1b" not in drawn  # colours are for terminals


def test_constituents():
    assert good(TREEBANK / "brackets.mrg", "--first", 1) == (
        "[#1] The kettle whistles .\n"
        "S\n├─ NP-SBJ\n│  ├─ DT The\n│  └─ NN kettle\n├─ VP\n│  └─ VBZ whistles\n└─ . .\n"
    )


def test_standard_input():
    source = (TREEBANK / "en.conllu").read_text("utf-8")
    assert "Goodbye" in good("-", "--first", 1, stdin=source)


def test_many_trees_in_one_picture(tmp_path):
    picture = tmp_path / "trees.svg"
    assert good(TREEBANK / "en.conllu", "--first", 3, "--format", "svg", "--output", picture) == ""
    root = ElementTree.parse(picture).getroot()
    captions = [element.text for element in root.iter() if element.get("class") == "caption"]
    assert captions == ["arbora-en-001", "arbora-en-002", "arbora-en-003"]
    assert [path.name for path in tmp_path.iterdir()] == ["trees.svg"]


def test_a_file_for_each_tree(tmp_path):
    good(TREEBANK / "brackets.mrg", "--first", 2, "--format", "svg", "--output", tmp_path / "tree-{}.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tree-1.svg", "tree-2.svg"]
    title = ElementTree.parse(tmp_path / "tree-1.svg").getroot().findtext("{http://www.w3.org/2000/svg}title")
    assert title == "The kettle whistles ."


def test_svg_on_standard_output():
    assert ElementTree.fromstring(good(TREEBANK / "tr.conllu", "--format", "svg")).get("class") == "arbora"


def test_no_such_file():
    assert "missing.conllu: there is no such file" in bad("missing.conllu")


def test_no_such_sentence():
    assert "there is no sentence 'x', by sent_id or by number, among 28" in bad(
        TREEBANK / "en.conllu", "--sentence", "x"
    )


def test_options_that_do_not_go_together():
    assert "--style" in bad(TREEBANK / "en.conllu", "--format", "svg", "--style", "arcs")
    assert "--first" in bad(TREEBANK / "en.conllu", "--sentence", 1, "--first", 1)


def test_a_broken_file_leaves_no_picture(tmp_path):
    file = tmp_path / "broken.conllu"
    file.write_text((TREEBANK / "en.conllu").read_text("utf-8") + "1\tonly two\n\n", "utf-8")
    assert "broken.conllu:" in bad(file, "--format", "svg", "--output", tmp_path / "out.svg")
    assert "broken.conllu:" in bad(file, "--output", tmp_path / "out.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["broken.conllu"]


def test_lenient_skips_and_says_so(tmp_path):
    file = tmp_path / "broken.conllu"
    file.write_text("1\tonly two\n\n" + (TREEBANK / "en.conllu").read_text("utf-8"), "utf-8")
    done = run(file, "--lenient", "--first", 1)
    assert done.returncode == 0
    assert "Goodbye" in done.stdout
    assert "1 broken sentence skipped" in done.stderr


def test_help_teaches_with_an_example():
    assert "arbora draw en.conllu" in good("--help")


def test_the_output_tells_its_format(tmp_path):
    tree = tmp_path / "tree.svg"
    good(TREEBANK / "de.conllu", "--sentence", 4, "--output", tree)
    assert tree.read_text("utf-8") == good(TREEBANK / "de.conllu", "--sentence", 4, "--format", "svg")
    assert "the name tells of another format, json; for --format there are text, svg, html" in bad(
        TREEBANK / "de.conllu", "--output", tmp_path / "tree.json"
    )
    assert "there is no output format pdf; for --format there are text, svg, html" in bad(
        TREEBANK / "de.conllu", "--format", "pdf"
    )


def test_messages_name_the_option_that_exists(tmp_path):
    (tmp_path / "x.dat").write_text("", "utf-8")
    assert "say which by --input-format, one of conllu, conllx, brackets" in bad(tmp_path / "x.dat")


SURE = "1\tDogs\t_\t_\t_\t_\t2\tnsubj\t_\tHeadProbability=0.6125|LabelProbability=0.9\n"
UNSURE = "2\tbark\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
PHRASES = (
    "# constituents = (S (NP (NNS Dogs)) (VP (VBP bark)))\n# constituent_probabilities = 1.0 0.83 0.4\n"
    "1\tDogs\t_\t_\t_\t_\t_\t_\t_\t_\n2\tbark\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)


def test_probabilities_that_files_carry(tmp_path):
    file = tmp_path / "parsed.conllu"
    file.write_text(SURE + UNSURE + PHRASES)
    assert good(file).splitlines()[1:3] == [" ╭─▶ Dogs  nsubj  0.61", "─┴─▶ bark  root"]
    assert good(file).splitlines()[5:] == [
        "S  1.00",
        "├─ NP  0.83",
        "│  └─ NNS Dogs",
        "└─ VP  0.40",
        "   └─ VBP bark",
    ]
    assert "1 Dogs  nsubj  0.61" in good(file, "--style", "indented")
    svg, one = good(file, "--format", "svg"), tmp_path / "tree-{}.svg"
    assert [number in svg for number in ("0.61", "0.83", "0.40", "1.00")] == [True] * 4
    good(file, "--output", one)
    assert "0.61" in (tmp_path / "tree-1.svg").read_text()
    assert "0.40" in (tmp_path / "tree-2.svg").read_text()
    for more in ([], ["--format", "svg"]):
        assert "0.61" not in good(file, "--no-probabilities", *more)


def test_other_numbers_in_misc_are_no_probabilities(tmp_path):
    file = tmp_path / "odd.conllu"
    for value in ("7", "high", "nan", ""):
        file.write_text(SURE.replace("0.6125", value) + UNSURE)
        assert good(file).splitlines()[1] == " ╭─▶ Dogs  nsubj"
