// The tree on the page: drawn anew after every change, kept in sight, told in words.

import type { Choices } from "./api_types.ts";
import { byId, h, percent } from "./dom.ts";
import { drawTree, NO_MARKS, type Marks } from "./draw.ts";
import { layoutOf, measure, type Layout } from "./layout.ts";
import { alternatives } from "./predict.ts";
import type { Item, Session } from "./session.ts";
import { arc, isDecided, type Annotation, type Arc } from "./tree.ts";

export class TreeView {
  readonly element = byId("tree");
  layout: Layout | null = null;
  candidate: number | null = null;
  hovered: number | null = null;
  preview: Annotation | null = null; // one of the k best trees, to look at
  fit = false;
  enhanced = true;
  private fresh: ReadonlySet<number> = new Set();
  private shown: { place: number; annotation: Annotation } | null = null;
  private readonly tip = byId("tip");

  constructor(private readonly session: Session) {
    session.on(["opened", "moved", "edited", "predicted", "judged", "choices", "rules"], (place) => {
      if (place === session.current) this.draw();
    });
  }

  get choices(): Choices | null {
    return alternatives(this.session.item?.prediction ?? null, this.hovered ?? this.session.word);
  }

  draw(): void {
    const { item, current } = this.session;
    this.element.hidden = !item;
    if (!item) return;
    const annotation = this.preview ?? this.waiting(item) ?? item.annotation;
    this.mark(current, annotation);
    this.layout = layoutOf(annotation, measure, this.enhanced);
    const svg = drawTree(annotation, this.layout, this.marks());
    this.scale(svg);
    this.element.replaceChildren(svg);
    this.element.dataset["preview"] = this.preview ? "yes" : "no";
    this.keepInSight();
  }

  // While the parser is asked, words that have no arc now keep their old one, faint.
  private waiting(item: Item): Annotation | null {
    const { annotation } = item;
    const before = this.shown;
    const asking = this.session.model && !this.session.compare && !this.session.trouble && item.predicted !== annotation;
    if (!asking || before?.place !== this.session.current || before.annotation.arcs.length !== annotation.arcs.length) return null;
    const arcs = annotation.arcs.map((own, place): Arc => {
      const old = before.annotation.arcs[place] as Arc;
      if (own.head === null) return { ...old, standing: "guessed", labelStanding: "guessed", probability: null, labelProbability: null };
      return own.deprel === null ? { ...own, deprel: old.deprel } : own;
    });
    return { ...annotation, arcs };
  }

  // Arcs that are other ones than a moment ago are pointed out.
  private mark(place: number, annotation: Annotation): void {
    const before = this.shown?.place === place ? this.shown.annotation : null;
    if (before && before !== annotation) {
      const words = annotation.sentence.words.map((word) => word.id);
      const other = (id: number): boolean => {
        const [old, now] = [before.arcs[id - 1], arc(annotation, id)];
        return !old || old.head !== now.head || old.deprel !== now.deprel;
      };
      this.fresh = new Set(words.filter(other));
    } else if (!before) {
      this.fresh = new Set();
    }
    this.shown = { place, annotation };
  }

  private marks(): Marks {
    const rules = this.session.item?.judgement?.broken_rules ?? [];
    return {
      ...NO_MARKS,
      selected: this.session.word,
      candidate: this.candidate,
      hovered: this.hovered,
      fresh: this.fresh,
      warned: new Set(rules.map((own) => own.word)),
      choices: this.choices,
    };
  }

  private scale(svg: SVGSVGElement): void {
    const room = this.element.clientWidth - 20; // its padding
    if (!this.layout || !this.fit || this.layout.width <= room) return;
    svg.setAttribute("width", String(room));
    svg.setAttribute("height", String((this.layout.height * room) / this.layout.width));
  }

  keepInSight(): void {
    const column = this.layout?.columns.find((own) => own.word === (this.candidate ?? this.session.word));
    if (!column || !this.layout || this.hovered !== null || this.fit) return;
    const { scrollLeft, clientWidth, clientHeight } = this.element;
    const below = this.layout.baseline + 40 - clientHeight; // a small window shows the words at least
    if (below > 0 && below > this.element.scrollTop) this.element.scrollTop = below;
    const room = Math.min(160, clientWidth / 4);
    if (column.x < scrollLeft + room) this.element.scrollLeft = column.x - room;
    else if (column.x > scrollLeft + clientWidth - room) this.element.scrollLeft = column.x - clientWidth + room;
  }

  hover(word: number | null, x = 0, y = 0): void {
    if (word === this.hovered) return;
    this.hovered = word;
    if (word !== null) void this.session.lift(word);
    this.draw();
    this.tip.hidden = word === null || !this.choices;
    if (this.tip.hidden || word === null) return;
    this.tip.replaceChildren(...this.tipRows(word));
    this.tip.style.left = `${Math.min(x + 14, innerWidth - this.tip.offsetWidth - 8)}px`;
    this.tip.style.top = `${Math.min(y + 18, innerHeight - this.tip.offsetHeight - 8)}px`;
  }

  private tipRows(word: number): HTMLElement[] {
    const choices = this.choices;
    const sentence = this.session.item?.annotation.sentence;
    if (!choices || !sentence) return [];
    const row = (name: string, p: number): HTMLElement =>
      h("div", { class: "row" }, h("span", {}, name), h("b", {}, percent(p)));
    const form = (head: number): string => (head ? (sentence.words[head - 1]?.form ?? "") : "root");
    return [
      h("h3", {}, `Heads of ${form(word)}`),
      ...choices.heads.slice(0, 5).map(([head, p]) => row(form(head), p)),
      h("h3", {}, "Labels"),
      ...choices.labels.slice(0, 4).map(([name, p]) => row(name, p)),
    ];
  }

  // Of one word, for those who do not see it.
  inWords(word: number): string {
    const annotation = this.session.item?.annotation;
    const row = annotation?.sentence.words[word - 1];
    if (!annotation || !row) return "";
    const own = arc(annotation, word);
    const head = own.head === null ? "no head" : own.head === 0 ? "the root" : annotation.sentence.words[own.head - 1]?.form;
    const sure = own.probability === null || isDecided(own) ? "" : `, ${percent(own.probability)}`;
    const standing = { decided: "decided", given: "as in the file", guessed: "guessed", unset: "not set" }[own.standing];
    return `Word ${word} of ${annotation.arcs.length}: ${row.form}, ${row.upos}, ${own.deprel ?? "no label"} of ${head}${sure}, ${standing}.`;
  }
}
