// Two files of the same sentences: which belong together, and on which arcs they differ.

import type { Sentence } from "./conllu.ts";
import { arc, type Annotation } from "./tree.ts";

export interface Difference {
  word: number;
  mine: { head: number | null; deprel: string | null };
  theirs: { head: number | null; deprel: string | null };
}

function byName(sentences: readonly Sentence[]): Map<string, Sentence> | null {
  const found = new Map(sentences.map((own) => [own.id, own]));
  return found.size === sentences.length && !found.has("") ? found : null;
}

// For each sentence its counterpart: by sent_id where all have one of their own, else by place.
export function paired(mine: readonly Sentence[], theirs: readonly Sentence[]): (Sentence | null)[] {
  const named = byName(mine) && byName(theirs);
  return mine.map((own, place) => (named ? named.get(own.id) : theirs[place]) ?? null);
}

export const sameWords = (a: Sentence, b: Sentence): boolean =>
  a.words.length === b.words.length && a.words.every((word, place) => word.form === b.words[place]?.form);

export function differences(mine: Annotation, theirs: Annotation): Difference[] {
  return mine.sentence.words.flatMap(({ id }) => {
    const [a, b] = [arc(mine, id), arc(theirs, id)];
    if (a.head === b.head && a.deprel === b.deprel) return [];
    return [{ word: id, mine: { head: a.head, deprel: a.deprel }, theirs: { head: b.head, deprel: b.deprel } }];
  });
}
