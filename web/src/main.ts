// The page: its parts, and how they hear of each other.

import * as api from "./api.ts";
import { Actions } from "./actions.ts";
import { CompareView } from "./compareview.ts";
import { Dock } from "./dock.ts";
import { announce, byId, counted } from "./dom.ts";
import { Doubts } from "./doubts.ts";
import { Files } from "./files.ts";
import { Gestures } from "./gestures.ts";
import { Header } from "./header.ts";
import { help } from "./help.ts";
import { Keys } from "./keys.ts";
import { LabelMenu } from "./labelmenu.ts";
import { List } from "./list.ts";
import { Saving } from "./saving.ts";
import { Session } from "./session.ts";
import { TreeView } from "./treeview.ts";

const session = new Session();
const view = new TreeView(session);
const actions = new Actions(session);
const menu = new LabelMenu(session, actions, () => view.element.focus({ preventScroll: true }));
const list = new List(session);
const dock = new Dock(session, view, actions, openLabels);
const compare = new CompareView(session, (only) => {
  list.only = only;
  list.sort();
});
const saving = new Saving(session);
const files = new Files(session, compare, saving);
new Gestures(session, view, actions, menu);
new Doubts(session, (judging) => {
  list.busy = judging;
  list.sortSoon();
});
actions.order = () => list.order;

function openLabels(): void {
  const box = view.element.querySelector(".arc.selected .label, .word.selected")?.getBoundingClientRect();
  if (box) menu.open(session.word, box.left, box.bottom - 8);
}

const keys = new Keys(session, view, actions, {
  label: openLabels,
  help: () => void help(keys.all),
  open: () => files.open(),
  paste: () => void files.paste(),
  rules: () => void files.rules(),
  compare: () => files.openOther(),
  export: () => files.export(),
  list: () => list.focus(),
  trees: () => void dock.focusTrees(),
});
const header = new Header(session, keys);

// What the last edit did beyond itself is told when the parser has answered.
let edited: readonly unknown[] | null = null;
let told: string | null = null; // before a busy server had to be waited for
session.on(["edited"], (place) => {
  view.preview = null;
  told = null;
  edited = place === session.current ? (session.item?.annotation.arcs ?? null) : null;
});
session.on(["busy"], (place) => {
  if (place !== session.current) return;
  told ??= byId("live").textContent ?? "";
  announce(`${told} The server is busy; it is asked again in ${counted(session.busy, "second")}.`.trim());
});
session.on(["predicted"], (place) => {
  const now = session.items[place]?.annotation.arcs;
  if (!now || place !== session.current) return;
  if (told !== null) announce(told);
  told = null;
  if (!edited) return;
  const before = edited as typeof now;
  const others = now.filter((own, word) => before[word]?.head !== own.head && before[word]?.head !== null).length;
  edited = null;
  const said = byId("live").textContent ?? "";
  if (session.trouble) announce(`${said} ${session.trouble}`);
  else if (others) announce(`${said} ${others === 1 ? "One other arc" : `${others} other arcs`} changed.`);
});
session.on(["opened", "moved"], () => {
  told = null;
  view.candidate = null;
  view.preview = null;
});

// For programs that watch the page, and for the pointer: whether the parser is still asked.
session.on(["opened", "moved", "edited", "predicted", "model"], () => {
  view.element.ariaBusy = session.settled ? "false" : "true";
});

const TYPING = "input, textarea, select, dialog";

document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.defaultPrevented || target.closest(TYPING) || document.querySelector("dialog[open]")) return;
  if (target.closest("button") && (event.key === "Enter" || event.key === " ")) return;
  if (session.compare ? keys.pressBeside(event) : keys.press(event)) event.preventDefault();
});

addEventListener("beforeunload", (event) => {
  if (byId("saved").classList.contains("bad")) event.preventDefault();
});

async function start(): Promise<void> {
  try {
    session.models = await api.models();
    const names = session.parsers.map((own) => own.name);
    session.model = names.find((own) => own === session.models?.default) ?? names[0] ?? "";
  } catch (error) {
    announce((error as Error).message);
  }
  header.draw();
  await files.start();
  document.documentElement.dataset["ready"] = "yes";
}

void start();
