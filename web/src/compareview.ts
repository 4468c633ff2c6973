// Two annotations of a sentence, one above the other, with their differences: one or the other is taken.

import { differences, paired, sameWords, type Difference } from "./compare.ts";
import type { Sentence } from "./conllu.ts";
import { announce, byId, counted, h } from "./dom.ts";
import { drawTree, NO_MARKS } from "./draw.ts";
import { layoutOf, measure } from "./layout.ts";
import type { Session } from "./session.ts";
import { accept, adopt, annotationOf, problems, type Annotation } from "./tree.ts";
import { drawWarnings } from "./warnings.ts";

type Arrow = { head: number | null; deprel: string | null };

export function arrowInWords(sentence: Sentence, own: Arrow): string {
  const head = own.head === null ? "no head" : own.head === 0 ? "root" : `${sentence.words[own.head - 1]?.form}`;
  return `${own.deprel ?? "no label"} of ${head}`;
}

export function comparedTree(annotation: Annotation, words: number[], selected: number): SVGSVGElement {
  const marks = { ...NO_MARKS, differing: new Set(words), selected };
  return drawTree(annotation, layoutOf(annotation, measure, false), marks);
}

export class CompareView {
  private readonly panel = byId("compare");
  private partners: (Sentence | null)[] = [];
  private first: Difference[][] = []; // as they were when the comparison began
  private name = "";
  private at = 0;
  private readonly warnings = h("ul", { id: "compare-warnings", class: "warnings" });

  constructor(
    private readonly session: Session,
    private readonly changedList: (only: ((place: number) => boolean) | null) => void,
  ) {
    session.on(["moved", "edited"], () => this.draw());
    session.on(["judged", "rules"], () => this.drawWarnings());
    session.on(["opened"], () => this.end());
    this.panel.addEventListener("keydown", (event) => this.onKey(event));
  }

  start(name: string, theirs: Sentence[]): void {
    const mine = this.session.items.map((item) => item.annotation.sentence);
    this.partners = paired(mine, theirs);
    this.name = name;
    this.first = this.session.items.map((item, place) => this.compared(item.annotation, place));
    this.session.compare = true;
    this.at = 0;
    this.changedList((place) => this.differs(place));
    const place = this.first.findIndex((_, own) => this.differs(own));
    this.session.go(Math.max(0, place));
    const arcs = this.first.reduce((sum, own) => sum + own.length, 0);
    announce(place < 0 ? "The two files have the same trees." : `${counted(arcs, "arc")} of another mind.`);
    this.panel.focus();
  }

  private differs(place: number): boolean {
    const partner = this.partners[place];
    const mine = this.session.items[place]?.annotation.sentence;
    return Boolean(this.first[place]?.length) || Boolean(mine && (!partner || !sameWords(mine, partner)));
  }

  private compared(annotation: Annotation, place: number): Difference[] {
    const partner = this.partners[place];
    if (!partner || !sameWords(annotation.sentence, partner)) return [];
    return differences(annotation, annotationOf(partner));
  }

  end(): void {
    if (!this.panel.childElementCount) return;
    this.session.compare = false;
    this.panel.replaceChildren();
    this.panel.hidden = true;
    byId("tree-area").hidden = false;
    this.changedList(null);
    this.session.tell("moved");
    void this.session.predict(this.session.current);
  }

  private draw(): void {
    const item = this.session.item;
    if (!this.session.compare || !item) return;
    byId("tree-area").hidden = true;
    this.panel.hidden = false;
    const partner = this.partners[this.session.current];
    const rows = this.first[this.session.current] ?? [];
    const words = rows.map((row) => row.word);
    this.at = Math.max(0, Math.min(this.at, rows.length - 1));
    const selected = rows[this.at]?.word ?? 0;
    const theirs = partner && sameWords(item.annotation.sentence, partner) ? annotationOf(partner) : null;
    this.panel.replaceChildren(
      h("header", {}, h("h2", {}, "Compare"), h("p", {}, `${counted(rows.length, "difference")} in this sentence`),
        h("button", { type: "button", click: () => this.end() }, "Done", h("kbd", {}, "Esc"))),
      h("h3", {}, h("b", {}, "A "), this.session.name),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tree of A" }, comparedTree(item.annotation, words, selected)),
      this.warnings,
      h("h3", {}, h("b", {}, "B "), this.name),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tree of B" },
        theirs ? comparedTree(theirs, words, selected) : h("p", {}, "It has other words, so trees cannot be compared.")),
      this.table(item.annotation, rows),
    );
    this.drawWarnings();
  }

  // Of A: what is taken word by word need not be a tree.
  private drawWarnings(): void {
    this.warnings.hidden = drawWarnings(this.warnings, this.session) === 0;
  }

  private table(annotation: Annotation, rows: Difference[]): HTMLElement {
    const { sentence } = annotation;
    const row = (own: Difference, place: number): HTMLElement => {
      const now = annotation.arcs[own.word - 1];
      const side = (arrow: Arrow, name: string, run: () => void): HTMLElement => {
        const taken = now?.standing === "decided" && now.head === arrow.head && now.deprel === arrow.deprel;
        return h("td", { class: taken ? "taken" : "" }, arrowInWords(sentence, arrow), " ",
          h("button", { type: "button", "aria-pressed": taken ? "true" : "false", click: run }, `Take ${name}`));
      };
      return h("tr", { class: place === this.at ? "now" : "" },
        h("th", { scope: "row" }, `${own.word} ${sentence.words[own.word - 1]?.form}`),
        side(own.mine, "A", () => this.take(place, "mine")), side(own.theirs, "B", () => this.take(place, "theirs")));
    };
    const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Word"), h("th", { scope: "col" }, `A ${this.session.name}`), h("th", { scope: "col" }, `B ${this.name}`)));
    return h("table", {}, head, h("tbody", {}, ...rows.map(row)));
  }

  private take(place: number, side: "mine" | "theirs"): void {
    const own = this.first[this.session.current]?.[place];
    if (!own) return;
    const { head, deprel } = own[side];
    const name = side === "mine" ? "A" : "B";
    this.at = place;
    this.session.edit(`${name} taken`, (annotation) => {
      const now = annotation.arcs[own.word - 1];
      const same = now?.head === head && now?.deprel === deprel;
      return same ? accept(annotation, [own.word]) : adopt(annotation, own.word, head, deprel);
    });
    const annotation = this.session.item?.annotation;
    const form = annotation?.sentence.words[own.word - 1]?.form ?? "";
    announce([`${name} is taken for ${form}.`, ...(annotation ? problems(annotation) : [])].join(" "));
    this.step(1);
    this.panel.focus();
  }

  private step(by: number): void {
    const count = this.first[this.session.current]?.length ?? 0;
    this.at = Math.max(0, Math.min(count - 1, this.at + by));
    this.draw();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const runs: Record<string, () => void> = {
      ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1),
      1: () => this.take(this.at, "mine"), 2: () => this.take(this.at, "theirs"),
      a: () => this.take(this.at, "mine"), b: () => this.take(this.at, "theirs"),
      Escape: () => this.end(),
    };
    const run = runs[event.key];
    if (!run) return;
    run();
    event.preventDefault();
    event.stopPropagation();
  }
}
