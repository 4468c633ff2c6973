// A served treebank is saved sentence by sentence; where someone else was faster, the person chooses.

import * as api from "./api.ts";
import { differences, sameWords } from "./compare.ts";
import { arrowInWords, comparedTree } from "./compareview.ts";
import { ConlluError, parseBlock } from "./conllu.ts";
import { dialog } from "./dialogs.ts";
import { announce, byId, h } from "./dom.ts";
import type { Item, Session } from "./session.ts";
import { editedBefore, forgetEdit, keepEdit, type KeptEdit } from "./storage.ts";
import { annotationOf, changed, type Annotation } from "./tree.ts";
import { written } from "./write.ts";

const LATER = 4000; // milliseconds until a server that does not answer is asked again

interface Theirs {
  conllu: string;
  version: string;
}

export class Saving {
  private readonly busy = new Set<number>();
  private readonly unsaved = new Set<number>(); // they were refused, or no server answered
  private readonly state = byId("saved");
  private readonly kept = new Set<number>(); // edits that this tab keeps in the browser
  private keeping = 0; // that are not yet written
  private asking = false;
  keeps = true; // the browser keeps what it is given

  constructor(private readonly session: Session) {
    session.on(["edited"], (place) => {
      this.keep(place);
      if (session.compare || !session.model || session.offline) void this.save(place);
      else if (this.isBehind(place)) this.tell("Saving …"); // as soon as the parser has answered
    });
    session.on(["predicted"], (place) => {
      this.keep(place);
      void this.save(place);
    });
    session.on(["opened"], () => {
      this.unsaved.clear();
      this.kept.clear();
      this.keeps = true;
      this.tell(session.served ? "All is saved" : "Kept in this browser");
    });
  }

  // What another tab edited in the same file stays: only what this one kept is forgotten.
  private keep(place: number): void {
    const item = this.session.items[place];
    if (!item) return;
    const { touched } = item.annotation;
    if (!touched && (this.session.served || !this.kept.has(place))) return;
    if (touched) this.kept.add(place);
    else this.kept.delete(place);
    void this.watch((touched ? keepEdit : forgetEdit)(this.session.key, item));
  }

  // Of what the browser is given to keep: whether it does.
  async watch(keeping: Promise<unknown>): Promise<void> {
    this.keeping += 1;
    this.state.ariaBusy = "true";
    try {
      await keeping;
    } catch {
      this.keeps = false;
      this.tell("This browser keeps nothing: export before you leave", true);
    }
    this.keeping -= 1;
    this.state.ariaBusy = String(this.keeping > 0);
  }

  private tell(text: string, bad = false): void {
    this.state.textContent = text;
    this.state.classList.toggle("bad", bad);
  }

  // Whether the server has another text of the sentence.
  private isBehind(place: number): boolean {
    const item = this.session.items[place];
    return Boolean(this.session.served && item && item.version !== null && written(item.annotation) !== item.saved);
  }

  // Until the server has what is on the page. One request at a time for each sentence.
  async save(place: number): Promise<void> {
    const item = this.session.items[place];
    if (!this.session.served || !item || item.version === null || this.busy.has(place)) return;
    this.busy.add(place);
    try {
      while (this.isBehind(place) && (await this.sent(place, item)));
    } finally {
      this.busy.delete(place);
    }
    if (!this.isBehind(place)) this.unsaved.delete(place);
    if (this.busy.size || this.unsaved.has(place)) return;
    const first = Math.min(...this.unsaved);
    if (this.unsaved.size) this.tell(`Sentence ${first + 1} is not saved: edit it again`, true);
    else this.tell("All is saved");
  }

  // Whether there is a point in going on.
  private async sent(place: number, item: Item): Promise<boolean> {
    const conllu = written(item.annotation);
    this.tell("Saving …");
    try {
      const { version } = await api.save(item.filePlace, { conllu, version: item.version as string });
      item.version = version;
      item.saved = conllu;
      if (written(item.annotation) === conllu) await forgetEdit(this.session.key, item).catch(() => undefined);
      return true;
    } catch (error) {
      return this.failed(place, item, error as Error);
    }
  }

  private async failed(place: number, item: Item, error: Error): Promise<boolean> {
    if (error instanceof api.ServerError && error.status === 409 && typeof error.body["conllu"] === "string") {
      return this.conflict(place, item, error.body as unknown as Theirs);
    }
    this.unsaved.add(place);
    this.tell(`Not saved: ${error.message} It is kept in this browser.`, true);
    if (error instanceof api.ServerError && error.status === 0) setTimeout(() => void this.save(place), LATER);
    return false;
  }

  // What this browser kept of a sentence that is another one in the file by now.
  async stranger(place: number, edit: KeptEdit): Promise<void> {
    const item = this.session.items[place];
    if (!item || item.version === null) return;
    const theirs = { conllu: item.original.block, version: item.version };
    item.annotation = editedBefore(edit);
    item.saved = null;
    item.version = ""; // until it is chosen, the server refuses it
    if (await this.conflict(place, item, theirs)) await this.save(place);
  }

  // The file changed elsewhere: mine, theirs, or a look at both. Whether to go on and save.
  async conflict(place: number, item: Item, theirs: Theirs): Promise<boolean> {
    if (theirs.conllu === item.saved) {
      item.version = theirs.version; // another sentence was changed
      return true;
    }
    this.unsaved.add(place);
    if (this.asking) return false;
    this.asking = true;
    this.tell(`Sentence ${place + 1} was changed elsewhere`, true);
    try {
      const answer = await dialog("Changed elsewhere", [
        { name: "Look at both", value: "both", main: true },
        { name: "Take theirs", value: "theirs" },
        { name: "Keep mine", value: "mine" },
      ], h("p", {}, `Sentence ${place + 1} was changed in the file while you were at it: in another tab, by someone else, or by another program. Nothing is overwritten until you choose.`));
      return await this.resolve(place, item, theirs, answer === "both" ? await this.look(item, theirs) : answer);
    } finally {
      this.asking = false;
    }
  }

  private async resolve(place: number, item: Item, theirs: Theirs, answer: string | Annotation): Promise<boolean> {
    const unreadable = answer === "theirs" && !this.readable(theirs.conllu);
    if (unreadable) announce("Theirs cannot be shown: it has to be mended in the file, where it stays.");
    if (answer === "" || unreadable) {
      item.saved = null; // and the version stays the old one: the server refuses what is sent with it
      this.tell(`Sentence ${place + 1} is not saved: choose when you edit it again`, true);
      return false;
    }
    Object.assign(item, { saved: theirs.conllu, version: theirs.version });
    this.unsaved.delete(place);
    if (answer === "mine") return true;
    const before = item.annotation;
    const after = typeof answer === "string" ? annotationOf(parseBlock(theirs.conllu)) : answer;
    item.annotation = after;
    item.original = after.sentence;
    this.session.history.push({ place, what: "what others saved taken", before, after });
    announce(typeof answer === "string" ? "Theirs is taken." : "Both are joined.");
    this.session.tell("edited", place);
    await this.session.predict(place);
    return true;
  }

  // Both trees, and word by word whose arc is taken.
  private async look(item: Item, theirs: Theirs): Promise<string | Annotation> {
    const other = annotationOf(this.readable(theirs.conllu) ?? item.original);
    const mine = item.annotation;
    const buttons = [{ name: "Take theirs", value: "theirs" }, { name: "Keep mine", value: "mine" }];
    if (!sameWords(mine.sentence, other.sentence)) {
      return dialog("Both", buttons, h("p", {}, "They have other words."), h("pre", {}, theirs.conllu));
    }
    const rows = differences(mine, other);
    const words = rows.map((row) => row.word);
    const pick = rows.map((row) => {
      const option = (side: "mine" | "theirs"): HTMLElement =>
        h("td", {}, h("label", {},
          h("input", { type: "radio", name: `word-${row.word}`, value: side, checked: side === "mine" }),
          ` ${arrowInWords(mine.sentence, row[side])}`));
      return h("tr", {}, h("th", { scope: "row" }, mine.sentence.words[row.word - 1]?.form ?? ""), option("mine"), option("theirs"));
    });
    const head = h("thead", {}, h("tr", {}, ...["Word", "Mine", "Theirs"].map((name) => h("th", { scope: "col" }, name))));
    const body = h("tbody", {}, ...pick);
    const region = (name: string, tree: Annotation): HTMLElement =>
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, comparedTree(tree, words, 0));
    const answer = await dialog("Both", [{ name: "Save this choice", value: "join", main: true }, ...buttons],
      h("h3", {}, "Mine"), region("Mine", mine), h("h3", {}, "Theirs"), region("Theirs", other), h("table", {}, head, body));
    if (answer !== "join") return answer;
    const own = new Set(words.filter((word) => body.querySelector<HTMLInputElement>(`input[name="word-${word}"][value="mine"]`)?.checked));
    return joined(mine, other, own);
  }

  private readable(conllu: string): ReturnType<typeof parseBlock> | null {
    try {
      return parseBlock(conllu);
    } catch (error) {
      if (error instanceof ConlluError) return null;
      throw error;
    }
  }
}

// Theirs, with my arcs at these words.
function joined(mine: Annotation, theirs: Annotation, own: ReadonlySet<number>): Annotation {
  const entries = [...own].map((word): [number, Annotation["arcs"][number]] => [word, mine.arcs[word - 1]!]);
  return changed(theirs, new Map(entries));
}
