"""Every gesture of an annotator, by mouse and by keys; exported is what was meant, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arbora.treebank import read
from browser.desk import EXAMPLES, Desk, blocks

EN = EXAMPLES / "en.conllu"
KEYS = "# text = We saw the man with a telescope\n" + "".join(
    f"{id}\t{form}\t{lemma}\t{upos}\t{xpos}\t_\t_\t_\t_\t_\n"
    for id, form, lemma, upos, xpos in [
        (1, "We", "we", "PRON", "PRP"),
        (2, "saw", "see", "VERB", "VBD"),
        (3, "the", "the", "DET", "DT"),
        (4, "man", "man", "NOUN", "NN"),
        (5, "with", "with", "ADP", "IN"),
        (6, "a", "a", "DET", "DT"),
        (7, "telescope", "telescope", "NOUN", "NN"),
    ]
)
BARE = KEYS + "\n"
"""A sentence without a tree, which can be read in two ways."""


def is_tree(desk: Desk, tmp_path) -> None:
    """What would be exported is CoNLL-U with one tree for each sentence."""
    path = tmp_path / "exported.conllu"
    path.write_bytes(desk.export())
    for sentence in read(path):
        assert None not in sentence.heads


def misc(row: list[str]) -> dict[str, str]:
    return dict(item.split("=", 1) for item in row[9].split("|")) if row[9] != "_" else {}


def other(head: int) -> int:
    """The other reading of what the telescope hangs from."""
    return 2 if head == 4 else 4


def by_mouse(desk: Desk, head: int, word: int) -> None:
    desk.drag(head, word)


def by_keys(desk: Desk, head: int, word: int) -> None:
    desk.select(word)
    desk.press("h", *str(head), "Enter")


HEADS = pytest.mark.parametrize("choose", [by_mouse, by_keys])


@HEADS
def test_a_head_is_decided_and_the_rest_follows(desk, choose, tmp_path):
    desk.open_text(BARE)
    before = desk.arcs()
    choose(desk, other(before[6][0]), 7)
    assert desk.head(7) == other(before[6][0])
    assert "decided" in desk.standing(7)
    assert "guessed" in desk.standing(4)
    rows = desk.rows()
    assert misc(rows[6])["Decided"] == "Yes"
    assert 0 < float(misc(rows[6])["LabelProbability"]) <= 1  # the label is a guess
    for row in rows[:6]:
        assert 0 < float(misc(row)["HeadProbability"]) <= 1
        assert "Decided" not in misc(row)
    is_tree(desk, tmp_path)


@HEADS
def test_what_depends_on_the_decision_is_predicted_again(desk, choose, tmp_path):
    """The root moves, so all must."""
    desk.open_text(BARE)
    assert desk.head(2) == 0
    choose(desk, 0, 7)
    assert desk.head(7) == 0
    assert desk.label(7) == "root"
    assert desk.head(2) != 0
    assert "other arc" in desk.status()
    is_tree(desk, tmp_path)


def test_a_word_that_is_dropped_on_the_root_hangs_from_it(desk):
    desk.open_text(BARE)
    desk.drag(4, 0)
    assert desk.head(4) == 0


def test_an_arc_against_the_way_turns_the_old_one(desk, tmp_path):
    """No cycle: what was decided first gives way."""
    desk.open_text(BARE)
    desk.drag(4, 7)
    desk.drag(7, 4)
    assert desk.head(4) == 7
    assert desk.head(7) != 4
    is_tree(desk, tmp_path)


def test_decided_arcs_may_cross(desk, tmp_path):
    desk.open_text(BARE)
    desk.drag(5, 2)
    desk.drag(7, 4)
    assert (desk.head(2), desk.head(4)) == (5, 7)
    is_tree(desk, tmp_path)


def test_a_label_by_mouse_and_by_keys(desk):
    desk.open_text(BARE)
    desk.arc(7).locator(".label").click()
    desk.press(*"dislo", "Enter")
    assert desk.label(7) == "dislocated"
    first = desk.rows()
    desk.press("z")
    assert desk.label(7) != "dislocated"
    desk.select(7)
    desk.press("l", *"dislo", "Enter")
    assert desk.label(7) == "dislocated"
    assert desk.rows() == first
    assert misc(first[6]) == {"Decided": "Yes"}


def test_labels_are_listed_by_probability_and_filtered(desk):
    desk.open_text(BARE)
    desk.select(4)
    desk.keys("l")
    options = desk.page.locator("#label-list [role=option]")
    assert "obj" in options.first.inner_text()
    assert "%" in options.first.inner_text()
    desk.keys(*"nm")
    assert all("nm" in text for text in options.all_inner_texts())
    desk.picture("labels", "#sheet")
    desk.keys("ArrowDown", "Escape")
    assert desk.page.locator("#labels").is_hidden()
    assert desk.label(4) == "obj"


def test_a_label_that_the_parser_does_not_know(desk):
    desk.open_text(BARE)
    desk.select(4)
    desk.press("l", *"obj:own", "Enter")
    assert desk.label(4) == "obj:own"
    desk.drag(2, 1)  # and the parser goes on
    assert desk.label(4) == "obj:own"
    assert desk.rows()[3][7] == "obj:own"


@pytest.mark.parametrize(("word", "old", "new"), [(2, "nsubj:pass", "nsubj"), (3, "aux:pass", "aux")])
def test_a_label_that_is_typed_whole_is_taken(desk, word, old, new):
    """Even where the parser likes one better that begins so."""
    desk.open(EN)
    desk.go(5)
    assert desk.label(word) == old
    desk.select(word)
    desk.press("l", *new, "Enter")
    assert desk.label(word) == new


def test_a_new_label_may_be_a_part_of_a_known_one(desk):
    desk.open_text(BARE)
    desk.select(4)
    desk.keys("l", *"nsub")
    options = desk.page.locator("#label-list [role=option]")
    assert options.first.inner_text() == "nsubj"
    assert "as typed" in options.last.inner_text()
    desk.press("ArrowUp", "Enter")
    assert desk.label(4) == "nsub"
    desk.keys("l", *"nsub")  # it is known by now
    assert options.first.inner_text() == "nsub"
    assert "as typed" not in options.last.inner_text()
    desk.keys("Escape")


@pytest.mark.parametrize("way", ["keys", "buttons"])
def test_accepting_a_word_a_phrase_a_sentence(desk, way):
    desk.open_text(BARE)
    desk.select(7)

    def take(key: str, action: str) -> list[bool]:
        desk.press(key) if way == "keys" else desk.button(action)
        return [misc(row).get("Decided") == "Yes" for row in desk.rows()]

    assert take("a", "accept") == [False] * 6 + [True]
    assert take("p", "phrase") == [False] * 4 + [True] * 3
    assert take("s", "sentence") == [True] * 7
    assert "7 of 7 decided" in desk.page.inner_text("#decided")
    assert "✓" in desk.page.inner_text("#sentence-0")
    assert [misc(row) for row in desk.rows()] == [{"Decided": "Yes"}] * 7


def test_a_double_click_accepts(desk):
    desk.open_text(BARE)
    desk.point(4)
    for count in (1, 2):
        desk.page.mouse.down(click_count=count)
        desk.page.mouse.up(click_count=count)
    desk.settle()
    assert misc(desk.rows()[3]) == {"Decided": "Yes"}


@pytest.mark.parametrize("way", ["keys", "buttons"])
def test_unset_lets_the_parser_guess_again(desk, way):
    desk.open_text(BARE)
    before = desk.arcs()
    desk.drag(other(before[6][0]), 7)
    assert desk.arcs() != before
    desk.press("u") if way == "keys" else desk.button("unset")
    assert desk.arcs() == before
    assert "HeadProbability" in misc(desk.rows()[6])


@pytest.mark.parametrize("way", ["keys", "buttons"])
def test_a_forbidden_arc_is_not_taken(desk, way, tmp_path):
    desk.open_text(BARE)
    desk.select(7)
    head = desk.head(7)
    desk.press("x") if way == "keys" else desk.button("forbid")
    assert desk.head(7) != head
    assert misc(desk.rows()[6])["ForbiddenHeads"] == str(head)
    desk.drag(1, 3)  # it binds whatever comes
    assert desk.head(7) != head
    is_tree(desk, tmp_path)
    desk.select(7)
    desk.press("Shift+X") if way == "keys" else desk.page.click("#dock-heads .forbidden button")
    desk.settle()
    assert "ForbiddenHeads" not in misc(desk.rows()[6])


@pytest.mark.parametrize("way", ["keys", "mouse"])
def test_one_of_the_best_trees_is_taken(desk, way, tmp_path):
    desk.open_text(BARE)
    before = desk.arcs()
    option = desk.page.locator("#dock-trees [data-rank='1']")
    option.wait_for()
    if way == "keys":
        desk.keys("k", "ArrowDown")
        desk.page.wait_for_selector("#tree[data-preview=yes]")
        looked = desk.arcs()
        desk.press("Enter")
    else:
        option.hover()
        looked = desk.arcs()
        option.click()
    assert looked != before
    assert desk.arcs_in_the_end(looked) == looked
    decided = [misc(row).get("Decided") == "Yes" for row in desk.rows()]
    assert all(decided[at] for at in range(7) if looked[at] != before[at])
    assert not all(decided)
    is_tree(desk, tmp_path)


def test_alternatives_are_shown_and_taken(desk):
    desk.open_text(BARE)
    head = desk.head(7)
    desk.point(7)
    tip = desk.page.inner_text("#tip")
    assert "Heads of telescope" in tip
    assert "saw" in tip
    assert "man" in tip
    assert "%" in tip
    assert desk.page.locator("#tree .choice").count() >= 1  # a thin arc to the other head
    desk.picture("alternatives", "#sheet")
    desk.page.mouse.move(5, 5)
    desk.select(7)
    desk.press("2")
    assert desk.head(7) == other(head)
    desk.page.locator("#dock-heads .choice").nth(1).wait_for()  # what there is if it were not decided
    assert desk.page.locator("#dock-heads .choice").count() == 2
    desk.page.click("#dock-heads .choice >> text=" + ("man" if head == 4 else "saw"))
    desk.settle()
    assert desk.head(7) == head
    assert "label-guessed" in desk.standing(7)
    desk.page.click("#dock-labels .choice >> nth=0")
    desk.settle()
    assert "label-guessed" not in desk.standing(7)


def test_heads_by_arrows_and_alternatives(desk):
    desk.open_text(BARE)
    head = desk.head(7)
    desk.select(7)
    desk.press("h", "ArrowDown", "Enter")  # the second most probable one
    assert desk.head(7) == other(head)
    desk.press("Enter", "Escape")
    assert desk.head(7) == other(head)
    desk.select(1)
    desk.keys("h")
    for _ in range(2):
        desk.keys("ArrowRight")
    desk.press("Enter")
    assert desk.head(1) == 4


def test_undo_and_redo_without_end(desk):
    start = "".join(blocks(EN.read_text("utf-8"))[:4])
    desk.open_text(start)
    desk.go(3)
    texts = [desk.export()]
    for word in range(1, 11):
        desk.select(word)
        desk.press("a")
        texts.append(desk.export())
    desk.go(4)
    desk.drag(5, 4)
    texts.append(desk.export())
    for text in reversed(texts[:-1]):
        desk.press("z")
        assert desk.export() == text
    assert texts[0] == start.encode()
    assert desk.page.is_disabled("#undo")
    for text in texts[1:]:
        desk.press("y")
        assert desk.export() == text
    desk.page.click("#undo")
    desk.settle()
    assert desk.export() == texts[-2]


def test_what_was_not_edited_is_the_same_bytes(desk):
    desk.open(EN)
    desk.go(3)
    desk.drag(6, 1)
    old, new = blocks(EN.read_text("utf-8")), blocks(desk.export().decode())
    assert [at for at, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [2]
    lines = list(zip(old[2].splitlines(), new[2].splitlines(), strict=True))
    changed = [b.split("\t")[0] for a, b in lines if a != b]
    assert changed == ["1"]  # what the file says stays, unless it cannot


def test_the_file_binds_until_it_is_freed(desk):
    desk.open(EN)
    desk.go(3)
    assert "given" in desk.standing(9)
    assert desk.head(9) == 6
    desk.drag(8, 7)
    assert desk.head(9) == 6
    desk.press("r")
    assert desk.head(9) == 4
    assert "guessed" in desk.standing(9)
    assert "decided" in desk.standing(7)
    desk.press("z")
    desk.page.click("#free")
    desk.settle()
    assert desk.head(9) == 4


def test_the_file_gives_way_where_it_must(desk, tmp_path):
    """The new arc closes a cycle with the file's."""
    desk.open(EN)
    desk.go(2)
    old = desk.arcs()
    desk.drag(9, 6)  # the root now hangs from its object
    assert desk.head(6) == 9
    new = desk.arcs()
    assert sum(a != b for a, b in zip(old, new, strict=True)) <= 3
    is_tree(desk, tmp_path)


def test_enhanced_arcs_follow_the_tree_and_others_stay(desk):
    text = BARE.replace("\t_\t_\t_\t_\t_\n", "\t_\t{h}\t{d}\t{e}\t_\n")
    filled = text
    for head, label, deps in [
        (2, "nsubj", "2:nsubj"),
        (0, "root", "0:root"),
        (4, "det", "4:det"),
        (2, "obj", "2:obj|7:ref"),
        (7, "case", "7:case"),
        (7, "det", "7:det"),
        (4, "nmod", "4:nmod:with"),
    ]:
        filled = filled.replace("{h}", str(head), 1).replace("{d}", label, 1).replace("{e}", deps, 1)
    desk.open_text(filled)
    desk.select(4)
    desk.press("l", *"iobj", "Enter")
    desk.drag(2, 7)
    rows = desk.rows()
    assert rows[3][8] == "2:iobj|7:ref"
    assert rows[6][8] == "4:nmod:with"  # no copy of the tree's arc: a person's matter
    assert desk.page.locator("#tree .enhanced").count() == 2


def test_a_busy_server_is_asked_again(desk, tmp_path):
    desk.open_text(BARE)
    head = other(desk.head(7))
    asked = []

    def busy(route) -> None:
        asked.append(route.request.url)
        if len(asked) > 2:
            route.continue_()
        else:
            route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": "The server is busy."})

    desk.page.route("**/v1/parse", busy)
    desk.select(7)
    desk.keys("h", *str(head), "Enter")
    desk.page.wait_for_function(
        "() => document.querySelector('#status').textContent.endsWith('it is asked again in 1 second.')"
    )
    desk.settle()
    assert len(asked) > 2
    assert desk.head(7) == head
    assert "busy" not in desk.status()
    assert "is the head of" in desk.status()
    is_tree(desk, tmp_path)
    desk.page.unroute("**/v1/parse")


def test_a_busy_server_is_not_asked_about_what_was_undone(desk):
    desk.open_text(BARE)
    before = desk.arcs()
    asked = []

    def busy(route) -> None:
        if '"heads":{"7"' in route.request.post_data:
            asked.append(route.request.post_data)
            route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": "The server is busy."})
        else:
            route.continue_()

    desk.page.route("**/v1/parse", busy)
    desk.select(7)
    desk.keys("h", "1", "Enter")
    desk.page.wait_for_function("() => document.querySelector('#status').textContent.includes('busy')")
    desk.press("z")
    assert desk.arcs() == before
    count = len(asked)
    desk.page.wait_for_timeout(1500)  # longer than the page would
    assert len(asked) == count
    desk.page.unroute("**/v1/parse")


@pytest.fixture
def two_models(desk) -> Iterator[Desk]:
    """A server with a second parser, which says `dep` of all words, and a default of constituents."""

    def models(route) -> None:
        found = route.fetch().json()
        (own,) = found["models"]
        constituents = {**own, "name": "trees", "adds": ["words", "constituents"], "labels": []}
        found |= {"models": [constituents, own, {**own, "name": "flat"}], "default": "trees"}
        route.fulfill(json=found)

    def ask(route) -> None:
        asked = route.request.post_data_json
        flat = asked["model"] == "flat"
        asked["model"] = ""
        answer = route.fetch(post_data=asked).json()
        for word in [word for own in answer["sentences"] for word in own["words"]] if flat else []:
            word["deprel"] = "dep"
        route.fulfill(json=answer)

    desk.page.route("**/v1/models", models)
    desk.page.route("**/v1/parse", ask)
    desk.page.route("**/v1/judge", ask)
    desk.visit()
    yield desk
    desk.page.goto("about:blank")  # no real server hears of these models
    desk.page.unroute_all(behavior="ignoreErrors")


def test_models_of_constituents_are_not_offered(two_models):
    names = two_models.page.locator("#model option").all_inner_texts()
    assert names == ["en", "flat"]
    two_models.open_text(BARE)
    assert two_models.label(1) == "nsubj"


def test_another_model_guesses_anew(two_models, tmp_path):
    """What was guessed before, in a sentence that was edited or not; what the file says stays."""
    desk = two_models
    desk.open_text(BARE + blocks(EN.read_text("utf-8"))[1])
    desk.page.select_option("#model", "flat")
    desk.settle()
    assert [label for _, label in desk.arcs()] == ["dep"] * 7
    desk.select(1)
    desk.press("a")
    desk.page.select_option("#model", "en")
    desk.settle()
    labels = [label for _, label in desk.arcs()]
    assert labels[0] == "dep"  # decided
    assert "dep" not in labels[1:]
    desk.go(2)
    assert desk.label(4) == "nsubj"


def test_guesses_of_the_file_stay_until_the_sentence_is_edited(two_models):
    desk = two_models
    desk.open_text(BARE)
    desk.press("a")
    kept = desk.export()
    desk.open_text(kept, "again.conllu")
    desk.page.select_option("#model", "flat")
    desk.settle()
    assert "dep" not in [label for _, label in desk.arcs()]
    assert desk.export() == kept
    desk.select(2)
    desk.press("a")
    assert [label for _, label in desk.arcs()][2:] == ["dep"] * 5


def test_doubtful_guesses_are_highlighted_for_the_next_reader(desk):
    desk.open_text(BARE)
    desk.select(1)
    desk.press("a")
    rows = desk.rows()
    low = [
        row[0]
        for row in rows
        if "HeadProbability" in misc(row)
        and float(misc(row)["HeadProbability"]) * float(misc(row)["LabelProbability"]) < 0.9
    ]
    assert low
    assert f"# highlight deprels = {' '.join(low)}\n" in desk.export().decode()
    desk.press("s")
    assert "highlight" not in desk.export().decode()


def test_what_was_decided_and_guessed_is_told_apart_when_it_is_opened_again(desk, tmp_path):
    desk.open_text(BARE)
    desk.drag(other(desk.head(7)), 7)
    desk.select(3)
    desk.press("a")
    kept, arcs = desk.export(), desk.arcs()
    desk.open_text(kept, "again.conllu")
    assert desk.arcs() == arcs
    assert "decided" in desk.standing(3)
    assert "label-guessed" in desk.standing(7)
    assert "guessed" in desk.standing(1)
    assert desk.export() == kept


def test_words_are_told(desk):
    desk.open(EN)
    desk.go(3)
    desk.select(1)
    desk.keys("ArrowRight")
    live = desk.page.locator("#live")
    assert live.inner_text().startswith("Word 2 of 10: did, AUX, aux of leave")
    desk.keys("ArrowUp")
    assert live.inner_text().startswith("Word 4 of 10: leave, VERB, root of the root")
    desk.keys("ArrowDown")
    assert "Word 1 of 10" in live.inner_text()
    desk.keys("End")
    assert "Word 10 of 10" in live.inner_text()
