import type { Call } from '../../../core/contract/call.ts';
import { isRecord, parseJson } from '../../../core/values/parse-json.ts';
import { literally } from '../../../core/values/redact.ts';
import type { HttpResponse, PeoplePage } from '../provider.ts';
import { speaksOfQuota, speaksOfThrottling, spellOut } from './wording.ts';

export type Facts = ReturnType<typeof readFacts>;

/** What only the provider knows of its answers. */
export interface OwnAnswers {
  people?(json: unknown): PeoplePage | null;
  /** Codes in its problems. */
  readonly pathUnknown?: string;
  readonly companyUnknown?: string;
}

export function readFacts(
  call: Call,
  { status, headers, body }: HttpResponse,
  own: OwnAnswers = {},
) {
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  const json = tryParse(text);
  const companyId = call.operation === 'company' ? readCompanyId(json) : undefined;
  const page = call.operation === 'people' ? own.people?.(json) : null;
  const holdsResult = companyId !== undefined || page != null;
  const isFailure = status !== 200 || reportsFailure(json, holdsResult);
  // A valid result may have data fields named `message` or `code`, which do not describe a problem.
  const problem = isFailure || !holdsResult ? readProblem(json, text) : noProblem;
  const problemText = problem.isSpecific
    ? spellOut(`${problem.code} ${withoutEcho(problem.message, call)}`).trim()
    : '';
  return {
    own,
    status: isFailure ? meantStatus(status, problemText) : status,
    json,
    hasBody: text.trim() !== '',
    problem,
    problemText,
    hasRetryAfter: headers['retry-after'] !== undefined,
    companyId,
    people: page?.people,
  };
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

export function readCompanyId(json: unknown) {
  if (!isRecord(json)) return undefined;
  const { id } = json;
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}

/** With `success: false`, `id` identifies the request, not a company, so there is no result. */
function reportsFailure(json: unknown, holdsResult: boolean) {
  if (!isRecord(json)) return false;
  if (json.success === false) return true;
  return !holdsResult && json.error != null;
}

function meantStatus(status: number, problemText: string) {
  if (status !== 200 || problemText === '') return status;
  if (speaksOfThrottling(problemText)) return 429;
  if (speaksOfQuota(problemText)) return 402;
  const code = Number(/^[45]\d\d\b/.exec(problemText)?.[0]);
  // Without a code, assume 500: then "not found" becomes a miss, and all else is retried.
  return Number.isNaN(code) ? 500 : code;
}

/** Removes the values we sent, because a rule might match one: "invalid: credit-union.com". */
function withoutEcho(problemText: string, call: Call) {
  const sent =
    call.operation === 'company'
      ? [call.identifier.value]
      : [call.companyId, call.department ?? '', call.position ?? '', call.seniority ?? ''];
  return sent
    .filter((value) => value.length >= 3)
    .reduce((text, value) => text.replaceAll(new RegExp(literally(value), 'gi'), '…'), problemText);
}

interface Problem {
  readonly message: string;
  readonly code: string;
  /** False for a web page, whose words come from a proxy or gateway. */
  readonly isSpecific: boolean;
}

const noProblem: Problem = { message: '', code: '', isSpecific: false };

/** Most reliable field first. */
const messageFields = ['message', 'error', 'error_description', 'detail', 'title', 'errors'];
const codeFields = ['code', 'error', 'statusCode', 'status'];

/**
 * Accepts `{error: 400, message}`, `{error: "text"}`, `{error: {code, message}}`, text, web pages.
 */
function readProblem(json: unknown, text: string): Problem {
  if (typeof json === 'string' || isRecord(json)) {
    const code = isRecord(json) ? firstOf(json, codeFields, codeOf) : '';
    return { message: wordsOf(json), code, isSpecific: true };
  }
  const plain = json === undefined ? text.trim() : '';
  if (plain === '') return noProblem;
  if (!plain.startsWith('<')) return { message: plain, code: '', isSpecific: true };
  return { ...noProblem, message: /<(title|h1)[^>]*>([^<]*)</i.exec(plain)?.[2]?.trim() ?? '' };
}

/** A deeply nested answer could exhaust the stack. */
const deepest = 5;

type Read = (value: unknown, depth: number) => string;

/** The innermost `error` is the most precise. */
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
  // `{error: "Company profile not found"}` is a message, not a code.
  return typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : '';
}
