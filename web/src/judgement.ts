// How sure the parser is of a sentence that has no tree of its own yet.

import type { Judgement, ParsedData } from "./api_types.ts";
import type { Sentence } from "./conllu.ts";

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
