// The bar above, and what stands over the tree: which sentence, how far it is.

import { byId, h, percent } from "./dom.ts";
import { legend } from "./help.ts";
import type { Keys } from "./keys.ts";
import { trees } from "./predict.ts";
import type { Session } from "./session.ts";
import { decidedCount, given } from "./tree.ts";

export class Header {
  private readonly model = byId<HTMLSelectElement>("model");

  constructor(
    private readonly session: Session,
    private readonly keys: Keys,
  ) {
    session.on(["opened", "moved", "edited", "predicted", "choices", "model"], () => this.draw());
    this.model.addEventListener("change", () => this.changeModel());
    for (const button of document.querySelectorAll<HTMLElement>("[data-key]")) {
      button.addEventListener("click", () => this.run(button.dataset["key"] as string));
    }
    byId("legend").replaceChildren(...legend());
  }

  private run(key: string): void {
    this.keys.all.find((own) => own.keys.includes(key))?.run(key);
  }

  private changeModel(): void {
    this.session.model = this.model.value;
    for (const item of this.session.items) item.predicted = null;
    this.session.tell("model");
    void this.session.predict(this.session.current);
  }

  draw(): void {
    const { item } = this.session;
    byId("welcome").hidden = item !== null;
    byId("work").hidden = item === null;
    byId("name").textContent = this.session.name;
    document.title = this.session.name ? `${this.session.name} – Arbora` : "Arbora";
    byId<HTMLButtonElement>("undo").disabled = !this.session.history.canUndo;
    byId<HTMLButtonElement>("redo").disabled = !this.session.history.canRedo;
    const names = this.session.parsers.map((own) => own.name);
    if (this.model.options.length !== names.length) {
      this.model.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
      this.model.value = this.session.model;
    }
    byId("model-box").hidden = names.length === 0;
    byId("no-parser").hidden = names.length > 0 && !this.session.offline;
    if (item) this.drawSentence();
  }

  private drawSentence(): void {
    const { item, current, items } = this.session;
    if (!item) return;
    const { sentence, arcs } = item.annotation;
    byId("place").textContent = `${current + 1} of ${items.length}`;
    byId("sent-id").textContent = sentence.id;
    byId("sentence-text").textContent = sentence.text;
    const decided = decidedCount(item.annotation);
    const best = trees(item.prediction)[0];
    const sure = best ? `Best tree ${percent(Math.exp(best.log_probability))}` : "";
    byId("decided").textContent = `${decided} of ${arcs.length} decided`;
    byId<HTMLProgressElement>("progress").value = arcs.length ? decided / arcs.length : 0;
    byId("sure").textContent = sure;
    const file = given(item.annotation).length;
    const free = byId<HTMLButtonElement>("free");
    free.hidden = file === 0 || !this.session.model;
    free.firstChild!.textContent = `Predict the ${file} arcs of the file again `;
    byId("took").textContent = this.session.lastAnswer ? `Parser: ${Math.round(this.session.lastAnswer)} ms` : "";
  }
}
