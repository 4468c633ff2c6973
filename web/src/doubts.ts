// Judges all sentences in the background, in portions, so that they can be listed by doubt.

import * as api from "./api.ts";
import type { Judgement } from "./api_types.ts";
import { hasTree, ownJudgement } from "./judgement.ts";
import { bare } from "./write.ts";
import type { Item, Session } from "./session.ts";

const PORTION = 25;
const BUSY = 1; // seconds, at least, until a busy server is asked again
const PAUSE = 15; // milliseconds, in which edits come first

export class Doubts {
  private turn = 0;

  constructor(
    private readonly session: Session,
    private readonly progress: (judging: boolean) => void,
  ) {
    session.on(["opened", "model", "rules"], () => void this.run());
  }

  private async run(): Promise<void> {
    const own = ++this.turn;
    const { items } = this.session;
    for (const item of items) item.judged = null;
    let place = 0;
    this.progress(true);
    while (place < items.length && this.session.model) {
      const portion: number[] = [];
      for (; place < items.length && portion.length < PORTION; place += 1) {
        if (items[place]?.judged === null) portion.push(place);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (own !== this.turn) return;
      await this.judge(portion, () => own === this.turn);
      if (own !== this.turn) return;
      this.progress(true);
    }
    this.progress(false);
  }

  // What is answered of sentences. One that the server refuses is left out; a server that is busy is asked again.
  private async answers(
    places: number[],
    isWanted: () => boolean,
    ask: (places: number[]) => Promise<Judgement[]>,
  ): Promise<[number, Judgement][]> {
    let left = places;
    while (left.length && isWanted()) {
      try {
        const found = await ask(left);
        return left.map((place, index) => [place, found[index] as Judgement]);
      } catch (error) {
        if (!(error instanceof api.ServerError)) throw error;
        const { sentence, retryAfter } = error;
        if (sentence !== null) left = left.filter((_, index) => index !== sentence);
        else if (retryAfter === null) return [];
        else await new Promise((resolve) => setTimeout(resolve, 1000 * Math.max(BUSY, retryAfter)));
      }
    }
    return [];
  }

  private isJudged(place: number): boolean {
    const item = this.session.items[place] as Item;
    return item.annotation.touched || hasTree(item.original);
  }

  private async parsed(places: number[]): Promise<Judgement[]> {
    const sentences = places.map((place) => ({ conllu: bare((this.session.items[place] as Item).original) }));
    const asked = { model: this.session.model, sentences, keep_tags: true, probabilities: true, kbest: 1 };
    return (await api.parse(asked)).sentences.map(ownJudgement);
  }

  private async judge(places: number[], isWanted: () => boolean): Promise<void> {
    const items = places.map((place) => this.session.items[place] as Item);
    const asked = items.map((item) => item.annotation);
    const [judged, others] = [places.filter((own) => this.isJudged(own)), places.filter((own) => !this.isJudged(own))];
    const found = new Map([
      ...(await this.answers(judged, isWanted, (left) => this.session.judgements(left))),
      ...(await this.answers(others, isWanted, (left) => this.parsed(left))),
    ]);
    if (!isWanted()) return;
    places.forEach((place, index) => {
      const item = items[index] as Item;
      if (item.annotation !== asked[index] && item.judged !== null) return; // it was edited, and judged since
      item.judgement = found.get(place) ?? null;
      item.judged = item.annotation;
      if (item === this.session.item) this.session.tell("judged", place);
    });
  }
}
