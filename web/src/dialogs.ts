// Windows over the page: each is a <dialog>, which keeps the focus and gives it back.

import { h } from "./dom.ts";

export interface Button {
  name: string;
  value: string;
  main?: boolean;
}

// Gives the value of the button, or nothing if the window was closed.
export function dialog(title: string, buttons: Button[], ...content: (Node | string)[]): Promise<string> {
  const back = document.activeElement as HTMLElement | null;
  const make = ({ name, value, main }: Button): HTMLElement =>
    h("button", { type: "button", class: main ? "main" : "", "data-action": value, click: () => box.close(value) }, name);
  const box = h("dialog", { "aria-labelledby": "dialog-title" },
    h("h2", { id: "dialog-title" }, title), ...content, h("footer", {}, ...buttons.map(make)));
  document.body.append(box);
  box.addEventListener("keydown", (event) => event.stopPropagation());
  box.showModal();
  return new Promise((resolve) => {
    box.addEventListener("close", () => {
      box.remove();
      back?.focus();
      resolve(box.returnValue);
    });
  });
}

const CANCEL = { name: "Cancel", value: "" };

// A text of several lines, or null; `wrong` is what is to be mended in it.
export async function askText(title: string, hint: string, text: string, action: string, wrong = ""): Promise<string | null> {
  const area = h("textarea", { id: "dialog-text", rows: 12, spellcheck: "false", dir: "auto" });
  area.value = text;
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.closest("dialog")?.close("yes");
  });
  const label = h("label", { for: "dialog-text" }, hint);
  queueMicrotask(() => area.focus());
  const answer = await dialog(title, [CANCEL, { name: action, value: "yes", main: true }], label, area,
    wrong ? h("p", { class: "wrong", role: "alert" }, wrong) : "");
  return answer === "yes" ? area.value : null;
}

export const say = async (title: string, text: string): Promise<void> =>
  void (await dialog(title, [{ name: "Close", value: "", main: true }], h("p", {}, text)));

export const confirm = async (title: string, text: string, action: string): Promise<boolean> =>
  (await dialog(title, [CANCEL, { name: action, value: "yes", main: true }], h("p", {}, text))) === "yes";
