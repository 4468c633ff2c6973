"""The fast reader against its slow twin, and against its own writer: drawn files, mutated files."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles import conllu_slow

from arbora.errors import FileError
from arbora.treebank import Sentence, brackets, conllu
from arbora.treebank.problems import Broken

# Anything but what separates fields and lines; surrogates are no text. Combining marks give NFD forms.
CHARACTERS = st.characters(exclude_characters="\t\n\r", exclude_categories=("Cs",))
FIELD = st.one_of(
    st.sampled_from(
        ["_", "a", "New York", " x ", "é", "e\u0301", "\u00a0", "\u2028", "#", "\ufeff", "\x00", "\x85"]
    ),
    st.text(CHARACTERS, min_size=1, max_size=8),
)
COMMENT = st.text(CHARACTERS, max_size=10).map(lambda text: "#" + text)


@st.composite
def heads(draw: st.DrawFn, count: int) -> list[str]:
    """A tree with one root, from which some heads are hidden."""
    order = draw(st.permutations(range(1, count + 1)))
    above = {word: order[draw(st.integers(0, i - 1))] if i else 0 for i, word in enumerate(order)}
    return ["_" if draw(st.booleans()) and draw(st.booleans()) else str(above[i + 1]) for i in range(count)]


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[str], str]:
    """The lines of a sound sentence, and its line end."""
    count = draw(st.integers(0, 5))
    lines = draw(st.lists(COMMENT, min_size=0 if count else 1, max_size=3))
    drawn = draw(heads(count))

    def row(id: str, head: str | None = None) -> str:
        fields = draw(st.lists(FIELD, min_size=9, max_size=9))
        return "\t".join([id, *fields[:5], head or fields[5], *fields[6:]])

    def empty_nodes(after: int, start: int) -> int:
        many = draw(st.integers(0, 1))
        lines.extend(row(f"{after}.{start + k}") for k in range(many))
        return start + many

    covered = 0
    for word in range(1, count + 1):
        following = empty_nodes(word - 1, 1)
        if word > covered and draw(st.integers(0, 3)) == 0:
            covered = draw(st.integers(word, count))
            lines.append(row(f"{word}-{covered}"))
            empty_nodes(word - 1, following)
        lines.append(row(str(word), drawn[word - 1]))
    if count:
        empty_nodes(count, 1)
    return lines, draw(st.sampled_from(["\n", "\r\n"]))


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A sound file, tidy or not at its blank lines and at its end."""
    parts = draw(st.lists(sentences(), max_size=4))
    text = ""
    for i, (lines, newline) in enumerate(parts):
        last = i == len(parts) - 1
        text += newline.join(lines) + newline * draw(st.integers(0 if last else 2, 4))
    return text.encode()


def plain(item: Sentence | Broken) -> Any:
    if isinstance(item, Broken):
        return None
    found = {name: getattr(item, name) for name in (*conllu_slow.NAMES, "comments", "newline", "closing")}
    for name in ("multiwords", "empty_nodes"):
        found[name] = [
            tuple(getattr(row, slot) for slot in type(row).__slots__) for row in getattr(item, name)
        ]
    return found


def in_pieces(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]


def written(items: list[Any]) -> bytes:
    text = separator = ""
    for item in items:
        part = conllu.encode(item)
        text += separator + part
        separator = conllu.separator(part)
    return text.encode()


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(files(), st.integers(1, 60))
def test_drawn_files_are_read_as_the_slow_twin_reads_them_and_written_back(data, size):
    found = list(conllu.scan(in_pieces(data, size)))
    assert [plain(item) for item in found] == conllu_slow.read(data)
    assert written(found) == data


SEED = (
    "# sent_id = a\n# text = Dogs don't\n1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t2:nsubj\t_\n"
    "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdo\tdo\tAUX\tVBP\t_\t0\troot\t0:root\t_\n"
    "3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t2:advmod\t_\n3.1\té\te\u0301\tVERB\t_\t_\t_\t_\t0:root\t_\n\n"
    "1\ta b\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
).encode()
BYTES = b"\t\n\r#-._0123456789 aZ\x00\x80\xc3\xa9\xe2\xed\xa0\xf4\xff"


def mutated(data: bytes, chance: random.Random) -> bytes:
    mutant = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(mutant) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            mutant[at:at] = bytes([chance.choice(BYTES)])
        elif kind == 1:
            del mutant[at : at + chance.randint(1, 8)]
        elif kind == 2:
            mutant[at : at + 1] = bytes([chance.choice(BYTES)])
        else:
            start = chance.randrange(len(mutant) + 1)
            mutant[at:at] = mutant[start : start + chance.randint(1, 60)]
    return bytes(mutant)


@pytest.mark.parametrize("seed", range(40))
def test_mutated_files_are_kept_or_refused_as_the_slow_twin_says(seed):
    chance = random.Random(seed)
    for _ in range(100):
        data = mutated(SEED, chance)
        if data.startswith(b"\xef\xbb\xbf"):
            continue
        found = list(conllu.scan(in_pieces(data, chance.randint(1, 300))))
        expected = conllu_slow.read(data)
        assert len(found) == len(expected)
        for item, other in zip(found, expected, strict=True):
            assert isinstance(item, Broken) == isinstance(other, list), data
            if not isinstance(other, list):
                assert plain(item) == other
        if not any(isinstance(item, Broken) for item in found):
            assert written(found) == data


@pytest.mark.parametrize("seed", range(20))
def test_mutated_trees_are_read_or_refused(seed):
    chance = random.Random(seed)
    for _ in range(100):
        data = mutated(b"((S (NP-SBJ (NN dog)) (VP (VB go) (. .))))\n(ROOT (X (-NONE- *)))\n", chance)
        for item in brackets.scan(in_pieces(data, chance.randint(1, 99))):
            if isinstance(item, Broken):
                assert all(isinstance(error, FileError) and error.line for error in item.problems)
            else:
                assert list(brackets.scan([brackets.encode(item).encode()])) == [item]
