// Where everything of a tree is drawn: words in a row, arcs above them on levels, enhanced arcs below.

import type { Sentence } from "./conllu.ts";
import { arc, guessSureness, type Annotation } from "./tree.ts";

export const SIZES = { form: 17, tag: 11, label: 12.5, level: 27, gap: 17, port: 7, top: 26, margin: 24 };

export const SHOWN = 0.95; // arcs that are less sure say how sure they are

export interface Column {
  id: string; // "3", or "3.1" of an empty node; "0" is the root
  word: number | null;
  x: number; // its middle
  width: number;
  form: string;
  tag: string;
}

export interface PlacedArc {
  head: number;
  word: number;
  from: number; // x at the head
  to: number; // x at the dependent
  level: number;
  label: string;
}

export interface EnhancedArc {
  from: number;
  to: number;
  level: number;
  label: string;
}

export interface Layout {
  columns: Column[];
  arcs: PlacedArc[];
  enhanced: EnhancedArc[];
  multiwords: { from: number; to: number; form: string }[];
  width: number;
  height: number;
  baseline: number; // of the words
  rightToLeft: boolean;
}

export type Measure = (text: string, size: number, bold?: boolean) => number;

const canvas = document.createElement("canvas").getContext("2d");

// Widths of text in the page's own font.
export const measure: Measure = (text, size, bold = false) => {
  if (!canvas) return text.length * size * 0.6;
  canvas.font = `${bold ? "600 " : ""}${size}px ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text).width;
};

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

export function isRightToLeft(sentence: Sentence): boolean {
  const forms = sentence.words.filter((word) => /\p{L}/u.test(word.form));
  return forms.filter((word) => RIGHT_TO_LEFT.test(word.form)).length * 2 > forms.length;
}

interface Span {
  left: number; // places of columns
  right: number;
  level: number;
}

// Arcs on levels: an arc lies above all that are shorter and share ground with it.
function setLevels(spans: Span[]): number {
  let highest = 0;
  const placed: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.right - a.left - (b.right - b.left))) {
    const below = placed.filter((own) => own.left < span.right && own.right > span.left);
    span.level = 1 + Math.max(0, ...below.map((own) => own.level));
    highest = Math.max(highest, span.level);
    placed.push(span);
  }
  return highest;
}

function columnsOf(sentence: Sentence, text: Measure): Column[] {
  const column = (id: string, word: number | null, form: string, tag: string): Column => {
    const width = Math.max(text(form, SIZES.form), text(tag, SIZES.tag), 14);
    return { id, word, form, tag, x: 0, width };
  };
  const empty = (after: number): Column[] =>
    sentence.emptyNodes
      .filter((node) => node.after === after)
      .map((node) => column(`${after}.${node.index}`, null, node.form, node.upos));
  const words = sentence.words.flatMap((word) => [
    column(String(word.id), word.id, word.form, word.upos === "_" ? "" : word.upos),
    ...empty(word.id),
  ]);
  return [column("0", 0, "ROOT", ""), ...empty(0), ...words];
}

interface Link extends Span {
  head: string;
  id: string;
  label: string;
  room: number; // the least width of its line
}

function linksOf(annotation: Annotation, place: Map<string, number>, text: Measure): Link[] {
  return annotation.arcs.flatMap((own, index) => {
    if (own.head === null || own.head === 0) return [];
    const [a, b] = [place.get(String(own.head)) as number, place.get(String(index + 1)) as number];
    const label = own.deprel ?? "?";
    const p = guessSureness(own);
    const room = text(label, SIZES.label, true) + (p !== null && p < SHOWN ? 58 : 28);
    const [left, right] = [Math.min(a, b), Math.max(a, b)];
    return [{ head: String(own.head), id: String(index + 1), label, room, left, right, level: 0 }];
  });
}

// Arcs of the enhanced graph that the tree does not have.
function enhancedLinks(annotation: Annotation, place: Map<string, number>, text: Measure): Link[] {
  const { words, emptyNodes } = annotation.sentence;
  const rows = [
    ...words.map((word) => ({ id: String(word.id), deps: word.deps, basic: `${word.head}:${word.deprel}` })),
    ...emptyNodes.map((node) => ({ id: `${node.after}.${node.index}`, deps: node.deps, basic: "" })),
  ];
  return rows.flatMap(({ id, deps, basic }) =>
    (deps === "_" ? [] : deps.split("|")).flatMap((item) => {
      const [head, ...label] = item.split(":") as [string, ...string[]];
      const a = place.get(head);
      const b = place.get(id) as number;
      if (item === basic || a === undefined || a === b) return [];
      const name = label.join(":");
      const room = text(name, SIZES.label - 1.5) + 26;
      return [{ head, id, label: name, room, left: Math.min(a, b), right: Math.max(a, b), level: 0 }];
    }),
  );
}

function placeColumns(columns: Column[], links: Link[]): number {
  let right = SIZES.margin;
  columns.forEach((column, place) => {
    const ending = links.filter((link) => link.right === place);
    const needed = ending.map((link) => (columns[link.left] as Column).x + link.room);
    const next = right + column.width / 2 + (place ? SIZES.gap : 0);
    column.x = Math.max(next, ...needed);
    right = column.x + column.width / 2;
  });
  return right + SIZES.margin;
}

// Arcs begin side by side on a word: the longer they are, the nearer to its middle, where the root's arc comes down.
function ports(links: Link[], columns: Column[], roots: Set<number> = new Set()): Map<string, number> {
  const found = new Map<string, number>();
  columns.forEach((column, place) => {
    const right = links.filter((link) => link.left === place).sort((a, b) => b.right - a.right || a.level - b.level);
    const left = links.filter((link) => link.right === place).sort((a, b) => a.left - b.left || a.level - b.level);
    const root = roots.has(place) ? 1 : 0;
    const total = left.length + root + right.length;
    const step = Math.min(SIZES.port, (column.width + 8) / Math.max(1, total));
    const start = column.x - (step * (total - 1)) / 2;
    found.set(`root@${place}`, start + left.length * step);
    [...left.reverse(), ...right].forEach((link, index) => {
      const slot = index < left.length ? index : index + root;
      found.set(`${link.head}>${link.id}@${place}`, start + slot * step);
    });
  });
  return found;
}

function mirror(layout: Layout): Layout {
  const flip = (x: number): number => layout.width - x;
  for (const column of layout.columns) column.x = flip(column.x);
  for (const own of [...layout.arcs, ...layout.enhanced, ...layout.multiwords]) {
    own.from = flip(own.from);
    own.to = flip(own.to);
  }
  return layout;
}

export function layoutOf(annotation: Annotation, text: Measure, withEnhanced: boolean): Layout {
  const columns = columnsOf(annotation.sentence, text);
  const place = new Map(columns.map((column, index) => [column.id, index]));
  const links = linksOf(annotation, place, text);
  const enhanced = withEnhanced ? enhancedLinks(annotation, place, text) : [];
  const width = placeColumns(columns, [...links, ...enhanced]);
  const levels = setLevels(links);
  const depth = setLevels(enhanced);
  const roots = annotation.arcs.flatMap((own, index) => (own.head === 0 ? [index + 1] : []));
  const at = ports(links, columns, new Set(roots.map((id) => place.get(String(id)) as number)));
  const under = ports(enhanced, columns);
  const port = (map: Map<string, number>, link: Link, id: string): number =>
    map.get(`${link.head}>${link.id}@${place.get(id)}`) as number;
  const end = (map: Map<string, number>, link: Link) => ({
    from: port(map, link, link.head), to: port(map, link, link.id), level: link.level, label: link.label,
  });
  const { multiwords } = annotation.sentence;
  const baseline = SIZES.top + (levels + 1) * SIZES.level + 22;
  const bottom = baseline + 42 + (multiwords.length ? 26 : 0);
  const edge = (id: number, side: number): number => {
    const column = columns[place.get(String(id)) ?? 0] as Column;
    return column.x + (side * column.width) / 2;
  };
  const layout: Layout = {
    columns, width, baseline,
    arcs: [
      ...links.map((link) => ({ head: Number(link.head), word: Number(link.id), ...end(at, link) })),
      ...roots.map((id) => {
        const x = at.get(`root@${place.get(String(id))}`) as number;
        return { head: 0, word: id, from: x, to: x, level: levels + 1, label: arc(annotation, id).deprel ?? "?" };
      }),
    ],
    enhanced: enhanced.map((link) => end(under, link)),
    multiwords: multiwords.map((token) => ({ from: edge(token.first, -1), to: edge(token.last, 1), form: token.form })),
    height: bottom + (depth ? depth * 22 + 26 : 8),
    rightToLeft: isRightToLeft(annotation.sentence),
  };
  return layout.rightToLeft ? mirror(layout) : layout;
}
