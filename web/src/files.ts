// Files in and out: opened by a button or dropped, pasted as raw text, exported, kept between reloads.

import * as api from "./api.ts";
import type { ServedTreebank } from "./api_types.ts";
import type { CompareView } from "./compareview.ts";
import { ConlluError, conlluOf, parseBlock, readTreebank, treebankOf, type Sentence, type Treebank } from "./conllu.ts";
import { askText, confirm, dialog, say } from "./dialogs.ts";
import { announce, byId, counted, h } from "./dom.ts";
import type { Saving } from "./saving.ts";
import { isEdited } from "./judgement.ts";
import type { Session } from "./session.ts";
import * as storage from "./storage.ts";
import type { KeptFile } from "./storage.ts";

const TOLD = 5; // sentences that cannot be shown, with their reasons

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
  private exported = ""; // the text that was exported last
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
    this.choose((file) => this.reading(file, (_, { sentences }) => this.compare.start(file.name, sentences)));
  }

  private async reading(file: File, use: (text: string, treebank: Treebank) => void | Promise<void>): Promise<void> {
    try {
      const text = await textOf(file);
      const treebank = readTreebank(text);
      if (!treebank.sentences.length) throw new ConlluError("it has no sentences");
      await use(text, treebank);
    } catch (error) {
      if (!(error instanceof ConlluError)) throw error;
      await say("This file cannot be opened", `${file.name}: ${error.message}.`);
    }
  }

  private openFile(file: File): Promise<void> {
    return this.reading(file, (text, treebank) => this.show({ name: file.name, text }, treebank));
  }

  // Edits of the file that was open stay in the browser, and come back with just that file.
  private async show(file: KeptFile, treebank: Treebank): Promise<void> {
    const key = storage.keyOf(file);
    const { name, served, items } = this.session;
    const leaves = !served && this.session.key !== key && items.some(isEdited);
    if (leaves && !this.saving.keeps && !(await this.mayLeave())) return;
    const edits = await storage.keptEdits(key).catch(() => []);
    const goesOn = !edits.length || (await this.goesOn(file.name, edits.length));
    if (goesOn === null) return;
    if (!goesOn) await storage.forgetEdits(key).catch(() => undefined);
    const kept = leaves && this.saving.keeps ? ` Your work on ${name} stays in this browser.` : "";
    this.put(file, treebank, goesOn ? edits : [], kept);
  }

  private async mayLeave(): Promise<boolean> {
    if (this.exported === this.session.text()) return true;
    const edited = counted(this.session.items.filter(isEdited).length, "edited sentence");
    const text = `${edited} of ${this.session.name} would be gone: this browser keeps nothing, and they are not exported.`;
    return confirm("Not exported", text, "Open anyway");
  }

  // Null if the file is not to be opened.
  private async goesOn(name: string, count: number): Promise<boolean | null> {
    const answer = await dialog("Your work is here", [
      { name: "Begin anew", value: "anew" },
      { name: "Go on", value: "on", main: true },
    ], h("p", {}, `This browser has ${counted(count, "sentence")} of ${name} as you edited them. Who begins anew deletes these edits.`));
    return answer === "" ? null : answer === "on";
  }

  private put(file: KeptFile, treebank: Treebank, edits: storage.KeptEdit[], told = ""): void {
    const key = storage.keyOf(file);
    this.session.open(file.name, treebank, key);
    void this.saving.watch(storage.keepFile(key, file));
    storage.restore(this.session, edits);
    const back = `your work is back, ${counted(edits.length, "edited sentence")}`;
    announce(`${file.name}: ${edits.length ? back : counted(treebank.sentences.length, "sentence")}.${told}`);
    if (edits.length) this.session.go(0);
  }

  async paste(): Promise<void> {
    const text = await askText("Paste text", "Raw text, which the parser cuts into sentences and words. Or CoNLL-U.", "", "Parse");
    if (!text?.trim()) return;
    try {
      const conllu = /^(#.*\r?\n)*1\t/m.test(text) ? text : await this.parsed(text);
      await this.show({ name: "pasted.conllu", text: conllu }, readTreebank(conllu));
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
    this.exported = this.session.text();
    const address = URL.createObjectURL(new Blob([this.exported], { type: "text/plain;charset=utf-8" }));
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
    void storage.keepSetting("rules", rules).catch(() => undefined);
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

  // The server's treebank, or else what was open in this tab, with all that was edited.
  async start(): Promise<void> {
    this.session.rules = await storage.keptSetting("rules").catch(() => "");
    try {
      const treebank = await api.treebank();
      if (treebank) return await this.serve(treebank);
    } catch (error) {
      void say("The treebank cannot be shown", (error as Error).message);
      return;
    }
    const file = await storage.keptFile().catch(() => undefined);
    if (!file) return;
    const edits = await storage.keptEdits(storage.keyOf(file)).catch(() => []);
    this.put(file, readTreebank(file.text), edits);
  }

  private async serve({ name, sentences }: ServedTreebank): Promise<void> {
    const passed: string[] = [];
    const treebank = treebankOf(sentences.map((own) => own.conllu), (block, _line, place) => readOr(block, (reason) => {
      const id = /^# sent_id = *(.*)/m.exec(block)?.[1];
      passed.push(`Sentence ${place + 1}${id ? ` (${id})` : ""}, ${reason}.`);
    }));
    const key = storage.servedKey(name);
    const edits = await storage.keptEdits(key).catch(() => []);
    this.session.open(name, treebank, key, true);
    for (const item of this.session.items) item.version = sentences[item.filePlace]?.version ?? null;
    if (passed.length) void this.tellPassed(name, passed);
    else if (!treebank.sentences.length) announce(`${name} has no sentences.`);
    const { places, strangers } = storage.restore(this.session, edits);
    for (const place of places) void this.saving.save(place);
    for (const [place, edit] of strangers) await this.saving.stranger(place, edit);
    this.session.go(0);
  }

  private tellPassed(name: string, reasons: string[]): Promise<string> {
    const told = reasons.slice(0, TOLD).map((reason) => h("li", {}, reason));
    const more = reasons.length - told.length;
    return dialog(`${counted(reasons.length, "sentence")} of ${name} cannot be shown`, [{ name: "Close", value: "", main: true }],
      h("p", {}, "What is wrong has to be mended in the file, which stays as it is there. All else is here."),
      h("ul", {}, ...told, more ? h("li", {}, `and ${more} more`) : ""));
  }
}

function readOr(block: string, refused: (reason: string) => void): Sentence | null {
  try {
    return parseBlock(block);
  } catch (error) {
    if (!(error instanceof ConlluError)) throw error;
    refused(error.message);
    return null;
  }
}
