// The text of a sentence after its edits: lines that stay as they are stay the same bytes.

import { miscItems, type Sentence, type Word } from "./conllu.ts";
import { annotationOf, arc, isDecided, sureness, type Annotation, type Arc } from "./tree.ts";

const DOUBTFUL = 0.9; // guesses below this are highlighted for the next reader
const OURS = /^(Decided|ForbiddenHeads)=/;
const OF_THE_ARC = /^(HeadProbability|LabelProbability|BestHead|BestDeprel)=/; // they go with the arc that they speak of
const HIGHLIGHT = "# highlight deprels =";

const same = (a: Arc, b: Arc): boolean =>
  a.head === b.head && a.deprel === b.deprel && a.standing === b.standing && a.labelStanding === b.labelStanding &&
  a.forbidden.join() === b.forbidden.join() &&
  (a.standing !== "guessed" || a.probability === b.probability) &&
  (a.labelStanding !== "guessed" || a.labelProbability === b.labelProbability);

function misc(word: Word, own: Arc): string {
  const kept = own.standing === "given";
  const items = miscItems(word.misc).filter((item) => !OURS.test(item) && (kept || !OF_THE_ARC.test(item)));
  if (own.standing === "decided") items.push("Decided=Yes");
  if (own.standing === "guessed" && own.probability !== null) {
    items.push(`HeadProbability=${own.probability.toFixed(4)}`);
  }
  if (own.labelStanding === "guessed" && own.labelProbability !== null) {
    items.push(`LabelProbability=${own.labelProbability.toFixed(4)}`);
  }
  if (own.forbidden.length) items.push(`ForbiddenHeads=${own.forbidden.join(",")}`);
  return items.join("|") || "_";
}

// Where the enhanced graph has the old arc, it has the new one.
function deps(word: Word, own: Arc): string {
  if (word.deps === "_" || own.head === null || own.deprel === null) return word.deps;
  const old = `${word.head}:${word.deprel}`;
  const items = word.deps.split("|");
  if (!items.includes(old)) return word.deps;
  const changed = items.map((item) => (item === old ? `${own.head}:${own.deprel}` : item));
  return [...new Set(changed)].sort((a, b) => parseFloat(a) - parseFloat(b)).join("|");
}

function line(old: string, word: Word, own: Arc): string {
  const columns = old.split("\t");
  const end = old.endsWith("\r") ? "\r" : "";
  columns[6] = own.head === null ? "_" : String(own.head);
  columns[7] = own.deprel ?? "_";
  columns[8] = deps(word, own);
  columns[9] = misc(word, own) + end;
  return columns.join("\t");
}

function highlighted(sentence: Sentence): number[] {
  const found = sentence.lines.find((own) => own.startsWith(HIGHLIGHT));
  return found ? found.slice(HIGHLIGHT.length).trim().split(/\s+/).map(Number) : [];
}

// The arcs that someone should look at: guesses of low probability, and those that were marked and are not decided.
function toHighlight(annotation: Annotation): number[] {
  const before = new Set(highlighted(annotation.sentence));
  return annotation.sentence.words
    .map((word) => word.id)
    .filter((id) => {
      const own = arc(annotation, id);
      if (isDecided(own)) return false;
      return before.has(id) || (own.standing === "guessed" && (sureness(own) ?? 1) < DOUBTFUL);
    });
}

function withHighlight(lines: string[], words: number[]): string[] {
  const place = lines.findIndex((own) => own.startsWith(HIGHLIGHT));
  const end = lines.some((own) => own.endsWith("\r")) ? "\r" : "";
  const comment = words.length ? [`${HIGHLIGHT} ${words.join(" ")}${end}`] : [];
  if (place >= 0) return lines[place] === comment[0] ? lines : lines.toSpliced(place, 1, ...comment);
  const first = lines.findIndex((own) => /^\d/.test(own.replace(/^\uFEFF/, "")));
  return first === 0 && lines[0]?.startsWith("\uFEFF") ? lines : lines.toSpliced(first, 0, ...comment);
}

export function written(annotation: Annotation): string {
  const { sentence } = annotation;
  if (!annotation.touched) return sentence.block;
  const before = annotationOf(sentence);
  const lines = [...sentence.lines];
  for (const word of sentence.words) {
    const own = arc(annotation, word.id);
    if (!same(own, arc(before, word.id))) lines[word.line] = line(lines[word.line] as string, word, own);
  }
  return withHighlight(lines, toHighlight(annotation)).join("\n");
}

// What the parser is asked about: words and tags, without trees.
export function bare(sentence: Sentence): string {
  const lines = sentence.lines.map((own) => own.replace(/\r$/, "").replace(/^\uFEFF/, "")).filter((own) => own);
  const rows = lines.map((own) => {
    if (own.startsWith("#")) return "";
    const columns = own.split("\t");
    if (/^\d+$/.test(columns[0] as string)) columns[6] = columns[7] = "_";
    columns[8] = /\./.test(columns[0] as string) ? (columns[8] as string) : "_";
    columns[9] = "_";
    return columns.join("\t");
  });
  return `${rows.filter((row) => row).join("\n")}\n\n`;
}
