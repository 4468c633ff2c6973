// CoNLL-U without loss: a sentence keeps its exact text, and only lines that were edited are written anew.

import type { ParsedData } from "./api_types.ts";

export interface Word {
  line: number; // its place among the lines of the sentence
  id: number;
  form: string;
  lemma: string;
  upos: string;
  xpos: string;
  feats: string;
  head: number | null;
  deprel: string | null;
  deps: string;
  misc: string;
}

export interface Multiword {
  first: number;
  last: number;
  form: string;
}

export interface EmptyNode {
  after: number;
  index: number;
  form: string;
  upos: string;
  deps: string;
}

export interface Sentence {
  block: string; // the exact text, with the empty lines after it
  lines: string[];
  words: Word[];
  multiwords: Multiword[];
  emptyNodes: EmptyNode[];
  id: string; // sent_id, or nothing
  text: string;
}

export class ConlluError extends Error {}

const BLANK = /^\r?$/;

// The text cut into sentences, each with the empty lines that follow it; joined, they are the text.
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  const end = /\n(?:\r?\n)+/g;
  let start = 0;
  const first = /^(?:\uFEFF)?(?:\r?\n)*/.exec(text);
  end.lastIndex = first ? Math.max(0, first[0].length) : 0;
  for (let match = end.exec(text); match; match = end.exec(text)) {
    blocks.push(text.slice(start, end.lastIndex));
    start = end.lastIndex;
  }
  if (start < text.length) blocks.push(text.slice(start));
  return blocks;
}

const known = (column: string): string | null => (column === "_" ? null : column);

function wordOf(columns: string[], line: number, count: number): Word {
  const [id, form, lemma, upos, xpos, feats, head, deprel, deps, misc] = columns as [
    string, string, string, string, string, string, string, string, string, string,
  ];
  if (Number(id) !== count + 1) throw new ConlluError(`the word ${id} does not follow the word ${count}`);
  if (head !== "_" && !/^\d+$/.test(head)) throw new ConlluError(`${head} is no head`);
  return {
    line, form, lemma, upos, xpos, feats, deps, misc,
    id: count + 1,
    head: head === "_" ? null : Number(head),
    deprel: known(deprel),
  };
}

function readRow(sentence: Sentence, columns: string[], line: number): void {
  const id = columns[0] ?? "";
  const form = columns[1] ?? "_";
  if (columns.length !== 10) throw new ConlluError(`it has ${columns.length} columns in place of 10`);
  if (/^\d+$/.test(id)) {
    sentence.words.push(wordOf(columns, line, sentence.words.length));
  } else if (/^\d+-\d+$/.test(id)) {
    const [first, last] = id.split("-").map(Number) as [number, number];
    sentence.multiwords.push({ first, last, form });
  } else if (/^\d+\.\d+$/.test(id)) {
    const [after, index] = id.split(".").map(Number) as [number, number];
    sentence.emptyNodes.push({ after, index, form, upos: columns[3] ?? "_", deps: columns[8] ?? "_" });
  } else {
    throw new ConlluError(`${id} is no id of a word`);
  }
}

function comment(lines: string[], key: string): string | null {
  const start = `# ${key} =`;
  const line = lines.find((own) => own.startsWith(start));
  return line === undefined ? null : line.slice(start.length).trim();
}

const withoutMark = (line: string): string => line.replace(/^\uFEFF/, "").replace(/\r$/, "");

// A ConlluError names the line, counted from `firstLine` of the file.
export function parseBlock(block: string, firstLine = 1): Sentence {
  const lines = block.split("\n");
  const sentence: Sentence = { block, lines, words: [], multiwords: [], emptyNodes: [], id: "", text: "" };
  lines.forEach((line, place) => {
    const plain = withoutMark(line);
    if (BLANK.test(plain) || plain.startsWith("#")) return;
    try {
      readRow(sentence, plain.split("\t"), place);
    } catch (error) {
      throw new ConlluError(`line ${firstLine + place}: ${(error as Error).message}`);
    }
  });
  if (!sentence.words.length) throw new ConlluError(`line ${firstLine}: there is a sentence without words`);
  checkHeads(sentence, firstLine);
  const plain = lines.map(withoutMark);
  sentence.id = comment(plain, "sent_id") ?? "";
  sentence.text = comment(plain, "text") ?? sentence.words.map((word) => word.form).join(" ");
  return sentence;
}

function checkHeads(sentence: Sentence, firstLine: number): void {
  for (const { head, id, line } of sentence.words) {
    if (head !== null && (head > sentence.words.length || head === id)) {
      throw new ConlluError(`line ${firstLine + line}: the word ${id} cannot have the head ${head}`);
    }
  }
}

// Sentences, and the text around them: blocks of comments alone, and sentences that were passed by.
export interface Treebank {
  sentences: Sentence[];
  places: number[]; // of each sentence among all blocks
  between: string[]; // before each sentence, and after the last
}

const hasRows = (block: string): boolean =>
  block.split("\n").map(withoutMark).some((line) => line !== "" && !line.startsWith("#"));

// Reads blocks; `read` is told in which line and at which place each begins, and passes it by with null.
export function treebankOf(
  blocks: readonly string[],
  read: (block: string, line: number, place: number) => Sentence | null,
): Treebank {
  const found: Treebank = { sentences: [], places: [], between: [""] };
  let line = 1;
  blocks.forEach((block, place) => {
    const sentence = hasRows(block) ? read(block, line, place) : null;
    line += block.split("\n").length - 1;
    if (!sentence) {
      found.between.push(found.between.pop() + block);
      return;
    }
    found.sentences.push(sentence);
    found.places.push(place);
    found.between.push("");
  });
  return found;
}

export const readTreebank = (text: string): Treebank => treebankOf(splitBlocks(text), (block, line) => parseBlock(block, line));

export const miscItems = (misc: string): string[] => (misc === "_" ? [] : misc.split("|"));

export function miscValue(misc: string, key: string): string | null {
  const item = miscItems(misc).find((own) => own.startsWith(`${key}=`));
  return item === undefined ? null : item.slice(key.length + 1);
}

const column = (value: unknown): string => (typeof value === "string" && value !== "" ? value : "_");
const COLUMNS = ["form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"];

function rowOf(id: string, data: Record<string, unknown>): string {
  const values = COLUMNS.map((key) => (typeof data[key] === "number" ? String(data[key]) : column(data[key])));
  return [id, ...values].join("\t");
}

// What the parser made of raw text, as CoNLL-U; its probabilities go into MISC.
export function conlluOf(sentence: ParsedData): string {
  const rows: string[] = [...(sentence.comments ?? [])];
  const empty = (after: number): string[] =>
    (sentence.empty_nodes ?? [])
      .filter((node) => node.after === after)
      .map((node) => rowOf(`${after}.${node.index}`, node));
  rows.push(...empty(0));
  for (const word of sentence.words) {
    const token = sentence.multiwords?.find((own) => own.first === word.id);
    if (token) rows.push(rowOf(`${token.first}-${token.last}`, token));
    const misc = miscItems(word.misc ?? "_").filter((item) => !/^(Head|Label)Probability=/.test(item));
    if (word.probability !== undefined) misc.push(`HeadProbability=${word.probability.toFixed(4)}`);
    if (word.label_probability !== undefined) misc.push(`LabelProbability=${word.label_probability.toFixed(4)}`);
    rows.push(rowOf(String(word.id), { ...word, misc: misc.join("|") }), ...empty(word.id));
  }
  return `${rows.join("\n")}\n\n`;
}
