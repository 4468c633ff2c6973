"""Two annotations of the same sentences: differences, one or the other taken."""

from __future__ import annotations

import pytest

from browser.desk import EXAMPLES, Desk, blocks

EN = EXAMPLES / "en.conllu"
GO = "1\tGo\tgo\tVERB\tVB\t_\t{}\t{}\t_\t_\n2\ton\ton\tADV\tRB\t_\t{}\t{}\t_\t_\n\n"
OTHERS = {
    "9\tcellar\tcellar\tNOUN\tNN\tNumber=Sing\t6\tnmod": "9\tcellar\tcellar\tNOUN\tNN\tNumber=Sing\t4\tobl",
    "1\tWhere\twhere\tADV\tWRB\tPronType=Int\t4\tadvmod": "1\tWhere\twhere\tADV\tWRB\tPronType=Int\t4\tobl",
    "4\tkeeper\tkeeper\tNOUN\tNN\tNumber=Sing\t6\tnsubj": "4\tkeeper\tkeeper\tNOUN\tNN\tNumber=Sing\t6\tobj",
}


@pytest.fixture
def compared(desk, tmp_path) -> Desk:
    """The English examples, and three arcs of someone else."""
    text = EN.read_text("utf-8")
    for mine, theirs in OTHERS.items():
        assert mine in text
        text = text.replace(mine, theirs)
    other = tmp_path / "other.conllu"
    other.write_text(text, "utf-8")
    desk.open(EN)
    desk.chosen = str(other)
    desk.keys("c")
    desk.page.wait_for_selector("#compare table")
    return desk


def lines(desk: Desk, place: int) -> list[str]:
    return blocks(desk.export().decode())[place - 1].splitlines()


def test_differences_are_listed(compared):
    page = compared.page
    assert page.inner_text("#list-count") == "2 of 28 differ"
    assert page.inner_text("#place") == "2 of 28"
    table = page.inner_text("#compare table")
    assert "nsubj of trusted" in table
    assert "obj of trusted" in table
    assert page.locator("#compare svg.tree").count() == 2
    assert page.locator("#compare .arc.differing").count() == 2
    compared.keys("PageDown")
    assert page.locator("#compare tbody tr").count() == 2
    compared.picture("compare", "#compare")
    assert compared.export() == EN.read_bytes()


def test_one_or_the_other_is_taken_by_keys(compared):
    compared.keys("PageDown")
    compared.page.focus("#compare")
    compared.keys("2")
    assert "B is taken for Where" in compared.status()
    compared.keys("1")
    own = lines(compared, 3)
    assert own[2].split("\t")[6:] == ["4", "obl", "_", "Decided=Yes"]
    assert own[10].split("\t")[6:8] == ["6", "nmod"]
    assert "Decided=Yes" in own[10]


def test_what_is_taken_and_makes_no_tree_is_told(desk, tmp_path):
    """Each annotator has a tree; the root of one and the arc below it of the other make none."""
    other = tmp_path / "other.conllu"
    other.write_text(GO.format(2, "dep", 0, "root"), "utf-8")
    desk.open_text(GO.format(0, "root", 1, "dep"))
    desk.chosen = str(other)
    desk.keys("c")
    warnings = desk.page.locator("#compare-warnings")
    desk.page.wait_for_selector("#compare table")
    assert warnings.is_hidden()
    desk.page.focus("#compare")
    desk.keys("2")
    assert "A cycle: the words 1, 2." in warnings.inner_text()
    assert "A cycle" in desk.status()
    desk.keys("2")
    assert warnings.is_hidden()
    desk.keys("Control+z")
    assert "A cycle" in warnings.inner_text()
    desk.keys("Escape")


def test_rules_are_live_while_two_are_compared(desk, tmp_path):
    other = tmp_path / "other.conllu"
    other.write_text(GO.format(0, "root", 1, "obj"), "utf-8")
    desk.open_text(GO.format(0, "root", 1, "dep"))
    desk.keys("w")
    desk.page.fill("dialog textarea", "no obj under upos=VERB")
    desk.page.click("dialog [data-action=yes]")
    desk.page.locator("dialog").wait_for(state="detached")
    desk.chosen = str(other)
    desk.keys("c")
    desk.page.wait_for_selector("#compare table")
    desk.page.focus("#compare")
    desk.keys("2")
    desk.page.wait_for_function(
        "() => document.querySelector('#compare-warnings').textContent.includes('breaks rules:1: no obj')"
    )
    desk.keys("Escape")


def test_one_or_the_other_is_taken_by_mouse_and_undone(compared):
    page = compared.page
    compared.keys("PageDown")
    page.click("#compare tbody tr:nth-child(2) button >> text=Take B")
    own = lines(compared, 3)
    assert own[10].split("\t")[6:8] == ["4", "obl"]
    assert own[2] in EN.read_text("utf-8")  # nothing else changed
    page.click("#compare tbody tr:nth-child(2) button >> text=Take A")
    assert lines(compared, 3)[10].split("\t")[6:8] == ["6", "nmod"]
    compared.keys("z", "z")
    assert compared.export() == EN.read_bytes()
    page.focus("#compare")
    compared.keys("Escape")
    compared.settle()
    assert page.is_visible("#tree")
    assert page.inner_text("#list-count").startswith("28 sentences")
