// Work is kept in this browser between reloads: files that were opened, and for each what was edited in it.

import { parseBlock } from "./conllu.ts";
import type { Item, Session } from "./session.ts";
import { annotationOf, type Annotation, type Arc } from "./tree.ts";

const LONG = 30 * 24 * 3600 * 1000; // milliseconds for which a file is kept that was not edited
const WHEN = "opened"; // when that was, in milliseconds
const HERE = "file"; // where the tab has the key of its file
const LAST = "last"; // where the browser has that of the file that was opened last, for new tabs

export interface KeptFile {
  name: string;
  text: string;
}

export interface KeptEdit {
  place: number; // in the file
  block: string; // what was edited
  arcs: readonly Arc[];
  version: string | null;
}

type Store = "files" | "edits" | "settings";

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("arbora", 2);
    request.onupgradeneeded = () => {
      const { result } = request;
      for (const name of [...result.objectStoreNames]) if (name !== "settings") result.deleteObjectStore(name);
      for (const name of ["files", "edits", "settings"]) {
        if (!result.objectStoreNames.contains(name)) result.createObjectStore(name);
      }
      request.transaction?.objectStore("files").createIndex(WHEN, WHEN);
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

// A hash of 53 bits (cyrb53); those of the browser are for pages of secure origins alone.
function digest(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

// Where the work on a file is: another file has another place, be its name the same.
export const keyOf = ({ name, text }: KeptFile): string => `${name} ${text.length} ${digest(text)}`;

// That on the server's file, whose text changes as it is saved.
export const servedKey = (name: string): string => `${name} served`;

// The file is this tab's from now on. Files that were not edited are forgotten in the end.
export async function keepFile(key: string, file: KeptFile): Promise<void> {
  try {
    sessionStorage.setItem(HERE, key);
  } catch {
    // then a reload shows the file that was opened last
  }
  await within(["files", "edits", "settings"], "readwrite", (store) => {
    const [files, edits] = [store("files"), store("edits")];
    files.put({ ...file, [WHEN]: Date.now() }, key);
    store("settings").put(key, LAST);
    const old = files.index(WHEN).getAllKeys(IDBKeyRange.upperBound(Date.now() - LONG));
    old.onsuccess = () => {
      for (const own of old.result as string[]) {
        const count = edits.count(allOf(own));
        count.onsuccess = () => count.result || files.delete(own);
      }
    };
  });
}

export async function keptFile(): Promise<KeptFile | undefined> {
  let key: string | null = null;
  try {
    key = sessionStorage.getItem(HERE);
  } catch {
    // no matter: see above
  }
  key ??= await keptSetting(LAST);
  return within<KeptFile>(["files"], "readonly", (store) => store("files").get(key));
}

const allOf = (file: string): IDBKeyRange => IDBKeyRange.bound([file, 0], [file, Infinity]);

export const keptEdits = async (file: string): Promise<KeptEdit[]> =>
  (await within<KeptEdit[]>(["edits"], "readonly", (store) => store("edits").getAll(allOf(file)))) ?? [];

export const forgetEdits = (file: string): Promise<unknown> =>
  within(["edits"], "readwrite", (store) => void store("edits").delete(allOf(file)));

export const forgetEdit = (file: string, { filePlace }: Item): Promise<unknown> =>
  within(["edits"], "readwrite", (store) => void store("edits").delete([file, filePlace]));

export const keepSetting = (name: string, value: string): Promise<unknown> =>
  within(["settings"], "readwrite", (store) => void store("settings").put(value, name));

export const keptSetting = async (name: string): Promise<string> =>
  (await within<string>(["settings"], "readonly", (store) => store("settings").get(name))) ?? "";

export async function keepEdit(file: string, { annotation, filePlace, version }: Item): Promise<void> {
  const edit: KeptEdit = { place: filePlace, block: annotation.sentence.block, arcs: annotation.arcs, version };
  await within(["edits"], "readwrite", (store) => void store("edits").put(edit, [file, filePlace]));
}

export interface Restored {
  places: number[]; // of sentences that are as they were edited
  strangers: [place: number, edit: KeptEdit][]; // edits of what is another sentence by now
}

// What was edited comes back; what the file has instead, by undo.
export function restore(session: Session, edits: KeptEdit[]): Restored {
  const found: Restored = { places: [], strangers: [] };
  for (const edit of edits) {
    const place = session.items.findIndex((own) => own.filePlace === edit.place);
    const item = session.items[place];
    if (!item) continue;
    if (item.annotation.sentence.block !== edit.block) {
      found.strangers.push([place, edit]);
      continue;
    }
    const before = item.annotation;
    item.annotation = editedBefore(edit);
    session.history.push({ place, what: "what was edited before", before, after: item.annotation });
    session.tell("edited", place);
    found.places.push(place);
  }
  return found;
}

export const editedBefore = ({ block, arcs }: KeptEdit): Annotation =>
  ({ ...annotationOf(parseBlock(block)), arcs, touched: true });
