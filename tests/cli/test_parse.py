"""``arbora parse``."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from command import run_here

from arbora.pipeline import ParsedSentence
from arbora.treebank import Sentence, read, write

ARBORA = Path(sys.executable).with_name("arbora")
ENGLISH = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "en.conllu"
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
ROW = "{}\t{}\t_\tNOUN\t_\t_\t{}\t{}\t_\t_\n"


def run_installed(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [ARBORA, *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, encoding="utf-8", check=False)


def train(path: Path, *options: object) -> Path:
    done = run_here("train", "parser", ENGLISH, "--output", path, "--bits", 16, "--epochs", 3, *options)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return train(tmp_path_factory.mktemp("model") / "en.model", "--dev", ENGLISH)


def parsed(model: Path, *arguments: object, stdin: str = "") -> str:
    done = run_here("parse", "--model", model, *arguments, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refused(*arguments: object, stdin: str = "") -> str:
    """The one line that says why nothing was done."""
    done = run_here("parse", *arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def rows(*words: tuple[str, int | str, str]) -> str:
    """A sentence in CoNLL-U: form, head and label of each word."""
    return "".join(ROW.format(i, *word) for i, word in enumerate(words, 1)) + "\n"


def without_trees(path: Path) -> list[Sentence]:
    """Sentences without what a parser gives."""
    found = list(read(path, single_root=False))
    for sentence in found:
        sentence.heads = [None] * len(sentence)
        sentence.deprels = sentence.deps = ["_"] * len(sentence)
    return found


def accuracy(path: Path) -> float:
    """Words with the right head and label, where the right ones are known."""
    pairs = [
        (ours, right)
        for found, gold in zip(read(path), read(ENGLISH), strict=True)
        for ours, right in zip(
            zip(found.heads, found.deprels, strict=True),
            zip(gold.heads, gold.deprels, strict=True),
            strict=True,
        )
    ]
    return sum(ours == right for ours, right in pairs) / len(pairs)


def test_help_teaches():
    done = run_here("parse", "--help")
    assert done.returncode == 0
    for words in ("--constraints", "from-input", "mbr", "kbest_rank", "--keep-tags", "always so", "DEPS"):
        assert words in done.stdout


def test_all_but_the_tree_is_kept(model, tmp_path):
    assert parsed(model, "--input", ENGLISH, "--output", tmp_path / "out.conllu", "--keep-tags") == ""
    assert accuracy(tmp_path / "out.conllu") > 0.9
    assert without_trees(tmp_path / "out.conllu") == without_trees(ENGLISH)
    assert [path.name for path in tmp_path.iterdir()] == ["out.conllu"]


@pytest.mark.parametrize("model_file", ["trained", GOLDEN / "pipeline.v2.arbora"])
def test_heads_that_misc_forbids(model, model_file, tmp_path):
    """By the fast way and the slow one, a model and a pipeline; what makes no sense names its line."""
    file = model if model_file == "trained" else model_file
    source = rows(("dogs", "_", "_"), ("bark", "_", "_"), ("loudly", "_", "_"))
    free = sentences(parsed(file, "--input-format", "conllu", stdin=source))[0]
    lines = source.splitlines()
    for word, head in enumerate(free.heads):
        lines[word] = lines[word][:-1] + f"ForbiddenHeads={head}"
    bound = "\n".join(lines) + "\n\n"
    rules = tmp_path / "rules"
    rules.write_text("no dislocated under any\n")
    common = ("--input-format", "conllu", "--constraints", "from-input")
    best_only = [("--rules", rules), ("--solver", "ilp")] if file == model else []  # its tags are hidden
    for options in ((), ("--kbest", 2), ("--probabilities",), *best_only):
        for found in sentences(parsed(file, *common, *options, stdin=bound)):
            assert not any(a == b for a, b in zip(found.heads, free.heads, strict=True))
            assert all("ForbiddenHeads=" in misc for misc in found.misc)
    assert sentences(parsed(file, "--input-format", "conllu", stdin=bound))[0].heads == free.heads
    path = tmp_path / "bad.conllu"
    path.write_text(source + "# a comment\n" + bound.replace("ForbiddenHeads=0", "ForbiddenHeads=0,9"))
    line = refused("-m", file, "-i", path, "-o", tmp_path / "out.conllu", *common[2:])
    row = next(place for place, text in enumerate(path.read_text().splitlines(), 1) if "=0,9" in text)
    assert f"bad.conllu:{row}: " in line
    assert "there is no word 9 in a sentence of 3" in line
    assert not (tmp_path / "out.conllu").exists()


def test_enhanced_dependencies_stay_where_the_head_does(model, tmp_path):
    """They belong to a tree; by the fast way and the slow one."""
    out = tmp_path / "out.conllu"
    source = rows(("dogs", 2, "x"), ("bark", 0, "root"), ("loudly", 1, "x")).replace(
        "\t_\t_\n", "\t2:x|3:y\t_\n"
    )
    rules = tmp_path / "rules"
    rules.write_text("root is form=loudly\n")
    for options in ((), ("--kbest", 3), ("--rules", rules), ("--constraints", "from-input")):
        for format in ("conllu", "json"):
            found = parsed(model, *options, "--format", format, stdin=source)
            sentences_found = (
                [ParsedSentence.from_dict(json.loads(line)) for line in found.splitlines()]
                if format == "json"
                else sentences(found)
            )
            for sentence in sentences_found:
                wanted = [
                    "2:x|3:y" if head == old else "_"
                    for head, old in zip(sentence.heads, (2, 0, 1), strict=True)
                ]
                assert sentence.deps == wanted
            if "from-input" in options:
                assert set(sentences_found[0].deps) == {"2:x|3:y"}
    assert parsed(model, "-i", ENGLISH, "-o", out) == ""
    old_and_new = zip(read(ENGLISH), read(out), strict=True)
    stayed = [
        (before, after, old == new)
        for gold, found in old_and_new
        for before, after, old, new in zip(gold.deps, found.deps, gold.heads, found.heads, strict=True)
    ]
    assert all(after == (before if same else "_") for before, after, same in stayed)
    assert {same for before, _, same in stayed if before != "_"} >= {True}


def test_old_trees_do_not_matter(model, tmp_path):
    bare = without_trees(ENGLISH)
    write(tmp_path / "bare.conllu", bare)
    for sentence in bare:
        sentence.heads = [len(sentence) - place for place in range(len(sentence))]
    write(tmp_path / "bad.conllu", bare)
    assert parsed(model, "--input", tmp_path / "bare.conllu") == parsed(
        model, "--input", tmp_path / "bad.conllu"
    )


@pytest.mark.parametrize("format", ["conllu", "conllx", "json", "svg"])
def test_old_trees_that_are_none_do_not_matter(model, tmp_path, format):
    """Two roots, none, cycles, a word that is its own head, heads that there are not."""
    forms = ("a", "b", "c")
    unknown = parsed(model, "--format", format, stdin=rows(*((form, "_", "_") for form in forms)))
    for heads in ((0, 0, 0), (1, 1, 1), (2, 3, 1), (2, 1, 0), (9, 0, 70), (3, 2, 2)):
        old = rows(*((form, head, "x") for form, head in zip(forms, heads, strict=True)))
        for columns in ("conllu", "conllx"):
            found = parsed(model, "--format", format, "--input-format", columns, stdin=old)
            assert found == unknown
            (tmp_path / "in").write_text(old)
            if format in ("conllu", "conllx"):
                tagged = run_here(
                    *("tag", "-m", GOLDEN / "tagger.v2.arbora", "-i", tmp_path / "in"),
                    *("--input-format", columns, "--format", format),
                )
                assert tagged.returncode == (2 if 9 in heads else 0)  # what it cannot be is not written again
                kept = [line.split("\t")[6] for line in tagged.stdout.split("\n")[:3] if line]
                assert kept == ([] if 9 in heads else [str(head) for head in heads])
    for bad in ("x", "-1", "01"):
        assert "is not a whole number or _" in refused("-m", model, stdin=rows(("a", bad, "x")))
    broken = rows(("a", 2, "_"), ("b", 1, "_"))
    for option in ((), ("--threads", 2)):
        line = refused("-m", model, "--constraints", "from-input", "--format", format, *option, stdin=broken)
        assert line == "arbora: standard input:1: sentence #1: the heads form a cycle: 1 -> 2 -> 1\n"


def test_threads_and_batches_change_nothing(model):
    once = parsed(model, "--input", ENGLISH, "--probabilities")
    for options in (("--threads", 3), ("--batch", 1), ("--threads", 2, "--batch", 20)):
        assert parsed(model, "--input", ENGLISH, "--probabilities", *options) == once
    best = parsed(model, "--input", ENGLISH, "--kbest", 3)
    assert parsed(model, "--input", ENGLISH, "--kbest", 3, "--threads", 2, "--batch", 7) == best


def test_pipes_and_compressed_files(model, tmp_path):
    text = ENGLISH.read_text("utf-8")
    done = run_installed("parse", "--model", model, stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    out = done.stdout
    (tmp_path / "in.conllu.gz").write_bytes(gzip.compress(text.encode()))
    parsed(model, "-i", tmp_path / "in.conllu.gz", "-o", tmp_path / "out.conllu.gz")
    assert gzip.decompress((tmp_path / "out.conllu.gz").read_bytes()).decode() == out
    assert parsed(model, stdin="") == ""


def test_sentences_of_few_and_of_many_words(model):
    comments = "# newdoc\n# nothing else\n\n"
    one = rows(("Goodbye", "_", "_"))
    long = rows(*((f"w{i % 70}", "_", "_") for i in range(1000)))
    odd = rows(("\u0130\u0307", 0, "x"), ("\U0001f469\u200d\U0001f680", "_", "_"), ("\u202eabc", 1, "x"))
    strange = rows(*((form, "_", "_") for form in ("\ufeff", "_", "a b", "\u0e33" * 3000)))
    out = parsed(model, "--probabilities", stdin=comments + one + comments + long + odd + strange)
    assert out.startswith(
        comments + "# tree_log_probability = 0.000000\n1\tGoodbye\t_\tNOUN\t_\t_\t0\troot\t_\tHead"
    )
    assert out.count(comments) == 2
    found = list(sentences(out))
    assert [len(sentence) for sentence in found] == [0, 1, 0, 1000, 3, 4]
    assert found[4].forms == ["\u0130\u0307", "\U0001f469\u200d\U0001f680", "\u202eabc"]


def sentences(text: str) -> list[Sentence]:
    """What a text in CoNLL-U holds; reading it proves that all are trees with one root."""
    return [Sentence.from_conllu(part + "\n\n") for part in text.removesuffix("\n\n").split("\n\n")]


def test_probabilities(model, tmp_path):
    parsed(model, "-i", ENGLISH, "-o", tmp_path / "out.conllu", "--probabilities")
    for sentence in read(tmp_path / "out.conllu"):
        assert float(sentence.metadata("tree_log_probability")) <= 0
        for token in sentence:
            misc = dict(part.split("=", 1) for part in token.misc.split("|"))
            assert 0 <= float(misc["HeadProbability"]) <= 1
            assert 0 <= float(misc["LabelProbability"]) <= 1
    done = run_here("evaluate", ENGLISH, tmp_path / "out.conllu")
    assert "expected calibration error" in done.stdout
    # Parsing again replaces what was there.
    again = parsed(model, "-i", tmp_path / "out.conllu", "--probabilities")
    assert again == (tmp_path / "out.conllu").read_text("utf-8")


def test_decoders_and_kinds_of_trees(model, tmp_path):
    parsed(model, "-i", ENGLISH, "-o", tmp_path / "mbr.conllu", "--decoder", "mbr")
    assert accuracy(tmp_path / "mbr.conllu") > 0.9
    parsed(model, "-i", ENGLISH, "-o", tmp_path / "p.conllu", "--projective", "--single-root")
    assert all(sentence.is_projective() for sentence in read(tmp_path / "p.conllu"))
    parsed(model, "-i", ENGLISH, "-o", tmp_path / "n.conllu", "--non-projective", "--multi-root")
    assert len(list(read(tmp_path / "n.conllu", single_root=False))) == 28


@pytest.mark.parametrize("start", ["\ufeff", "\n", "\ufeff\r\n\n"])
def test_odd_beginnings_are_accepted_with_a_warning(model, tmp_path, start):
    """The same bytes as without them, by the fast way and the slow one; one line for each oddity."""
    source = tmp_path / "odd.conllu"
    source.write_bytes(start.encode() + ENGLISH.read_bytes())
    for format in ("conllu", "conllx", "json"):
        wanted = run_here("parse", "-m", model, "-i", ENGLISH, "--format", format)
        done = run_here("parse", "-m", model, "-i", source, "--format", format)
        assert (done.returncode, done.stdout) == (0, wanted.stdout)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("lost")]
        assert len(lines) == ("\ufeff" in start) + ("\n" in start)
        assert all(line.startswith(f"arbora: warning: {source}:1: ") for line in lines)


def test_the_best_trees_come_in_order(model, tmp_path):
    parsed(model, "-i", ENGLISH, "-o", tmp_path / "k.conllu", "--kbest", 4)
    parsed(model, "-i", ENGLISH, "-o", tmp_path / "1.conllu")
    best = list(read(tmp_path / "1.conllu"))
    ranked: list[list[Sentence]] = []
    for sentence in read(tmp_path / "k.conllu"):
        if sentence.metadata("kbest_rank") == "1":
            ranked.append([])
        ranked[-1].append(sentence)
    assert len(ranked) == len(best)
    for group, first in zip(ranked, best, strict=True):
        assert [sentence.metadata("kbest_rank") for sentence in group] == ["1", "2", "3", "4"][: len(group)]
        chances = [float(sentence.metadata("tree_log_probability")) for sentence in group]
        assert chances == sorted(chances, reverse=True)
        trees = {(*sentence.heads, *sentence.deprels) for sentence in group}
        assert len(trees) == len(group)
        assert group[0].heads == first.heads
        assert group[0].forms == first.forms
    assert max(map(len, ranked)) == 4
    assert parsed(model, "--kbest", 2, stdin="# no words\n\n") == "# no words\n\n"


@pytest.mark.parametrize("options", [(), ("--kbest", 3), ("--decoder", "mbr"), ("--probabilities",)])
def test_constraints_are_honoured(model, options):
    text = rows(("dogs", 4, "_"), ("we", "_", "made:up"), ("saw", 2, "punct"), ("there", "_", "_"))
    free = parsed(model, stdin=text)
    assert "made:up" not in free
    for sentence in sentences(parsed(model, "--constraints", "from-input", *options, stdin=text)):
        assert sentence.heads[0] == 4
        assert sentence.heads[2] == 2
        assert sentence.deprels[1:3] == ["made:up", "punct"]
        assert "_" not in sentence.deprels


def test_gold_as_constraints_gives_gold(model, tmp_path):
    out = tmp_path / "out.conllu"
    parsed(model, "-i", ENGLISH, "-o", out, "--constraints", "from-input")
    assert accuracy(out) == 1


def test_constraints_that_no_tree_fits(model, tmp_path):
    out = tmp_path / "out.conllu"
    (tmp_path / "in.conllu").write_text(
        "# sent_id = s1\n" + rows(("a", "_", "_")) + "# sent_id = s2\n" + rows(("a", 0, "_"), ("b", 0, "_"))
    )
    arguments = ("-m", model, "-i", tmp_path / "in.conllu", "-o", out, "--constraints", "from-input")
    for options in ((), ("--threads", 2), ("--batch", 1), ("--kbest", 2)):
        line = refused(*arguments, *options)
        assert line.startswith(f"arbora: {tmp_path}/in.conllu:4: sentence s2: no tree fits what is given: ")
        assert not out.exists()
    assert parsed(*arguments[1:], "--multi-root") == ""
    cycle = rows(("a", 2, "_"), ("b", 3, "_"), ("c", 2, "_"), ("d", "_", "_"))
    line = refused("-m", model, "-o", tmp_path / "c.conllu", "--constraints", "from-input", stdin=cycle)
    assert "cycle" in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.conllu", "out.conllu"]


def test_conllx(model, tmp_path):
    assert run_here("convert", ENGLISH, tmp_path / "in.conll").returncode == 0
    out = parsed(model, "-i", tmp_path / "in.conll")
    assert out == parsed(model, "--input-format", "conllx", stdin=(tmp_path / "in.conll").read_text("utf-8"))
    assert len(out.split("\n\n")) == 29
    done = run_here("parse", "-m", model, "-i", ENGLISH, "-o", tmp_path / "out.conll")
    assert done.returncode == 0
    assert done.stderr.startswith("lost: ")
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "out.conll").read_text("utf-8") == out
    for option in (("--probabilities",), ("--kbest", 2)):
        assert "CoNLL-X has no place" in refused("-m", model, "-i", ENGLISH, "--format", "conllx", *option)


@pytest.mark.parametrize(
    "options",
    [
        ("--compact",),
        ("--features", "supported", "--compact"),
        ("--labels", "second-stage"),
        ("--labels", "both"),
        ("--pruning", 0),
        ("--learner", "perceptron"),
    ],
)
def test_other_models_parse(tmp_path, options):
    model = train(tmp_path / "m", "--dev", ENGLISH, *options)
    parsed(model, "-i", ENGLISH, "-o", tmp_path / "out.conllu", "--probabilities")
    assert accuracy(tmp_path / "out.conllu") > 0.85
    assert parsed(model, "--kbest", 2, stdin=rows(("a", "_", "_"), ("b", "_", "_"))).count("kbest_rank") == 2


def test_a_projective_model_gives_projective_trees(tmp_path):
    model = train(tmp_path / "m", "--projective")
    parsed(model, "-i", ENGLISH, "-o", tmp_path / "out.conllu")
    assert all(sentence.is_projective() for sentence in read(tmp_path / "out.conllu"))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--decoder", "x"), "there is no decoder 'x'; there are best, mbr"),
        (("--constraints", "x"), "there are no constraints 'x'; there is from-input"),
        (("--kbest", 0), "kbest must be at least 1"),
        (("--threads", 0), "threads must be at least 1"),
        (("--batch", 0), "batch must be at least 1"),
        (("--kbest", 2, "--decoder", "mbr"), "--kbest ranks trees by their own probability"),
        (("--format", "x"), "-: there is no output format x"),
        (("--format", "tables"), "-: there is no output format tables"),
        (("--format", "horizontal"), "-: there is no output format horizontal"),
        (("--output", "nowhere/out.conllu"), "nowhere/out.conllu: its directory does not exist"),
        (("--input", "nowhere.conllu"), "nowhere.conllu: there is no such file"),
        (("--model", "nowhere"), "nowhere: there is no such file"),
        (("--model", ENGLISH), f"{ENGLISH}: this is not an Arbora model"),
        (
            ("--model", GOLDEN / "tagger.v2.arbora"),
            f"{GOLDEN}/tagger.v2.arbora: this model adds upos, xpos, ",
        ),
    ],
)
def test_options_that_make_no_sense(model, tmp_path, monkeypatch, options, reason):
    monkeypatch.chdir(tmp_path)
    output = "-" if "--format" in options else "out.conllu"
    line = refused("--model", model, "--output", output, *options)
    assert line.startswith(f"arbora: {reason}")
    assert list(tmp_path.iterdir()) == []


def test_a_parser_alone_reads_no_text(model):
    line = refused("--model", model, "--input-format", "text")
    assert line.startswith(f"arbora: {model}: this model has no tokenizer, so it reads no raw text: ")


def test_a_broken_line_is_named(model, tmp_path):
    source = tmp_path / "in.conllu"
    source.write_text(rows(("a", "_", "_")) + "1\tb\t_\n\n")
    done = run_installed("parse", "-m", model, "-i", source, "-o", tmp_path / "out.conllu")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"arbora: {source}:3: sentence #2: ten columns are needed, this line has 3\n"
    assert [path.name for path in tmp_path.iterdir()] == ["in.conllu"]


def test_damaged_models(model, tmp_path):
    data = model.read_bytes()
    middle = len(data) // 2
    for damaged in (data[:50], data[:middle], data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]):
        (tmp_path / "m").write_bytes(damaged)
        assert refused("-m", tmp_path / "m", stdin="").startswith(f"arbora: {tmp_path}/m: ")


def test_endless_input_comes_out_as_it_is_read(model):
    """Output appears while the input is still open: nothing waits for its end."""
    command = [str(ARBORA), "parse", "--model", str(model), "--batch", "1"]
    sentence = rows(*((f"w{i}", "_", "_") for i in range(50))).encode()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(sentence * 40)  # all of it fits into the pipes: nobody waits for anybody
        running.stdin.flush()
        assert running.stdout.readline().startswith(b"1\tw0\t_\tNOUN\t")
        running.stdin.close()
        assert running.stdout.read().count(b"\n\n") == 40
    assert running.returncode == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_a_slow_pipe_is_answered_sentence_by_sentence(model, threads):
    command = [str(ARBORA), "parse", "--model", str(model), "--threads", str(threads)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(rows(("first", "_", "_")).encode())
        for form in ("second", "third"):
            running.stdin.write(
                rows((form, "_", "_")).encode()
            )  # only now can the one before be known to end
            running.stdin.flush()
            assert running.stdout.readline().startswith(b"1\tfirst" if form == "second" else b"1\tsecond")
            assert running.stdout.readline() == b"\n"
        running.stdin.close()
        assert running.stdout.read().startswith(b"1\tthird")
    assert running.returncode == 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [1, 100, 8192])
def test_large_files_and_their_errors(model, tmp_path, threads, batch):
    """Many pieces, compressed or not; an error in the middle, of the format or of the compression."""
    options = ("-m", model, "--threads", threads, "--batch", batch)
    data = ENGLISH.read_bytes() * 20
    (tmp_path / "in.conllu").write_bytes(data)
    (tmp_path / "in.conllu.gz").write_bytes(gzip.compress(data))
    out, packed = tmp_path / "out.conllu", tmp_path / "out.conllu.gz"
    assert parsed(*options[1:], "-i", tmp_path / "in.conllu", "-o", out) == ""
    assert out.read_bytes() == parsed(model, "-i", ENGLISH).encode() * 20
    assert parsed(*options[1:], "-i", tmp_path / "in.conllu.gz", "-o", packed) == ""
    assert gzip.decompress(packed.read_bytes()) == out.read_bytes()
    bad = tmp_path / "bad.conllu"
    bad.write_bytes(data + b"1\tb\n\n" + data)
    line = data.count(b"\n") + 1
    assert refused(*options, "-i", bad, "-o", tmp_path / "x.conllu") == (
        f"arbora: {bad}:{line}: sentence #561: ten columns are needed, this line has 2\n"
    )
    cut = tmp_path / "cut.conllu.gz"
    cut.write_bytes(gzip.compress(data)[:-100])
    assert refused(*options, "-i", cut, "-o", tmp_path / "x.conllu") == (
        f"arbora: {cut}: the compressed data ends too early: the file is cut off\n"
    )
    assert not (tmp_path / "x.conllu").exists()
