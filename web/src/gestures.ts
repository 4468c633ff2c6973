// The mouse on the tree: drag from head to dependent, click a word, an arc or a label, point for alternatives.

import type { Actions } from "./actions.ts";
import type { LabelMenu } from "./labelmenu.ts";
import type { Session } from "./session.ts";
import type { TreeView } from "./treeview.ts";

const FAR = 5; // pixels that make a drag of a click
const TWICE = 450; // milliseconds between two clicks that are one double-click

interface Press {
  word: number | null;
  x: number;
  y: number;
  dragging: boolean;
  label: boolean;
}

const wordOf = (target: Element | null, kind: string): number | null => {
  const found = target?.closest<SVGElement>(`${kind}[data-word]`);
  return found ? Number(found.dataset["word"]) : null;
};

export class Gestures {
  private press: Press | null = null;
  private last = { word: 0, time: 0 };

  constructor(
    private readonly session: Session,
    private readonly view: TreeView,
    private readonly actions: Actions,
    private readonly menu: LabelMenu,
  ) {
    const { element } = view;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", () => this.end());
    element.addEventListener("pointerleave", () => this.view.hover(null));
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const target = event.target as Element;
    const word = wordOf(target, ".word");
    this.press = { word, x: event.clientX, y: event.clientY, dragging: false, label: target.closest(".label") !== null };
    if (word === null) return this.pressArc(target, event);
    this.view.element.setPointerCapture(event.pointerId);
  }

  private pressArc(target: Element, event: PointerEvent): void {
    const dependent = wordOf(target, ".arc");
    if (dependent === null) return;
    event.preventDefault();
    const label = target.closest(".label") !== null;
    this.session.select(dependent);
    this.view.hover(null);
    this.view.element.focus({ preventScroll: true });
    if (label) this.menu.open(dependent, event.clientX, event.clientY);
  }

  private move(event: PointerEvent): void {
    const { press } = this;
    if (press?.word === null || press?.word === undefined) {
      if (!press) this.point(event);
      return;
    }
    if (!press.dragging && Math.hypot(event.clientX - press.x, event.clientY - press.y) < FAR) return;
    press.dragging = true;
    this.view.hover(null);
    this.drawDrag(press.word, event);
  }

  private point(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    const target = event.target as Element;
    const word = wordOf(target, ".word") ?? wordOf(target, ".arc");
    this.view.hover(word ? word : null, event.clientX, event.clientY);
  }

  private under(event: PointerEvent): number | null {
    return wordOf(document.elementFromPoint(event.clientX, event.clientY), ".word");
  }

  private drawDrag(word: number, event: PointerEvent): void {
    const { layout, element } = this.view;
    const svg = element.querySelector("svg");
    const from = layout?.columns.find((column) => column.word === word);
    if (!svg || !layout || !from) return;
    const box = svg.getBoundingClientRect();
    const scale = layout.width / box.width;
    const target = this.under(event);
    const column = target === null || target === word ? null : layout.columns.find((own) => own.word === target);
    const [x, y] = column
      ? [column.x, layout.baseline - 22]
      : [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const base = layout.baseline - 22;
    const top = Math.max(8, Math.min(base, y) - 40 - Math.min(90, Math.abs(x - from.x) / 5));
    svg.querySelector(".drag")?.setAttribute("d", `M${from.x},${base}C${from.x},${top} ${x},${top} ${x},${y}`);
    for (const own of svg.querySelectorAll(".word.target")) own.classList.remove("target");
    if (column) svg.querySelector(`.word[data-word="${target}"]`)?.classList.add("target");
    this.view.element.classList.add("dragging");
  }

  private up(event: PointerEvent): void {
    const { press } = this;
    const target = this.under(event);
    this.end();
    if (press?.word === null || press?.word === undefined) return;
    if (!press.dragging) {
      this.click(press.word, event.timeStamp);
    } else if (target === 0) {
      this.actions.setHead(press.word, 0); // a word that is dropped on the root hangs from it
    } else if (target !== null) {
      this.actions.setHead(target, press.word);
    }
  }

  // The second click on a word accepts it. (A tree that was drawn anew in between gets no event of that kind.)
  private click(word: number, time: number): void {
    if (word < 1) return;
    const twice = this.last.word === word && time - this.last.time < TWICE;
    this.last = { word, time: twice ? 0 : time };
    this.session.select(word);
    if (twice) this.actions.acceptWord();
  }

  private end(): void {
    this.press = null;
    this.view.element.classList.remove("dragging");
    this.view.element.querySelector(".drag")?.removeAttribute("d");
    for (const own of this.view.element.querySelectorAll(".word.target")) own.classList.remove("target");
  }
}
