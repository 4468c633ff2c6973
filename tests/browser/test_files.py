"""Files in and out, lists by doubt, rules, and work that stays over a reload."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

import arbora
from arbora.dependency.suspects import find_suspects, highlighted
from arbora.evaluation import judge
from arbora.treebank import write
from browser.desk import EXAMPLES, Desk, blocks

EN = EXAMPLES / "en.conllu"
CORRUPTED = "arbora-en-007"
BARK = "1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_\n"


def corrupted() -> str:
    """English examples with one plain error: a determiner hangs from the end of the sentence."""
    text = EN.read_text("utf-8")
    good = "9\tforecast\tforecast\tNOUN\tNN\tNumber=Sing\t6\tobj"
    assert good in text
    return text.replace(good, good.replace("\t6\tobj", "\t10\tdet"))


@pytest.mark.parametrize("name", ["en", "de", "tr"])
def test_opening_and_looking_changes_nothing(desk, name):
    path = EXAMPLES / f"{name}.conllu"
    desk.open(path)
    desk.keys("PageDown", "PageDown", "n", "ArrowRight", "d")
    desk.settle()
    assert desk.export() == path.read_bytes()


def test_the_file_is_downloaded_by_its_name(desk):
    desk.open(EN)
    assert desk.download() == ("en.conllu", EN.read_bytes())


def test_odd_bytes_stay(desk):
    """A byte order mark, line ends of another system, empty lines, no line end at the end."""
    text = "\ufeff# text = Go on\r\n1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\r\n"
    text += "2\ton\ton\tADV\tRB\t_\t1\tadvmod\t_\t_\r\n\r\n\r\n"
    text += "1\tStay\tstay\tVERB\tVB\t_\t0\troot\t_\tOwn=1"
    desk.open_text(text)
    assert desk.export() == text.encode()
    desk.press("a")
    assert desk.export().decode() == text.replace("0\troot\t_\t_\r", "0\troot\t_\tDecided=Yes\r")


def test_a_broken_file_is_refused_with_its_line(desk, tmp_path):
    desk.open(EN)
    broken = tmp_path / "broken.conllu"
    broken.write_bytes(b"# x\n1\tGo\t_\t_\n\n")
    desk.chosen = str(broken)
    desk.keys("o")
    dialog = desk.page.locator("dialog")
    assert "broken.conllu: line 2: it has 4 columns in place of 10" in dialog.inner_text()
    dialog.locator("button").click()
    dialog.wait_for(state="detached")
    assert desk.export() == EN.read_bytes()


def test_a_file_is_dropped(desk):
    data = base64.b64encode(EN.read_bytes()).decode()
    desk.page.evaluate(
        """data => {
            const bytes = Uint8Array.from(atob(data), (own) => own.charCodeAt(0));
            const dropped = new DataTransfer();
            dropped.items.add(new File([bytes], "dropped.conllu"));
            const how = { dataTransfer: dropped, bubbles: true, cancelable: true };
            document.body.dispatchEvent(new DragEvent("drop", how));
        }""",
        data,
    )
    desk.page.wait_for_function("() => document.title.startsWith('dropped.conllu')")
    desk.settle()
    assert desk.export() == EN.read_bytes()


def test_raw_text_is_pasted(desk):
    desk.keys("t")
    desk.page.fill("dialog textarea", "Dogs don't bark. Cats sleep.")
    desk.page.click("dialog [data-action=yes]")
    desk.page.wait_for_function("() => document.title.startsWith('pasted.conllu')")
    desk.settle()
    text = desk.export().decode()
    assert len(blocks(text)) == 2
    assert "2-3\tdon't\t" in text
    assert all("HeadProbability=0." in row[9] or "HeadProbability=1" in row[9] for row in desk.rows())
    assert desk.page.locator("#tree .multiword").text_content() == "don't"
    desk.drag(5, 1)
    assert "Decided=Yes" in desk.rows()[0][9]


def test_suspects_are_the_files_own_arcs(desk, tmp_path):
    """What `arbora suspects` marks says how probable an annotated arc is; it makes no guess of it."""
    sentences = list(arbora.treebank.read(EN))
    found = find_suspects(sentences, judge(sentences, arbora.load()))
    marked = tmp_path / "marked.conllu"
    write(marked, highlighted(sentences, found.most(20)))
    desk.open(marked)
    desk.go(5)
    before = desk.rows(5)
    assert "BestHead=4" in before[8][9]
    assert "given" in desk.standing(9)
    desk.select(1)
    desk.press("a")
    rows = desk.rows(5)
    assert rows[0][9] == "Decided=Yes"
    assert rows[1:] == before[1:]
    assert "# highlight deprels = " in blocks(desk.export().decode())[4]
    desk.select(9)
    desk.press("Shift+X", "x")  # another arc: the marks of the old one go with it
    assert desk.rows(5)[8][6] != "2"
    assert "Best" not in desk.rows(5)[8][9]
    desk.press("z", "z")
    assert desk.export() == marked.read_bytes()


@pytest.mark.parametrize(("order", "least"), [("disagreements", 1), ("errors", 0.5), ("probability", 0)])
def test_doubtful_sentences_come_first(desk, order, least):
    desk.open_text(corrupted().split("\n\n# sent_id = arbora-en-004")[0] + "\n\n")
    desk.page.wait_for_selector("#list[aria-busy=false]")
    desk.page.select_option("#order", order)
    desk.page.wait_for_function("() => document.querySelector('#list [role=option]').id === 'sentence-1'")
    desk.page.focus("#list")
    desk.keys("End", "Home")
    desk.settle()
    assert desk.page.inner_text("#place") == "2 of 3"
    assert "doubt" in desk.standing(9)  # thin, with dashes and its percentage
    assert "%" in desk.arc(9).text_content()
    desk.page.focus("#tree")
    desk.keys("d")
    assert desk.page.locator("#tree .word.selected").get_attribute("data-word") == "9"
    desk.picture("doubt")


def test_the_next_doubtful_sentence(desk):
    desk.open_text(corrupted().split("\n\n# sent_id = arbora-en-004")[0] + "\n\n")
    desk.page.wait_for_selector("#list[aria-busy=false]")
    desk.keys("n")
    assert desk.page.inner_text("#place") == "2 of 3"
    desk.press("s")  # what is decided is no longer doubtful
    desk.keys("PageUp")
    desk.keys("n")
    assert desk.page.inner_text("#place") == "3 of 3"
    desk.keys("Shift+N")
    assert "No further sentence" in desk.status()


def test_rules_are_live_warnings(desk):
    desk.open(EN)
    desk.go(3)
    desk.keys("w")
    desk.page.fill("dialog textarea", "root is upos=NOUN\nno children under upos=PUNCT")
    desk.page.click("dialog [data-action=yes]")
    warnings = desk.page.locator("#dock-warnings")
    desk.page.wait_for_function(
        "() => document.querySelector('#dock-warnings').textContent.includes('breaks')"
    )
    assert "leave breaks rules:1: root is upos=NOUN" in warnings.inner_text()
    assert "warned" in (desk.page.locator("#tree .word[data-word='4']").get_attribute("class") or "")
    desk.picture("rules", "#dock")
    desk.press("r")
    desk.drag(0, 6)
    desk.page.wait_for_function(
        "() => document.querySelector('#dock-warnings').textContent.includes('No rule is broken')"
    )


def test_a_mistake_in_the_rules_is_told(desk):
    """The rules before stay in force until it is mended."""
    desk.expected += ("400",)
    desk.open(EN)
    desk.go(3)
    warnings = desk.page.locator("#dock-warnings")
    for rules in ("root is upos=NOUN", "root is upos="):
        desk.keys("w")
        desk.page.fill("dialog textarea", rules)
        desk.page.click("dialog [data-action=yes]")
        desk.page.wait_for_function(
            "() => document.querySelector('#dock-warnings').textContent.includes('breaks rules:1: root is')"
        )
    wrong = desk.page.locator("dialog .wrong")
    wrong.wait_for()
    assert wrong.inner_text().startswith("rules:1: ")
    assert desk.page.input_value("dialog textarea") == "root is upos="
    desk.page.click("dialog [data-action='']")
    desk.drag(4, 9)
    desk.page.wait_for_function(
        "() => document.querySelector('#dock-warnings').textContent.includes('breaks rules:1: root is')"
    )
    desk.keys("w")
    assert desk.page.input_value("dialog textarea") == "root is upos=NOUN"
    desk.page.fill("dialog textarea", "root is upos=")
    desk.page.click("dialog [data-action=yes]")
    wrong.wait_for()
    desk.page.fill("dialog textarea", "root is upos=VERB")
    desk.page.click("dialog [data-action=yes]")
    desk.page.wait_for_function(
        "() => document.querySelector('#dock-warnings').textContent.includes('No rule is broken')"
    )
    assert warnings.is_visible()


def test_sentences_are_judged_without_rules_that_are_broken(desk):
    """Such as those that another version of Arbora took."""
    desk.expected += ("400",)
    desk.page.evaluate(
        """() => new Promise((resolve) => {
            const request = indexedDB.open("arbora");
            request.onsuccess = () => {
                const write = request.result.transaction("settings", "readwrite");
                write.objectStore("settings").put("root is", "rules");
                write.oncomplete = () => resolve(request.result.close());
            };
        })"""
    )
    desk.visit()
    desk.open(EN)
    desk.page.wait_for_selector("#list[aria-busy=false]")
    assert desk.page.locator("#sentence-4 .meter").count() == 1
    assert "The rules are not used: rules:1: " in desk.page.inner_text("#dock-warnings")


def test_a_sentence_that_is_refused_costs_no_other_its_judgement(desk):
    """The server's number is the place in what it was asked, not in the file."""
    desk.expected += ("400",)
    bare = BARK.replace("\t2\tnsubj", "\t_\t_").replace("\t0\troot", "\t_\t_")
    desk.open_text("\n".join([bare, bare, BARK, "1-9\tno\t_\t_\t_\t_\t_\t_\t_\t_\n" + BARK, BARK, ""]))
    desk.page.wait_for_selector("#list[aria-busy=false]")
    desk.page.wait_for_function("() => document.querySelector('#sentence-4 .meter')")
    meters = [desk.page.locator(f"#sentence-{place} .meter").count() for place in range(5)]
    assert meters == [1, 1, 1, 0, 1]


def test_work_stays_over_a_reload(desk):
    desk.open(EN)
    desk.go(3)
    desk.drag(4, 9)
    desk.select(1)
    desk.press("a")
    kept = desk.export()
    assert kept != EN.read_bytes()
    desk.kept()
    desk.visit()
    desk.settle()
    assert "your work is back, 1 edited sentence" in desk.status()
    assert desk.export() == kept
    desk.go(3)
    assert "decided" in desk.standing(9)
    desk.press("z")  # what the file has is one step away
    assert desk.export() == EN.read_bytes()


def open_again(desk: Desk, path: Path, answer: str) -> None:
    """A file that was edited before."""
    desk.chosen = str(path)
    desk.keys("o")
    desk.page.click(f"dialog [data-action={answer}]")
    desk.page.wait_for_function("name => document.title.startsWith(name)", arg=path.name)
    desk.settle()


def test_work_on_a_file_stays_while_another_is_open(desk):
    desk.open(EN)
    desk.press("a")
    edited = desk.export()
    desk.open(EXAMPLES / "de.conllu")
    assert "Your work on en.conllu stays in this browser" in desk.status()
    open_again(desk, EN, "on")
    assert desk.export() == edited
    desk.open(EXAMPLES / "de.conllu")
    open_again(desk, EN, "anew")
    assert desk.export() == EN.read_bytes()
    desk.open(EXAMPLES / "de.conllu")
    desk.open(EN)  # without a question
    assert desk.export() == EN.read_bytes()


def test_two_tabs_keep_their_work(desk):
    """Each comes back with its own file; of one that both have open, each edited sentence is kept."""
    desk.open(EN)
    desk.press("a")
    desk.kept()
    second = Desk(desk.page.context.new_page(), desk.address)
    second.visit()
    second.settle()
    assert second.page.inner_text("#name") == "en.conllu"
    second.go(2)
    second.press("a")
    second.kept()
    desk.go(3)
    desk.go(2)  # to look at it is not to undo what the other tab did
    desk.kept()
    second.open(EXAMPLES / "de.conllu")
    second.press("a")
    second.kept()
    german = second.export()
    for tab in (desk, second):
        tab.visit()
        tab.settle()
    assert [at for at, own in enumerate(blocks(desk.export().decode())) if "Decided=Yes" in own] == [0, 1]
    assert second.export() == german
    assert not second.wrong
    second.page.close()


def test_files_without_edits_are_forgotten_in_the_end(desk):
    desk.open(EXAMPLES / "tr.conllu")
    desk.kept()
    desk.open(EN)
    desk.press("a")
    desk.kept()
    long_ago = """async (change) => {
        const open = indexedDB.open("arbora");
        await new Promise((resolve) => { open.onsuccess = resolve; });
        const files = open.result.transaction("files", "readwrite").objectStore("files");
        const [keys, values] = [files.getAllKeys(), files.getAll()];
        await new Promise((resolve) => { values.onsuccess = resolve; });
        values.result.forEach((own, place) => change && files.put({ ...own, opened: 1 }, keys.result[place]));
        open.result.close();
        return values.result.map((own) => own.name);
    }"""
    assert desk.page.evaluate(long_ago, True) == ["en.conllu", "tr.conllu"]
    desk.open(EXAMPLES / "de.conllu")
    desk.kept()
    assert desk.page.evaluate(long_ago, False) == ["de.conllu", "en.conllu"]


def test_a_browser_that_keeps_nothing_asks_first(desk):
    desk.page.evaluate("() => { indexedDB.open = () => { throw new Error('it is full'); }; }")
    desk.open(EN)
    desk.press("a")
    desk.kept()
    assert "keeps nothing" in desk.page.inner_text("#saved")
    desk.chosen = str(EXAMPLES / "de.conllu")
    desk.keys("o")
    dialog = desk.page.locator("dialog")
    assert "1 edited sentence of en.conllu would be gone" in dialog.inner_text()
    dialog.locator("[data-action='']").click()
    dialog.wait_for(state="detached")
    assert b"Decided=Yes" in desk.export()
    desk.open(EXAMPLES / "de.conllu")  # it is exported now
    assert desk.page.inner_text("#name") == "de.conllu"


def test_comments_alone_are_no_sentences(desk):
    """They may stand anywhere, and stay."""
    text = "\ufeff# newdoc\n\n" + BARK + "\n\n# between\n\n# and more\n\n" + BARK + "\n# the end"
    desk.open_text(text)
    assert desk.page.inner_text("#place") == "1 of 2"
    assert desk.export() == text.encode()
    desk.go(2)
    desk.select(2)
    desk.press("a")
    decided = BARK.replace("root\t_\t_", "root\t_\tDecided=Yes")
    assert desk.export().decode() == decided.join(text.rsplit(BARK, 1))
    desk.kept()
    desk.visit()
    desk.settle()
    assert desk.export().decode() == decided.join(text.rsplit(BARK, 1))


def test_five_thousand_sentences_are_a_list_of_a_few_rows(desk):
    text = EN.read_text("utf-8") * 179
    desk.open_text(text)
    assert "5,012 sentences" in desk.page.inner_text("#list-count")
    rows = desk.page.locator("#list [role=option]")
    assert rows.count() < 40
    desk.page.focus("#list")
    desk.keys("End")
    desk.page.wait_for_selector("#sentence-5011")
    assert rows.count() < 40
    assert desk.page.inner_text("#place") == "5012 of 5012"
    assert rows.last.get_attribute("aria-posinset") == "5012"


def test_without_a_parser_it_is_an_editor(desk):
    desk.open(EN)
    desk.go(3)
    desk.page.route("**/v1/**", lambda route: route.abort())
    desk.drag(4, 9)
    assert desk.head(9) == 4
    assert desk.page.is_visible("#no-parser")
    assert desk.rows(3)[8][6] == "4"
    desk.page.unroute("**/v1/**")
    desk.drag(4, 7)
    assert desk.page.is_hidden("#no-parser")
