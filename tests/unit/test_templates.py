"""Template files: what is read is what is meant, and errors name the line and the reason."""

from __future__ import annotations

import pytest
from oracles.features import ARC_ATOMS as TWIN_ARC_ATOMS
from oracles.features import words_of
from oracles.words import ATOMS as TWIN_ATOMS
from oracles.words import hash_text

from arbora.dependency import PRESETS, preset_templates
from arbora.errors import FileError
from arbora.features import PARTS, SECTIONS, Template, Templates
from arbora.features.templates import ARC_ATOMS, ATOMS

BROKEN = [
    ("head.form", 1, "before the first section"),
    ("[arcs]\nhead.nonsense", 2, "'head.nonsense' is no atom"),
    ("[arcs]\n\n# why\nhead.form &", 4, "'' is no atom"),
    ("[arcs]\nheadform", 2, "'headform' is no atom"),
    ("[arcs]\nhead.form : near", 2, "company"),
    ("[arcs]\nhead.form :", 2, "company"),
    ("[arcs]\nhead+10.form", 2, "no atom"),
    ("[arcs]\nbetween+1.form", 2, "neighbours"),
    ("[arcs]\nhead.feat & head-1.feat", 2, "only one feat"),
    ("[arcs]\nbetween.upos : distance", 2, "in between"),
    ("[arcs]\nbetween.upos & tags-between : alone", 2, "in between"),
    ("[arcs]\nbetween.upos & head.feat : alone", 2, "feats would do"),
    ("[arcs]\nfirst-child.upos", 2, "[arcs] is about arcs before there is a tree"),
    ("[pruner]\ngrandparent.upos", 2, "[pruner]"),
    ("[labels]\nlast-child.upos", 2, "[labels]"),
    ("[labeler]\nfirst-child+1.upos", 2, "relatives"),
    ("[labels]\nbetween.upos : alone", 2, "tags-between"),
    ("[labeler]\nbetween.upos : alone", 2, "tags-between"),
    ("[siblings]\nhead.upos\nmodifier.upos", 3, "head only"),
    ("[siblings]\ntags-between", 2, "head only"),
    ("[siblings]\nhead.upos : direction", 2, "no direction and no distance: leave out the colon"),
    ("[labels]\nhead.upos\n[siblings]\nhead.upos\nhead.xpos : distance", 5, "leave out the colon"),
    ("[siblings]\nhead.upos : alone direction", 2, "leave out the colon"),
    ("[arcs]\nsibling.upos", 2, "'sibling.upos': there is no sibling in [arcs]"),
    ("[labeler]\nother-head.upos", 2, "there is no other-head in [labeler]"),
    ("[grandparents]\ngrandparent.upos\nsibling-1.upos", 3, "there is no sibling in [grandparents]"),
    ("[consecutive-siblings]\nother-head.upos", 2, "there is no other-head in [consecutive-siblings]"),
    ("[consecutive-siblings]\ngrandparent.upos", 2, "[consecutive-siblings] is about arcs before there is"),
    ("[all-siblings]\nfirst-child.upos", 2, "[all-siblings] is about arcs before there is a tree"),
    ("[valencies]\nmodifier.upos", 2, "[valencies] is about a head alone"),
    ("[head-bigrams]\ngrandparent.upos", 2, "[head-bigrams] is about arcs before there is a tree"),
    ("[grand-siblings]\nsibling+10.upos", 2, "'sibling+10.upos' is no atom"),
    ("[siblings]\nsibling.upos", 2, "there is no sibling in [siblings]"),
    *[(f"[{name}]\nhead.feat", 2, f"[{name}] takes no feat; feats would do") for name in PARTS],
    *[(f"[{name}]\nbetween.upos : alone", 2, f"[{name}] takes no words in between") for name in PARTS],
    *[(f"[{name}]\nhead.upos & tags-between", 2, f"[{name}] takes no words in") for name in PARTS],
    ("[words]", 1, "there is no section [words]"),
    ("[arcs", 1, "there is no section [arcs"),
    ("[[arcs]]", 1, "there is no section [[arcs]]"),
    ("[]", 1, "there is no section []"),
]


@pytest.mark.parametrize(("text", "line", "reason"), BROKEN)
def test_errors_name_the_line_and_the_reason(text, line, reason):
    with pytest.raises(FileError) as error:
        Templates.parse(text, "own.txt")
    assert str(error.value).startswith(f"own.txt:{line}")
    assert reason in str(error.value)


@pytest.mark.parametrize("preset", PRESETS)
def test_text_and_back(preset):
    templates = preset_templates(preset)
    assert Templates.parse(str(templates)) == templates
    assert Templates.parse(str(templates)).compile() == templates.compile()


def test_sections_of_parts_and_back():
    """Every word that a part has, with neighbours; a section of parts is written only if it has templates."""
    text = "\n".join(
        f"[{name}]\n" + " & ".join(f"{word}-1.upos" for word in words_of(name)) for name in PARTS
    )
    templates = Templates.parse(text)
    assert [len(templates.of(name)) for name in PARTS] == [1] * len(PARTS)
    assert Templates.parse(str(templates)) == templates
    assert Templates.parse(str(templates)).compile() == templates.compile()
    assert "[grandparents]" in str(templates)
    assert "[grandparents]" not in str(preset_templates("first-order"))
    for name in PARTS:
        _, sides, *_ = templates.of(name)[0].compile(name)
        known = len(words_of(name))
        there = [True, known > 1, False, known > 2, known > 3]
        assert sides == [[(-1, 3)] if is_there else [] for is_there in there]


@pytest.mark.parametrize("company", ["", " : alone", " : alone distance"])
def test_siblings_without_direction_and_distance(company):
    """The last is how the headers of models write that none was given."""
    assert Templates.parse(f"[siblings]\nhead.upos{company}").siblings[0].atoms == ("head.upos",)


def test_comments_and_repeated_sections():
    found = Templates.parse(
        "# one\n[arcs] # two\nhead.form # three\n\n[labels]\nhead.upos\n[arcs]\nmodifier.form"
    )
    assert [str(template) for template in found.arcs] == [
        "head.form : alone distance",
        "modifier.form : alone distance",
    ]
    assert Templates.parse("") == Templates()


def test_names_are_those_of_the_twin():
    assert list(ATOMS) == TWIN_ATOMS
    assert list(ARC_ATOMS) == TWIN_ARC_ATOMS


def test_seeds_differ_between_sections():
    template = Template.parse("head.form : alone")
    words = Template.parse("modifier.form : alone")  # there is no head in [tags]
    seeds = {(words if section.startswith("tag") else template).compile(section)[0] for section in SECTIONS}
    assert len(seeds) == len(SECTIONS)
    assert template.compile("arcs")[0] == hash_text("arcs: head.form", 0)
