"""Each kind of bad input: the exact line, the sentence and the reason; and what lenient reading skips."""

from __future__ import annotations

import gzip
import lzma
import os
import threading
import time
from pathlib import Path

import pytest

from arbora import treebank
from arbora.errors import ArboraWarning, FileError
from arbora.treebank import validating

TAIL = "_\t_\t_\t_\t"
GOOD = f"# sent_id = good\n1\ta\t{TAIL}0\troot\t_\t_\n\n"  # three lines


def word(id: object, head: object = "_", form: str = "x") -> str:
    return f"{id}\t{form}\t{TAIL}{head}\tdep\t_\t_\n"


def sentence(*rows: str) -> str:
    return "# sent_id = bad\n" + "".join(rows) + "\n"


# What breaks, the line within the sentence (its comment is line 1), and the reason.
BAD = {
    "nine columns": (sentence(word(1, 0), "2\tb\t_\n"), 3, "ten columns are needed, this line has 3"),
    "eleven columns": (sentence(word(1, 0)[:-1] + "\t_\n"), 2, "ten columns are needed, this line has 11"),
    "no tabs": (
        sentence("1 a b\n"),
        2,
        "ten columns separated by tabs are needed, this line has no tab: '1 a b'",
    ),
    "spaces": (sentence(word(1, 0), "  \n"), 3, "a line of spaces; sentences end with an empty line"),
    "head out of range": (
        sentence(word(1, 0), word(2, 3)),
        3,
        "the head 3 is out of range; the sentence has 2 words",
    ),
    "huge head": (
        sentence(word(1, 0), word(2, "9" * 30)),
        3,
        f"the head {'9' * 30!r} is not a whole number or _",
    ),
    "negative head": (sentence(word(1, -1)), 2, "the head '-1' is not a whole number or _"),
    "head with zeros": (sentence(word(1, "00")), 2, "the head '00' is not a whole number or _"),
    "cycle": (
        sentence(word(1, 0), word(2, 4), word(3, 2), word(4, 3)),
        3,
        "the heads form a cycle: 2 -> 4 -> 3 -> 2",
    ),
    "cycle beside unknown heads": (
        sentence(word(1), word(2, 3), word(3, 2), word(4, 1)),
        3,
        "the heads form a cycle: 2 -> 3 -> 2",
    ),
    "own head": (sentence(word(1, 0), word(2, 2)), 3, "word 2 is its own head"),
    "two roots": (
        sentence(word(1, 0), word(2, 1), word(3, 0)),
        4,
        "two roots: words 1 and 3 both have head 0",
    ),
    "id is a word": (
        sentence(word("one", 0)),
        2,
        "the id 'one' is not a whole number from 1, a range of words (3-4) or an empty node (3.1)",
    ),
    "id with zero": (
        sentence(word("01", 0)),
        2,
        "the id '01' is not a whole number from 1, a range of words (3-4) or an empty node (3.1)",
    ),
    "id zero": (
        sentence(word(0, 0)),
        2,
        "the id '0' is not a whole number from 1, a range of words (3-4) or an empty node (3.1)",
    ),
    "ids not in turn": (sentence(word(1, 0), word(3, 1)), 3, "the id is 3 where 2 is next"),
    "id twice": (sentence(word(1, 0), word(1, 1)), 3, "the id is 1 where 2 is next"),
    "range late": (
        sentence(word(1, 0), word("1-2"), word(2, 1)),
        3,
        "the multiword token 1-2 must stand before its first word; word 2 is next",
    ),
    "range too long": (
        sentence(word("1-3"), word(1, 0), word(2, 1)),
        2,
        "the multiword token 1-3 goes beyond the last word, 2",
    ),
    "range in range": (
        sentence(word("1-2"), word(1, 0), word("2-3"), word(2, 1), word(3, 1)),
        4,
        "the multiword token 2-3 overlaps the one before it",
    ),
    "range backwards": (
        sentence(word("2-1"), word(1, 0)),
        2,
        "the id '2-1' is not a whole number from 1, a range of words (3-4) or an empty node (3.1)",
    ),
    "empty node early": (
        sentence(word("1.1"), word(1, 0)),
        2,
        "the empty node 1.1 is out of place; here only 0.1 can stand",
    ),
    "empty node number": (
        sentence(word(1, 0), word("1.2")),
        3,
        "the empty node 1.2 is out of place; here only 1.1 can stand",
    ),
    "empty form": (
        sentence(word(1, 0, form="")),
        2,
        "column 2 (FORM) is empty; an unknown value is written _",
    ),
    "empty misc": (
        sentence(word(1, 0)[:-2] + "\n"),
        2,
        "column 10 (MISC) is empty; an unknown value is written _",
    ),
    "late comment": (
        sentence(word(1, 0), "# late\n"),
        3,
        "a comment after the first word; comments stand before the sentence",
    ),
    "carriage return": (
        sentence(word(1, 0, form="a\rb")),
        2,
        "a carriage return that does not end a line",
    ),
    "mixed line ends": (
        sentence(word(1, 0).replace("\n", "\r\n")),
        2,
        "line ends of both kinds, LF and CRLF, in one sentence",
    ),
}


def write_file(folder: Path, content: str | bytes, name: str = "t.conllu") -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_sentence_is_named(tmp_path, kind):
    text, line, reason = BAD[kind]
    path = write_file(tmp_path, GOOD + text + GOOD)
    reader = treebank.read(path)
    assert next(reader).sent_id == "good"
    with pytest.raises(FileError) as caught:
        next(reader)
    assert str(caught.value) == f"{path}:{line + 3}: sentence bad: {reason}"


@pytest.mark.parametrize("kind", BAD)
def test_lenient_skips_and_counts(tmp_path, kind):
    path = write_file(tmp_path, GOOD + BAD[kind][0] + GOOD)
    reader = treebank.read(path, lenient=True)
    assert [sentence.sent_id for sentence in reader] == ["good", "good"]
    assert reader.skipped == 1
    assert BAD[kind][2] == reader.last_skipped.reason


def test_bad_utf8(tmp_path):
    path = write_file(tmp_path, GOOD.encode() + sentence(word(1, 0)).encode().replace(b"x", b"a\xffb"))
    with pytest.raises(FileError, match=r":5: sentence bad: bad UTF-8 at byte 4 of the line \(0xff\)$"):
        list(treebank.read(path))


@pytest.mark.parametrize(
    "bad", [b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80", b"\xfe"]
)
@pytest.mark.parametrize("name", ["t.conllu", "t.mrg"])
def test_utf8_is_checked_as_python_checks_it(tmp_path, bad, name):
    sound = "(X y)\n" if name == "t.mrg" else sentence(word(1, 0, form="y"))
    path = write_file(tmp_path, sound.encode().replace(b"y", b"y" + bad), name)
    with pytest.raises(FileError, match="bad UTF-8"):
        list(treebank.read(path))


def test_a_sentence_without_id_is_named_by_number(tmp_path):
    path = write_file(tmp_path, GOOD + word(1, 5))
    with pytest.raises(FileError, match=r":4: sentence #2: the head 5"):
        list(treebank.read(path))


def test_two_roots_by_option(tmp_path):
    path = write_file(tmp_path, word(1, 0) + word(2, 0))
    assert next(treebank.read(path, single_root=False)).roots == [1, 2]
    assert next(treebank.read(path, "conllx")).roots == [1, 2]
    with pytest.raises(FileError, match="two roots"):
        next(treebank.read(path, "conllx", single_root=True))


@pytest.mark.parametrize("name", ["t.conllu", "t.conll", "t.mrg"])
def test_a_byte_order_mark_is_left_out_with_a_warning(tmp_path, name):
    text = "(X y)\n" if name == "t.mrg" else word(1, 0) + "\n"
    path = write_file(tmp_path, b"\xef\xbb\xbf" + text.encode(), name)
    with pytest.warns(
        ArboraWarning, match=rf"{name}:1: the file begins with a byte order mark .* it is left out"
    ):
        items = list(treebank.read(path))
    treebank.write(path, items)
    assert Path(path).read_text("utf-8") == text


def test_a_byte_order_mark_that_comes_byte_by_byte(tmp_path):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)

    def feed() -> None:
        with open(pipe, "wb", buffering=0) as stream:
            for byte in b"\xef\xbb\xbf" + GOOD.encode():
                stream.write(bytes([byte]))
                time.sleep(0.001)

    feeder = threading.Thread(target=feed)
    feeder.start()
    with pytest.warns(ArboraWarning, match="pipe:1: the file begins with a byte order mark"):
        assert len(list(treebank.read(pipe, "conllu"))) == 1
    feeder.join()


@pytest.mark.parametrize(
    ("start", "reason"), [(b"\xff\xfe", "UTF-16"), (b"\x1f\x8b", "gz"), (b"\xfd7zXZ\x00", "xz")]
)
def test_another_kind_of_file_is_named(tmp_path, start, reason):
    path = write_file(tmp_path, start + GOOD.encode())
    with pytest.raises(FileError, match=f":1: .*{reason}"):
        list(treebank.read(path, lenient=True))


def test_blank_lines_at_the_start(tmp_path):
    path = write_file(tmp_path, "\n\r\n" + GOOD + "1\tx\n")
    reader = treebank.read(path)
    with pytest.warns(ArboraWarning, match=":1: an empty line before the first sentence; it is skipped"):
        first = next(reader)
    assert first.to_conllu() == GOOD
    line = 3 + GOOD.count("\n")  # lines are counted as they are in the file
    with pytest.raises(FileError, match=f":{line}: sentence #2: ten columns"):
        next(reader)


def test_odd_beginnings_are_warnings_of_validation(tmp_path):
    path = write_file(tmp_path, b"\xef\xbb\xbf\n" + GOOD.encode())
    found = []
    report = validating.validate(path, found=found.append)
    assert report.errors == 0
    assert [(each.severity, each.line) for each in found[:2]] == [("warning", 1)] * 2
    assert ["byte order mark" in found[0].reason, "empty line" in found[1].reason] == [True, True]


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileError, match=r"missing\.conllu: there is no such file"):
        treebank.read(str(tmp_path / "missing.conllu"))
    (tmp_path / "folder.conllu").mkdir()
    with pytest.raises(FileError, match="this is a directory"):
        treebank.read(str(tmp_path / "folder.conllu"))
    with pytest.raises(FileError, match="no format conll-z; there are conllu, conllx, brackets"):
        treebank.read("x", "conll-z")
    with pytest.raises(FileError, match="does not tell the format"):
        treebank.read(write_file(tmp_path, "", "x.txt"))


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_damaged_compression(tmp_path, suffix, pack):
    packed = pack((GOOD * 50).encode())
    cut = write_file(tmp_path, packed[:-9], "cut.conllu" + suffix)
    with pytest.raises(FileError, match="ends too early"):
        list(treebank.read(cut, lenient=True))
    changed = bytearray(packed)
    changed[len(packed) // 2] ^= 0xFF
    damaged = write_file(tmp_path, bytes(changed), "damaged.conllu" + suffix)
    with pytest.raises(FileError, match=r"damaged|early"):
        list(treebank.read(damaged))
    with pytest.raises(FileError, match=r"damaged \("):
        list(treebank.read(write_file(tmp_path, GOOD, "plain.conllu" + suffix)))


def test_ranges_are_no_part_of_conllx(tmp_path):
    path = write_file(tmp_path, word("1-2") + word(1, 0) + word(2, 1), "t.conll")
    with pytest.raises(FileError, match=r":1: sentence #1: the id '1-2' is not a whole number from 1$"):
        list(treebank.read(path))


def test_a_bad_projective_head(tmp_path):
    path = write_file(tmp_path, f"1\ta\t{TAIL}0\tr\t1|2\t_\n", "t.conll")
    with pytest.raises(FileError, match=r":1: sentence #1: the projective head '1|2' is not"):
        list(treebank.read(path))


def test_a_file_without_any_blank_line_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(treebank.conllu, "LONGEST", 1000)
    with pytest.raises(FileError, match="is this CoNLL"):
        list(treebank.conllu.scan([b"x" * 600] * 3))
