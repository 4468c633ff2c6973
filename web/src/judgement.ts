// How sure the parser is of a sentence, and what of it is still doubtful.

import type { Judgement, ParsedData } from "./api_types.ts";
import type { Sentence } from "./conllu.ts";
import type { Item } from "./session.ts";
import { arc, decidedCount, isDecided, type Annotation } from "./tree.ts";

// Of a sentence without a tree: how sure the parser is of its own.
export function ownJudgement(parsed: ParsedData): Judgement {
  const words = parsed.words.map((word) => ({
    head_probability: word.probability ?? null,
    label_probability: word.label_probability ?? null,
    best_head: word.head ?? 0,
    best_deprel: word.deprel ?? "_",
    best_probability: word.probability ?? 0,
  }));
  const sure = words.map((word) => (word.head_probability ?? 1) * (word.label_probability ?? 1));
  return {
    tree_log_probability: parsed.kbest?.[0]?.log_probability ?? null,
    expected_errors: sure.reduce((sum, p) => sum + 1 - p, 0),
    disagreements: 0,
    words,
    ...(parsed.error ? { error: parsed.error } : {}),
  };
}

export const hasTree = (sentence: Sentence): boolean => sentence.words.every((word) => word.head !== null);

export interface Doubt {
  probability: number | null; // log-probability of the tree
  errors: number;
  differ: number;
  broken: number; // rules
}

// What is still doubtful of a sentence: words that a person decided count no longer.
export function doubtOf(item: Item): Doubt | null {
  const found = item.judgement;
  if (!found || found.error) return null;
  let errors = 0;
  let differ = 0;
  found.words.forEach((word, place) => {
    const own = item.annotation.arcs[place];
    if (!own || isDecided(own) || own.head === null || word.head_probability === null) return;
    errors += 1 - word.head_probability * (word.label_probability ?? 1);
    if (own.head !== word.best_head || own.deprel !== word.best_deprel) differ += 1;
  });
  return { probability: found.tree_log_probability, errors, differ, broken: found.broken_rules?.length ?? 0 };
}

export const isDone = (item: Item): boolean => decidedCount(item.annotation) === item.annotation.arcs.length;

export const isEdited = (item: Item): boolean => item.annotation.touched;

// The undecided word that is most doubtful, after the given one if there are several as bad.
export function doubtfulWords(annotation: Annotation): number[] {
  const open = annotation.sentence.words.map((word) => word.id).filter((id) => !isDecided(arc(annotation, id)));
  const sure = (id: number): number => {
    const own = arc(annotation, id);
    return (own.probability ?? (own.standing === "decided" ? 1 : 0)) * (own.labelProbability ?? 1);
  };
  return open.sort((a, b) => sure(a) - sure(b));
}
