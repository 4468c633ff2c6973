// A sentence under annotation: what a person decided, what the file says, what the parser guesses. Values never
// change: every edit gives a new Annotation, so that undo is to take the old one.

import { miscValue, type Sentence, type Word } from "./conllu.ts";

export type Standing = "decided" | "given" | "guessed" | "unset";

export interface Arc {
  readonly head: number | null;
  readonly deprel: string | null;
  readonly standing: Standing;
  readonly labelStanding: Standing;
  readonly probability: number | null; // of the head
  readonly labelProbability: number | null; // of the label, given the head
  readonly forbidden: readonly number[]; // heads that the word must not have
}

export interface Annotation {
  readonly sentence: Sentence; // what the file has
  readonly arcs: readonly Arc[]; // that of word 1 comes first
  readonly touched: boolean; // whether anything was edited
}

const numberIn = (text: string | null): number | null => (text === null || text === "" ? null : Number(text));

// Where MISC has what the parser would have in place of the arc (arbora suspects), probabilities are of the file's own
// arc; elsewhere they are of the parser's guess.
function arcOf(word: Word): Arc {
  const decided = miscValue(word.misc, "Decided") === "Yes";
  const probability = numberIn(miscValue(word.misc, "HeadProbability"));
  const labelProbability = numberIn(miscValue(word.misc, "LabelProbability"));
  const suspected = miscValue(word.misc, "BestHead") !== null;
  const own: Standing = decided ? "decided" : probability !== null && !suspected ? "guessed" : "given";
  const label = decided && labelProbability !== null && !suspected ? "guessed" : own;
  const forbidden = miscValue(word.misc, "ForbiddenHeads");
  return {
    head: word.head,
    deprel: word.deprel,
    standing: word.head === null ? "unset" : own,
    labelStanding: word.deprel === null ? "unset" : label,
    probability: decided ? null : probability,
    labelProbability,
    forbidden: forbidden ? forbidden.split(",").map(Number) : [],
  };
}

export const annotationOf = (sentence: Sentence): Annotation => ({
  sentence,
  arcs: sentence.words.map(arcOf),
  touched: false,
});

export function arc(annotation: Annotation, word: number): Arc {
  const found = annotation.arcs[word - 1];
  if (!found) throw new RangeError(`there is no word ${word}`);
  return found;
}

export function changed(annotation: Annotation, changes: Map<number, Partial<Arc>>): Annotation {
  if (!changes.size) return annotation;
  const arcs = annotation.arcs.map((own, place) => ({ ...own, ...changes.get(place + 1) }));
  return { ...annotation, arcs, touched: true };
}

const FREE: Partial<Arc> = {
  head: null, deprel: null, standing: "unset", labelStanding: "unset", probability: null, labelProbability: null,
};
const FREE_LABEL: Partial<Arc> = { deprel: null, labelStanding: "unset", labelProbability: null };

// From the word up to the root, or around a cycle once.
export function way(annotation: Annotation, word: number): number[] {
  const found: number[] = [];
  for (let at: number | null = word; at && !found.includes(at); at = arc(annotation, at).head) found.push(at);
  return found;
}

// The word and all below it.
export function phrase(annotation: Annotation, word: number): number[] {
  return annotation.sentence.words.map((own) => own.id).filter((id) => way(annotation, id).includes(word));
}

const bound = (own: Arc): boolean => own.standing === "decided" || own.standing === "given";

// Who gives way to a new arc, so that there is one root and no cycle: what the file says before what was decided.
function inTheWay(annotation: Annotation, word: number, head: number): number[] {
  const others = annotation.sentence.words.map((own) => own.id).filter((id) => id !== word);
  if (head === 0) return others.filter((id) => bound(arc(annotation, id)) && arc(annotation, id).head === 0);
  const above = way(annotation, head);
  const end = above.indexOf(word);
  if (end < 0) return [];
  const between = above.slice(0, end);
  if (!between.every((id) => bound(arc(annotation, id)))) return [];
  return [between.findLast((id) => arc(annotation, id).standing === "given") ?? (between.at(-1) as number)];
}

const DECIDED_LABEL = { labelStanding: "decided", labelProbability: null } as const;

// What becomes of a label when its word gets this head: that of the file stays if the file has the same arc.
function labelUnder(old: Arc, head: number): Partial<Arc> {
  if (old.head !== head) return FREE_LABEL;
  return old.labelStanding === "given" ? DECIDED_LABEL : {};
}

// The person says which head the word has, and perhaps the label; else the parser is asked for that.
export function decide(annotation: Annotation, word: number, head: number, deprel?: string): Annotation {
  const old = arc(annotation, word);
  const label = deprel === undefined ? labelUnder(old, head) : { deprel, ...DECIDED_LABEL };
  const changes = new Map(inTheWay(annotation, word, head).map((id) => [id, FREE] as [number, Partial<Arc>]));
  changes.set(word, {
    head,
    standing: "decided",
    probability: null,
    forbidden: old.forbidden.filter((own) => own !== head),
    ...label,
  });
  return changed(annotation, changes);
}

// The same for comparing two annotations: nothing else gives way, and nothing is asked.
export function adopt(annotation: Annotation, word: number, head: number | null, deprel: string | null): Annotation {
  const standing = head === null ? "unset" : "decided";
  const labelStanding = deprel === null ? "unset" : "decided";
  const own = { head, deprel, standing, labelStanding, probability: null, labelProbability: null } as const;
  return changed(annotation, new Map([[word, own]]));
}

// What is shown is right: the arcs of these words are decided as they are.
export function accept(annotation: Annotation, words: readonly number[]): Annotation {
  const open = words.filter((word) => {
    const own = arc(annotation, word);
    return own.head !== null && (own.standing !== "decided" || own.labelStanding !== "decided");
  });
  const decided = (own: Arc): Partial<Arc> => ({
    standing: "decided",
    probability: null,
    labelStanding: own.deprel === null ? "unset" : "decided",
    labelProbability: null,
  });
  return changed(annotation, new Map(open.map((word) => [word, decided(arc(annotation, word))])));
}

// Nothing is decided of these words any longer, and the file does not bind them.
export function unset(annotation: Annotation, words: readonly number[]): Annotation {
  return changed(annotation, new Map(words.map((word) => [word, FREE])));
}

export function forbid(annotation: Annotation, word: number, head: number): Annotation {
  const own = arc(annotation, word);
  if (own.forbidden.includes(head)) return annotation;
  const forbidden = [...own.forbidden, head].sort((a, b) => a - b);
  return changed(annotation, new Map([[word, { ...(own.head === head ? FREE : {}), forbidden }]]));
}

export function allow(annotation: Annotation, word: number, head?: number): Annotation {
  const own = arc(annotation, word);
  if (!own.forbidden.length) return annotation;
  const forbidden = head === undefined ? [] : own.forbidden.filter((other) => other !== head);
  return changed(annotation, new Map([[word, { forbidden }]]));
}

// The words whose arcs are as the file has them.
export const given = (annotation: Annotation): number[] =>
  annotation.sentence.words.map((word) => word.id).filter((id) => arc(annotation, id).standing === "given");

export const isDecided = (own: Arc): boolean => own.standing === "decided" && own.labelStanding === "decided";

export const decidedCount = (annotation: Annotation): number => annotation.arcs.filter(isDecided).length;

// How probable head and label are together; null where nothing is known.
export const sureness = (own: Arc): number | null =>
  own.probability === null ? null : own.probability * (own.labelProbability ?? 1);

// How sure the parser is of what it guessed of an arc: of the label alone, where the head is decided.
export const guessSureness = (own: Arc): number | null => {
  if (isDecided(own)) return null;
  return own.standing === "decided" ? own.labelProbability : sureness(own);
};

// What keeps the arcs from being a tree, in words.
export function problems(annotation: Annotation): string[] {
  const ids = annotation.sentence.words.map((word) => word.id);
  const roots = ids.filter((id) => arc(annotation, id).head === 0);
  const found = roots.length > 1 ? [`Several roots: the words ${roots.join(", ")}.`] : [];
  const seen = new Set<number>();
  for (const id of ids) {
    const path = way(annotation, id);
    const last = arc(annotation, path.at(-1) as number).head;
    if (!last || path.some((word) => seen.has(word))) continue;
    const cycle = path.slice(path.indexOf(last));
    cycle.forEach((word) => seen.add(word));
    found.push(`A cycle: the words ${cycle.join(", ")}.`);
  }
  return found;
}
