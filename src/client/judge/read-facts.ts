import type { CallRequest } from '../../contract/call.ts';
import { readPeoplePage } from '../../contract/people-answer.ts';
import { parseJson } from '../../runtime/json/parse-json.ts';
import type { HttpAnswer } from '../wire/exchange.ts';
import { isRecord, noProblem, type Problem, readProblem } from './read-problem.ts';
import { speaksOfQuota, speaksOfThrottling, spellOut } from './wording.ts';

/** What the rules look at. */
export interface Facts {
  /** The status, or the one that a 200 which reports a failure should have had. */
  readonly status: number;
  /** Undefined where the body is not JSON. */
  readonly json: unknown;
  readonly hasBody: boolean;
  readonly problem: Problem;
  /** Code and message of a failure for matching, without what the call itself had sent. */
  readonly said: string;
  readonly hasRetryAfter: boolean;
  readonly companyId: string | undefined;
  readonly isPeoplePage: boolean;
}

/** Reads an answer once, for all rules. */
export function readFacts(call: CallRequest, { status, headers, body }: HttpAnswer): Facts {
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
    ? spellOut(`${problem.code ?? ''} ${withoutEcho(problem.message, call)}`).trim()
    : '';
  return {
    status: isFailure ? meantStatus(status, said) : status,
    json,
    hasBody: text.trim() !== '',
    problem,
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
    .reduce((text, value) => text.replaceAll(literally(value), '…'), said);
}

function literally(value: string): RegExp {
  return new RegExp(value.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi');
}
