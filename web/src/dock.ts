// Below the tree: the word, its possible heads and labels, the best trees, and warnings, each with its reason.

import type { Actions } from "./actions.ts";
import type { RankedTree } from "./api_types.ts";
import { announce, byId, h, percent } from "./dom.ts";
import { sureClass } from "./draw.ts";
import { alternatives, picked, trees } from "./predict.ts";
import type { Session } from "./session.ts";
import { isDecided, sureness, type Annotation, type Arc } from "./tree.ts";
import type { TreeView } from "./treeview.ts";
import { drawWarnings } from "./warnings.ts";

const WORDS = { decided: "decided", given: "as in the file", guessed: "guessed", unset: "not set" };

export class Dock {
  private readonly word = byId("dock-word");
  private readonly heads = byId("dock-heads");
  private readonly labels = byId("dock-labels");
  private readonly trees = byId("dock-trees");
  private readonly warnings = byId("dock-warnings");
  private rank = 0;
  private looked: number | null = null; // the tree that is shown in place of the annotation

  constructor(
    private readonly session: Session,
    private readonly view: TreeView,
    private readonly actions: Actions,
    private readonly openLabels: () => void,
  ) {
    session.on(["opened", "moved", "edited", "predicted", "judged", "choices", "rules"], (place) => {
      if (place === session.current) this.draw();
    });
    this.trees.addEventListener("keydown", (event) => this.onKey(event));
    this.trees.addEventListener("focus", () => this.look(this.rank));
    this.trees.addEventListener("blur", () => this.look(null));
    this.trees.addEventListener("pointerover", (event) => this.look(this.rankAt(event)));
    this.trees.addEventListener("pointerleave", () => this.look(null));
    this.trees.addEventListener("click", (event) => this.take(this.rankAt(event)));
  }

  draw(): void {
    const item = this.session.item;
    byId("dock").hidden = !item || this.session.compare;
    if (!item) return;
    const { annotation } = item;
    const own = annotation.arcs[this.session.word - 1];
    if (own) {
      this.drawWord(annotation, own);
      this.drawChoices(annotation, own);
    }
    this.drawTrees(trees(item.prediction));
    const count = drawWarnings(this.warnings, this.session);
    byId("dock-warnings-title").textContent = count ? `Warnings (${count})` : "Warnings";
  }

  private form(head: number | null): string {
    if (head === null) return "–";
    return head === 0 ? "root" : (this.session.item?.annotation.sentence.words[head - 1]?.form ?? "");
  }

  private drawWord(annotation: Annotation, own: Arc): void {
    const row = annotation.sentence.words[this.session.word - 1];
    if (!row) return;
    const p = sureness(own);
    const standing = own.standing === "decided" && !isDecided(own) ? "head decided, label guessed" : WORDS[own.standing];
    const tags = [row.lemma, row.upos, row.xpos, ...(row.feats === "_" ? [] : row.feats.split("|"))];
    this.word.replaceChildren(
      h("h2", {}, h("span", { class: "number" }, String(row.id)), row.form),
      h("p", { class: "arc-line" },
        h("b", {}, own.deprel ?? "?"), " of ", h("b", {}, this.form(own.head)), " ",
        h("span", { class: `badge ${own.standing}` }, standing), " ",
        p !== null && !isDecided(own) && h("span", { class: `badge ${sureClass(p)}` }, percent(p))),
      h("p", { class: "tags" }, ...tags.filter((tag) => tag !== "_").map((tag) => h("span", {}, tag))),
      h("div", { class: "buttons" },
        this.button("Accept", "a", () => this.actions.acceptWord()),
        this.button("Phrase", "p", () => this.actions.acceptPhrase()),
        this.button("Sentence", "s", () => this.actions.acceptSentence()),
        this.button("Label", "l", () => this.openLabels()),
        this.button("Unset", "u", () => this.actions.unsetWord()),
        this.button("Forbid", "x", () => this.actions.forbidArc())),
    );
  }

  private button(name: string, key: string, run: () => void): HTMLElement {
    const title = `${name}: key ${key}`;
    return h("button", { type: "button", title, click: run, "data-action": name.toLowerCase() }, name, h("kbd", {}, key));
  }

  private choice(name: string, note: string, p: number, now: boolean, run: () => void): HTMLElement {
    const bar = h("i", { class: `bar ${sureClass(p)}` });
    bar.style.width = `${Math.max(1, Math.round(p * 100))}%`;
    const title = now ? "This is what is there now" : "Take this";
    return h("li", {},
      h("button", { type: "button", class: now ? "choice now" : "choice", title, "aria-pressed": now ? "true" : "false", click: run },
        h("span", { class: "note" }, note), h("span", { class: "what" }, name), h("span", { class: "p" }, percent(p)),
        h("span", { class: "track" }, bar)));
  }

  private drawChoices(annotation: Annotation, own: Arc): void {
    const word = this.session.word;
    const choices = alternatives(this.session.item?.prediction ?? null, word);
    const heads = (choices?.heads ?? []).slice(0, 8).map(([head, p], place) =>
      this.choice(this.form(head), place < 9 ? String(place + 1) : "", p, head === own.head, () => this.actions.setHead(word, head)));
    const forbidden = own.forbidden.map((head) =>
      h("li", { class: "forbidden" }, h("s", {}, this.form(head)), " forbidden ",
        h("button", { type: "button", click: () => this.actions.allowHeads(head) }, "Allow")));
    const labels = (choices?.labels ?? []).slice(0, 8).map(([name, p]) =>
      this.choice(name, "", p, name === own.deprel, () => this.actions.setLabel(word, name)));
    const none = (): HTMLElement => h("li", { class: "none" }, this.session.trouble || "No answer of a parser yet.");
    this.heads.replaceChildren(...(heads.length + forbidden.length ? [...heads, ...forbidden] : [none()]));
    this.labels.replaceChildren(...(labels.length ? labels : [none()]));
    byId("dock-labels-title").textContent = `Labels of ${annotation.sentence.words[word - 1]?.form ?? ""}`;
    byId("dock-heads-title").textContent = `Heads of ${annotation.sentence.words[word - 1]?.form ?? ""}`;
  }

  private drawTrees(list: RankedTree[]): void {
    this.rank = Math.min(this.rank, Math.max(0, list.length - 1));
    const annotation = this.session.item?.annotation;
    const options = list.map((tree, place) => {
      const p = Math.exp(tree.log_probability);
      const differs = this.differences(tree, annotation);
      return h("div",
        { role: "option", id: `tree-${place}`, "data-rank": place, "aria-selected": place === this.rank ? "true" : "false" },
        h("span", { class: "note" }, `${place + 1}`), h("span", { class: "what" }, differs), h("span", { class: "p" }, percent(p)));
    });
    this.trees.replaceChildren(...options);
    this.trees.setAttribute("aria-activedescendant", options.length ? `tree-${this.rank}` : "");
    this.trees.hidden = !options.length;
  }

  private differences(tree: RankedTree, annotation: Annotation | undefined): string {
    const words = annotation?.sentence.words ?? [];
    const other = words.filter((word) => {
      const own = annotation?.arcs[word.id - 1];
      return own?.head !== tree.heads[word.id - 1] || own?.deprel !== tree.deprels[word.id - 1];
    });
    if (!other.length) return "as shown";
    const told = other.slice(0, 3).map((word) => {
      const head = tree.heads[word.id - 1] as number;
      return `${word.form} ${tree.deprels[word.id - 1]} of ${this.form(head)}`;
    });
    return told.join(", ") + (other.length > 3 ? `, and ${other.length - 3} more` : "");
  }

  async focusTrees(): Promise<void> {
    await this.session.findTrees(this.session.current);
    if (this.trees.hidden) return announce("The parser gave no list of trees.");
    this.rank = 0;
    this.trees.focus();
  }

  private rankAt(event: Event): number | null {
    const option = (event.target as Element).closest<HTMLElement>("[data-rank]");
    return option ? Number(option.dataset["rank"]) : null;
  }

  // The rows stay the same elements while they are pointed at, or clicks would miss them.
  private look(rank: number | null): void {
    if (rank === this.looked) return;
    this.looked = rank;
    const item = this.session.item;
    this.view.preview = rank !== null && item?.prediction ? picked(item.annotation, item.prediction, rank) : null;
    if (rank !== null) this.rank = rank;
    for (const [place, row] of [...this.trees.children].entries()) row.ariaSelected = String(place === this.rank);
    this.trees.setAttribute("aria-activedescendant", `tree-${this.rank}`);
    this.view.draw();
  }

  private take(rank: number | null): void {
    if (rank === null) return;
    this.looked = null;
    this.view.preview = null;
    this.actions.pickTree(rank);
    this.view.element.focus();
  }

  private onKey(event: KeyboardEvent): void {
    const count = trees(this.session.item?.prediction ?? null).length;
    const step = ({ ArrowDown: 1, ArrowUp: -1 } as Record<string, number>)[event.key];
    if (step) {
      this.look((this.rank + step + count) % count);
      announce(`Tree ${this.rank + 1}: ${document.getElementById(`tree-${this.rank}`)?.querySelector(".what")?.textContent}`);
    } else if (event.key === "Enter") this.take(this.rank);
    else if (event.key === "Escape") this.view.element.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
