"""What the page looks like: pictures, scripts of all directions, and nothing that keeps anyone out."""

from __future__ import annotations

import pytest

from browser.conftest import VIEWPORT
from browser.desk import EXAMPLES, Desk

EN = EXAMPLES / "en.conllu"
ARABIC = "".join(
    f"{id}\t{form}\t_\t{upos}\t_\t_\t{head}\t{label}\t_\t_\n"
    for id, (form, upos, head, label) in enumerate(
        [("قرأ", "VERB", 0, "root"), ("الولد", "NOUN", 1, "nsubj"), ("كتابا", "NOUN", 1, "obj")], 1
    )
)


def middle(desk: Desk, word: int) -> float:
    box = desk.box(word)
    return box["x"] + box["width"] / 2


def test_left_to_right_and_right_to_left(desk):
    desk.open(EN)
    assert middle(desk, 1) > middle(desk, 0)
    desk.open_text(ARABIC + "\n", "right.conllu")
    assert middle(desk, 0) > middle(desk, 1) > middle(desk, 2) > middle(desk, 3)
    desk.page.focus("#tree")
    desk.keys("ArrowLeft")
    assert "Word 2 of 3" in desk.page.inner_text("#live")
    desk.drag(2, 3)
    assert desk.head(3) == 2
    desk.picture("right-to-left", "#tree")


def test_tokens_empty_nodes_and_enhanced_arcs_are_shown(desk):
    desk.open(EN)
    desk.go(8)
    assert desk.page.locator("#tree .word.empty").text_content() == "orderedVERB5.1"
    assert desk.page.locator("#tree .enhanced text").all_text_contents() == [
        "nsubj",
        "cc",
        "obj",
        "conj:and",
    ] or (desk.page.locator("#tree .enhanced").count() == 4)
    desk.picture("enhanced", "#tree")
    desk.go(4)
    assert desk.page.locator("#tree .multiword").text_content() == "Don't"


def test_sixty_words_are_readable(desk):
    """No two words, no two labels lie on each other."""
    desk.open(EN)
    desk.go(20)
    overlaps = """selector => {
        const boxes = [...document.querySelectorAll(selector)].map((own) => own.getBoundingClientRect());
        const across = (a, b) => a.right <= b.left || b.right <= a.left;
        const apart = (a, b) => across(a, b) || a.bottom <= b.top || b.bottom <= a.top;
        return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => !apart(a, b))).length;
    }"""
    assert desk.page.locator("#tree .word").count() == 60
    assert desk.page.evaluate(overlaps, "#tree .word .form") == 0
    assert desk.page.evaluate(overlaps, "#tree .arc .label text") == 0
    desk.keys("End")
    box = desk.box(59)
    assert 0 < box["x"] < 1280  # it is kept in sight
    desk.keys("f")
    assert desk.page.evaluate(
        "document.querySelector('#tree').scrollWidth <= document.querySelector('#tree').clientWidth"
    )


def test_a_small_window_shows_the_words(desk):
    desk.open(EN)
    desk.page.set_viewport_size({"width": 900, "height": 600})
    desk.go(20)
    desk.keys("End")
    word, tree = desk.box(59), desk.page.locator("#tree").bounding_box()
    assert tree["y"] <= word["y"]
    assert word["y"] + word["height"] <= tree["y"] + tree["height"]
    desk.page.set_viewport_size(VIEWPORT)


def test_how_sure_is_said_by_thickness_and_dashes_too(desk):
    desk.open(EN)
    desk.go(3)
    desk.page.focus("#tree")
    desk.press("r")

    def line(word: int) -> tuple[float, str]:
        found = desk.page.evaluate(
            f"""(() => {{ const line = document.querySelector(`#tree .arc[data-word='{word}'] .line`);
            return [line.getAttribute("stroke-width"), getComputedStyle(line).strokeDasharray]; }})()"""
        )
        return float(found[0]), found[1]

    sure, less = line(2), line(9)
    assert "sure" in desk.standing(2)
    assert "fair" in desk.standing(9)
    assert sure[0] > less[0]
    desk.press("z")
    assert line(9)[1] != "none"  # the file's arc, which the parser doubts
    assert line(2)[1] == "none"


def test_pictures_for_the_guide(desk):
    desk.open(EN)
    desk.go(5)
    desk.press("r")
    desk.drag(desk.head(3), 3)
    desk.page.wait_for_selector("#dock-trees [data-rank='1']")
    desk.select(7)
    desk.picture("tree")
    assert desk.page.locator("#legend span").count() == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(desk_at, address, scheme, tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    desk = desk_at(address, color_scheme=scheme, reduced_motion="reduce")
    axe = Axe()

    def clean() -> None:
        found = axe.run(desk.page, options={"resultTypes": ["violations"]})
        assert found.violations_count == 0, found.generate_report()

    clean()
    desk.open(EN)
    desk.go(3)
    desk.press("r")
    desk.select(2)
    desk.press("a")
    desk.press("x")
    desk.page.wait_for_selector("#dock-trees [data-rank='1']")
    clean()
    if scheme == "dark":
        desk.picture("dark")
    desk.keys("l")
    clean()
    desk.keys("Escape", "?")
    clean()
    desk.keys("Escape")
    desk.page.wait_for_selector("dialog", state="detached")
    other = tmp_path / "other.conllu"
    other.write_text(EN.read_text("utf-8").replace("\tobj\t", "\tiobj\t"), "utf-8")
    desk.chosen = str(other)
    desk.keys("c")
    desk.page.wait_for_selector("#compare table")
    clean()


def test_the_keyboard_reaches_everything_in_order(desk):
    desk.open(EN)
    desk.page.focus("#bar nav button")
    seen = []
    for _ in range(40):
        seen.append(
            desk.page.evaluate(
                "document.activeElement.closest('#bar, aside, #head, #tree, #dock')?.id || 'aside'"
            )
        )
        desk.keys("Tab")
    order = [name for at, name in enumerate(seen) if name and (at == 0 or seen[at - 1] != name)]
    assert order[:5] == ["bar", "aside", "head", "tree", "dock"]


def test_help_lists_every_key(desk):
    desk.open(EN)
    desk.keys("?")
    text = desk.page.inner_text("dialog .help")
    for what in (
        "choose a head",
        "choose a label",
        "accept the phrase",
        "forbid the arc",
        "undo",
        "next doubtful sentence",
    ):
        assert what in text
    desk.keys("Escape")
    desk.page.wait_for_selector("dialog", state="detached")
    desk.page.click("#bar >> text=Help")
    assert desk.page.locator("dialog").count() == 1
