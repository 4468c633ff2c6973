// Requests to the server that this page came from; no other is ever asked.

import type { Judgement, Models, ParsedData, ParseRequest, ServedSentence, ServedTreebank } from "./api_types.ts";

export class ServerError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly body: Record<string, unknown>,
    readonly retryAfter: number | null = null, // seconds, if the server is busy and says when to ask again
  ) {
    super(message);
  }

  // Which sentence of the request is to blame, if one is.
  get sentence(): number | null {
    const place = this.body["sentence"];
    return typeof place === "number" ? place : null;
  }
}

async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
  } catch {
    throw new ServerError("The server does not answer.", 0, {});
  }
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok) {
    const reason = typeof answer["error"] === "string" ? answer["error"] : `The server says ${response.status}.`;
    const after = Number(response.headers.get("Retry-After") ?? Number.NaN);
    const wait = response.status === 503 ? (Number.isFinite(after) ? after : 1) : null;
    throw new ServerError(reason, response.status, answer, wait);
  }
  return answer as Answer;
}

const TRIES = 10; // of a request that a busy server sends away
const LONGEST = 30; // seconds between two of them

// Asks a busy server again when it says to, a few times, as long as the answer is wanted.
export async function patiently<Answer>(
  request: () => Promise<Answer>,
  isWanted: () => boolean,
  told: (seconds: number) => void = () => undefined,
): Promise<Answer> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ServerError) || error.retryAfter === null || left === 1 || !isWanted()) throw error;
      const seconds = Math.min(error.retryAfter, LONGEST);
      told(seconds);
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
      if (!isWanted()) throw error;
    }
  }
}

export const models = (): Promise<Models> => ask("GET", "/v1/models");

export const parse = (request: ParseRequest): Promise<{ sentences: ParsedData[] }> =>
  ask("POST", "/v1/parse", request);

export const judge = (request: {
  model?: string;
  sentences: { conllu: string }[];
  rules?: string;
}): Promise<{ sentences: Judgement[] }> => ask("POST", "/v1/judge", request);

// Null where the server has no treebank to annotate.
export async function treebank(): Promise<ServedTreebank | null> {
  try {
    return await ask("GET", "/v1/treebank");
  } catch (error) {
    if (error instanceof ServerError && (error.status === 404 || error.status === 0)) return null;
    throw error;
  }
}

export const save = (place: number, sentence: ServedSentence): Promise<{ version: string }> =>
  ask("PUT", `/v1/treebank/sentences/${place}`, sentence);
