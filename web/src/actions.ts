// What a person can do to a sentence; mouse, keys and buttons all come here.

import { announce } from "./dom.ts";
import { doubtfulWords, doubtOf, isDone } from "./judgement.ts";
import { picked, trees, alternatives } from "./predict.ts";
import type { Session } from "./session.ts";
import { accept, allow, arc, decide, forbid, given, phrase, unset } from "./tree.ts";

const DOUBTFUL = 0.5; // expected errors of a sentence that deserves a look

export class Actions {
  // The order in which the list shows sentences; set by the list.
  order: () => readonly number[] = () => this.session.items.map((_, place) => place);

  private doubtful = 0; // the word that was gone to last

  constructor(readonly session: Session) {}

  private form(word: number): string {
    const form = this.session.item?.annotation.sentence.words[word - 1]?.form ?? "";
    return word === 0 ? "The root" : `“${form}”`;
  }

  private get word(): number {
    return this.session.word;
  }

  setHead(word: number, head: number): void {
    if (word === head || word < 1) return;
    const what = `${this.form(head)} is the head of ${this.form(word)}`;
    this.session.word = word;
    this.session.edit(what, (own) => decide(own, word, head, head === 0 ? this.rootLabel() : undefined));
    announce(`${what}.`);
  }

  private rootLabel(): string | undefined {
    return this.session.labels.length === 0 || this.session.labels.includes("root") ? "root" : undefined;
  }

  setLabel(word: number, label: string): void {
    const head = this.session.item ? arc(this.session.item.annotation, word).head : null;
    if (head === null) return announce(`${this.form(word)} has no head yet.`);
    this.session.edit(`${this.form(word)} is ${label}`, (own) => decide(own, word, head, label));
    announce(`${this.form(word)} is ${label}.`);
  }

  acceptWord(): void {
    const done = this.session.edit(`${this.form(this.word)} accepted`, (own) => accept(own, [this.word]));
    announce(done ? `${this.form(this.word)} accepted.` : `${this.form(this.word)} is decided already.`);
  }

  acceptPhrase(): void {
    const what = `The phrase of ${this.form(this.word)} accepted`;
    const done = this.session.edit(what, (own) => accept(own, phrase(own, this.word)));
    announce(done ? `${what}.` : "All of this phrase is decided already.");
  }

  acceptSentence(): void {
    const done = this.session.edit("Sentence accepted", (own) =>
      accept(own, own.sentence.words.map((word) => word.id)),
    );
    announce(done ? "Sentence accepted." : "All of this sentence is decided already.");
  }

  unsetWord(): void {
    const done = this.session.edit(`${this.form(this.word)} not decided`, (own) => unset(own, [this.word]));
    if (done) announce(`${this.form(this.word)} is not decided any longer.`);
  }

  forbidArc(head?: number): void {
    const annotation = this.session.item?.annotation;
    const now = head ?? (annotation ? arc(annotation, this.word).head : null);
    if (now === null) return announce("There is no arc to forbid.");
    const what = `${this.form(now)} is forbidden as the head of ${this.form(this.word)}`;
    this.session.edit(what, (own) => forbid(own, this.word, now));
    announce(`${what}.`);
  }

  allowHeads(head?: number): void {
    const done = this.session.edit(`${this.form(this.word)} may have any head`, (own) => allow(own, this.word, head));
    announce(done ? "Allowed again." : "No head is forbidden here.");
  }

  takeChoice(rank: number): void {
    const choice = alternatives(this.session.item?.prediction ?? null, this.word)?.heads[rank - 1];
    if (choice) this.setHead(this.word, choice[0]);
    else announce(`There is no choice ${rank}.`);
  }

  pickTree(rank: number): void {
    const prediction = this.session.item?.prediction;
    if (!prediction || !trees(prediction)[rank]) return announce(`There is no tree ${rank + 1}.`);
    const done = this.session.edit(`Tree ${rank + 1} taken`, (own) => picked(own, prediction, rank));
    announce(done ? `Tree ${rank + 1} taken.` : `Tree ${rank + 1} is what is there already.`);
  }

  // The file's arcs bind no longer: the parser's tree that goes with what was decided.
  predictRest(): void {
    const done = this.session.edit("The rest predicted", (own) => unset(own, given(own)));
    announce(done ? "The rest is predicted again." : "The file binds nothing here.");
  }

  undo(): void {
    const what = this.session.undo();
    announce(what ? `Undone: ${what}.` : "Nothing to undo.");
  }

  redo(): void {
    const what = this.session.redo();
    announce(what ? `Again: ${what}.` : "Nothing to do again.");
  }

  nextDoubtfulWord(): void {
    const annotation = this.session.item?.annotation;
    if (!annotation) return;
    const words = doubtfulWords(annotation);
    const on = this.doubtful === this.word ? words.indexOf(this.word) + 1 : 0; // the next one, or the worst
    const next = words[on] ?? words[0];
    this.doubtful = next ?? 0;
    if (next) this.session.select(next);
    else announce("Every word of this sentence is decided.");
  }

  step(by: number): void {
    const order = this.order();
    const next = order[order.indexOf(this.session.current) + by];
    if (next === undefined) announce(by > 0 ? "This is the last sentence." : "This is the first sentence.");
    else this.goTo(next);
  }

  nextDoubtful(by: 1 | -1): void {
    const order = this.order();
    const doubtful = (place: number): boolean => {
      const item = this.session.items[place];
      if (!item || isDone(item)) return false;
      const doubt = doubtOf(item);
      return doubt === null || doubt.errors >= DOUBTFUL || doubt.differ > 0 || doubt.broken > 0;
    };
    for (let at = order.indexOf(this.session.current) + by; order[at] !== undefined; at += by) {
      if (doubtful(order[at] as number)) return this.goTo(order[at] as number);
    }
    announce("No further sentence is doubtful.");
  }

  private goTo(place: number): void {
    this.session.go(place);
    const item = this.session.items[place];
    announce(`Sentence ${place + 1} of ${this.session.items.length}: ${item?.original.text ?? ""}`);
  }
}
