// The sentences in a list that holds only the rows in sight, in the order of the file or of doubt.

import { byId, counted, h } from "./dom.ts";
import { doubtOf, isDone, isEdited } from "./judgement.ts";
import type { Item, Session } from "./session.ts";
import { decidedCount } from "./tree.ts";

const ROW = 60; // the height of a row, in style.css too
const SLACK = 6; // rows beyond those in sight
const OFTEN = 800; // milliseconds between two orders while doubts come in

export type Order = "file" | "probability" | "errors" | "disagreements";

export class List {
  private readonly box = byId("list");
  private readonly space = byId("list-space");
  private readonly select = byId<HTMLSelectElement>("order");
  private readonly count = byId("list-count");
  order: number[] = [];
  private places = new Map<number, number>();
  private timer = 0;
  private sorting = 0;
  only: ((place: number) => boolean) | null = null; // while two files are compared

  constructor(private readonly session: Session) {
    this.select.addEventListener("change", () => this.sort());
    this.box.addEventListener("scroll", () => this.soon());
    new ResizeObserver(() => this.soon()).observe(this.box);
    this.box.addEventListener("click", (event) => this.click(event));
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    session.on(["opened"], () => this.sort());
    session.on(["moved"], () => this.showCurrent());
    session.on(["edited", "predicted", "judged", "rules"], () => this.soon());
  }

  sort(): void {
    const keys = this.session.items.map((item) => this.key(item));
    const places = this.session.items.map((_, place) => place).filter((place) => this.only?.(place) ?? true);
    this.order = places.sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
    this.places = new Map(this.order.map((place, row) => [place, row]));
    this.space.style.height = `${this.order.length * ROW}px`;
    this.showCurrent();
  }

  set busy(judging: boolean) {
    this.box.ariaBusy = String(judging);
    this.soon();
  }

  // Doubts that come in change the order now and then, not under one's hands.
  sortSoon(): void {
    if (this.sorting || this.select.value === "file") return;
    this.sorting = setTimeout(() => {
      this.sorting = 0;
      this.sort();
    }, OFTEN);
  }

  private key(item: Item): number {
    const by = this.select.value as Order;
    if (by === "file") return 0;
    const doubt = doubtOf(item);
    if (!doubt) return 1e9;
    if (by === "probability") return doubt.probability ?? 1e8;
    return by === "errors" ? -doubt.errors : -doubt.differ - doubt.errors / 1e4;
  }

  private soon(): void {
    this.timer ||= requestAnimationFrame(() => {
      this.timer = 0;
      this.draw();
    });
  }

  private showCurrent(): void {
    const row = this.places.get(this.session.current);
    if (row !== undefined) {
      const { scrollTop, clientHeight } = this.box;
      if (row * ROW < scrollTop) this.box.scrollTop = row * ROW;
      else if ((row + 1) * ROW > scrollTop + clientHeight) this.box.scrollTop = (row + 1) * ROW - clientHeight;
    }
    this.soon();
  }

  draw(): void {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - SLACK);
    const last = Math.min(this.order.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + SLACK);
    const rows = this.order.slice(first, last).map((place, index) => this.row(place, first + index));
    this.space.replaceChildren(...rows);
    const shown = document.getElementById(`sentence-${this.session.current}`);
    this.box.setAttribute("aria-activedescendant", shown ? shown.id : "");
    this.count.textContent = this.counts();
  }

  private counts(): string {
    const all = this.session.items.length;
    const judged = this.session.items.filter((item) => item.judgement).length;
    const number = (n: number): string => n.toLocaleString("en");
    const shown = this.only ? `${number(this.order.length)} of ${number(all)} differ` : counted(all, "sentence");
    return this.box.ariaBusy === "true" && judged < all && !this.only ? `${shown}, ${number(judged)} judged` : shown;
  }

  private row(place: number, row: number): HTMLElement {
    const item = this.session.items[place] as Item;
    const now = place === this.session.current;
    const classes = ["sentence", now && "now", isDone(item) && "done", isEdited(item) && "edited"];
    const element = h("div",
      {
        role: "option", id: `sentence-${place}`, class: classes.filter(Boolean).join(" "), "data-place": place,
        "aria-selected": now ? "true" : "false", "aria-setsize": this.order.length, "aria-posinset": row + 1,
      },
      h("span", { class: "number" }, String(place + 1)),
      h("span", { class: "text", dir: "auto" }, item.original.text),
      h("span", { class: "facts" }, ...this.facts(item)));
    element.style.top = `${row * ROW}px`;
    return element;
  }

  private facts(item: Item): HTMLElement[] {
    const decided = decidedCount(item.annotation);
    const doubt = doubtOf(item);
    const found: HTMLElement[] = [];
    if (isDone(item)) return [h("span", { class: "done" }, "✓ decided")];
    if (decided) found.push(h("span", {}, `${decided}/${item.annotation.arcs.length} decided`));
    if (!doubt) return found;
    const meter = h("span", { class: "meter", title: `${doubt.errors.toFixed(1)} errors expected` }, h("i"));
    (meter.firstChild as HTMLElement).style.width = `${Math.min(100, (100 * doubt.errors) / 4)}%`;
    found.push(meter, h("span", {}, `${doubt.errors.toFixed(1)} errors`));
    if (doubt.differ) found.push(h("span", { class: "differ" }, `${doubt.differ} differ`));
    if (doubt.broken) found.push(h("span", { class: "broken" }, `! ${doubt.broken}`));
    if (doubt.probability !== null && this.select.value === "probability") {
      found.push(h("span", {}, `p ${Math.exp(doubt.probability).toPrecision(1)}`));
    }
    return found;
  }

  private click(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>("[data-place]");
    if (row) this.session.go(Number(row.dataset["place"]));
  }

  private onKey(event: KeyboardEvent): void {
    const row = this.places.get(this.session.current) ?? 0;
    const page = Math.floor(this.box.clientHeight / ROW);
    const steps: Record<string, number> = {
      ArrowDown: row + 1, ArrowUp: row - 1, PageDown: row + page, PageUp: row - page, Home: 0, End: this.order.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    const place = this.order[Math.max(0, Math.min(this.order.length - 1, next))];
    if (place !== undefined) this.session.go(place);
    event.preventDefault();
    event.stopPropagation();
  }

  focus(): void {
    this.box.focus();
  }
}
