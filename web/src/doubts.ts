// Judges all sentences in the background, in portions, so that they can be listed by doubt.

import * as api from "./api.ts";
import type { Judgement } from "./api_types.ts";
import { hasTree, ownJudgement } from "./judgement.ts";
import { bare } from "./write.ts";
import type { Item, Session } from "./session.ts";

const PORTION = 25;
const BUSY = 1000; // milliseconds until a busy server is asked again
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
      await this.patiently(portion);
      if (own !== this.turn) return;
      this.progress(true);
    }
    this.progress(false);
  }

  // A sentence that the server refuses is left out; a server that is busy is asked again.
  private async patiently(places: number[]): Promise<void> {
    const { items } = this.session;
    let left = places;
    while (left.length && items === this.session.items) {
      try {
        return await this.judge(left);
      } catch (error) {
        if (!(error instanceof api.ServerError)) throw error;
        const refused = left[Number(error.body["sentence"] ?? Number.NaN)];
        if (refused !== undefined) left = left.filter((place) => place !== refused);
        else if (error.status === 503) await new Promise((resolve) => setTimeout(resolve, BUSY));
        else return;
      }
    }
  }

  private isJudged(item: Item): boolean {
    return item.annotation.touched || hasTree(item.original);
  }

  private async judge(places: number[]): Promise<void> {
    const items = places.map((place) => this.session.items[place] as Item);
    const asked = items.map((item) => item.annotation);
    const judged = places.filter((_, index) => this.isJudged(items[index] as Item));
    const parsed = places.filter((place) => !judged.includes(place));
    const found = new Map<number, Judgement>();
    if (judged.length) {
      const answer = await api.judge(this.session.judging(judged));
      answer.sentences.forEach((own, index) => found.set(judged[index] as number, own));
    }
    if (parsed.length) {
      const sentences = parsed.map((place) => ({ conllu: bare((this.session.items[place] as Item).original) }));
      const answer = await api.parse({ model: this.session.model, sentences, keep_tags: true, probabilities: true, kbest: 1 });
      answer.sentences.forEach((own, index) => found.set(parsed[index] as number, ownJudgement(own)));
    }
    places.forEach((place, index) => {
      const item = items[index] as Item;
      if (item.annotation !== asked[index] && item.judged !== null) return; // it was edited, and judged since
      item.judgement = found.get(place) ?? null;
      item.judged = item.annotation;
      if (place === this.session.current) this.session.tell("judged", place);
    });
  }
}
