// Labels by type-ahead: what is typed filters, the label that is just that comes first, then the parser's favourites;
// a label that is not known comes last, as it was typed.

import type { Actions } from "./actions.ts";
import { announce, byId, h, percent } from "./dom.ts";
import { alternatives } from "./predict.ts";
import type { Session } from "./session.ts";

export class LabelMenu {
  private readonly popup = byId("labels");
  private readonly input = byId<HTMLInputElement>("label-input");
  private readonly list = byId("label-list");
  private names: [string, number | null][] = [];
  private isNew = false; // the last of the names is what was typed
  private at = 0;
  private word = 0;

  constructor(
    private readonly session: Session,
    private readonly actions: Actions,
    private readonly done: () => void,
  ) {
    this.input.addEventListener("input", () => this.show());
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    this.input.addEventListener("blur", () => this.close(false));
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const option = (event.target as Element).closest<HTMLElement>("[data-label]");
      if (option) this.take(option.dataset["label"] as string);
    });
  }

  open(word: number, x: number, y: number): void {
    this.word = word;
    this.input.value = "";
    this.popup.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.show();
    this.popup.style.left = `${Math.max(8, Math.min(x - 20, innerWidth - this.popup.offsetWidth - 8))}px`;
    this.popup.style.top = `${Math.max(8, Math.min(y + 12, innerHeight - this.popup.offsetHeight - 8))}px`;
    this.input.focus();
  }

  close(back = true): void {
    if (this.popup.hidden) return;
    this.popup.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    if (back) this.done();
  }

  private candidates(): [string, number | null][] {
    const likely = alternatives(this.session.item?.prediction ?? null, this.word)?.labels ?? [];
    const used = this.session.item?.annotation.arcs.flatMap((own) => (own.deprel ? [own.deprel] : [])) ?? [];
    const others = [...new Set([...this.session.labels, ...used])].sort();
    const rest = others.filter((name) => !likely.some(([own]) => own === name));
    return [...likely, ...rest.map((name): [string, null] => [name, null])];
  }

  private show(): void {
    const typed = this.input.value.trim();
    const all = this.candidates();
    const is = all.filter(([name]) => name === typed);
    const starts = all.filter(([name]) => name !== typed && name.startsWith(typed));
    const holds = all.filter(([name]) => !name.startsWith(typed) && name.includes(typed));
    this.isNew = typed !== "" && !is.length;
    this.names = [...is, ...starts, ...holds, ...(this.isNew ? [[typed, null] as [string, null]] : [])];
    this.at = 0;
    this.draw();
  }

  private draw(): void {
    const options = this.names.map(([name, p], place) =>
      h(
        "div",
        { role: "option", id: `label-${place}`, "data-label": name, "aria-selected": place === this.at ? "true" : "false" },
        h("span", {}, name),
        this.isNew && place === this.names.length - 1 ? h("small", {}, "as typed") : "",
        p === null ? "" : h("small", {}, percent(p)),
      ),
    );
    const other = h("p", {}, "No labels are known.");
    this.list.replaceChildren(...(options.length ? options : [other]));
    this.input.setAttribute("aria-activedescendant", options.length ? `label-${this.at}` : "");
    options[this.at]?.scrollIntoView({ block: "nearest" });
  }

  private onKey(event: KeyboardEvent): void {
    event.stopPropagation();
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step) {
      this.at = (this.at + step + this.names.length) % Math.max(1, this.names.length);
      this.draw();
    } else if (event.key === "Enter" || event.key === "Tab") {
      this.take(this.names[this.at]?.[0] ?? this.input.value.trim());
    } else if (event.key === "Escape") {
      this.close();
    } else {
      return;
    }
    event.preventDefault();
  }

  private take(label: string): void {
    this.close();
    if (!label || /\s/.test(label)) announce("A label is one word.");
    else this.actions.setLabel(this.word, label);
  }
}
