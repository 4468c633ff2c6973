// What the parser says of a sentence under annotation: the rest of the tree, how sure it is, what else there is.

import * as api from "./api.ts";
import type { Choices, Constraints, ParsedData, ParseRequest, RankedTree } from "./api_types.ts";
import { bare } from "./write.ts";
import { annotationOf, arc, changed, given, type Annotation, type Arc } from "./tree.ts";

const LEAST = 0.01; // alternatives below this are not shown
const TREES = 5;

export interface Prediction {
  free: ParsedData; // the tree that goes with what was decided
  bound: ParsedData; // the one that goes with what the file says, too
  released: boolean; // nothing goes with what the file says
  trees: RankedTree[] | null; // the best ones, which take longer and come later
  lifted: Map<number, Choices>; // of decided words: what there would be if they were not
}

export const alternatives = (prediction: Prediction | null, word: number): Choices | null =>
  prediction?.lifted.get(word) ?? prediction?.free.alternatives?.[word - 1] ?? null;

export const trees = (prediction: Prediction | null): RankedTree[] => prediction?.trees ?? [];

export function constraintsOf(annotation: Annotation, labels: ReadonlySet<string>, file: boolean): Constraints {
  const heads: Record<string, number> = {};
  const names: Record<string, string> = {};
  const forbidden: [number, number][] = [];
  const binds = (standing: Arc["standing"]): boolean => standing === "decided" || (file && standing === "given");
  annotation.arcs.forEach((own, place) => {
    const word = place + 1;
    if (own.head !== null && binds(own.standing)) {
      heads[word] = own.head;
      if (own.deprel !== null && binds(own.labelStanding) && labels.has(own.deprel)) names[word] = own.deprel;
    }
    forbidden.push(...own.forbidden.map((head): [number, number] => [head, word]));
  });
  return { heads, labels: names, forbidden };
}

export interface Parser {
  model: string;
  labels: ReadonlySet<string>;
}

type Wanted = Pick<ParseRequest, "probabilities" | "alternatives" | "kbest">;

// One sentence with each of these constraints. Arcs that were decided may cross: where no tree of the usual kind
// fits, any tree may.
async function ask(annotation: Annotation, parser: Parser, constraints: Constraints[], wanted: Wanted) {
  const conllu = bare(annotation.sentence);
  const sentences = constraints.map(() => ({ conllu }));
  const request = { model: parser.model, sentences, keep_tags: true, constraints, ...wanted };
  const found = (await api.parse(request)).sentences;
  if (!found.some((own) => own.error)) return found;
  const crossing = (await api.parse({ ...request, options: { projective: false } })).sentences;
  return found.map((own, place) => (own.error ? (crossing[place] as ParsedData) : own));
}

export async function predict(annotation: Annotation, parser: Parser): Promise<Prediction> {
  const constraints = [constraintsOf(annotation, parser.labels, false)];
  const file = given(annotation).length > 0 && annotation.arcs.some((own) => own.standing !== "given");
  if (file) constraints.push(constraintsOf(annotation, parser.labels, true));
  const found = await ask(annotation, parser, constraints, { probabilities: true, alternatives: LEAST });
  const free = found[0] as ParsedData;
  if (free.error) throw new Error(free.error);
  const bound = found[1];
  const fits = bound && !bound.error;
  return { free, bound: fits ? bound : free, released: Boolean(bound?.error), trees: null, lifted: new Map() };
}

// What there would be for a word that is decided, if it were not.
export async function lifted(annotation: Annotation, parser: Parser, word: number): Promise<Choices | null> {
  const constraints = constraintsOf(annotation, parser.labels, false);
  delete constraints.heads?.[word];
  delete constraints.labels?.[word];
  const found = await ask(annotation, parser, [constraints], { alternatives: LEAST });
  return found[0]?.alternatives?.[word - 1] ?? null;
}

export async function bestTrees(annotation: Annotation, parser: Parser): Promise<RankedTree[]> {
  const found = await ask(annotation, parser, [constraintsOf(annotation, parser.labels, false)], { kbest: TREES });
  return found[0]?.kbest ?? [];
}

const chance = <Name>(list: [Name, number][], name: Name | null): number =>
  list.find(([own]) => own === name)?.[1] ?? 0;

// Of an arc that stays: how probable the parser finds it. Labels are told for the parser's own head alone.
function judged(own: Arc, choices: Choices | undefined, best: number | null | undefined): Partial<Arc> {
  if (!choices) return {};
  return {
    probability: chance(choices.heads, own.head),
    labelProbability: own.head === best ? chance(choices.labels, own.deprel) : null,
  };
}

// The guesses are those of the prediction; what was decided and what the file says stays: its guesses, too, as long
// as nothing is edited.
export function applied(annotation: Annotation, prediction: Prediction): Annotation {
  const file = annotationOf(annotation.sentence);
  const changes = new Map<number, Partial<Arc>>();
  for (const word of annotation.sentence.words) {
    const own = arc(annotation, word.id);
    const guess = prediction.bound.words[word.id - 1];
    const free = prediction.free.words[word.id - 1];
    if (!guess || !free) continue;
    const label: Partial<Arc> = {
      deprel: guess.deprel ?? null, labelStanding: "guessed", labelProbability: guess.label_probability ?? null,
    };
    const ours = annotation.touched || arc(file, word.id).standing !== "guessed";
    const open = own.standing === "unset" || (own.standing === "guessed" && ours);
    const released = own.standing === "given" && prediction.released && annotation.touched;
    if (open || released) {
      const head = { head: guess.head ?? null, standing: "guessed", probability: guess.probability ?? null } as const;
      changes.set(word.id, { ...head, ...label });
    } else if (own.standing === "given") {
      changes.set(word.id, judged(own, prediction.free.alternatives?.[word.id - 1], free.head));
    } else if (own.standing === "decided" && (own.labelStanding === "unset" || own.labelStanding === "guessed")) {
      changes.set(word.id, label);
    }
  }
  return { ...changed(annotation, changes), touched: annotation.touched };
}

// One of the k best trees is the person's choice. Decided is every word on which the trees that were shown are
// not of one mind, or that has another arc now: then no tree that was listed before it remains.
export function picked(annotation: Annotation, prediction: Prediction, rank: number): Annotation {
  const shown = trees(prediction);
  const tree = shown[rank];
  if (!tree) return annotation;
  const changes = new Map<number, Partial<Arc>>();
  for (const { id } of annotation.sentence.words) {
    const head = tree.heads[id - 1] as number;
    const deprel = tree.deprels[id - 1] as string;
    const own = arc(annotation, id);
    const agreed = shown.every((other) => other.heads[id - 1] === head && other.deprels[id - 1] === deprel);
    if (agreed && own.head === head && own.deprel === deprel) continue;
    changes.set(id, {
      head, deprel, standing: "decided", labelStanding: "decided", probability: null, labelProbability: null,
    });
  }
  return changed(annotation, changes);
}
