"""Sentences, tokens and trees as values; writing; files."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import stat
from collections.abc import Callable

import pytest

from arbora import treebank
from arbora.errors import ArboraError, FileError
from arbora.treebank import Constituent, EmptyNode, Multiword, Sentence, checks, conllx


def dogs() -> Sentence:
    return Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])


def test_words_are_counted_from_one():
    sentence = dogs()
    assert [token.form for token in sentence] == ["Dogs", "bark"]
    assert (sentence[1].id, sentence[-1].id, len(sentence)) == (1, 2, 2)
    with pytest.raises(IndexError, match="0 is the root"):
        sentence[0]
    for id in (3, -3):
        with pytest.raises(IndexError, match=f"no word {id}"):
            sentence[id]


def test_a_token_is_a_view():
    sentence = dogs()
    token = sentence[1]
    token.head, token.deprel, token.misc = None, "dep", "SpaceAfter=No"
    assert (sentence.heads, sentence.deprels[0], sentence.misc[0]) == ([None, 0], "dep", "SpaceAfter=No")
    assert token == sentence[1]
    assert token != dogs()[1]
    assert Sentence(["a"], feats=["A=1|B"])[1].features == {"A": "1", "B": ""}


def test_columns_must_fit():
    with pytest.raises(ValueError, match="upos has 1 values for 2 forms"):
        Sentence(["a", "b"], upos=["X"])
    with pytest.raises(ValueError, match="heads has 3"):
        Sentence(["a", "b"], heads=[1, 2, 3])


def test_copies_are_apart():
    sentence = dogs()
    sentence.multiwords.append(Multiword(1, 2, "Dogsbark"))
    for twin in (sentence.copy(), copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):
        assert twin == sentence
        twin.forms[0], twin.multiwords[0].form = "Cats", "x"
        assert (sentence.forms[0], sentence.multiwords[0].form) == ("Dogs", "Dogsbark")


def test_projectivity():
    assert dogs().is_projective()
    assert Sentence(["a", "b", "c", "d"], heads=[3, 4, 0, 3]).nonprojective_words() == [2]
    with pytest.raises(ValueError, match="cycle"):
        Sentence(["a", "b"], heads=[2, 1]).is_projective()
    with pytest.raises(ValueError, match="range"):
        Sentence(["a", "b"], heads=[3, 1]).is_projective()


def slow_nonprojective(heads: list[int | None]) -> list[int]:
    """By the definition: climb from every word between; an unknown top speaks only from outside."""

    def chain(word: int) -> list[int]:
        found = [word]
        while found[-1] and heads[found[-1] - 1] is not None:
            found.append(heads[found[-1] - 1] or 0)
        return found

    result = []
    for word, head in enumerate(heads, 1):
        low, high = min(word, head or 0), max(word, head or 0)
        for between in range(low + 1, high) if head else ():
            above = chain(between)
            outside = above[-1] == 0 or not low <= above[-1] <= high
            if head not in above and outside:
                result.append(word)
                break
    return result


def test_projectivity_against_the_definition():
    choices = [None, 0, 1, 2, 3, 4]
    for heads in itertools.product(choices, repeat=4):
        try:
            found = Sentence(["x"] * 4, heads=heads).nonprojective_words()
        except ValueError:
            continue
        assert found == slow_nonprojective(list(heads)), heads


def test_metadata():
    sentence = Sentence(comments=["# sent_id = s=1", "# text =  a ", "#x"])
    assert (sentence.sent_id, sentence.text, sentence.metadata("x")) == ("s=1", "a", None)


def encoded_after(change: Callable[[Sentence], None], sentence: Sentence) -> str:
    change(sentence)
    return sentence.to_conllu()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda s: s.forms.__setitem__(0, "a\tb"), "a field is empty or holds a tab"),
        (lambda s: s.forms.__setitem__(0, "a\nb"), "a field is empty or holds a tab"),
        (lambda s: s.forms.__setitem__(0, ""), "a field is empty"),
        (lambda s: s.misc.__setitem__(1, ""), "a field is empty"),
        (lambda s: s.forms.append("x"), "values of LEMMA for 3 words"),
        (lambda s: s.heads.__setitem__(0, 3), "out of range"),
        (lambda s: s.heads.__setitem__(0, -1), "out of range"),
        (lambda s: s.lemmas.__setitem__(0, None), "not a string"),
        (lambda s: s.comments.append("no hash"), "one line that begins with #"),
        (lambda s: s.comments.append("# a\n1"), "one line that begins with #"),
        (lambda s: s.multiwords.append(Multiword(2, 3, "x")), "out of range"),
        (lambda s: s.empty_nodes.append(EmptyNode(7, 1)), "out of range"),
        (lambda s: setattr(s, "closing", "x"), "line ends"),
    ],
)
def test_what_cannot_be_written_is_refused(change, reason):
    sentence = dogs()
    with pytest.raises(ArboraError, match=reason):
        encoded_after(change, sentence)


def test_writing_puts_the_blank_line_between(tmp_path):
    path = str(tmp_path / "t.conllu")
    cut = Sentence(["a"], closing="")
    assert treebank.write(path, [cut, Sentence(["b"], closing="\n"), cut]) == 3
    assert [s.forms for s in treebank.read(path)] == [["a"], ["b"], ["a"]]


def test_a_reader_closes_its_file(tmp_path):
    path = tmp_path / "t.conllu"
    treebank.write(path, [dogs(), dogs()])
    with treebank.read(path) as reader:
        assert reader.path == str(path)
    assert list(reader) == []
    started = treebank.read(path)
    next(started)
    started.close()
    assert list(started) == []
    finished = treebank.read(path)
    assert len(list(finished)) == 2
    assert all(it._stream.closed for it in (reader, started, finished))


def failing():
    yield dogs()
    raise RuntimeError("in between")


def test_nothing_half_written_is_left(tmp_path):
    path = tmp_path / "t.conllu"
    path.write_text("before")
    with pytest.raises(RuntimeError):
        treebank.write(str(path), failing())
    for form, reason in (("", r"sentence #2: .*a field is empty"), ("\ud800", "no Unicode text")):
        broken = dogs()
        broken.forms[0] = form  # nobody looks before it is written
        with pytest.raises(FileError, match=rf"t.conllu: .*{reason}"):
            treebank.write(str(path), [dogs(), broken])
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["t.conllu"]


def test_writing_keeps_links_and_modes(tmp_path):
    path, link = tmp_path / "t.conllu", tmp_path / "l.conllu"
    path.write_text("")
    path.chmod(0o640)
    link.symlink_to(path)
    treebank.write(str(link), [dogs()])
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.read_text() == dogs().to_conllu()
    treebank.write(os.devnull, [dogs()], "conllu")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    with pytest.raises(FileError, match="no such file"):
        treebank.write(str(tmp_path / "no" / "t.conllu"), [])


def test_projective_columns_go_to_misc_and_back(tmp_path):
    path = tmp_path / "t.conll"
    rows = [("_", "_"), ("1", "_"), ("_", "a|b=c"), ("0", "PDeprel=x")]
    text = "".join(
        f"{i}\ta\t_\t_\t_\t_\t0\tr\t{phead}\t{pdeprel}\n" for i, (phead, pdeprel) in enumerate(rows, 1)
    )
    path.write_text(text)
    sentence = next(treebank.read(str(path)))
    assert sentence.misc == ["_", "PHead=1", "PDeprel=a|b=c", "PHead=0|PDeprel=PDeprel=x"]
    assert conllx.encode(sentence) == text
    for change in ({"misc": ["SpaceAfter=No"]}, {"deps": ["0:root"]}, {"multiwords": [Multiword(1, 1, "a")]}):
        with pytest.raises(ArboraError, match="CoNLL-X cannot hold"):
            conllx.encode(Sentence(["a"], **change))


TREE = "((S (NP-SBJ-1 (NN dog)) (VP (VB go) (NP=2 (-NONE- *T*-1)) (-LRB- -LRB-))))"


def test_trees():
    tree = Constituent.from_string(TREE)
    assert str(tree) == TREE
    assert tree.words() == ["dog", "go", "*T*-1", "-LRB-"]
    assert tree.spans() == [("", 0, 4), ("S", 0, 4), ("NP-SBJ-1", 0, 1), ("VP", 1, 4), ("NP=2", 2, 3)]
    assert str(tree.without_traces()) == "((S (NP-SBJ-1 (NN dog)) (VP (VB go) (-LRB- -LRB-))))"
    assert (
        str(tree.without_functions()) == "((S (NP (NN dog)) (VP (VB go) (NP (-NONE- *T*-1)) (-LRB- -LRB-))))"
    )
    assert str(tree) == TREE  # neither changes it
    assert Constituent.from_string("(X (-NONE- *))").without_traces() is None
    for text in (tree.pretty(), tree.pretty(0), TREE.replace("(", " ( ").replace(")", "\n)")):
        assert Constituent.from_string(text) == tree
    assert tree != Constituent.from_string(TREE.replace("dog", "cat"))
    assert Constituent("X", ["Y"]) != Constituent("X", [Constituent("Y", ["Y"])])


def test_deep_trees():
    depth = 10_000
    text = "(X " * depth + "(N a)" + ")" * depth
    tree = Constituent.from_string(text)
    assert str(tree) == text
    assert (
        tree
        == pickle.loads(pickle.dumps(tree))
        == copy.deepcopy(tree)
        == tree.without_traces()
        == tree.copy()
    )
    assert len(tree.spans()) == depth
    assert tree.pretty(0).count("\n") == depth - 1
    assert repr(tree).startswith("<Constituent (X")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("(A (B c)\n", 1, "not closed by the end of the file"),
        ("(A b)\n\n(A (B c)))\n", 3, "a closing bracket without an opening one"),
        ("(A b)\nword (A b)\n", 2, "text outside of brackets: 'word'"),
        ("(A b) word\n", 1, "text outside of brackets: 'word'"),
        ("(A b)\n(A ())\n", 2, "an empty bracket: ()"),
        ("(A (B))", 1, "an empty bracket: (B)"),
        ("(A b c)", 1, "the word 'c' beside others"),
        ("(A (B b) c)", 1, "the word 'c' beside others"),
        ("(A b (C d))", 1, "a bracket beside a word"),
        ("(A b)\n(A (B c)\n(A b)\n", 2, "not closed before the next one"),
        ("(A\n (B c)\n", 1, "not closed by the end of the file"),
    ],
)
def test_bad_trees(tmp_path, text, line, reason):
    path = tmp_path / "t.mrg"
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        list(treebank.read(str(path)))
    assert (caught.value.line, caught.value.file) == (line, str(path))
    assert reason in caught.value.reason
    path.write_text("(G g)\n" + text + "\n(G g)\n")
    reader = treebank.read(str(path), lenient=True)
    assert [str(tree) for tree in reader if tree.label == "G"] == ["(G g)", "(G g)"]
    assert reader.skipped == 1


def test_a_tree_that_brackets_cannot_write():
    for tree in (Constituent("A", ["b c"]), Constituent("(", ["b"]), Constituent("A", [""])):
        with pytest.raises(ArboraError, match="brackets cannot write"):
            str(tree)


def test_warnings():
    sentence = Sentence(
        ["Hi", "you", "!"],
        feats=["B=1|A=1", "A=1|A=2", "Case"],
        deps=["0:root", "7:x|1:y", "z"],
        misc=["_", "SpaceAfter=No", "_"],
        comments=["# sent_id = 1", "# text = Hi  you!"],
        empty_nodes=[EmptyNode(1, 1, head="1")],
    )
    assert list(checks.warnings(sentence)) == [
        ("", "the comment text differs from the words from character 4: ' you!' against 'you!'"),
        ("1", "FEATS: the names are not in alphabetical order"),
        ("2", "FEATS: A is there twice"),
        ("2", "DEPS: there is no node 7"),
        ("2", "DEPS: the heads are not in order"),
        ("3", "FEATS: 'Case' is not Name=Value"),
        ("3", "DEPS: 'z' is not head:relation"),
        ("1.1", "an empty node has a HEAD or DEPREL; only DEPS can attach it"),
    ]
