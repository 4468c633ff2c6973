// The open treebank: its sentences, which one is shown, its edits; whoever wants to know is told of changes.

import * as api from "./api.ts";
import type { Judgement, ModelFacts, Models } from "./api_types.ts";
import type { Sentence, Treebank } from "./conllu.ts";
import { hasTree, ownJudgement } from "./judgement.ts";
import { History } from "./history.ts";
import { alternatives, applied, bestTrees, lifted, predict, type Parser, type Prediction } from "./predict.ts";
import { annotationOf, type Annotation } from "./tree.ts";
import { written } from "./write.ts";

export interface Item {
  annotation: Annotation;
  original: Sentence; // what was opened
  readonly filePlace: number; // among the blocks of the file
  prediction: Prediction | null;
  predicted: Annotation | null; // what the prediction was made for
  judgement: Judgement | null;
  judged: Annotation | null; // what the judgement was made for
  version: string | null; // in the server's file
  saved: string | null; // the text that the server has
}

const QUICK = 200; // milliseconds between two steps of someone who leafs through the sentences
const LATER = 250; // milliseconds until the best trees are asked for, if nothing else is

export type Topic = "opened" | "moved" | "edited" | "predicted" | "judged" | "choices" | "model" | "saving" | "rules" | "busy";

export class Session {
  items: Item[] = [];
  name = "";
  key = ""; // of what is kept in this browser
  private between: string[] = []; // the text before each sentence that is no sentence, and after the last
  current = 0;
  word = 1;
  rules = "";
  wrongRules = ""; // what is wrong with them; then they are left out
  models: Models | null = null;
  model = "";
  served = false; // the treebank is the server's
  offline = false; // the parser does not answer
  compare = false; // edits stay alone: nothing is predicted
  trouble = ""; // why there is no prediction for the current sentence
  busy = 0; // seconds until a busy server is asked again
  lastAnswer = 0; // milliseconds from the last edit to its prediction
  readonly history = new History();
  private came = 0; // when the current sentence was come to
  private leafing = 0;
  private resting = 0;
  private readonly listeners = new Map<Topic, ((place: number) => void)[]>();

  on(topics: Topic[], listener: (place: number) => void): void {
    for (const topic of topics) this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  tell(topic: Topic, place = this.current): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(place);
  }

  open(name: string, { sentences, places, between }: Treebank, key: string, served = false): void {
    this.name = name;
    this.key = key;
    this.served = served;
    this.between = between;
    this.items = sentences.map((sentence, place) => ({
      annotation: annotationOf(sentence), original: sentence, filePlace: places[place] as number, prediction: null,
      predicted: null, judgement: null, judged: null, version: null, saved: served ? sentence.block : null,
    }));
    this.history.clear();
    this.compare = false;
    this.current = 0;
    this.word = 1;
    this.tell("opened");
    this.go(0);
  }

  get item(): Item | null {
    return this.items[this.current] ?? null;
  }

  // Models that give heads; others, of constituents or of tags alone, guess no arc.
  get parsers(): ModelFacts[] {
    return (this.models?.models ?? []).filter((own) => own.adds.includes("heads"));
  }

  get labels(): string[] {
    return this.parsers.find((own) => own.name === this.model)?.labels ?? [];
  }

  go(place: number, word = 1): void {
    if (!this.items[place]) return;
    this.current = place;
    this.word = word;
    this.trouble = "";
    this.tell("moved");
    clearTimeout(this.leafing);
    const now = performance.now();
    if (now - this.came > QUICK) void this.predict(place);
    else this.leafing = setTimeout(() => void this.predict(place), QUICK);
    this.came = now;
  }

  // Whether the current sentence has its answer: what is shown will stay as it is.
  get settled(): boolean {
    const item = this.item;
    return !item || !this.model || this.compare || this.trouble !== "" || item.predicted === item.annotation;
  }

  private get parser(): Parser {
    return { model: this.model, labels: new Set(this.labels) };
  }

  select(word: number): void {
    if (!this.item || word < 1 || word > this.item.annotation.arcs.length) return;
    this.word = word;
    this.tell("moved");
    void this.lift(word);
  }

  edit(what: string, change: (annotation: Annotation) => Annotation): boolean {
    const item = this.item;
    if (!item) return false;
    const before = item.annotation;
    const after = change(before);
    if (after === before) return false;
    item.annotation = after;
    this.trouble = "";
    this.history.push({ place: this.current, what, before, after });
    this.tell("edited");
    void (this.compare ? this.judge(this.current) : this.predict(this.current));
    return true;
  }

  undo(): string | null {
    return this.travel(this.history.undo(), "before");
  }

  redo(): string | null {
    return this.travel(this.history.redo(), "after");
  }

  private travel(edit: ReturnType<History["undo"]>, side: "before" | "after"): string | null {
    const item = edit && this.items[edit.place];
    if (!edit || !item) return null;
    item.annotation = edit[side];
    if (edit.place !== this.current) {
      this.current = edit.place;
      this.word = 1;
      this.tell("moved");
    }
    this.tell("edited", edit.place);
    void (this.compare ? this.judge(edit.place) : this.predict(edit.place));
    return edit.what;
  }

  // Answers for what is no longer so are dropped.
  async predict(place: number): Promise<void> {
    const item = this.items[place];
    if (!item || !this.model || item.predicted === item.annotation) return;
    if (this.compare && item.annotation.touched) return; // what was taken stays alone
    const asked = item.annotation;
    const parser = this.parser;
    const isWanted = (): boolean =>
      item.annotation === asked && this.items[place] === item && this.model === parser.model;
    const start = performance.now();
    if (place === this.current) this.trouble = "";
    try {
      const prediction = await api.patiently(() => predict(asked, parser), isWanted, (seconds) => {
        this.busy = seconds;
        this.tell("busy", place);
      });
      if (!isWanted()) return;
      item.annotation = applied(asked, prediction);
      item.prediction = prediction;
      item.predicted = item.annotation;
      this.history.amend(asked, item.annotation);
      this.settle(place, "", performance.now() - start);
      void this.judge(place);
      clearTimeout(this.resting);
      this.resting = setTimeout(() => void this.findTrees(place), LATER);
    } catch (error) {
      if (!isWanted()) return;
      item.prediction = null;
      this.offline = error instanceof api.ServerError && error.status === 0;
      this.settle(place, (error as Error).message);
    }
  }

  // The best trees of a sentence, once.
  async findTrees(place: number): Promise<void> {
    const item = this.items[place];
    const prediction = item?.prediction;
    if (!item || !prediction || prediction.trees || place !== this.current) return;
    if (item.predicted !== item.annotation) return; // another prediction is under way
    const asked = item.annotation;
    const isWanted = (): boolean => item.prediction === prediction && item.annotation === asked;
    const found = await api.patiently(() => bestTrees(asked, this.parser), isWanted).catch(() => []);
    if (!isWanted()) return;
    prediction.trees = found;
    this.tell("choices", place);
  }

  // Of a decided word, once: what else the parser would take.
  async lift(word: number): Promise<void> {
    const item = this.item;
    const prediction = item?.prediction;
    const place = this.current;
    if (!item || !prediction || item.annotation.arcs[word - 1]?.standing !== "decided") return;
    if (prediction.lifted.has(word) || item.predicted !== item.annotation) return;
    prediction.lifted.set(word, alternatives(prediction, word) ?? { heads: [], labels: [] });
    const asked = item.annotation;
    const isWanted = (): boolean => item.prediction === prediction;
    const found = await api.patiently(() => lifted(asked, this.parser, word), isWanted).catch(() => null);
    if (!found || !isWanted()) return;
    prediction.lifted.set(word, found);
    this.tell("choices", place);
  }

  private settle(place: number, trouble: string, took = 0): void {
    if (!trouble) this.offline = false;
    if (place === this.current) this.trouble = trouble;
    if (took) this.lastAnswer = took;
    this.tell("predicted", place);
    if (place === this.current && !trouble) void this.lift(this.word);
  }

  async judge(place: number): Promise<void> {
    const item = this.items[place];
    if (!item || !this.model) return;
    const asked = item.annotation;
    try {
      const guessed = !asked.touched && !hasTree(asked.sentence) && item.prediction;
      const isWanted = (): boolean => item.annotation === asked && this.items[place] === item;
      const found = guessed
        ? [ownJudgement(guessed.free)]
        : await api.patiently(() => this.judgements([place]), isWanted);
      if (item.annotation !== asked) return;
      item.judgement = found[0] ?? null;
      item.judged = asked;
      this.tell("judged", place);
    } catch {
      item.judged = asked; // the list shows no doubt for it
    }
  }

  // Of trees as they are now. If the rules have a mistake, it is told, and the trees are judged without them.
  async judgements(places: number[]): Promise<Judgement[]> {
    const texts = places.map((place) => written((this.items[place] as Item).annotation));
    const asked = { model: this.model, sentences: texts.map((text) => ({ conllu: text.replace(/^\uFEFF/, "") })) };
    const rules = this.wrongRules ? "" : this.rules;
    if (!rules.trim()) return (await api.judge(asked)).sentences;
    try {
      return (await api.judge({ ...asked, rules })).sentences;
    } catch (error) {
      if (!(error instanceof api.ServerError) || error.status !== 400 || error.sentence !== null) throw error;
      const found = (await api.judge(asked)).sentences;
      if (rules === this.rules) this.wrongRules = error.message;
      return found;
    }
  }

  useRules(rules: string): void {
    this.rules = rules;
    this.wrongRules = "";
    this.tell("rules");
  }

  // The whole file as it is now.
  text(): string {
    const all = this.items.map((item, place) => this.between[place] + written(item.annotation));
    return all.join("") + (this.between.at(-1) ?? "");
  }
}
