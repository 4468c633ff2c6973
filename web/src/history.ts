// Undo and redo, without end.

import type { Annotation } from "./tree.ts";

export interface Edit {
  readonly place: number; // of the sentence
  readonly what: string; // in words, for the list of what was undone
  readonly before: Annotation;
  readonly after: Annotation;
}

export class History {
  private readonly done: Edit[] = [];
  private undone: Edit[] = [];

  push(edit: Edit): void {
    this.done.push(edit);
    this.undone = [];
  }

  // The parser answered: what came of the last edit has its guesses now.
  amend(from: Annotation, to: Annotation): void {
    const last = this.done.at(-1);
    if (last?.after === from) this.done[this.done.length - 1] = { ...last, after: to };
  }

  undo(): Edit | null {
    const edit = this.done.pop();
    if (!edit) return null;
    this.undone.push(edit);
    return edit;
  }

  redo(): Edit | null {
    const edit = this.undone.pop();
    if (!edit) return null;
    this.done.push(edit);
    return edit;
  }

  clear(): void {
    this.done.length = 0;
    this.undone = [];
  }

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }
}
