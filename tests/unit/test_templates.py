"""Template files: what is read is what is meant, and errors name the line and the reason."""

from __future__ import annotations

import pytest
from oracles.features import ARC_ATOMS as TWIN_ARC_ATOMS
from oracles.features import words_of
from oracles.words import ATOMS as TWIN_ATOMS
from oracles.words import hash_text

from arbora import _core
from arbora.dependency import PRESETS, preset_templates
from arbora.errors import FileError
from arbora.features import ARC_ATOMS, PARTS, SECTIONS, WORD_ATOMS, Template, Templates, atoms_by
from arbora.text.tagging import templates as of_taggers
from arbora.text.tokenizing import templates as of_tokenizers

BROKEN = [
    ("head.form", 1, "before the first section"),
    ("[arcs]\nhead.nonsense", 2, "'head.nonsense' is no atom"),
    ("[arcs]\n\n# why\nhead.form &", 4, "'' is no atom"),
    ("[arcs]\nheadform", 2, "'headform' is no atom"),
    ("[arcs]\nhead.form : near", 2, "one or more of alone, direction, distance, not 'near'"),
    ("[arcs]\nhead.form :", 2, "one or more of alone, direction, distance, not ''"),
    ("[arcs]\nhead+10.form", 2, "no atom"),
    ("[arcs]\nbetween+1.form", 2, "between.form has no neighbours"),
    ("[arcs]\nhead.feat & head-1.feat", 2, "only one feat"),
    ("[arcs]\nbetween.upos : distance", 2, "in between"),
    ("[arcs]\nbetween.upos & arc.tags-between : alone", 2, "in between"),
    ("[arcs]\nbetween.upos & head.feat : alone", 2, "feats would do"),
    ("[arcs]\nfirst-child.upos", 2, "[arcs] is about arcs before there is a tree"),
    ("[pruner]\ngrandparent.upos", 2, "[pruner]"),
    ("[labels]\nlast-child.upos", 2, "[labels]"),
    ("[labeler]\nfirst-child+1.upos", 2, "first-child.upos has no neighbours"),
    ("[labels]\nbetween.upos : alone", 2, "tags-between"),
    ("[labeler]\nbetween.upos : alone", 2, "tags-between"),
    ("[siblings]\nhead.upos\nmodifier.upos", 3, "head only"),
    ("[siblings]\narc.tags-between", 2, "head only"),
    ("[arcs]\ntags-between", 2, "'tags-between' is no atom"),
    ("[arcs]\narc.upos", 2, "'arc.upos' is no atom"),
    ("[arcs]\nhead.known-tags", 2, "'head.known-tags' is no atom"),
    ("[arcs]\nword.form", 2, "there is no word in [arcs]"),
    ("[siblings]\nhead.upos : direction", 2, "one or more of alone, not 'direction'"),
    (
        "[labels]\nhead.upos\n[siblings]\nhead.upos\nhead.xpos : distance",
        5,
        "one or more of alone, not 'distance'",
    ),
    ("[siblings]\nhead.upos : alone direction", 2, "one or more of alone"),
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
    *[(f"[{name}]\nhead.upos & arc.tags-between", 2, f"[{name}] takes no words in") for name in PARTS],
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
        _, atoms, variants = SECTIONS[name].compile(templates.of(name)[0])
        roles = ["head", "modifier", "third", "fourth"][: len(words_of(name))]
        assert atoms == [(role, -1, "upos") for role in roles]
        assert variants == ["alone", "distance"]


@pytest.mark.parametrize("section", ["siblings", "tags", "tag-bigrams", "tag-trigrams"])
def test_what_is_about_no_arc_comes_alone(section):
    word = "head" if section == "siblings" else "modifier"
    for line in (f"{word}.upos", f"{word}.upos : alone"):
        found = Templates.parse(f"[{section}]\n{line}").of(section)
        assert found == [Template((f"{word}.upos",), ("alone",))]


def test_comments_and_repeated_sections():
    found = Templates.parse(
        "# one\n[arcs] # two\nhead.form # three\n\n[labels]\nhead.upos\n[arcs]\nmodifier.form"
    )
    assert [str(template) for template in found.arcs] == [
        "head.form : alone distance",
        "modifier.form : alone distance",
    ]
    assert Templates.parse("") == Templates()


def test_names_are_those_of_the_twin_and_of_the_core():
    assert set(WORD_ATOMS) == {*TWIN_ATOMS, *atoms_by("model")}
    assert list(ARC_ATOMS) == TWIN_ARC_ATOMS
    assert list(SECTIONS) == _core.section_names()


def test_seeds_differ_between_sections():
    head, modifier = Template(("head.form",), ("alone",)), Template(("modifier.form",), ("alone",))
    seeds = {
        section.compile(head if "head" in section.places else modifier)[0] for section in SECTIONS.values()
    }
    assert len(seeds) == len(SECTIONS)
    assert SECTIONS["arcs"].compile(head)[0] == hash_text("arcs: head.form")


ALL_SECTIONS = [
    *SECTIONS.values(), *of_taggers.SECTIONS.values(), *of_tokenizers.SECTIONS.values()
]  # fmt: skip


@pytest.mark.parametrize("section", ALL_SECTIONS, ids=lambda section: section.name)
def test_all_that_a_section_declares_is_read_and_written(section):
    """Every atom of every place, as near and as far as it reaches, and not one step further."""
    after = " : 3" if section.counts else ""
    for place, known in section.places.items():
        for name, reach in known.atoms.items():
            for side in known.sides if reach else "":
                line = f"{place}{side}{reach}.{name}{after}"
                assert section.read(str(section.read(line))) == section.read(line)
                assert section.compile(section.read(line))[1] == [
                    (known.core or place, int(f"{side}{reach}"), name)
                ]
            line = f"{place}.{name} & {place}.{name}{after}" if name != "feat" else f"{place}.{name}{after}"
            if place == "between":
                line += " : alone"
            assert section.read(str(section.read(line))) == section.read(line)
            if reach < 9:
                further = f"{place}{known.sides[0]}{reach + 1}.{name}{after}"
                with pytest.raises(ValueError, match="neighbours"):
                    section.read(further)
    with pytest.raises(ValueError, match="there is no nowhere"):
        section.read(f"nowhere.form{after}")


def test_bias_looks_at_nothing():
    section = of_taggers.SECTIONS["upos-bigrams"]
    assert section.read("bias") == Template(())
    assert section.compile(Template(())) == (hash_text("upos-bigrams: bias"), [], [])
