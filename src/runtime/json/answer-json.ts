import { parseJson } from './parse-json.ts';

const decoder = new TextDecoder();

/** Reads an answer. A byte order mark before it is no part of it, whatever JSON.parse thinks. */
export function readAnswerJson(body: Buffer): unknown {
  return parseJson(decoder.decode(body));
}
