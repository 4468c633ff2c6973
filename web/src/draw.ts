// The tree as SVG. Thickness and colour say how sure an arc is; who made it is said by shape, too: the label of a
// decided arc stands upright in a box, that of a guess leans, and what is doubtful has dashes and its percentage.

import { percent, s } from "./dom.ts";
import { measure, SHOWN, SIZES, type Column, type Layout, type PlacedArc } from "./layout.ts";
import { arc, guessSureness, isDecided, type Annotation, type Arc } from "./tree.ts";
import type { Choices } from "./api_types.ts";

export interface Marks {
  selected: number;
  candidate: number | null; // the head that keys are choosing
  hovered: number | null;
  warned: ReadonlySet<number>;
  fresh: ReadonlySet<number>; // words whose arcs just changed
  differing: ReadonlySet<number>;
  choices: Choices | null; // of the hovered or else the selected word
}

export const NO_MARKS: Marks = {
  selected: 0, candidate: null, hovered: null, warned: new Set(), fresh: new Set(), differing: new Set(), choices: null,
};

export function sureClass(p: number | null): string {
  if (p === null) return "unknown";
  return p >= 0.9 ? "sure" : p >= 0.6 ? "fair" : "doubt";
}

const arcBase = (layout: Layout): number => layout.baseline - 23;
const height = (layout: Layout, level: number): number => arcBase(layout) - 6 - level * SIZES.level;

function path(layout: Layout, own: PlacedArc): string {
  const base = arcBase(layout);
  const y = height(layout, own.level);
  if (own.head === 0) return `M${own.to},${y + 8}V${base - 5}`;
  const way = Math.sign(own.to - own.from);
  const r = Math.min(9, Math.abs(own.to - own.from) / 2);
  const down = way > 0 ? 1 : 0;
  return (
    `M${own.from},${base}V${y + r}A${r},${r} 0 0 ${down} ${own.from + way * r},${y}` +
    `H${own.to - way * r}A${r},${r} 0 0 ${down} ${own.to},${y + r}V${base - 5}`
  );
}

function standingOf(own: Arc): string {
  if (isDecided(own)) return "decided";
  return own.standing === "decided" ? "decided label-guessed" : own.standing;
}

function label(layout: Layout, placed: PlacedArc, own: Arc, p: number | null): SVGElement {
  const x = (placed.from + placed.to) / 2;
  const y = height(layout, placed.level);
  const doubt = p !== null && p < SHOWN ? ` ${percent(p)}` : "";
  const name = s("tspan", { class: "name" }, placed.label);
  const text = s("text", { x, y: y + 4, "text-anchor": "middle" }, name, doubt && s("tspan", { class: "percent" }, doubt));
  const width = measure(placed.label, SIZES.label, true) + 14;
  const box = isDecided(own) && s("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 5 });
  return s("g", { class: "label" }, box, text);
}

function drawArc(layout: Layout, placed: PlacedArc, annotation: Annotation, marks: Marks): SVGElement {
  const own = arc(annotation, placed.word);
  const p = guessSureness(own);
  const line = path(layout, placed);
  const base = arcBase(layout);
  const thickness = isDecided(own) ? 2 : 1.1 + 1.5 * (own.standing === "decided" ? 1 : p ?? 0.4);
  const classes = ["arc", standingOf(own), isDecided(own) ? "" : sureClass(own.standing === "decided" ? 1 : p)];
  if (placed.word === marks.selected) classes.push("selected");
  if (placed.word === marks.hovered) classes.push("hovered");
  if (marks.fresh.has(placed.word)) classes.push("fresh");
  if (marks.differing.has(placed.word)) classes.push("differing");
  return s(
    "g",
    { class: classes.filter(Boolean).join(" "), "data-word": placed.word, "data-head": placed.head },
    s("path", { class: "hit", d: line }),
    s("path", { class: "line", d: line, "stroke-width": thickness.toFixed(2) }),
    s("path", { class: "tip", d: `M${placed.to - 4},${base - 7}h8l-4,8z` }),
    label(layout, placed, own, p),
  );
}

function drawWord(layout: Layout, column: Column, annotation: Annotation, marks: Marks): SVGElement {
  const { x, width, word } = column;
  const own = word ? arc(annotation, word) : null;
  const classes = ["word"];
  if (word === 0) classes.push("root");
  if (word === null) classes.push("empty");
  if (word !== null && word === marks.selected) classes.push("selected");
  if (word !== null && word === marks.candidate) classes.push("candidate");
  if (word && marks.warned.has(word)) classes.push("warned");
  if (own?.head === null) classes.push("unset");
  if (own && isDecided(own)) classes.push("decided");
  if (own?.forbidden.length) classes.push("has-forbidden");
  const y = layout.baseline;
  const form = s("text", { class: "form", x, y: word === 0 ? y + 10 : y, "text-anchor": "middle" }, column.form);
  if (layout.rightToLeft) form.setAttribute("direction", "rtl");
  const id = word !== null && word > 0 ? String(word) : column.id;
  return s(
    "g",
    { class: classes.join(" "), "data-word": word },
    s("rect", { class: "box", x: x - width / 2 - 7, y: y - 20, width: width + 14, height: 52, rx: 7 }),
    form,
    column.tag && s("text", { class: "tag", x, y: y + 15, "text-anchor": "middle" }, column.tag),
    word !== 0 && s("text", { class: "id", x, y: y + 28, "text-anchor": "middle" }, id),
    word ? marks.warned.has(word) && s("text", { class: "sign", x: x + width / 2 + 4, y: y - 9 }, "!") : null,
    own?.forbidden.length ? s("text", { class: "sign", x: x - width / 2 - 5, y: y - 9, "text-anchor": "end" }, "⊘") : null,
  );
}

function drawMultiwords(layout: Layout): SVGElement[] {
  const y = layout.baseline + 40;
  return layout.multiwords.map(({ from, to, form }) =>
    s(
      "g",
      { class: "multiword" },
      s("path", { d: `M${from},${y - 4}v4H${to}v-4` }),
      s("text", { x: (from + to) / 2, y: y + 15, "text-anchor": "middle" }, form),
    ),
  );
}

function drawEnhanced(layout: Layout): SVGElement[] {
  const base = layout.baseline + 36 + (layout.multiwords.length ? 26 : 0);
  return layout.enhanced.map((own) => {
    const y = base + 6 + own.level * 22;
    const way = Math.sign(own.to - own.from);
    const r = Math.min(8, Math.abs(own.to - own.from) / 2);
    const side = way > 0 ? 0 : 1;
    const d =
      `M${own.from},${base}V${y - r}A${r},${r} 0 0 ${side} ${own.from + way * r},${y}` +
      `H${own.to - way * r}A${r},${r} 0 0 ${side} ${own.to},${y - r}V${base + 5}`;
    return s(
      "g",
      { class: "enhanced" },
      s("path", { class: "line", d }),
      s("path", { class: "tip", d: `M${own.to - 3.5},${base + 6}h7l-3.5,-7z` }),
      s("text", { x: (own.from + own.to) / 2, y: y + 4, "text-anchor": "middle" }, own.label),
    );
  });
}

// The other heads that the word may have: thin arcs, with how probable they are.
function drawChoices(layout: Layout, annotation: Annotation, marks: Marks): SVGElement[] {
  const word = marks.hovered ?? marks.selected;
  const to = layout.columns.find((column) => column.word === word);
  if (!marks.choices || !word || !to) return [];
  const now = arc(annotation, word).head;
  return marks.choices.heads
    .filter(([head, p]) => head !== now && p >= 0.02)
    .slice(0, 5)
    .flatMap(([head, p]) => {
      const from = layout.columns.find((column) => column.word === head);
      if (!from) return [];
      const base = arcBase(layout);
      const top = Math.max(14, base - 34 - Math.min(150, Math.abs(from.x - to.x) * 0.28));
      const d = `M${from.x},${base}C${from.x},${top} ${to.x},${top} ${to.x},${base - 2}`;
      const middle = { x: (from.x + to.x) / 2, y: base / 4 + (top * 3) / 4 + 4, "text-anchor": "middle" };
      const text = s("text", middle, percent(p));
      return [s("g", { class: "choice" }, s("path", { d, "stroke-width": (1 + p * 2).toFixed(2) }), text)];
    });
}

export function drawTree(annotation: Annotation, layout: Layout, marks: Marks): SVGSVGElement {
  const { width, height } = layout;
  const order = (own: PlacedArc): number => (own.word === marks.selected || own.word === marks.hovered ? 1 : 0);
  const arcs = [...layout.arcs].sort((a, b) => order(a) - order(b));
  return s(
    "svg",
    { class: "tree", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    s("g", { class: "choices" }, ...drawChoices(layout, annotation, marks)),
    s("g", { class: "arcs" }, ...arcs.map((own) => drawArc(layout, own, annotation, marks))),
    s("g", { class: "below" }, ...drawMultiwords(layout), ...drawEnhanced(layout)),
    s("g", { class: "words" }, ...layout.columns.map((column) => drawWord(layout, column, annotation, marks))),
    s("path", { class: "drag" }),
  );
}
