// Every key there is, with what it does: help shows this list.

import type { Actions } from "./actions.ts";
import { announce } from "./dom.ts";
import { alternatives } from "./predict.ts";
import type { Session } from "./session.ts";
import { arc } from "./tree.ts";
import type { TreeView } from "./treeview.ts";

export interface Key {
  keys: string[]; // as `keyName` writes them
  shown: string;
  what: string;
  group: string;
  run: (key: string) => void;
}

export interface Commands {
  label: () => void;
  help: () => void;
  open: () => void;
  paste: () => void;
  rules: () => void;
  compare: () => void;
  export: () => void;
  list: () => void;
  trees: () => void;
}

export function keyName(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const shift = event.shiftKey && (/^[a-z]$/.test(key) || event.key.length > 1) ? "Shift+" : "";
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${shift}${key}`;
}

export class Keys {
  private typed = "";
  readonly all: Key[];

  constructor(
    private readonly session: Session,
    private readonly view: TreeView,
    private readonly actions: Actions,
    private readonly commands: Commands,
  ) {
    this.all = [...this.moving(), ...this.deciding(), ...this.sentences(), ...this.files()];
  }

  // True if the key was ours.
  press(event: KeyboardEvent): boolean {
    if (event.altKey) return false;
    const name = keyName(event);
    if (this.view.candidate !== null) return this.choose(name);
    const found = this.all.find((own) => own.keys.includes(name));
    found?.run(name);
    return found !== undefined;
  }

  // While two files are compared, keys that decide are those of the comparison.
  pressBeside(event: KeyboardEvent): boolean {
    const allowed = new Set(["PageDown", "PageUp", "g", "z", "Ctrl+z", "y", "Shift+z", "Ctrl+y", "Ctrl+Shift+z", "e", "Ctrl+s", "?"]);
    return allowed.has(keyName(event)) && this.press(event);
  }

  private get rightToLeft(): boolean {
    return this.view.layout?.rightToLeft ?? false;
  }

  private walk(by: number): void {
    this.session.select(this.session.word + (this.rightToLeft ? -by : by));
    announce(this.view.inWords(this.session.word));
  }

  private jump(word: number | null | undefined): void {
    if (!word) return;
    this.session.select(word);
    announce(this.view.inWords(word));
  }

  private climb(): void {
    const annotation = this.session.item?.annotation;
    if (annotation) this.jump(arc(annotation, this.session.word).head);
  }

  private descend(): void {
    const arcs = this.session.item?.annotation.arcs ?? [];
    this.jump(arcs.findIndex((own) => own.head === this.session.word) + 1);
  }

  private moving(): Key[] {
    const group = "Move in the tree";
    const last = (): number => this.session.item?.annotation.arcs.length ?? 1;
    return [
      { keys: ["ArrowLeft"], shown: "←", what: "word to the left", group, run: () => this.walk(-1) },
      { keys: ["ArrowRight"], shown: "→", what: "word to the right", group, run: () => this.walk(1) },
      { keys: ["ArrowUp"], shown: "↑", what: "its head", group, run: () => this.climb() },
      { keys: ["ArrowDown"], shown: "↓", what: "its first dependent", group, run: () => this.descend() },
      { keys: ["Home"], shown: "Home", what: "first word", group, run: () => this.jump(1) },
      { keys: ["End"], shown: "End", what: "last word", group, run: () => this.jump(last()) },
      { keys: ["d"], shown: "d", what: "next doubtful word", group, run: () => this.doubtful() },
    ];
  }

  private doubtful(): void {
    this.actions.nextDoubtfulWord();
    announce(this.view.inWords(this.session.word));
  }

  private deciding(): Key[] {
    const group = "Decide";
    const { actions, commands } = this;
    const digits = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    return [
      { keys: ["h", "Enter"], shown: "h or Enter", what: "choose a head: ← → or its number (0 is the root), ↑ ↓ through the alternatives, Enter takes, Esc leaves", group, run: () => this.begin() },
      { keys: ["l"], shown: "l", what: "choose a label: type, ↑ ↓, Enter", group, run: () => commands.label() },
      { keys: digits, shown: "1 … 9", what: "take this alternative head", group, run: (key) => actions.takeChoice(Number(key)) },
      { keys: ["a"], shown: "a", what: "accept the word's arc", group, run: () => actions.acceptWord() },
      { keys: ["p"], shown: "p", what: "accept the phrase: the word and all below it", group, run: () => actions.acceptPhrase() },
      { keys: ["s"], shown: "s", what: "accept the sentence", group, run: () => actions.acceptSentence() },
      { keys: ["u", "Backspace", "Delete"], shown: "u or Del", what: "unset: let the parser guess", group, run: () => actions.unsetWord() },
      { keys: ["x"], shown: "x", what: "forbid the arc", group, run: () => actions.forbidArc() },
      { keys: ["Shift+x"], shown: "Shift x", what: "allow all heads of the word again", group, run: () => actions.allowHeads() },
      { keys: ["k"], shown: "k", what: "go to the best trees: ↑ ↓ to look, Enter takes, Esc leaves", group, run: () => commands.trees() },
      { keys: ["r"], shown: "r", what: "predict the rest: arcs of the file bind no longer", group, run: () => actions.predictRest() },
      { keys: ["z", "Ctrl+z"], shown: "z or Ctrl z", what: "undo", group, run: () => actions.undo() },
      { keys: ["y", "Shift+z", "Ctrl+y", "Ctrl+Shift+z"], shown: "y or Ctrl y", what: "redo", group, run: () => actions.redo() },
    ];
  }

  private sentences(): Key[] {
    const group = "Sentences";
    const { actions, commands } = this;
    return [
      { keys: ["PageDown"], shown: "Page ↓", what: "next sentence of the list", group, run: () => actions.step(1) },
      { keys: ["PageUp"], shown: "Page ↑", what: "previous sentence of the list", group, run: () => actions.step(-1) },
      { keys: ["n"], shown: "n", what: "next doubtful sentence", group, run: () => actions.nextDoubtful(1) },
      { keys: ["Shift+n"], shown: "Shift n", what: "previous doubtful sentence", group, run: () => actions.nextDoubtful(-1) },
      { keys: ["g"], shown: "g", what: "go to the list", group, run: () => commands.list() },
    ];
  }

  private files(): Key[] {
    const group = "Files and page";
    const { commands } = this;
    return [
      { keys: ["o"], shown: "o", what: "open a file", group, run: () => commands.open() },
      { keys: ["t"], shown: "t", what: "paste text", group, run: () => commands.paste() },
      { keys: ["e", "Ctrl+s"], shown: "e or Ctrl s", what: "export the file", group, run: () => commands.export() },
      { keys: ["c"], shown: "c", what: "compare with another file", group, run: () => commands.compare() },
      { keys: ["w"], shown: "w", what: "rules", group, run: () => commands.rules() },
      { keys: ["f"], shown: "f", what: "fit the tree into the window, or not", group, run: () => this.fit() },
      { keys: ["?"], shown: "?", what: "this help", group, run: () => commands.help() },
    ];
  }

  private fit(): void {
    this.view.fit = !this.view.fit;
    this.view.draw();
  }

  // Choosing a head.
  private begin(): void {
    const annotation = this.session.item?.annotation;
    if (!annotation) return;
    this.typed = "";
    this.candidate(arc(annotation, this.session.word).head ?? (this.session.word === 1 ? 2 : this.session.word - 1));
    announce(`Choose the head of ${annotation.sentence.words[this.session.word - 1]?.form}.`);
  }

  private candidate(head: number | null): void {
    const count = this.session.item?.annotation.arcs.length ?? 0;
    if (head !== null && (head < 0 || head > count)) return;
    this.view.candidate = head;
    this.view.draw();
    if (head !== null) announce(head ? `Head: ${this.session.item?.annotation.sentence.words[head - 1]?.form}` : "Head: the root");
  }

  private choose(name: string): boolean {
    const at = this.view.candidate as number;
    const step = ({ ArrowLeft: -1, ArrowRight: 1 } as Record<string, number>)[name];
    const turn = ({ ArrowDown: 1, ArrowUp: -1 } as Record<string, number>)[name];
    if (step) this.candidate(this.beside(at, this.rightToLeft ? -step : step));
    else if (turn) this.candidate(this.alternative(at, turn));
    else if (/^\d$/.test(name)) this.type(name);
    else if (name === "Escape") this.candidate(null);
    else if (name === "Enter") {
      this.candidate(null);
      this.actions.setHead(this.session.word, at);
    } else return false;
    return true;
  }

  private beside(at: number, step: number): number {
    return at + step === this.session.word ? at + 2 * step : at + step;
  }

  private alternative(at: number, turn: number): number {
    const choices = alternatives(this.session.item?.prediction ?? null, this.session.word)?.heads ?? [];
    if (!choices.length) return at;
    const place = choices.findIndex(([head]) => head === at);
    return choices[(place + turn + choices.length) % choices.length]?.[0] ?? at;
  }

  private type(digit: string): void {
    const count = this.session.item?.annotation.arcs.length ?? 0;
    const longer = Number(this.typed + digit);
    this.typed = longer <= count ? this.typed + digit : digit;
    const head = Number(this.typed);
    if (head !== this.session.word) this.candidate(head);
  }
}
