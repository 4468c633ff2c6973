"""From CoNLL-U to CoNLL-U in the core: the bytes and the errors of reading, parsing and writing sentences."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from arbora.dependency import BatchParser, ParseOptions, TrainingOptions, train
from arbora.errors import ArboraError
from arbora.neural import NeuralParser
from arbora.pipeline.files import parse_file
from arbora.treebank import Sentence, conllu, read
from arbora.treebank.batches import annotated, check_of, make_batch, to_sentences
from arbora.treebank.problems import Broken

TREEBANKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "treebank").glob("*.conllu"))
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
ENGLISH = next(path for path in TREEBANKS if path.name == "en.conllu")

OPTIONS = {
    "best": ParseOptions(),
    "mbr": ParseOptions(decoder="mbr"),
    "probabilities": ParseOptions(probabilities=True),
    "mbr with probabilities": ParseOptions(decoder="mbr", probabilities=True),
    "projective": ParseOptions(projective=True, probabilities=True),
    "several roots": ParseOptions(single_root=False, projective=False),
    "constraints": ParseOptions(constraints=True),
    "constraints with probabilities": ParseOptions(constraints=True, probabilities=True, single_root=False),
}


def word(id: int | str, form: str = "dogs", head: object = "_", label: str = "_", misc: str = "_") -> str:
    return f"{id}\t{form}\t{form}\tNOUN\tNNS\tNumber=Plur|X=1\t{head}\t{label}\t1:x|2:y\t{misc}\n"


def words(*rows: str) -> str:
    return "".join(rows) + "\n"


CRAFTED = {
    "nothing": "",
    "one word": words(word(1)),
    "no final blank line": words(word(1)) + word(1) + word(2),
    "no final newline": words(word(1)) + word(1) + word(2).removesuffix("\n"),
    "no final newline, one line": word(1).removesuffix("\n"),
    "comments without words": "# newdoc\n# a\n\n" + words(word(1)) + "# the end\n\n",
    "a comment without a newline": words(word(1)) + "# the end",
    "several blank lines": words(word(1)) + "\n\n" + words(word(1), word(2)) + "\n\n\n\n",
    "comments": "# sent_id = a\n#\n#x\n# text = \u00e4\u4e2d\U0001f600\n" + words(word(1), word(2)),
    "CRLF": ("# sent_id = a\n" + words(word(1), word(2)) + words(word(1))).replace("\n", "\r\n"),
    "CRLF without a final newline": (words(word(1)) + word(1)).replace("\n", "\r\n").removesuffix("\r\n"),
    "CRLF after LF": words(word(1)) + "#x\r\n\r\n",
    "blank lines of both kinds": words(word(1)) + "\r\n\n" + word(1).replace("\n", "\r\n") + "\n\r\n",
    "multiword tokens and empty nodes": "# c\n"
    + words(
        word("0.1"),
        word("1-2", misc="SpaceAfter=No|HeadProbability=1"),
        word("0.2", head=7),
        word(1, misc="SpaceAfter=No"),
        word(2),
        word("2.1"),
        word("2.2"),
        word("3-3", label="x"),
        word(3),
        word("3.1"),
    )
    + words(word("1-2"), word(1), word(2)),
    "an empty node first": words(word("0.1"), word(1)),
    "old probabilities": "# tree_log_probability = -1.5\n# b\n# tree_log_probability =\n"
    + "# tree_log_probability=2\n"
    + words(
        word(1, misc="HeadProbability=0.5|LabelProbability=1"),
        word(2, misc="A=1|HeadProbability=0.5|B|LabelProbability|C=2"),
        word(3, misc="HeadProbabilityX=1||=|LabelProbability=a=b|"),
        word(4, misc="__|_"),
        word(5, misc="|"),
    )
    + "# tree_log_probability = 3\n"
    + words(word(1, misc="Gloss=\u00e9")),
    "odd columns": words(
        word(1, "\ufeff"),
        word(2, "a b"),
        word(3, "_"),
        word(4, "\u0e33" * 300),
        word(5, "#"),
        word(6, "\u202eabc"),
    ),
    "partial annotation": words(
        word(1, head=4),
        word(2, label="made:up"),
        word(3, head=2, label="punct"),
        word(4),
        word(5, label="obl"),
    )
    + words(word(1, label="root"), word(2), word(3, head=1, label="made:up"))
    + words(word(1, head=0), word(2, head="_", label="nsubj")),
    "a long sentence": words(*(word(i, f"w{i % 7}") for i in range(1, 90))) + words(word(1)),
}

BROKEN = {
    "a broken line": words(word(1)) + "# sent_id = two\n" + words(word(1), "2\tb\t_\n") + words(word(1)),
    "a broken line, no id": words(word(1)) + words(word(1), "2\tb\t_\n") + words(word(1)),
    "broken twice": words(word(1)) + words(word(2)) + words(word(7)),
    "broken at the end": words(word(1)) + word(1) + "2\tb",
    "broken by a carriage return": words(word(1)) + "\r",
    "broken at once": "x\n\n" + words(word(1)),
    "a byte order mark": "\ufeff" + words(word(1)) + words(word(1)),
    "a byte order mark before a comment": "\ufeff# a\n" + words(word(1)),
    "a byte order mark and a blank line": "\ufeff\n" + words(word(1)),
    "a byte order mark alone": "\ufeff",
    "a byte order mark later": words(word(1)) + "\ufeff" + words(word(1)),
    "a leading blank, then a broken line": "\n" + words(word(2)),
    "leading blanks, then a broken line": "\r\n\n\n" + words(word(1)) + words(word(2)),
    "mixed line ends": words(word(1)) + words(word(1).replace("\n", "\r\n"), word(2)),
    "a cycle": words(word(1)) + words(word(1, head=2), word(2, head=1)),
    "a head out of range": words(word(1, head=3)),
    "a late comment": words(word(1), "# late\n"),
    "no tree": words(word(1)) + "# sent_id = s2\n" + words(word(1, head=0), word(2, head=0)) + words(word(1)),
    "no tree, then a broken line": words(word(1, head=0), word(2, head=0)) + words(word(2)),
    "a broken line, then no tree": words(word(2)) + words(word(1, head=0), word(2, head=0)),
}


def written_sentence_by_sentence(
    parser: BatchParser, data: bytes, options: ParseOptions
) -> tuple[bytes, str | None]:
    """The slow twin: what was written, and the error that came then."""
    written, separator = b"", ""
    try:
        for item in conllu.scan([data], False, check=check_of(options.constraints)):
            if isinstance(item, Broken):
                raise item.problems[0]
            batch = make_batch([item], with_places=True)
            (sentence,) = to_sentences(annotated([batch], [parser.annotator(options)]))
            text = conllu.encode(sentence)
            written += (separator + text).encode()
            separator = conllu.separator(text)
    except ArboraError as error:
        return written, f"{type(error).__name__}: {error}"
    return written, None


def written(parser: BatchParser, pieces: Iterable[bytes], options: ParseOptions) -> tuple[bytes, str | None]:
    data = b""
    try:
        for found in parser.parse_conllu(pieces, options):
            data += found.data
            assert found.data
    except ArboraError as error:
        return data, f"{type(error).__name__}: {error}"
    return data, None


def cut(data: bytes, rng: random.Random, largest: int) -> list[bytes]:
    pieces = []
    while data:
        size = rng.randint(0, largest)
        pieces.append(data[:size])
        data = data[size:]
    return pieces


@pytest.fixture(scope="module", params=["joint", "second-stage", "both", "neural"])
def parser(request) -> BatchParser:
    if request.param == "neural":
        return NeuralParser.load(GOLDEN / "neural-parser.v2.arbora")
    options = TrainingOptions(labels=request.param, epochs=2, bits=16, pruner_bits=12, pruner_epochs=1)
    return train(list(read(ENGLISH)), options=options)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("path", TREEBANKS, ids=lambda path: path.name)
def test_treebanks(parser, path, options):
    data = path.read_bytes()
    expected = written_sentence_by_sentence(parser, data, options)
    assert expected[1] is None
    rng = random.Random(1)
    for threads in (1, 2, 3):
        with_threads = ParseOptions(**{**options_of(options), "threads": threads})
        assert written(parser, [data], with_threads) == expected
        assert written(parser, cut(data, rng, 3000), with_threads) == expected


def options_of(options: ParseOptions) -> dict[str, object]:
    return {name: getattr(options, name) for name in ParseOptions.__slots__}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("text", [*CRAFTED.values(), *BROKEN.values()], ids=[*CRAFTED, *BROKEN])
def test_crafted_texts(parser, text, options):
    """For any cut of the bytes into pieces."""
    data = text.encode()
    expected = written_sentence_by_sentence(parser, data, options)
    assert text not in CRAFTED.values() or expected[1] is None
    rng = random.Random(2)
    assert written(parser, [data], options) == expected
    assert written(parser, (bytes([byte]) for byte in data), options) == expected
    for threads in (1, 2, 3):
        with_threads = ParseOptions(**{**options_of(options), "threads": threads})
        assert written(parser, cut(data, rng, 200), with_threads) == expected


def test_empty_lines_in_front_are_nothing(parser):
    text = words(word(1)) + words(word(1))
    wanted = written(parser, [text.encode()], ParseOptions())
    assert wanted[1] is None
    for blanks in ("\n", "\r\n\n\n"):
        data = (blanks + text).encode()
        for pieces in ([data], [bytes([byte]) for byte in data]):
            assert written(parser, pieces, ParseOptions()) == wanted
        assert written_sentence_by_sentence(parser, data, ParseOptions()) == wanted
    assert written(parser, [b"\n\n"], ParseOptions()) == (b"", None)


def test_broken_texts_are_refused(parser):
    for name, text in BROKEN.items():
        is_old_tree = name in ("a cycle", "a head out of range")  # which breaks nothing if it is not used
        options = ParseOptions(constraints="no tree" in name or is_old_tree)
        assert written(parser, [text.encode()], options)[1] is not None
        assert not is_old_tree or written(parser, [text.encode()], ParseOptions())[1] is None


def test_bad_utf8(parser):
    data = words(word(1)).encode() + words(word(1)).encode().replace(b"dogs", b"do\xffs")
    expected = written_sentence_by_sentence(parser, data, ParseOptions())
    assert "bad UTF-8" in (expected[1] or "")
    assert written(parser, [data], ParseOptions()) == expected


def test_a_sentence_without_end(parser, monkeypatch):
    monkeypatch.setattr(conllu, "LONGEST", 1 << 20)
    data = words(word(1)) + "".join(word(id) for id in range(1, 30000))
    for options in (ParseOptions(), ParseOptions(threads=2)):
        pieces = cut(data.encode(), random.Random(3), 50000)
        assert written(parser, pieces, options)[1] == (
            "FileError: 3: a sentence of more than 1 MiB: is this CoNLL?"
        )


def test_the_first_error_counts_whatever_the_threads(parser):
    """Sentences are parsed at the same time; what is after the first that cannot be is not handed on."""
    good, bad = words(word(1), word(2)), words(word(1, head=0), word(2, head=0))
    text = good * 40 + "# sent_id = first\n" + bad + (good + bad) * 40
    options = ParseOptions(constraints=True, threads=3)
    expected = written_sentence_by_sentence(parser, text.encode(), options)
    assert ": 121: sentence first: no tree fits what is given: " in (expected[1] or "")
    for _ in range(10):
        assert written(parser, [text.encode()], options) == expected


def test_counts(parser):
    found = list(parser.parse_conllu([ENGLISH.read_bytes()]))
    assert sum(each.sentences for each in found) == 28
    assert sum(each.words for each in found) == sum(map(len, read(ENGLISH)))
    assert list(parser.parse_conllu([])) == []


def test_an_answer_comes_before_the_next_piece_is_asked_for(parser):
    asked = 0

    def pieces() -> Iterable[bytes]:
        nonlocal asked
        for _ in range(5):
            asked += 1
            yield words(word(1)).encode()

    for number, found in enumerate(parser.parse_conllu(pieces(), ParseOptions(threads=2)), 1):
        assert found.sentences == 1
        assert asked == min(number + 1, 5)  # one more, as the blank lines may go on


def test_labels_that_no_file_can_hold():
    sentence = Sentence(["a", "b"], heads=[0, 1], deprels=["root", "_"])
    sentence.deprels[1] = "x\ty"  # nobody looks at it then
    options = TrainingOptions(epochs=1, bits=10, pruner_bits=10, pruner_epochs=1)
    parser = train([sentence] * 4, options=options)
    with pytest.raises(ArboraError, match=r"the model's label 'x\\ty' has no place"):
        next(parser.parse_conllu([b""]))


def test_progress_and_report(tmp_path):
    train(
        list(read(ENGLISH)), options=TrainingOptions(epochs=1, bits=12, pruner_bits=10, pruner_epochs=1)
    ).save(tmp_path / "m")
    source = tmp_path / "in.conllu"
    source.write_bytes(ENGLISH.read_bytes() * 10)
    seen: list[int] = []
    report = parse_file(
        str(tmp_path / "m"),
        str(source),
        str(tmp_path / "out.conllu"),
        ParseOptions(batch=64),
        progress=lambda report: seen.append(report.sentences),
    )
    assert seen
    assert seen == sorted(set(seen))
    assert seen[-1] <= 280
    assert (report.sentences, report.written, report.lost) == (280, 280, {})
    assert report.words == 10 * sum(map(len, read(ENGLISH)))
    assert len(list(read(tmp_path / "out.conllu"))) == 280
