import type { CallRequest } from '../../../core/contract/call.ts';
import { readPeoplePage } from '../../../core/contract/operations.ts';
import { parseJson } from '../../../core/runtime/json/parse-json.ts';
import { literally } from '../../../core/runtime/log/redact.ts';
import type { HttpAnswer } from '../wire/exchange.ts';
import { speaksOfQuota, speaksOfThrottling, spellOut } from './wording.ts';

/** What the rules look at. */
export type Facts = ReturnType<typeof readFacts>;

/** Reads an answer once, for all rules. */
export function readFacts(call: CallRequest, { status, headers, body }: HttpAnswer) {
  // JSON.parse refuses a byte order mark, which is no part of the text.
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  const json = tryParse(text);
  const companyId = call.operation === 'company' ? readCompanyId(json) : undefined;
  const isPeoplePage = call.operation === 'people' && readPeoplePage(json) !== null;
  const holdsResult = companyId !== undefined || isPeoplePage;
  const isFailure = status !== 200 || reportsFailure(json, holdsResult);
  // What the fields of a company say is not about a failure.
  const problem = isFailure || !holdsResult ? readProblem(json, text) : noProblem;
  const said = problem.isSpecific
    ? spellOut(`${problem.code} ${withoutEcho(problem.message, call)}`).trim()
    : '';
  return {
    /** The status, or the one that a 200 which reports a failure should have had. */
    status: isFailure ? meantStatus(status, said) : status,
    /** Undefined where the body is not JSON. */
    json,
    hasBody: text.trim() !== '',
    problem,
    /** Code and message of a failure for matching, without what the call itself had sent. */
    said,
    hasRetryAfter: headers['retry-after'] !== undefined,
    companyId,
    isPeoplePage,
  };
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function readCompanyId(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined;
  const { id } = json;
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}

/** An `id` beside `success: false` is that of the request, not of a company. */
function reportsFailure(json: unknown, holdsResult: boolean): boolean {
  if (!isRecord(json)) return false;
  if (json.success === false) return true;
  return !holdsResult && json.error !== undefined && json.error !== null;
}

/** Reads a 200 with a failure in it as the status it should have had. */
function meantStatus(status: number, said: string): number {
  if (status !== 200 || said === '') return status;
  if (speaksOfThrottling(said)) return 429;
  if (speaksOfQuota(said)) return 402;
  const code = Number(/^[45]\d\d\b/.exec(said)?.[0]);
  // Without a code it is a failure all the same: 500 settles "not found" and retries the rest.
  return Number.isNaN(code) ? 500 : code;
}

/**
 * A service that quotes the request may say "invalid: credit-union.com"; the words of the rules
 * must be its own.
 */
function withoutEcho(said: string, call: CallRequest): string {
  const sent = call.operation === 'company' ? [call.identifier.value] : Object.values(call.body);
  return sent
    .filter((value) => value.length >= 3)
    .reduce((text, value) => text.replaceAll(new RegExp(literally(value), 'gi'), '…'), said);
}

interface Problem {
  /** What the service says about the failure; empty where it says nothing. */
  readonly message: string;
  /** Its code, a number or a word; empty where it has none. */
  readonly code: string;
  /** The message is the service's own and not a web page of something in between. */
  readonly isSpecific: boolean;
}

const noProblem: Problem = { message: '', code: '', isSpecific: false };

/** Where services are known to put their words and their numbers, best first. */
const messageFields = ['message', 'error', 'error_description', 'detail', 'title', 'errors'];
const codeFields = ['code', 'error', 'statusCode', 'status'];

/**
 * Reads the failure out of a body: `{error: 400, message}` as documented, `{error: "text"}`,
 * `{error: {code, message}}`, bare text, a web page, or nothing.
 */
function readProblem(json: unknown, text: string): Problem {
  if (typeof json === 'string' || isRecord(json)) {
    const code = isRecord(json) ? firstOf(json, codeFields, codeOf) : '';
    return { message: wordsOf(json), code, isSpecific: true };
  }
  const plain = json === undefined ? text.trim() : '';
  if (plain === '') return noProblem;
  if (!plain.startsWith('<')) return { message: plain, code: '', isSpecific: true };
  const title = /<(title|h1)[^>]*>([^<]*)</i.exec(plain)?.[2]?.trim() ?? '';
  return { ...noProblem, message: title };
}

/** No service wraps its words deeper than this; an answer that does must not exhaust the stack. */
const deepest = 5;

type Read = (value: unknown, depth: number) => string;

/** The inner object is the more precise one where an error is wrapped in another. */
function firstOf(
  json: Record<string, unknown>,
  fields: readonly string[],
  read: Read,
  depth = 0,
): string {
  if (depth > deepest) return '';
  const { error } = json;
  const inner = isRecord(error) ? firstOf(error, fields, read, depth + 1) : '';
  if (inner !== '') return inner;
  return fields.map((field) => read(json[field], depth + 1)).find(Boolean) ?? '';
}

function wordsOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value.trim();
  if (isRecord(value)) return firstOf(value, messageFields, wordsOf, depth);
  if (!Array.isArray(value) || depth > deepest) return '';
  const words = value.map((part) => wordsOf(part, depth + 1));
  return words.filter(Boolean).join('; ');
}

function codeOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  // A code is one word; `{error: "Company profile not found"}` holds a message.
  return typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : '';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
