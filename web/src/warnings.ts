// What is wrong with the tree of the sentence and with the rules, each with its reason.

import { h } from "./dom.ts";
import type { Session } from "./session.ts";
import { problems } from "./tree.ts";

function warningsOf(session: Session): HTMLElement[] {
  const { item } = session;
  if (!item) return [];
  const form = (word: number): string => item.annotation.sentence.words[word - 1]?.form ?? "root";
  const texts = [
    session.trouble,
    session.wrongRules && `The rules are not used: ${session.wrongRules}`,
    ...problems(item.annotation),
  ].filter((text) => text);
  const broken = (item.judgement?.broken_rules ?? []).map(({ rule, word }) =>
    h("li", {}, h("button", { type: "button", click: () => session.select(word || 1) }, h("b", {}, form(word)), ` breaks ${rule}`)));
  return [...texts.map((text) => h("li", {}, text)), ...broken];
}

// How many there are.
export function drawWarnings(list: HTMLElement, session: Session): number {
  const all = warningsOf(session);
  const quiet = h("li", { class: "none" }, session.rules ? "No rule is broken." : "No rules are open (key w).");
  list.replaceChildren(...(all.length ? all : [quiet]));
  list.classList.toggle("some", all.length > 0);
  return all.length;
}
