"""Declared rules: the language, and the checker of trees."""

from __future__ import annotations

import pytest

from arbora.dependency import Rules
from arbora.errors import FileError
from arbora.treebank import Sentence

TEXT = """
# guidelines
at most 1 nsubj under upos=VERB
exactly 1 punct,obj:* under any   # of each word
no children under upos=PUNCT
at least 2 children under upos=VERB & feats=VerbForm=Fin & form!=is,was
root is upos=VERB,AUX
head of upos=DET is upos=NOUN or root
label of form="," is punct
no arc from lemma="#" to xpos=IN
phrase 3-7 in sent_id="s 12"
constituent 2-2
"""


def tree(heads: list[int | None], labels: str = "", tags: str = "", **columns) -> Sentence:
    n = len(heads)
    forms = [f"w{id}" for id in range(1, n + 1)]
    upos, deprels = tags.split() or None, labels.split() or None
    return Sentence(forms, upos=upos, heads=heads, deprels=deprels, **columns)


def broken(text: str, sentence: Sentence) -> list[int]:
    return [token for _, token in Rules.parse(text).violations(sentence)]


def test_rules_are_as_they_are_written(tmp_path):
    (tmp_path / "r.txt").write_text(TEXT, "utf-8")
    rules = Rules.read(tmp_path / "r.txt")
    lines = [line.partition(" # ")[0].strip() for line in TEXT.splitlines()[2:]]
    assert [rule.text for rule in rules.rules] == lines
    assert [rule.line for rule in rules.rules] == list(range(3, 13))
    assert str(rules.rules[0]) == f"{tmp_path / 'r.txt'}:3: at most 1 nsubj under upos=VERB"
    assert [(rule.these, rule.all_but) for rule in rules.rules][-2:] == [(("s 12",), False), ((), False)]
    assert len(rules) == 10
    assert Rules.parse(TEXT.replace("\n", "\r\n")) == Rules.parse(TEXT)
    assert len(Rules.parse("")) == len(Rules.parse(" # nothing\n\n")) == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("at mots 1 nsubj under any", "there is no such rule; rules begin with at most, at least"),
        ("at most one nsubj under any", "'one' is no number"),
        ("at most -1 nsubj under any", "'-1' is no number"),
        ("at most", "a number is missing at the end"),
        ("at least 0 nsubj under any", "at least 0 says nothing"),
        ("at most 1 nsubj", "'under' is missing at the end"),
        ("at most 1 nsubj obj under any", "'under' is missing before 'obj'"),
        ("at most 1 nsubj, under any", "'under' is missing before 'any'"),
        ("at most 1 , under any", "a label is missing before ','"),
        ("at most 1 nsubj* under any", "a * stands at the end, after a colon"),
        ("no children,obj under any", "'under' is missing before ','"),
        ("no obj,children under any", "'children' stands for any label"),
        ("label of any is children", "'children' stands for any label"),
        ('no "" under any', "a label has no value"),
        ("no children under VERB", "'VERB' is no condition such as upos=VERB"),
        ("no children under deprel=obj", "words are known by upos, xpos, form, lemma, feats, id"),
        ("no children under upos=", "upos has no value"),
        ("no children under upos=A &", "a condition such as upos=VERB is missing at the end"),
        ("no children under upos=A,", "a value is missing at the end"),
        ("no children under feats=Plur", "'Plur' is no feature such as feats=Number=Plur"),
        ("no children under feats=Number=Plur,Dual", "'Dual' is no feature"),
        ("no children under id=0", "'0' is no word's id"),
        ("no children under upos=A upos=B", "what does 'upos=B' mean after the rule's end"),
        ("no children under any in sent_id=", "sent_id has no value"),
        ("no children under any in sent_id=a,", "a value is missing at the end"),
        ("no children under any in sent_id=a b", "what does 'b' mean after the rule's end"),
        ("no children under any not", "what does 'not' mean after the rule's end"),
        ("in sent_id=a", "there is no such rule"),
        ("no arc from upos=A upos=B", "'to' is missing before 'upos=B'"),
        ("root upos=VERB", "there is no such rule"),
        ("root is", "a condition such as upos=VERB is missing at the end"),
        ("head of upos=A upos=B", "'is' is missing before 'upos=B'"),
        ("head of upos=A is root", "'root' is no condition"),
        ("phrase 3", "'3' is no span of words such as 3-7"),
        ("phrase 0-3", "'0-3' is no span"),
        ("phrase 7-3", "'7-3' is no span"),
        ("constituent", "a span such as 3-7 is missing at the end"),
        ('label of form="a is punct', "a quote is not closed"),
        ("__import__('os')", "there is no such rule"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(line, reason):
    with pytest.raises(FileError) as caught:
        Rules.parse(f"root is any\n\n{line}\n", "r.txt")
    assert str(caught.value).startswith("r.txt:3: ")
    assert reason in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "latin").write_bytes(b"root is form=\xe4\n")
    with pytest.raises(FileError, match="latin: this is not UTF-8"):
        Rules.read(tmp_path / "latin")
    with pytest.raises(FileError, match="none"):
        Rules.read(tmp_path / "none")


def test_counts():
    sentence = tree([2, 0, 2, 2], "nsubj root nsubj:pass obj", "NOUN VERB NOUN NOUN")
    assert broken("at most 1 nsubj under upos=VERB", sentence) == []
    assert broken("at most 1 nsubj:* under upos=VERB", sentence) == [2]
    assert broken("exactly 2 nsubj:* under upos=VERB", sentence) == []
    assert broken("no nsubj,obj under any", sentence) == [2]
    assert broken("at least 1 children under any", sentence) == [1, 3, 4]
    assert broken("at least 1 iobj under upos=VERB", sentence) == [2]
    assert broken("no children under upos!=VERB,AUX", sentence) == []


def test_words_are_selected_by_their_columns():
    sentence = tree([0, 1, 2], "root a b", xpos=["X", "Y", ","], feats=["_", "A=1,2|B=1", "B"])
    sentence.lemmas = ["x", "#", "z"]
    for condition, word in [("xpos=Y", 2), ("feats=A=2", 2), ('feats=A="1,2"', 2), ("form=w1", 1),
                            ('lemma="#"', 2), ("id=1,2 & id!=1", 2)]:  # fmt: skip
        assert broken(f"no children under {condition}", sentence) == [word], condition
    assert broken('no arc from xpos="," to any', sentence) == []
    assert broken("no children under feats=B=1", sentence) == [2]
    assert broken("no children under feats=A=3", sentence) == []


def test_heads_labels_and_arcs():
    sentence = tree([2, 0, 2, 3], "det root punct punct", "DET VERB PUNCT DET")
    assert broken("root is upos=NOUN", sentence) == [2]
    assert broken("head of upos=DET is upos=VERB", sentence) == [4]
    assert broken("head of id=2 is any", sentence) == [2]
    assert broken("head of id=2 is any or root", sentence) == []
    assert broken("label of upos=DET is det", sentence) == [4]
    assert broken("no arc from upos=VERB to upos=PUNCT,DET", sentence) == [1, 3]
    assert broken("root is upos=NOUN\nno arc from any to any", sentence) == [2, 1, 3, 4]


def test_spans():
    sentence = tree([2, 5, 2, 3, 0, 4])
    assert broken("phrase 1-4", sentence) == []
    assert broken("constituent 1-4", sentence) == [6]
    assert broken("phrase 4-6", sentence) == [5]
    assert broken("phrase 3-3\nphrase 1-6\nconstituent 1-6", sentence) == []
    assert broken("phrase 3-7", sentence) == [6], "there is no word 7"


def test_rules_for_one_sentence():
    sentence = tree([0, 1], comments=["# sent_id = s1"])
    assert broken("root is id=2 in sent_id=s1", sentence) == [1]
    assert broken("root is id=2 in sent_id=s2", sentence) == []
    assert broken("root is id=2 in sent_id=s2,s1", sentence) == [1]
    assert broken("root is id=2 not in sent_id=s2, s1", sentence) == []
    assert broken('root is id=2 not in sent_id=s2,"s 3"', sentence) == [1]
    assert broken("root is id=2 not in sent_id=s1", tree([0, 1])) == [1], "it has no sent_id"
    assert broken("root is id=2", tree([])) == []


def test_what_is_not_known_breaks_nothing():
    unknown = tree([None, None, None])
    assert broken(TEXT.replace("phrase", "# phrase"), unknown) == []
    half = tree([2, None, 2], "_ _ obj")
    assert broken("at least 3 obj under id=2", half) == []
    assert broken("at least 4 obj under id=2", half) == [2]
    assert broken("no obj under id=2\nlabel of id=1 is x", half) == [2]
