// Requests to the server that this page came from; no other is ever asked.

import type { Judgement, Models, ParsedData, ParseRequest, ServedSentence, ServedTreebank } from "./api_types.ts";

export class ServerError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly body: Record<string, unknown>,
  ) {
    super(message);
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
    throw new ServerError(reason, response.status, answer);
  }
  return answer as Answer;
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
