"""Training of taggers: the same bytes whatever the threads; templates."""

from __future__ import annotations

import pytest
from small_tagger import SMALL, bare
from small_training import treebank

from arbora.errors import ArboraError, FileError
from arbora.text import Tagger, train_tagger
from arbora.text.tagging.templates import TaggerTemplates, default_templates


def test_threads_do_not_matter_and_files_hold_all(tmp_path):
    for threads in (1, 3):
        tagger = train_tagger(treebank()[5:], treebank()[:5], SMALL, threads=threads, licence="CC0")
        tagger.save(tmp_path / f"{threads}")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()
    loaded = Tagger.load(tmp_path / "1")
    assert [s.to_conllu() for s in loaded.tag(bare(treebank()))] == [
        s.to_conllu() for s in tagger.tag(bare(treebank()))
    ]
    report = loaded.header["report"]
    assert set(report["dev"]) == {"upos", "xpos", "feats", "lemmas"}
    assert set(report["kept"]) == {"upos", "morph", "lemma"}
    assert all(0.01 < loaded.header["stages"][stage]["scale"] < 100 for stage in report["kept"])
    assert loaded.header["licence"] == "CC0"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("word.form", 1, "before the first section"),
        ("[upos]\nword.length", 2, "no atom"),
        ("[upos]\nhead.form", 2, "there is no head"),
        ("[upos]\nword+9.form", 2, "3 places"),
        ("[tags]", 1, "no section"),
        ("[upos]\nword-1.upos", 2, "not known yet"),
        ("[morph]\nword.upos\nword.morph", 3, "not known yet"),
        ("[upos]\nword.form : 3", 2, "takes nothing after a colon"),
        ("[upos-candidates]\nword.form", 2, "how often"),
        ("[upos-candidates]\nword.form : 1 2 3", 2, "how often"),
        ("[upos-candidates]\nword.form : 0", 2, "how often"),
    ],
)
def test_wrong_templates_are_refused_by_line(text, line, reason):
    with pytest.raises(FileError, match=reason) as error:
        TaggerTemplates.parse(text, "mine.txt")
    assert str(error.value).startswith(f"mine.txt:{line}: ")


def test_templates_are_text_and_back():
    templates = default_templates()
    assert TaggerTemplates.parse(str(templates)) == templates
    with pytest.raises(ArboraError, match=r"no section \[morph\]"):
        train_tagger(treebank(), options=SMALL, templates=TaggerTemplates.parse("[upos]\nword.form"))
