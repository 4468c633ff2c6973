// The help over the page: gestures, the looks of arcs, and every key.

import { dialog } from "./dialogs.ts";
import { h, s } from "./dom.ts";
import type { Key } from "./keys.ts";

const GESTURES: [string, string][] = [
  ["Drag from a word to another", "the first is the head of the second; ROOT is a word, too"],
  ["Click a word or an arc", "selects it"],
  ["Click a label", "opens the labels: type to find one"],
  ["Double-click a word", "accepts its arc"],
  ["Point at a word or an arc", "shows its alternatives with their probabilities"],
];

const LOOKS: [string, string][] = [
  ["decided", "A person decided it: a dark line, the label in a box. It binds the parser."],
  ["given", "As in the file: an upright label. It binds the parser until you free it (r)."],
  ["guessed sure", "The parser's guess, sure: a thick line, a label that leans."],
  ["guessed fair", "Less sure: thinner, with its percentage."],
  ["guessed doubt", "Doubtful: thin, with dashes. Look here first."],
];

export function sample(looks: string): SVGElement {
  const width = looks.includes("sure") || looks === "decided" ? 2.4 : looks.includes("doubt") ? 1.3 : 1.8;
  return s("svg", { width: 44, height: 18, viewBox: "0 0 44 18", class: "sample", "aria-hidden": "true" },
    s("g", { class: `arc ${looks}${looks === "given" ? " sure" : ""}` },
      s("path", { class: "line", d: "M6,17V11A7,7 0 0 1 13,4H31A7,7 0 0 1 38,11V14", "stroke-width": width }),
      s("path", { class: "tip", d: "M34,12h8l-4,6z" })));
}

export function legend(): HTMLElement[] {
  const names = ["decided", "as in the file", "guess, sure", "less sure", "doubtful"];
  return LOOKS.map(([looks], place) => h("span", { class: looks.split(" ")[0] ?? "" }, sample(looks), names[place] ?? ""));
}

export async function help(keys: readonly Key[]): Promise<void> {
  const groups = [...new Set(keys.map((key) => key.group))];
  const list = (rows: (HTMLElement | string)[][]): HTMLElement =>
    h("dl", {}, ...rows.map(([term, what]) => h("div", {}, h("dt", {}, term ?? ""), h("dd", {}, what ?? ""))));
  const ofGroup = (group: string): HTMLElement =>
    h("section", {}, h("h3", {}, group),
      list(keys.filter((key) => key.group === group).map((key) => [h("kbd", {}, key.shown), key.what])));
  const looks = LOOKS.map(([own, what]) =>
    h("div", {}, h("dt", {}, sample(own) as unknown as HTMLElement), h("dd", {}, what)));
  await dialog("Keys and gestures", [{ name: "Close", value: "", main: true }],
    h("div", { class: "help", tabindex: "0", role: "region", "aria-label": "Keys and gestures" },
      h("div", {},
        ...groups.map(ofGroup),
        h("section", {}, h("h3", {}, "Mouse"), list(GESTURES.map(([term, what]) => [term, what]))),
        h("section", {}, h("h3", {}, "Arcs"), h("dl", {}, ...looks)))));
}
