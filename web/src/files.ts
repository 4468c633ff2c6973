// Files in and out: opened by a button or dropped, pasted as raw text, exported, kept between reloads.

import * as api from "./api.ts";
import type { ServedTreebank } from "./api_types.ts";
import type { CompareView } from "./compareview.ts";
import { ConlluError, conlluOf, readTreebank, type Sentence } from "./conllu.ts";
import { askText, say } from "./dialogs.ts";
import { announce, byId, counted, h } from "./dom.ts";
import type { Saving } from "./saving.ts";
import type { Session } from "./session.ts";
import { keepFile, keepSetting, keptEdits, keptFile, keptSetting, restore, type KeptEdit } from "./storage.ts";

// UTF-8 and nothing else, with its byte order mark if it has one: what is exported is the same bytes.
async function textOf(file: File): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch {
    throw new ConlluError("it is not UTF-8");
  }
}

export class Files {
  private readonly input = byId<HTMLInputElement>("file");
  private then: (file: File) => Promise<void> = async () => undefined;

  constructor(
    private readonly session: Session,
    private readonly compare: CompareView,
    private readonly saving: Saving,
  ) {
    this.input.addEventListener("change", () => {
      const file = this.input.files?.[0];
      this.input.value = "";
      if (file) void this.then(file);
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) void this.openFile(file);
    });
  }

  private choose(then: (file: File) => Promise<void>): void {
    this.then = then;
    this.input.click();
  }

  open(): void {
    this.choose((file) => this.openFile(file));
  }

  openOther(): void {
    if (!this.session.item) return announce("Open a file first.");
    this.choose((file) => this.reading(file, (_, sentences) => this.compare.start(file.name, sentences)));
  }

  private async reading(file: File, use: (text: string, sentences: Sentence[]) => void): Promise<void> {
    try {
      const text = await textOf(file);
      const sentences = readTreebank(text);
      if (!sentences.length) throw new ConlluError("it has no sentences");
      use(text, sentences);
    } catch (error) {
      if (!(error instanceof ConlluError)) throw error;
      await say("This file cannot be opened", `${file.name}: ${error.message}.`);
    }
  }

  private openFile(file: File): Promise<void> {
    return this.reading(file, (text, sentences) => this.show(file.name, text, sentences));
  }

  private show(name: string, text: string, sentences: Sentence[]): void {
    void keepFile({ name, text, served: false }).catch(() => undefined);
    this.session.open(name, sentences);
    announce(`${name}: ${counted(sentences.length, "sentence")}.`);
  }

  async paste(): Promise<void> {
    const text = await askText("Paste text", "Raw text, which the parser cuts into sentences and words. Or CoNLL-U.", "", "Parse");
    if (!text?.trim()) return;
    try {
      const conllu = /^(#.*\r?\n)*1\t/m.test(text) ? text : await this.parsed(text);
      this.show("pasted.conllu", conllu, readTreebank(conllu));
    } catch (error) {
      await say("This text cannot be parsed", (error as Error).message);
    }
  }

  private async parsed(text: string): Promise<string> {
    announce("Parsing …");
    const { sentences } = await api.parse({ model: this.session.model, text, probabilities: true });
    return sentences.map(conlluOf).join("");
  }

  export(): void {
    if (!this.session.item) return announce("There is nothing to export.");
    const address = URL.createObjectURL(new Blob([this.session.text()], { type: "text/plain;charset=utf-8" }));
    h("a", { href: address, download: this.session.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    announce(`${this.session.name} is exported.`);
  }

  async rules(): Promise<void> {
    const hint = "One rule a line, such as “root is upos=VERB,NOUN”. Trees that break one are marked, with the reason.";
    let rules: string | null = this.session.rules;
    let wrong = this.session.wrongRules;
    do {
      rules = await askText("Rules", hint, rules, "Use these rules", wrong);
      if (rules === null) return; // the old ones stay in force
      wrong = await this.mistake(rules);
    } while (wrong);
    this.session.useRules(rules);
    void keepSetting("rules", rules).catch(() => undefined);
    await this.session.judge(this.session.current);
    announce(rules.trim() ? "Rules are checked." : "There are no rules.");
  }

  // Why the server takes no such rules; nothing if it does.
  private async mistake(rules: string): Promise<string> {
    try {
      if (rules.trim()) await api.judge({ model: this.session.model, sentences: [], rules });
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  }

  // The server's treebank, or else what was open last, with all that was edited.
  async start(): Promise<void> {
    this.session.rules = await keptSetting("rules").catch(() => "");
    const treebank = await api.treebank().catch(() => null);
    const kept = await keptFile().catch(() => undefined);
    const edits = await keptEdits().catch(() => []);
    if (treebank) return this.serve(treebank, kept?.served && kept.name === treebank.name ? edits : []);
    if (!kept?.text || kept.served) return;
    this.session.open(kept.name, readTreebank(kept.text));
    restore(this.session, edits);
    if (edits.length) announce(`${kept.name}: your work is back, ${counted(edits.length, "edited sentence")}.`);
    this.session.go(0);
  }

  private async serve(treebank: ServedTreebank, edits: KeptEdit[]): Promise<void> {
    const sentences = treebank.sentences.map((own) => readTreebank(own.conllu)[0] as Sentence);
    if (!edits.length) void keepFile({ name: treebank.name, text: "", served: true }).catch(() => undefined);
    this.session.open(treebank.name, sentences, true);
    treebank.sentences.forEach((own, place) => {
      const item = this.session.items[place];
      if (item) item.version = own.version;
    });
    const strangers = restore(this.session, edits);
    for (const edit of edits) if (!strangers.includes(edit)) void this.saving.save(edit.place);
    for (const edit of strangers) await this.saving.stranger(edit);
    this.session.go(0);
  }
}
