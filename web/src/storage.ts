// Work is kept in this browser between reloads: the file that is open, and what was edited.

import { parseBlock } from "./conllu.ts";
import type { Item, Session } from "./session.ts";
import { annotationOf, type Arc } from "./tree.ts";

const LAST = "last";

export interface KeptFile {
  name: string;
  text: string; // nothing if it is the server's
  served: boolean;
}

export interface KeptEdit {
  place: number;
  block: string; // what was edited
  arcs: readonly Arc[];
  version: string | null;
}

type Store = "file" | "edits" | "settings";

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("arbora", 1);
    request.onupgradeneeded = () => {
      for (const name of ["file", "edits", "settings"]) request.result.createObjectStore(name);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no storage"));
  });
}

async function within<Result>(
  stores: Store[],
  mode: IDBTransactionMode,
  work: (store: (name: Store) => IDBObjectStore) => IDBRequest<Result> | void,
): Promise<Result | undefined> {
  const db = await database();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction(stores, mode);
      const request = work((name) => transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request ? request.result : undefined);
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("no storage"));
    });
  } finally {
    db.close();
  }
}

// A new file takes the place of the old one and of its edits.
export const keepFile = (file: KeptFile): Promise<unknown> =>
  within(["file", "edits"], "readwrite", (store) => {
    store("edits").clear();
    store("file").put(file, LAST);
  });

export const keptFile = async (): Promise<KeptFile | undefined> =>
  (await within<KeptFile>(["file"], "readonly", (store) => store("file").get(LAST))) ?? undefined;

export const keptEdits = async (): Promise<KeptEdit[]> =>
  (await within<KeptEdit[]>(["edits"], "readonly", (store) => store("edits").getAll())) ?? [];

export const forgetEdit = (place: number): Promise<unknown> =>
  within(["edits"], "readwrite", (store) => void store("edits").delete(place));

export const keepSetting = (name: string, value: string): Promise<unknown> =>
  within(["settings"], "readwrite", (store) => void store("settings").put(value, name));

export const keptSetting = async (name: string): Promise<string> =>
  (await within<string>(["settings"], "readonly", (store) => store("settings").get(name))) ?? "";

export async function keepEdit(place: number, item: Item): Promise<void> {
  const { annotation } = item;
  if (!annotation.touched) return void (await forgetEdit(place));
  const edit: KeptEdit = { place, block: annotation.sentence.block, arcs: annotation.arcs, version: item.version };
  await within(["edits"], "readwrite", (store) => void store("edits").put(edit, place));
}

// The edits that were made of just these sentences; the others are given back.
export function restore(session: Session, edits: KeptEdit[]): KeptEdit[] {
  return edits.filter(({ place, block, arcs }) => {
    const item = session.items[place];
    if (!item) return false;
    if (item.annotation.sentence.block !== block) return true;
    item.annotation = { ...annotationOf(parseBlock(block)), arcs, touched: true };
    session.tell("edited", place);
    return false;
  });
}
