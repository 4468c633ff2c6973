"""A served treebank: saved as one works, and never over what someone else did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser.desk import EXAMPLES, Desk, blocks
from browser.serving import serving

EN = EXAMPLES / "en.conllu"


@pytest.fixture
def treebank(tmp_path) -> Path:
    path = tmp_path / "served.conllu"
    path.write_text("".join(blocks(EN.read_text("utf-8"))[:3]), "utf-8")
    return path


@pytest.fixture
def two_desks(desk_at, browser, treebank) -> Iterator[tuple[Desk, Desk]]:
    """Two annotators at one file, each in a browser of their own."""
    with serving(treebank) as address:
        desks = desk_at(address), desk_at(address)
        for desk in desks:
            desk.go(3)
        yield desks
        for desk in desks:
            desk.page.close()


def saved(desk: Desk) -> None:
    desk.page.wait_for_function("() => document.querySelector('#saved').textContent === 'All is saved'")


def test_edits_are_saved_and_the_rest_is_the_same_bytes(desk_at: Callable[..., Desk], treebank):
    before = treebank.read_text("utf-8")
    with serving(treebank) as address:
        desk = desk_at(address)
        assert desk.page.inner_text("#name") == "served.conllu"
        desk.go(3)
        desk.drag(4, 9)
        saved(desk)
        after = treebank.read_text("utf-8")
        assert after.encode() == desk.export()
        assert blocks(after)[:2] == blocks(before)[:2]
        assert "\t4\tobl" in blocks(after)[2]
        desk.press("z")
        saved(desk)
        assert treebank.read_text("utf-8") == before
        desk.page.close()


def test_what_is_no_sentence_is_passed_by_and_stays(desk_at, treebank):
    """Comments alone; and a word that is its own head, which the page cannot show, and names."""
    first, second, third = blocks(treebank.read_text("utf-8"))
    broken = second.replace("\t4\tdet\t", "\t1\tdet\t", 1)
    assert broken != second
    text = "# newdoc\n\n" + first + broken + third + "# the end\n"
    treebank.write_text(text, "utf-8")
    with serving(treebank) as address:
        desk = desk_at(address)
        dialog = desk.page.locator("dialog")
        assert "1 sentence of served.conllu cannot be shown" in dialog.inner_text()
        assert "Sentence 3 (arbora-en-002), line 3: the word 1 cannot have the head 1." in dialog.inner_text()
        dialog.locator("button").click()
        dialog.wait_for(state="detached")
        desk.go(2)
        assert desk.page.inner_text("#place") == "2 of 2"
        desk.drag(4, 9)
        saved(desk)
        after = treebank.read_text("utf-8")
        assert "\t4\tobl" in blocks(after + "\n")[3]
        assert after.startswith("# newdoc\n\n" + first + broken)
        assert after.endswith("\n\n# the end\n")
        assert desk.export().decode() == after
        desk.page.close()


def test_a_treebank_that_cannot_be_read_is_told(desk_at, treebank):
    with serving(treebank) as address:
        desk = desk_at(address)
        treebank.write_text("1\tno columns\n", "utf-8")
        desk.expected += ("400",)
        desk.visit()
        assert "The treebank cannot be shown" in desk.page.inner_text("dialog")
        assert "served.conllu:1" in desk.page.inner_text("dialog")
        desk.page.close()


def conflict(two_desks: tuple[Desk, Desk]) -> tuple[Desk, Desk]:
    """Both annotate sentence 3; the second one comes too late."""
    first, second = two_desks
    first.drag(4, 9)
    saved(first)
    second.drag(4, 7)
    second.page.wait_for_selector("dialog")
    return first, second


def third(treebank: Path) -> list[list[str]]:
    lines = blocks(treebank.read_text("utf-8"))[2].splitlines()
    return [line.split("\t") for line in lines if line and line[0] != "#"]


def test_mine_is_kept(two_desks, treebank):
    _, second = conflict(two_desks)
    assert third(treebank)[8][6] == "4"  # nothing is overwritten yet
    second.picture("conflict", "dialog")
    second.page.click("dialog [data-action=mine]")
    saved(second)
    assert third(treebank)[6][6] == "4"
    assert third(treebank)[8][6] == "6"


def test_theirs_is_taken(two_desks, treebank):
    _, second = conflict(two_desks)
    second.page.click("dialog [data-action=theirs]")
    saved(second)
    second.settle()
    assert (second.head(7), second.head(9)) == (9, 4)
    assert third(treebank)[6][6] == "9"
    assert second.export() == treebank.read_bytes()


def test_theirs_that_cannot_be_shown_stays_in_the_file(two_desks, treebank):
    _, second = two_desks
    broken = treebank.read_text("utf-8").replace("\t9\tcase\t", "\t7\tcase\t")
    treebank.write_text(broken, "utf-8")
    second.drag(4, 6)
    second.page.click("dialog [data-action=theirs]")
    second.page.wait_for_selector("dialog", state="detached")
    assert "Theirs cannot be shown" in second.status()
    assert "not saved" in second.page.inner_text("#saved")
    second.drag(4, 9)
    second.page.wait_for_selector("dialog")
    assert treebank.read_text("utf-8") == broken
    second.page.click("dialog [data-action=mine]")
    saved(second)
    assert third(treebank)[5][6] == third(treebank)[8][6] == "4"


def test_both_are_looked_at_and_joined(two_desks, treebank):
    _, second = conflict(two_desks)
    second.page.click("dialog [data-action=both]")
    second.page.wait_for_selector("dialog table")
    assert second.page.locator("dialog svg.tree").count() == 2
    second.page.check("dialog input[name=word-9][value=theirs]")
    second.page.click("dialog [data-action=join]")
    saved(second)
    second.settle()
    assert (second.head(7), second.head(9)) == (4, 4)
    assert (third(treebank)[6][6], third(treebank)[8][6]) == ("4", "4")


def test_a_choice_that_is_not_made_is_asked_for_again(two_desks, treebank):
    _, second = conflict(two_desks)
    second.keys("Escape")
    second.page.wait_for_selector("dialog", state="detached")
    assert "not saved" in second.page.inner_text("#saved")
    second.page.focus("#tree")
    second.drag(4, 6)
    second.page.wait_for_selector("dialog")
    assert (third(treebank)[6][6], third(treebank)[8][6]) == ("9", "4")  # theirs, as before
    second.page.click("dialog [data-action=mine]")
    saved(second)
    assert third(treebank)[6][6] == third(treebank)[5][6] == "4"


def test_a_change_of_another_sentence_is_no_conflict(two_desks, treebank):
    first, second = two_desks
    first.go(2)
    first.select(1)
    first.press("a")
    second.drag(4, 9)
    for desk in (first, second):
        saved(desk)
    text = treebank.read_text("utf-8")
    assert "Decided=Yes" in blocks(text)[1]
    assert "Decided=Yes" in blocks(text)[2]


def test_what_could_not_be_saved_is_kept_and_saved_later(desk_at, treebank):
    with serving(treebank) as address:
        desk = desk_at(address)
        desk.go(3)
        desk.page.route("**/v1/treebank/**", lambda route: route.abort())
        desk.drag(4, 9)
        desk.page.wait_for_function(
            "() => document.querySelector('#saved').textContent.includes('Not saved')"
        )
        assert "Decided" not in treebank.read_text("utf-8")
        desk.page.unroute("**/v1/treebank/**")
        desk.page.on("dialog", lambda dialog: dialog.accept())
        desk.visit()
        saved(desk)
        assert "Decided=Yes" in blocks(treebank.read_text("utf-8"))[2]
        desk.page.close()
